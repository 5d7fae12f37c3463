"""What the agent_graph tools promise."""
