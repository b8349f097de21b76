"""The MCP servers: evidence over stdio, memory over stdio or streamable HTTP."""
