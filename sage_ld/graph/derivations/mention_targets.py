"""The targets of mentions: an entity that has a label alone, or the user's resource of that label.

A mention is written with the entity of its label, as its document alone says. Where a resource takes the
entity's place, the mention's target becomes the resource, and `sage:byLabel` keeps the entity: so each
mention says by itself what it would be without the resource.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from pyoxigraph import NamedNode, Quad, Triple

from sage_ld.foundation import vocabulary as v
from sage_ld.graph.store.protocol import Store
from sage_ld.graph.store.terms import node
from sage_ld.graph.writing.writer import Writer


def set_target(writer: Writer, entity: str, resource: str | None) -> set[str]:
    """Makes all mentions by an entity's label mentions of a resource, or of the entity itself.

    Gives the IRIs of all that were the target of one of them and no longer are.
    """
    minted = NamedNode(entity)
    target = minted if resource is None else NamedNode(resource)
    removed: list[Quad] = []
    added: list[Quad] = []
    before: set[NamedNode] = set()
    for mention in _mentions(
        writer.store, minted
    ):  # no two of one chunk, whose mentions have different labels
        statement = mention.object
        if isinstance(statement, Triple) and isinstance(old := statement.object, NamedNode) and old != target:
            removed += _pointing(writer.store, mention, statement)
            added += _pointed(mention, statement, target)
            (removed if target == minted else added).append(_by_label(mention, minted))
            before.add(old)
    writer.exchange(removed, added)
    for old in before:
        _exchange_shared(writer, old, target)
    return {each.value for each in before}


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


def _pointing(store: Store, mention: Quad, statement: Triple) -> list[Quad]:
    """The statements that a mention is of its target, without those that another mention makes too."""
    graph = mention.graph_name
    quads = [mention, Quad(mention.subject, node(v.TARGET), statement.object, graph)]
    others = store.quads_for_pattern(None, node(v.REIFIES), statement, graph)
    if all(other.subject == mention.subject for other in others):
        quads.append(Quad(statement.subject, statement.predicate, statement.object, graph))
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


def _end(store: Store, edge: Quad, role: str) -> NamedNode | None:
    quads = store.quads_for_pattern(edge.subject, node(role), None, None)
    return next((quad.object for quad in quads if isinstance(quad.object, NamedNode)), None)


def _mention(store: Store, chunks: list[NamedNode | None], entity: NamedNode) -> bool:
    return all(
        chunk is not None
        and next(store.quads_for_pattern(chunk, node(v.MENTIONS), entity, None), None) is not None
        for chunk in chunks
    )
