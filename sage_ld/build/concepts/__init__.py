"""Concepts: terms that name one thing, found among keywords and the names of entities (canonicalization)."""
