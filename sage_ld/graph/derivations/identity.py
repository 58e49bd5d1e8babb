"""The identity of entities and users' resources: a name in a text is a mention of the resource that has it.

The resource with the best claim to a label gets its mentions: as its name, then as another name, then as its
name without a qualifier in brackets. Where two have the same claim, the label stays an entity of our own.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping

from pyoxigraph import NamedNode, Quad

from sage_ld.foundation import vocabulary as v
from sage_ld.foundation.rdf_values import iri_of
from sage_ld.graph.derivations.derivation import Changes, Corpus, Derivation, Derived
from sage_ld.graph.derivations.mention_targets import by_label, set_target
from sage_ld.graph.indexes.documents import title_labels
from sage_ld.graph.store import reading, resources
from sage_ld.graph.store.iris import Iris
from sage_ld.graph.store.nquads import line
from sage_ld.graph.store.protocol import Store
from sage_ld.graph.store.reading import StoredDocument
from sage_ld.graph.store.terms import node
from sage_ld.graph.writing.writer import Writer


def _derive(corpus: Corpus, _before: Mapping[str, Derived]) -> Derived:
    writer, claims = corpus.writer, dict[str, dict[str, int]]()
    for resource in sorted(resources.described(writer.store, writer.iris)):
        for entity, rank in resources.entity_claims(writer.store, resource, writer.iris).items():
            claims.setdefault(entity, {})[resource] = rank
    best = {entity: _best(each) for entity, each in claims.items()}
    chosen = {entity: resource for entity, resource in best.items() if resource is not None}
    for entity in sorted(chosen.keys() | by_label(writer.store)):
        set_target(writer, entity, chosen.get(entity))
    said = [*_candidates(claims, writer.iris), *_replacements(chosen, writer.iris)]
    documents = corpus.documents if chosen else ()
    return Derived(map(line, [*said, *_subjects(writer, documents, chosen.get)]))


def _follow(corpus: Corpus, changes: Changes) -> Mapping[str, int]:
    writer, touched = corpus.writer, changes.resources
    for document in changes.documents:
        touched |= resources.described(writer.store, writer.iris, writer.iris.document_graph(document))
    affected = {each for each in changes.entities if _objects(writer.store, each, v.CANDIDATE)}
    for each in sorted(touched):
        affected |= _follow_claims(writer, each)
    replaced = {entity: _resolved(writer.store, entity, writer.iris) for entity in sorted(affected)}
    for entity, resource in replaced.items():
        changes.entities |= {entity, *set_target(writer, entity, resource)}
    changes.entities.update(touched, filter(None, replaced.values()))
    _exchange(writer, _replacements(replaced, writer.iris), (_stated(writer, each) for each in affected))
    titled = {document for entity in affected for document in writer.documents.titled(entity)}
    _follow_subjects(writer, titled | changes.documents | changes.gone)
    return {}


def _follow_claims(writer: Writer, resource: str) -> set[str]:
    """Brings the candidates of entities to what a resource claims now; returns the entities concerned."""
    graph = node(writer.iris.resources_graph)
    before = list(writer.store.quads_for_pattern(None, node(v.CANDIDATE), NamedNode(resource), graph))
    alive = next(writer.store.quads_for_pattern(None, node(v.MAIN_ENTITY), NamedNode(resource), None), None)
    claims = resources.entity_claims(writer.store, resource, writer.iris) if alive else {}
    after = list(_candidates({entity: {resource: rank} for entity, rank in claims.items()}, writer.iris))
    _exchange(writer, after, [before])
    return claims.keys() | {entity for quad in before if (entity := iri_of(quad.subject))}


def _exchange(writer: Writer, after: Iterable[Quad], before: Iterable[Iterable[Quad]]) -> None:
    new, old = set(after), {quad for each in before for quad in each}
    writer.exchange(sorted(old - new, key=str), sorted(new - old, key=str))


def _resolved(store: Store, entity: str, iris: Iris) -> str | None:
    """The resource whose mentions those by an entity's label are."""
    named = _objects(store, entity, v.CANDIDATE)
    claims = {resource: resources.entity_claims(store, resource, iris).get(entity) for resource in named}
    return _best({resource: rank for resource, rank in claims.items() if rank is not None})


def _best(claims: Mapping[str, int]) -> str | None:
    """The one resource with the best claim; None if there are two, or none.

    >>> _best({"http://example.org/queen": 2, "http://example.org/monarch": 1})
    'http://example.org/monarch'
    >>> _best({"http://example.org/film": 0, "http://example.org/novel": 0}) is None
    True
    """
    least = min(claims.values(), default=0)
    best = [resource for resource, rank in claims.items() if rank == least]
    return best[0] if len(best) == 1 else None


def _objects(store: Store, subject: str, predicate: str) -> list[str]:
    quads = store.quads_for_pattern(NamedNode(subject), node(predicate), None, None)
    return sorted(iri for quad in quads if (iri := iri_of(quad.object)))


def _candidates(claims: Mapping[str, Iterable[str]], iris: Iris) -> Iterator[Quad]:
    graph = node(iris.resources_graph)
    for entity, each in claims.items():
        for resource in each:
            yield Quad(NamedNode(entity), node(v.CANDIDATE), NamedNode(resource), graph)


def _replacements(chosen: Mapping[str, str | None], iris: Iris) -> Iterator[Quad]:
    graph = node(iris.resources_graph)
    for entity, resource in chosen.items():
        if resource is not None:
            yield Quad(NamedNode(entity), node(v.IS_REPLACED_BY), NamedNode(resource), graph)


def _stated(writer: Writer, entity: str) -> list[Quad]:
    graph = node(writer.iris.resources_graph)
    return list(writer.store.quads_for_pattern(NamedNode(entity), node(v.IS_REPLACED_BY), None, graph))


# --- documents about a resource ----------------------------------------------------------------------


def _subjects(
    writer: Writer, documents: Iterable[StoredDocument], chosen: Callable[[str], str | None]
) -> Iterator[Quad]:
    """The statements that documents are about the resources that have their titles as labels."""
    store, iris = writer.store, writer.iris
    for document in documents:
        resources_of = (chosen(iris.entity(label)) for label in title_labels(document.name))
        resource = next(filter(None, resources_of), None)
        if resource is not None and not resources.is_of_rdf(store, document, iris):
            graph = node(iris.resources_graph)
            yield Quad(NamedNode(document.iri), node(v.ABOUT), NamedNode(resource), graph)


def _follow_subjects(writer: Writer, documents: Collection[str]) -> None:
    """Brings what some documents (IRIs) are about to what their titles say now."""
    graph = node(writer.iris.resources_graph)

    def chosen(entity: str) -> str | None:
        quads = writer.store.quads_for_pattern(NamedNode(entity), node(v.IS_REPLACED_BY), None, graph)
        return next(filter(None, (iri_of(quad.object) for quad in quads)), None)

    before = (
        writer.store.quads_for_pattern(NamedNode(document), node(v.ABOUT), None, graph)
        for document in documents
    )
    stored = reading.documents(writer.store, sorted(documents)) if documents else ()
    _exchange(writer, _subjects(writer, stored, chosen), list(before))


def _graph(iris: Iris) -> str:
    return iris.resources_graph


IDENTITY = Derivation("identity", _graph, _derive, _follow)
