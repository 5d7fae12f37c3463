"""The tools of agent_graph, one file a family: models and handlers side by side."""
