"""The graph in one file: nodes and edges are rows, kinds and edge types are data."""
