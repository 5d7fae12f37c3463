"""The promises of the agent_graph tools."""
