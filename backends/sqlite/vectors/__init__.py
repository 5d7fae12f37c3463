"""Vectors in one file: the table is the truth, arrays and word indexes are beside it."""
