"""The retrieval API without HTTP: JSON Schemas of its requests and answers, and how one is carried out."""
