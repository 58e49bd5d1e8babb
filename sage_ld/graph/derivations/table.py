"""The table of derivations: what follows from several documents, in the order in which it is derived.

What is inferred from users' statements comes first, since it may name or join resources. The identity of
entities is next: similarity and labels look at what chunks mention. Then come
labels, with how many chunks mention an entity: similarity looks at that, and concepts at the labels.
`CONTRIBUTING.md` says how to add one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
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
from sage_ld.graph.store.nquads import line
from sage_ld.graph.store.reading import StoredDocument
from sage_ld.graph.store.terms import node
from sage_ld.graph.store.user_statements import users_graphs


def _derive(corpus: Corpus, _before: Mapping[str, DerivationResult]) -> DerivationResult:
    store, iris = corpus.writer.store, corpus.writer.iris
    found = _of_documents(corpus, corpus.documents)
    found |= resources.joining_properties(store, DefaultGraph(), iris)
    named = (each for each in users_graphs(store, iris.base) if isinstance(each, NamedNode))
    for graph in (node(iris.inferred_graph), *named):
        found |= resources.joining_properties(store, graph, iris)
    return DerivationResult(map(line, _quads(found, iris)))


def _follow(corpus: Corpus, changes: Changes) -> Mapping[str, int]:
    writer, iris = corpus.writer, corpus.writer.iris
    stated = set(
        writer.store.quads_for_pattern(
            None, node(v.TYPE), node(v.STATEMENT_PROPERTY), node(iris.resources_graph)
        )
    )
    unused = {each for each in stated if not resources.is_joining(writer.store, _name(each), iris)}
    new = _of_documents(corpus, reading.documents(writer.store, changes.documents))
    new |= {each for each in writer.joining if resources.is_joining(writer.store, each, iris)}
    writer.exchange(sorted(unused, key=str), sorted(set(_quads(new, iris)) - stated, key=str))
    return {}


def _name(quad: Quad) -> str:
    assert isinstance(quad.subject, NamedNode)
    return quad.subject.value


def _of_documents(corpus: Corpus, documents: Iterable[StoredDocument]) -> set[str]:
    store, iris = corpus.writer.store, corpus.writer.iris
    found: set[str] = set()
    for document in documents:
        if resources.is_of_rdf(store, document, iris):
            found |= resources.joining_properties(store, node(iris.document_graph(document.iri)), iris)
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
