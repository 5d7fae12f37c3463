"""The agent_graph toolset: entities that agents know, with utility, extraction and merging."""
