"""The promises of the tools, tested through a real MCP client."""
