"""What several kinds of tests use: servers as processes, and raw clients."""
