"""The service: SPARQL, linked data, exports and retrieval over HTTP; `sage_ld.service.app` makes it.

Nothing is imported here: worker processes start by importing this package, and are replaced while a client
waits.
"""
