"""Files as the store gives them back: read, stored, exported, and compared with what they say (RDFC-1.0)."""

from __future__ import annotations

from collections.abc import Iterable
from io import BytesIO
from pathlib import Path
from urllib.parse import quote

from pyoxigraph import (
    CanonicalizationAlgorithm,
    Dataset,
    NamedNode,
    Quad,
    RdfFormat,
    parse,
)

from sage_ld.build.readers.rdf import read_rdf
from sage_ld.build.readers.source import Source
from sage_ld.foundation.settings import Settings
from sage_ld.graph.exports.streams import export
from sage_ld.graph.store.iris import Iris
from sage_ld.graph.store.nquads import line, quads_of
from sage_ld.graph.store.oxigraph import in_memory
from sage_ld.graph.store.protocol import Store
from sage_ld.graph.store.user_statements import document_quads

IRIS = Iris()


def canonical(quads: Iterable[Quad]) -> set[str]:
    """The quads as canonical N-Quads."""
    dataset = Dataset(quads)
    dataset.canonicalize(CanonicalizationAlgorithm.RDFC_1_0)
    return {str(quad) for quad in dataset}


def said(path: Path) -> set[str]:
    """What a file says, by pyoxigraph's parser alone, as canonical N-Quads."""
    return canonical(parse(path=str(path), base_iri="file:///" + quote(path.name)))


def given_back(path: Path) -> set[str]:
    """What a graph that has a file exports of users' statements, as canonical N-Quads."""
    store = in_memory()
    for document in read_rdf(Source(path, path.name), Settings()):
        store.extend(quads_of(map(line, document_quads(document, IRIS))))
    return exported(store)


def exported(store: Store, base: str = IRIS.base) -> set[str]:
    """What the export of a store says in users' graphs, as canonical N-Quads."""
    output = BytesIO()
    export(store, output, "nquads", "1.2")
    return canonical(quad for quad in parse(output.getvalue(), RdfFormat.N_QUADS) if is_users(quad, base))


def is_users(quad: Quad, base: str = IRIS.base) -> bool:
    """Whether a quad stands in a graph of users."""
    graph = quad.graph_name
    return not (isinstance(graph, NamedNode) and graph.value.startswith(base))
