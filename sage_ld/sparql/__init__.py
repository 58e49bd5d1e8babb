"""SPARQL that clients send: its text held against limits, and the processes that run it."""
