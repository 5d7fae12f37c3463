"""The memory toolset: entities with observations and the relationships between them, in databases apart from one another."""
