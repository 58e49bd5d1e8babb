"""Routes of the service that the laboratory adds: evaluation, and the communities of the whole graph."""
