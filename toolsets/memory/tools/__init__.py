"""The tools of the memory toolset, a family to a module."""
