"""MCP and HTTP surfaces, dispatch, transports, security, telemetry and the command line."""
