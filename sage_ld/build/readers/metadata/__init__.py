"""Metadata of documents: what a file, its front matter, its page or its sidecar states, as properties."""
