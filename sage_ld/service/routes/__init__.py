"""The routes, one module for each surface of the service."""
