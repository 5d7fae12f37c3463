"""Vectors as Neo4j has them: nodes with a label per collection, one word index for all, a vector index for each large one."""
