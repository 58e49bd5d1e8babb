"""SPARQL requests, passed to worker processes, and their answers."""
