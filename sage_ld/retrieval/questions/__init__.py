"""Analysis of a question: the nodes that it names, its difficulty, its parts."""
