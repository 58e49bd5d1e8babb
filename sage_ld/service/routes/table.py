"""The service's own surfaces; those of other rooms are in the table of extensions."""

from __future__ import annotations

from typing import Final

from sage_ld.service.routes import (
    admin,
    contents,
    description,
    documents,
    edges,
    events,
    export,
    facets,
    graph_store,
    health,
    jobs,
    maintenance,
    metadata,
    neighbourhood,
    reconciliation,
    resources,
    retrievals,
    retrieve,
    sparql,
    update,
)

SURFACES: Final = (
    retrieve.surface,
    retrievals.surface,
    contents.surface,
    facets.surface,
    neighbourhood.surface,
    reconciliation.surface,
    events.surface,
    documents.surface,
    jobs.surface,
    edges.surface,
    sparql.surface,
    update.surface,
    graph_store.surface,
    export.surface,
    resources.surface,
    metadata.surface,
    admin.surface,
    maintenance.surface,
    health.surface,
    description.surface,
)
