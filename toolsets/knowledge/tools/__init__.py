"""The 17 tools, one module a family."""
