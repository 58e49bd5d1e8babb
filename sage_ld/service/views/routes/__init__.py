"""The routes of pages for people."""
