"""HTTP: parameters, negotiation, problem documents, conditional requests, middleware."""
