"""Entities: their labels and classes, and their identity with users' resources.

Labels and classes are chosen over all mentions. A name in a text is a mention of the resource that has it.
The resource with the best claim to a label gets its mentions: as its name, then as another name, then as its
name without a qualifier in brackets. Where two have the same claim, the label stays an entity of our own.

A mention is written with the entity of its label, as its document alone says. Where a resource takes the
entity's place, the mention's target becomes the resource, and `sage:byLabel` keeps the entity: so each
mention says by itself what it would be without the resource. In a first build, what mentions are of waits in
a file until the identity is known, and is written once.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Set
from functools import cache
from itertools import chain, islice
from typing import Final

from pyoxigraph import NamedNode, Quad, Triple

from sage_ld.foundation import vocabulary as v
from sage_ld.foundation.rdf_values import iri_of
from sage_ld.graph.derivations.derivation import Changes, Corpus, Derivation, DerivationResult
from sage_ld.graph.derivations.label_mentions import follow_label_mentions, label_mentions
from sage_ld.graph.indexes.documents import title_labels
from sage_ld.graph.store import reading, resources
from sage_ld.graph.store.derived import label_lines
from sage_ld.graph.store.iris import Iris
from sage_ld.graph.store.nquads import line
from sage_ld.graph.store.protocol import Store
from sage_ld.graph.store.reading import StoredDocument
from sage_ld.graph.store.terms import in_graph, node
from sage_ld.graph.writing.writer import Writer

_BATCH_ENTITIES: Final = 5_000  # entities whose mentions change at once


def _derive_labels(corpus: Corpus, _before: Mapping[str, DerivationResult]) -> DerivationResult:
    return DerivationResult(_lines(corpus))


def _follow_labels(corpus: Corpus, changes: Changes) -> Mapping[str, int]:
    corpus.writer.derive_entities(changes.entities)
    return {}


def _lines(corpus: Corpus) -> Iterator[str]:
    yield from label_lines(corpus.writer.store, corpus.writer.iris)


ENTITIES = Derivation("entities", lambda iris: iris.entities_graph, _derive_labels, _follow_labels)


def set_targets(writer: Writer, targets: Mapping[str, str | None]) -> set[str]:
    """Makes all mentions by the labels of entities mentions of resources, or for None of the entities.

    Gives the IRIs of all that were the target of one of them and no longer are.
    """
    before: dict[tuple[NamedNode, NamedNode], None] = {}
    waiting = iter(targets.items())
    while batch := list(islice(waiting, _BATCH_ENTITIES)):
        removed: list[Quad] = []
        added: list[Quad] = []
        moved: set[object] = set()
        for entity, resource in batch:
            minted = NamedNode(entity)
            target = minted if resource is None else NamedNode(resource)
            for mention in _mentions(writer.store, minted):  # of one chunk, no two have one label
                statement = mention.object
                if not isinstance(statement, Triple) or not isinstance(old := statement.object, NamedNode):
                    continue
                if old != target:
                    moved.add(mention.subject)
                    removed += _pointing(writer.store, mention, statement, moved)
                    added += _pointed(mention, statement, target)
                    (removed if target == minted else added).append(_by_label(mention, minted))
                    before[old, target] = None
        writer.exchange(removed, added)
        writer.store.flush()  # else the store keeps the changes of all batches in memory
    if next(writer.store.quads_for_pattern(None, node(v.SHARED_ENTITY), None, None), None) is not None:
        for old, target in before:
            _exchange_shared(writer, old, target)
    return {old.value for old, _ in before}


def by_label(store: Store) -> set[str]:
    """The entities in whose place resources are mentioned."""
    quads = store.quads_for_pattern(None, node(v.BY_LABEL), None, None)
    return {quad.object.value for quad in quads if isinstance(quad.object, NamedNode)}


def _mentions(store: Store, entity: NamedNode) -> Iterator[Quad]:
    """The statements by which mentions have their chunks, of all mentions by the entity's label."""
    for predicate in (v.TARGET, v.BY_LABEL):
        for named in store.quads_for_pattern(None, node(predicate), entity, None):
            for quad in store.quads_for_pattern(named.subject, node(v.REIFIES), None, named.graph_name):
                if isinstance(quad.object, Triple) and quad.object.predicate == node(v.MENTIONS):
                    yield quad


