"""Generators of files that follow from a table: `make generate` writes them, and a test compares them.

Each module has `files`, which gives the text of each file that it writes.
"""
