"""Entity reconciliation: the entities of a graph that names of somebody else's table may mean.

`names` finds entities by their labels, `candidates` ranks those that fit a query, `values` reads and compares
the values of their properties, `vocabulary` knows the classes and properties in use. The protocol over HTTP
is in `sage_ld.service.routes.reconciliation`.

https://www.w3.org/community/reports/reconciliation/CG-FINAL-specs-0.2-20230410/
"""
