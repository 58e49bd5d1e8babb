"""The chunks of a snapshot as arrays, and as they are shown: text, context window, duplicates."""
