"""The way from a SPARQL request to a worker process and back."""
