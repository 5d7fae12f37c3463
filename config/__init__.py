"""Settings and their sources; imports no other package of the project."""
