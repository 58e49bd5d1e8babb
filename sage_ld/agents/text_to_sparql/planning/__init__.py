"""Plans of questions: from the units of a question in one reading to what it asks for."""
