"""What other programs ask: over HTTP, where a file is a route and may wake and feed the workflow, an agent (mcp/), and pytest."""
