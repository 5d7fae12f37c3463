"""A graph in memory: every promise of the port, kept in the simplest way."""
