"""What an answer says: explanations, highlights, outlines; as JSON-LD and as plain records."""
