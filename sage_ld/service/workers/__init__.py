"""SPARQL of clients: limits of its text, and the processes that run it."""
