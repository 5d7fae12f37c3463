"""Vectors in one file: arrays and word indexes are caches of the table of records."""
