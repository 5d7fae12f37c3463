"""What the tools promise, tried through a real MCP client."""
