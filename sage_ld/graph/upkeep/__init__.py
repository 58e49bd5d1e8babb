"""Upkeep of a graph: backups, checks and repairs, saved revisions, rebasing, and re-encoding."""
