"""What the tools mean, written against ports only."""
