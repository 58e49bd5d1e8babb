"""What answers say of the graph: lists, labels, neighbours, statements about resources."""
