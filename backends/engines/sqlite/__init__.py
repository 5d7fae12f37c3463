"""The SQLite engine: graph, vectors and event log in one data directory, with nothing to install."""
