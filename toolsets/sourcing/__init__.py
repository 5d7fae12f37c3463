"""The write path of every toolset: decide, append, project, and catch up."""
