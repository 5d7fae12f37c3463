"""The Neo4j adapter."""
