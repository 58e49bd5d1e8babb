"""What leaves the graph: exports, answers in JSON-LD, its VoID description; and whether it conforms."""
