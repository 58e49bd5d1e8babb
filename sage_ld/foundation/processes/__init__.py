"""Killable worker processes: a pool of them, the messages they exchange, and their sandbox."""
