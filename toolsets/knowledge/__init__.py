"""Concepts and the relationships between them."""
