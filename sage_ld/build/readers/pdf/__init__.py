"""PDF: words and their places, lines, columns, tables, headings. Begin at `document.py`."""
