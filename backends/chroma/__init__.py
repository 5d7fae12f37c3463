"""The Chroma adapter."""
