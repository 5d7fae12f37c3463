"""Settings and where they come from; imports nothing of ours."""
