"""Routes of the service for agents: answers, queries, reasoning, tables, tools, MCP, approvals."""
