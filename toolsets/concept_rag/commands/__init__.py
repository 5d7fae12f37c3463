"""The toolset's commands for the command line."""
