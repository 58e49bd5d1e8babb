"""Scores of all chunks for one question: BM25, dense, positions, sections."""
