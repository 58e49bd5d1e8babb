"""Kept retrievals in SPARQL: a query that names their graph reads it beside the graphs of the revision."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager

from sage_ld.graph.provenance import RetrievalLog
from sage_ld.graph.store.iris import Iris
from sage_ld.graph.store.overlays import Overlay
from sage_ld.graph.store.stores import Stores
from sage_ld.retrieval.answers.kept_retrievals import model_call_nquads, nquads


def overlay(stores: Stores, log: RetrievalLog) -> Overlay:
    """The stores of a revision with the newest retrievals of the log, `max_queried_retrievals` at most.

    The newest calls of the language model are with them, as many at most.

    Raises UnavailableError if the log cannot be read, or the overlay not be written.
    """
    graph = Iris(log.base).retrievals_graph
    most = log.settings.max_queried_retrievals
    kept = [*nquads(log.iterate(most), graph), *model_call_nquads(log.model_calls(most), graph)]
    return Overlay(stores, log.file.parent, "".join(kept).encode())


@contextmanager
def with_retrievals(stores: Stores, log: RetrievalLog) -> Iterator[Stores]:
    """The stores with the retrievals of the log, for as long as the block lasts."""
    with closing(overlay(stores, log)) as over:
        yield over.stores
