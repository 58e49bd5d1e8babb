"""Kept retrievals as a small store of their own, for their pages and descriptions."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from pyoxigraph import NamedNode, RdfFormat, Triple

from sage_ld.foundation import vocabulary as v
from sage_ld.graph.provenance import RetrievalLog
from sage_ld.graph.store.iris import Iris
from sage_ld.graph.store.oxigraph import in_memory
from sage_ld.graph.store.protocol import Store
from sage_ld.retrieval.answers.kept_retrievals import nquads

_NAME: Final = re.compile(r"retrieval/([0-9a-f]{24})(/[0-9a-z/]{1,60})?")


def names_retrieval(base: str, iri: str) -> bool:
    """Whether an IRI is that of a retrieval, or of a part of one: its answer, a result, a judgement."""
    return iri.startswith(base) and _NAME.fullmatch(iri.removeprefix(base)) is not None


def retrieval_store(log: RetrievalLog, graph: Store, iri: str) -> Store | None:
    """The kept statements of the retrieval that `iri` names, with the names of its chunks, or None."""
    match = _NAME.fullmatch(iri.removeprefix(log.base))
    kept = None if match is None else log.find(match[1])
    if kept is None:
        return None
    store = in_memory()
    text = "".join(nquads([kept], Iris(log.base).retrievals_graph))
    store.bulk_load(text.encode(), RdfFormat.N_QUADS)
    for result in kept.results:
        store.bulk_extend(graph.quads_for_pattern(NamedNode(result.chunk), NamedNode(v.NAME), None, None))
    return store


def whole_retrieval(store: Store, iri: str, base: str) -> Iterator[Triple] | None:
    """All that is kept of a retrieval in its `retrieval_store`; None where `iri` names a part of one."""
    match = _NAME.fullmatch(iri.removeprefix(base))
    if match is None or match[2] is not None:
        return None
    graph = NamedNode(Iris(base).retrievals_graph)
    return (each.triple for each in store.quads_for_pattern(None, None, None, graph))
