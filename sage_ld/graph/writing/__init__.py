"""The one writer of a graph: store and indexes change together, and a revision is published or nothing is."""
