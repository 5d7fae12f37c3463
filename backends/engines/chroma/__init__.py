"""Chroma behind the vectors port: a server, or embedded in a folder of the data directory."""
