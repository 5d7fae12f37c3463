"""Extraction of entities and relations from a text."""
