"""Real servers for tests: started on free loopback ports once a run, or taken from the environment."""
