"""Changes to a graph: ingest, add, delete, patch and curate, each planned before anything is written."""
