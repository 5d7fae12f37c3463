"""MCP and HTTP surfaces, dispatch, transports, security, logs and the command line."""
