"""The servers and small graphs of the service's tests, for the routes that this room adds."""

from service.conftest import blank, client, folder, headers, server, store

__all__ = ["blank", "client", "folder", "headers", "server", "store"]
