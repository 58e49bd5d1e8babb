"""The content of answers about the graph: lists, labels, neighbours, statements about resources."""
