"""Document parsers: one module per format, run in child processes with limits."""
