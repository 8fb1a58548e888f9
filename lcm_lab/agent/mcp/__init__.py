"""The tools over MCP."""
