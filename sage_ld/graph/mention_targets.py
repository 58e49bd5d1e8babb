"""The targets of mentions: an entity that has a label alone, or the user's resource of that label.

A mention is written with the entity of its label, as its document alone says. Where a resource takes the
entity's place, the mention's target becomes the resource, and `sage:byLabel` keeps the entity: so each
mention says by itself what it would be without the resource.
"""

from __future__ import annotations

from collections.abc import Iterator

from pyoxigraph import NamedNode, Quad, Triple

from sage_ld import vocabulary as v
from sage_ld.graph.writer import Writer
from sage_ld.store.protocol import Store
from sage_ld.store.terms import node


def set_target(writer: Writer, entity: str, resource: str | None) -> set[str]:
    """Makes all mentions by an entity's label mentions of a resource, or of the entity itself.

    Gives the IRIs of all that were the target of one of them.
    """
    minted = NamedNode(entity)
    target = minted if resource is None else NamedNode(resource)
    before: set[str] = set()
    for mention in list(_mentions(writer.store, minted)):
        before |= _point(writer, mention, minted, target)
    for other in before - {target.value}:
        _exchange_shared(writer, NamedNode(other), target)
    return before


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


def _point(writer: Writer, mention: Quad, entity: NamedNode, target: NamedNode) -> set[str]:
    """Gives one mention another target; gives the one that it had, if that changes."""
    statement, graph, reifier = mention.object, mention.graph_name, mention.subject
    assert isinstance(statement, Triple)
    before, chunk = statement.object, statement.subject
    if before == target or not isinstance(before, NamedNode):
        return set()
    named = Triple(chunk, statement.predicate, target)
    removed = [mention, Quad(reifier, node(v.TARGET), before, graph)]
    others = writer.store.quads_for_pattern(None, node(v.REIFIES), statement, graph)
    if all(other.subject == reifier for other in others):
        removed.append(Quad(chunk, statement.predicate, before, graph))
    added = [
        Quad(reifier, node(v.REIFIES), named, graph),
        Quad(reifier, node(v.TARGET), target, graph),
        Quad(chunk, statement.predicate, target, graph),
    ]
    kept = Quad(reifier, node(v.BY_LABEL), entity, graph)
    (removed if target == entity else added).append(kept)
    writer.exchange(removed, added)
    return {before.value}


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
