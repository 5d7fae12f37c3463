"""The tools of agent_graph: a module for each family, with its models and handlers."""
