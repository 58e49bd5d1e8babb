"""The RDF side: from the model to quads and back, the named queries, and the graph's directory on disk."""
