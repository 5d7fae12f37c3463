"""The tools of the skills toolset."""