def _pointing(store: Store, mention: Quad, statement: Triple, moved: Set[object]) -> list[Quad]:
    """The statements that a mention is of its target, without those that one not `moved` makes too."""
    graph = mention.graph_name
    quads = [mention, Quad(mention.subject, node(v.TARGET), statement.object, graph)]
    others = store.quads_for_pattern(None, node(v.REIFIES), statement, graph)
    if all(other.subject in moved for other in others):
        quads.append(in_graph(statement, graph))
    return quads


def _pointed(mention: Quad, statement: Triple, target: NamedNode) -> list[Quad]:
    """The statements that a mention is of another target."""
    reifier, graph = mention.subject, mention.graph_name
    named = Triple(statement.subject, statement.predicate, target)
    return [
        Quad(reifier, node(v.REIFIES), named, graph),
        Quad(reifier, node(v.TARGET), target, graph),
        Quad(statement.subject, statement.predicate, target, graph),
    ]


def _by_label(mention: Quad, entity: NamedNode) -> Quad:
    return Quad(mention.subject, node(v.BY_LABEL), entity, mention.graph_name)


def drop_unshared(writer: Writer, entities: Iterable[str]) -> None:
    """Has no similarity edge name an entity that not both of its chunks mention any longer."""
    for entity in entities:
        _exchange_shared(writer, NamedNode(entity), NamedNode(entity))


def _exchange_shared(writer: Writer, before: NamedNode, target: NamedNode) -> None:
    """Has similarity edges name the entities that both of their chunks mention now."""
    graph = node(writer.iris.edges_graph)
    for quad in list(writer.store.quads_for_pattern(None, node(v.SHARED_ENTITY), before, graph)):
        ends = [_end(writer.store, quad, role) for role in (v.SOURCE, v.TARGET)]
        removed = [] if _mention(writer.store, ends, before) else [quad]
        shared = _mention(writer.store, ends, target)
        added = [Quad(quad.subject, quad.predicate, target, graph)] if shared else []
        writer.exchange(removed, added)


def _add_shared(writer: Writer, mentions: Iterable[Quad]) -> None:
    """Has similarity edges name the entities of new mentions that their other ends mention too."""
    store, graph, added = writer.store, node(writer.iris.edges_graph), list[Quad]()
    for each in mentions:
        similar = (each.subject, None), (None, each.subject)
        for edge in chain(*(store.quads_for_pattern(a, node(v.SIMILAR_TO), b, graph) for a, b in similar)):
            other = edge.object if edge.subject == each.subject else edge.subject
            assert isinstance(other, NamedNode)
            assert isinstance(each.object, NamedNode)
            if _mention(store, [other], each.object):
                reifiers = store.quads_for_pattern(None, node(v.REIFIES), edge.triple, graph)
                added += (Quad(one.subject, node(v.SHARED_ENTITY), each.object, graph) for one in reifiers)
    writer.exchange((), added)


def _end(store: Store, edge: Quad, role: str) -> NamedNode | None:
    quads = store.quads_for_pattern(edge.subject, node(role), None, None)
    return next((quad.object for quad in quads if isinstance(quad.object, NamedNode)), None)


def _mention(store: Store, chunks: list[NamedNode | None], entity: NamedNode) -> bool:
    return all(
        chunk is not None
        and next(store.quads_for_pattern(chunk, node(v.MENTIONS), entity, None), None) is not None
        for chunk in chunks
    )


