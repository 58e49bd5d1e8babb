"""What leaves the graph: streamed exports, answers in JSON-LD, its VoID description; and whether it conforms."""
