"""The graph as Neo4j has it: one label for all nodes, one relationship type for all edges, kinds and types as properties."""