def _derive(corpus: Corpus, _before: Mapping[str, DerivationResult]) -> DerivationResult:
    writer, claims, named = corpus.writer, dict[str, dict[str, int]](), dict[str, set[str]]()
    target_of = cache(lambda resource: resources.target(writer.store, resource))
    for resource in sorted(resources.described(writer.store, writer.iris)):
        labels = resources.labels(writer.store, resource, writer.iris)
        if terms := labels.terms():
            named[resource] = terms
        for label, rank in labels.claims().items():
            claims.setdefault(writer.iris.entity(label), {})[resource] = rank
    best = {entity: _best(writer.store, each, target_of) for entity, each in claims.items()}
    chosen = {entity: resource for entity, resource in best.items() if resource is not None}
    if not writer.target_mentions(chosen):
        moved = sorted(chosen.keys() | by_label(writer.store))
        set_targets(writer, {each: chosen.get(each) for each in moved})
    documents = corpus.documents if chosen else ()
    targets = {
        key: target
        for resource, keys in named.items()
        for key in keys
        if chosen.get(writer.iris.entity(key)) == (target := target_of(resource))
    }
    said = chain(
        _candidates(claims, writer.iris),
        _replacements(chosen, writer.iris),
        _subjects(writer, documents, chosen.get),
    )
    lines = chain(map(line, said), label_mentions(writer, targets))
    writer.replace_graph(writer.iris.resources_graph, lines)
    return DerivationResult(None)


def _follow(corpus: Corpus, changes: Changes) -> Mapping[str, int]:
    writer, touched = corpus.writer, changes.resources
    for document in changes.documents:
        touched |= resources.described(writer.store, writer.iris, writer.iris.document_graph(document))
    touched |= resources.joined(writer.store, touched | writer.identified, writer.iris)
    affected = {each for each in changes.entities if _objects(writer.store, each, v.CANDIDATE)}
    claimed = {entity for each in sorted(touched) for entity in _follow_claims(writer, each)}
    affected |= claimed
    relabelled = {each for entity in claimed for each in _objects(writer.store, entity, v.IS_REPLACED_BY)}
    replaced = {entity: _resolved(writer.store, entity, writer.iris) for entity in sorted(affected)}
    changes.entities |= {*replaced, *set_targets(writer, replaced)}
    changes.entities.update(touched, filter(None, replaced.values()))
    _exchange(writer, _replacements(replaced, writer.iris), (_stated(writer, each) for each in affected))
    relabelled.update(resource for each in claimed if (resource := replaced[each]) is not None)
    gone, new = follow_label_mentions(writer, relabelled, changes)
    changes.entities.update(entity for each in (*gone, *new) if (entity := iri_of(each.object)))
    drop_unshared(writer, sorted({entity for each in gone if (entity := iri_of(each.object))}))
    _add_shared(writer, new)
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
    known = {resource: rank for resource, rank in claims.items() if rank is not None}
    return _best(store, known, lambda resource: resources.target(store, resource))


def _best(store: Store, claims: Mapping[str, int], target_of: Callable[[str], str]) -> str | None:
    """The target of the one resource with the best claim; None if there are two, or none.

    Of several that are the same (`owl:sameAs` in both directions), it is the first.

    >>> from sage_ld.graph.store.oxigraph import in_memory
    >>> _best(in_memory(), {"http://example.org/queen": 2, "http://example.org/monarch": 1}, str)
    'http://example.org/monarch'
    >>> _best(in_memory(), {"http://example.org/film": 0, "http://example.org/novel": 0}, str) is None
    True
    """
    least = min(claims.values(), default=0)
    best = sorted({target_of(resource) for resource, rank in claims.items() if rank == least})
    return best[0] if best and all(_are_same(store, best[0], other) for other in best[1:]) else None


def _are_same(store: Store, one: str, other: str) -> bool:
    """Whether two resources are said to be the same, as a symmetric and transitive closure says it."""
    same, ends = node(v.OWL + "sameAs"), (NamedNode(one), NamedNode(other))
    return all(
        next(store.quads_for_pattern(source, same, target, None), None) is not None
        for source, target in (ends, ends[::-1])
    )


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


IDENTITY = Derivation("identity", lambda iris: iris.resources_graph, _derive, _follow)
