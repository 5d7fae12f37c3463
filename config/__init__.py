"""Settings and their sources; imports no other package of ours."""
