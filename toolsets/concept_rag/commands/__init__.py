"""The commands that the toolset brings to the command line."""
