"""Reading documents: one module a format, each run in a child process with limits."""
