"""The service: retrieval, SPARQL, linked data and exports over HTTP, and the pages.

`http` knows HTTP and no graph; `access` says who may do what; `workers` are the processes that query and
write; `routes` has the rows of `route_table`, from which rights, limits and `/openapi.json` follow. `lab`,
`agents` and the pages (`views`) hang on by the table in `extensions`. Nothing is imported here: worker
processes start by importing this package, and are replaced while a client waits. Imports from `retrieval` and
the rooms before it.

Begin with `app`, which makes the application; then `route`, what a row says.
"""
