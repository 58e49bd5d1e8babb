"""Other stores: graphs as they are there, and graphs that are kept there. Begin with `remote_store`."""
