"""Chroma as a server and embedded."""
