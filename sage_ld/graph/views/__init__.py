"""Views of an opened graph, read from the store: documents, concepts, neighbourhoods, named graphs, drift."""
