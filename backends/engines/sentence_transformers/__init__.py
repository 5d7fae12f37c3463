"""The embedder that runs any sentence-transformers model."""
