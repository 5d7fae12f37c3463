"""The memory toolset: entities with observations and the relationships between them, in separate databases."""
