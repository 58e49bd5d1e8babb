"""The Model Context Protocol: the table of tools as a server for agents' clients, over stdio and HTTP."""
