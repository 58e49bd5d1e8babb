"""Rankings from the literature, to compare with: personalised PageRank, SAGE-DB, breadth-first search."""
