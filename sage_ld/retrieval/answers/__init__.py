"""The content of answers: explanations, highlights, outlines; as JSON-LD and as plain records."""
