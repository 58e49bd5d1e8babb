"""The table of derivations: what follows from several documents, in the order in which it is derived.

What is inferred from users' statements comes first, since it may name or join resources. The identity of
entities is next: similarity and labels look at what chunks mention. Then come
labels, with how many chunks mention an entity: similarity looks at that, and concepts at the labels.
`CONTRIBUTING.md` says how to add one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from typing import Final

from pyoxigraph import DefaultGraph, NamedNode, Quad

from sage_ld.foundation import vocabulary as v
from sage_ld.graph.derivations.builds import BUILDS
from sage_ld.graph.derivations.concepts import CONCEPTS
from sage_ld.graph.derivations.derivation import Changes, Corpus, Derivation, DerivationResult
from sage_ld.graph.derivations.entities import ENTITIES, IDENTITY
from sage_ld.graph.derivations.inference import INFERENCE
from sage_ld.graph.derivations.links import LINKS
from sage_ld.graph.derivations.similarity import ANALOGIES, SIMILARITY
from sage_ld.graph.store import reading, resources
from sage_ld.graph.store.iris import Iris
from sage_ld.graph.store.reading import StoredDocument
from sage_ld.graph.store.terms import node
from sage_ld.graph.store.user_statements import claimed, states_apart, users_graphs


def _derive(corpus: Corpus, _before: Mapping[str, DerivationResult]) -> DerivationResult:
    store, iris = corpus.writer.store, corpus.writer.iris
    graphs = DefaultGraph(), node(iris.inferred_graph), *users_graphs(store, iris.base)
    quads = (store.quads_for_pattern(None, None, None, graph) for graph in graphs)
    found = resources.joining_properties(chain.from_iterable(quads), iris)
    found |= _of_documents(corpus, corpus.documents, is_read=True)
    corpus.writer.exchange((), list(_quads(found, iris)))
    return DerivationResult(None)


def _follow(corpus: Corpus, changes: Changes) -> Mapping[str, int]:
    writer, iris = corpus.writer, corpus.writer.iris
    stated = set(
        writer.store.quads_for_pattern(
            None, node(v.TYPE), node(v.STATEMENT_PROPERTY), node(iris.resources_graph)
        )
    )
    unused = {each for each in stated if not resources.is_joining(writer.store, _name(each), iris)}
    documents = reading.documents(writer.store, changes.documents)
    new = _of_documents(corpus, documents, is_read=False)
    new |= {each for each in writer.joining if resources.is_joining(writer.store, each, iris)}
    writer.exchange(sorted(unused, key=str), sorted(set(_quads(new, iris)) - stated, key=str))
    return {}


def _name(quad: Quad) -> str:
    assert isinstance(quad.subject, NamedNode)
    return quad.subject.value


def _of_documents(corpus: Corpus, documents: Iterable[StoredDocument], *, is_read: bool) -> set[str]:
    """The properties in what documents state, unless that `is_read` in the graphs where it stands.

    A document of an earlier release states it in its own graph.
    """
    store, iris = corpus.writer.store, corpus.writer.iris
    found: set[str] = set()
    for document in documents:
        graph = node(iris.document_graph(document.iri))
        if states_apart(store, graph):
            quads = () if is_read else claimed(store, graph)
        elif resources.is_of_rdf(store, document, iris):
            quads = store.quads_for_pattern(None, None, None, graph)
        else:
            continue
        found |= resources.joining_properties(quads, iris)
    return found


def _quads(properties: Iterable[str], iris: Iris) -> Iterator[Quad]:
    for each in sorted(properties):
        yield Quad(NamedNode(each), node(v.TYPE), node(v.STATEMENT_PROPERTY), node(iris.resources_graph))


PROPERTIES = Derivation("properties", lambda iris: iris.resources_graph, _derive, _follow)


DERIVATIONS: Final[tuple[Derivation, ...]] = (
    INFERENCE,
    IDENTITY,
    PROPERTIES,
    ENTITIES,
    SIMILARITY,
    ANALOGIES,
    LINKS,
    CONCEPTS,
    BUILDS,
)
