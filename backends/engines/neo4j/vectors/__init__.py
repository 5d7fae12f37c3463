"""Vectors in Neo4j: nodes with a label per collection, one word index for all, a vector index per large collection."""
