"""The graph in Neo4j: one label for all nodes and one relationship type for all edges; kinds and types are properties."""
