"""Transports: standard input and output, and HTTP."""
