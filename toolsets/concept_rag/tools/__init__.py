"""The tools, one module a family: argument and reply models with their handlers."""
