"""The table of channels: the ways over the graph from a chunk to its neighbours.

A channel is one row of `CHANNELS`: two named queries, how a row of the first becomes a step of a path, how a
random walk goes over the second, and what an answer says about its edges. `CONTRIBUTING.md` says how to add
one.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any, Final, NamedTuple, Protocol

from sage_ld.foundation import vocabulary as v
from sage_ld.foundation.edge_kinds import EDGE_KINDS
from sage_ld.foundation.model import PathStep
from sage_ld.foundation.rdf_values import iri_of, number_of, share_of, text_of

LINK: Final = "link"
"""The channel whose evidence has an index of its own, which a learned ranking weighs link by link."""
ENTITY: Final = "entity"
"""The channel over entities that two chunks mention, which an index of its own has too."""
CONCEPT: Final = "concept"
"""The channel over concepts that two chunks are about, whatever words each has for them."""
STATEMENT: Final = "statement"
"""The channel whose steps say why two chunks belong together, by the properties of a user's RDF."""
RELATION: Final = "relation"
"""The channel over typed relations, which a question may restrict to some types and to a day."""
FORWARD: Final = "links to"
BACKWARD: Final = "linked from"
NAMES_TOO: Final = "names too"
ABOUT_TOO: Final = "about too"
ANALOGOUS_TO: Final = "analogous to"
STRUCTURE_WEIGHT: Final = 0.5
"""Evidence of standing in the same section or table, where no similarity was measured."""
_KIND_OF: Final = {row.edge_class: str(kind) for kind, row in EDGE_KINDS.items()}
_GENERAL: Final = (
    v.SIMILARITY_EDGE.removeprefix(v.SAGE),
    v.EDGE.removeprefix(v.SAGE),
    "http://purl.org/ontology/similarity/Similarity",
)
"""The superclasses of similarity edges, the nearest first."""
_STANDS_FOR: Final = {
    "describes": (v.MAIN_ENTITY,),
    "about": (v.IS_PART_OF, v.ABOUT),
    "mentions": (v.MENTIONS,),
    "document": (v.IS_PART_OF,),
    "itself": (),
}
"""How a chunk stands for a resource -> the properties that lead there."""
_CLASS_OF: Final = {kind: edge_class.removeprefix(v.SAGE) for edge_class, kind in _KIND_OF.items()}


class Solution(Protocol):
    """One row of a query's answer: an RDF term, or None, for each variable by its name."""

    def __getitem__(self, name: str, /) -> Any:
        """The term of a variable."""


class Hubs(NamedTuple):
    """The largest number of chunks or nodes that a node may lead to for a channel to cross it."""

    entity: int
    """Chunks that mention an entity, or are about a concept."""
    statement: int
    """Nodes to which one property leads from a node of a user's RDF, in one direction."""
    relation: int = 50
    """Nodes to which a relation leads likewise; chunks of a document, and that mention an entity, to which a
    relation to these leads."""


class WalkTargets(Enum):
    """The kind of `?target` that a channel's walk query pairs with a chunk, `?source`."""

    CHUNKS = "chunks"
    """Another chunk: the walk goes both ways, by `?weight`."""
    DOCUMENTS = "documents"
    """A document: the walk goes to its chunks by `?weight`, and back by less the more pairs lead to it."""
    SHARED_NODES = "shared nodes"
    """A node that `?frequency` chunks share: the walk goes on to all of them."""
    WAYS = "ways"
    """A chunk, `?chunk`, which is one of `?ways` that lead on from `?seed`: the walk goes there, not back."""
    RELATED = "related"
    """A chunk, `?chunk`, to which the walk goes from `?seed` by `?weight` times `?strength`, not back."""


class Colours(NamedTuple):
    """The colour of lines and dots, as a style sheet writes it."""

    light: str
    dark: str


@dataclass(frozen=True, slots=True)
class Channel:
    """One way over the graph from a chunk to its neighbours."""

    name: str
    query: str
    """The named query from `?seed` to `?chunk`; its parameters may be `?seed`, `?most` (the entity hub),
    `?hub` (that of statements) and `?beyond`, one more; of relations, `?reach` (their hub) and `?over`, one
    more, the properties and `?day`."""
    read: Callable[[Solution, int], PathStep | None]
    """A row of that query, and the number of chunks in the graph, to a step, or to none."""
    walk_query: str
    """The named query of all pairs that a random walk goes over; its parameters are the same, but seeds."""
    walk_targets: WalkTargets
    colours: Colours
    """Those of its edges in the pages."""
    edge: Callable[[PathStep, int], dict[str, object]] | None = None
    """What an answer says about a step's edge, given by its place among the step's, in terms of the JSON-LD
    context; None if steps name no edge."""
    edge_classes: tuple[str, ...] = ()
    """The IRIs of the classes that `edge` names."""
    general_kinds: tuple[str, ...] = ()
    """The kinds that are superclasses, the nearest first: of an edge that has no other class."""
    followed_class: str | None = None
    """The IRI of a class without whose instances the channel leads nowhere; None if there is no such."""
    in_tables: bool = False
    """Whether its edges may stand in a row of a table, as `link_rows.rq` tells."""


def _similarity(row: Solution, _chunks: int) -> PathStep | None:
    edge_class, weight = iri_of(row["kind"]), share_of(row["weight"])
    if edge_class is None or weight is None:
        return None
    kind = _KIND_OF.get(edge_class) or edge_class.removeprefix(v.SAGE)  # of a foreign class, its IRI
    return _step(row, "similarity", kind, weight, edge=row["edge"])


def _analogy(row: Solution, _chunks: int) -> PathStep | None:
    weight = share_of(row["weight"])
    return None if weight is None else _step(row, "analogy", ANALOGOUS_TO, weight, edge=row["edge"])


def _entity(row: Solution, chunks: int) -> PathStep | None:
    return _over_shared(row, chunks, ENTITY, NAMES_TOO)


def _concept(row: Solution, chunks: int) -> PathStep | None:
    return _over_shared(row, chunks, CONCEPT, ABOUT_TOO)


def _over_shared(row: Solution, chunks: int, channel: str, kind: str) -> PathStep | None:
    """The hop over a node that `?frequency` chunks share, in the variable that the channel is named after."""
    frequency, shared = number_of(row["frequency"]), iri_of(row[channel])
    if frequency is None or frequency < 1 or shared is None:
        return None
    return _step(row, channel, kind, rarity(frequency, chunks), via=(shared,))


def rarity(frequency: float, chunks: int) -> float:
    """The inverse document frequency, in 0..1, of a node that so many of the graph's chunks share.

    >>> round(rarity(10, 1000), 6), rarity(1000, 1000)
    (0.666667, 0.0)
    """
    return max(math.log(max(chunks, 2) / frequency) / math.log(max(chunks, 2)), 0.0)


def _link(row: Solution, _chunks: int) -> PathStep | None:
    kind = FORWARD if text_of(row["forward"]) == "true" else BACKWARD
    confidence = share_of(row["confidence"])
    return None if confidence is None else _step(row, LINK, kind, confidence, edge=row["edge"])


def _structure(row: Solution, _chunks: int) -> PathStep | None:
    measured = share_of(row["weight"])
    weight = STRUCTURE_WEIGHT if measured is None else measured
    return _step(row, "structure", text_of(row["relation"]), weight, edge=row["edge"])


def _statement(row: Solution, chunks: int) -> PathStep | None:
    """The weight is `1 − ln ways / ln n`, in 0..1: what the path tells of the chunk where it ends."""
    ways = number_of(row["ways"])
    if ways is None or ways < 1:
        return None
    weight = max(1 - math.log(ways) / math.log(max(chunks, 2)), 0.0)
    followed = [
        (text_of(row[name]), text_of(row[ahead]) == "true")
        for name, ahead in (("first", "forward"), ("second", "onward"))
        if row[name] is not None
    ]
    elements = tuple(f"{'' if ahead else '^'}{iri}" for iri, ahead in followed)
    begin, end = _STANDS_FOR[text_of(row["begin"])], _STANDS_FOR[text_of(row["end"])]
    properties = (*begin, *elements, *(f"^{iri}" for iri in reversed(end)))
    kind = "/".join(f"{'' if ahead else '^'}{re.split('[/#:]', iri)[-1] or iri}" for iri, ahead in followed)
    nodes = (iri_of(row[name]) for name in ("from", "between", "to"))
    via = tuple(iri for iri in nodes if iri is not None)  # a node in between may be blank
    step = _step(row, STATEMENT, kind, weight, via=via)
    return None if step is None else replace(step, properties=properties)


def _relation(row: Solution, _chunks: int) -> PathStep | None:
    """The weight is that of the edge, 1 where there is none, times that of the type."""
    weight, strength = share_of(row["weight"]), share_of(row["strength"])
    if not weight or not strength:
        return None
    begin, end = text_of(row["begin"]), text_of(row["end"])
    ahead = text_of(row["ahead"]) == "true"
    element = f"{'' if ahead else '^'}{text_of(row['property'])}"
    properties = (*_STANDS_FOR[begin], element, *(f"^{iri}" for iri in reversed(_STANDS_FOR[end])))
    nodes = (iri_of(row[name]) for name, role in (("from", begin), ("to", end)) if role != "itself")
    via = tuple(iri for iri in nodes if iri is not None)
    step = _step(row, RELATION, text_of(row["name"]), weight * strength, edge=row["edge"], via=via)
    return None if step is None else replace(step, properties=properties)


def _step(
    row: Solution, channel: str, kind: str, weight: float, *, edge: Any = None, via: tuple[str, ...] = ()
) -> PathStep | None:
    """The hop from `?seed` to `?chunk` over an edge, whose term may be unbound or a blank node."""
    seed, chunk, name = iri_of(row["seed"]), iri_of(row["chunk"]), iri_of(edge)
    if seed is None or chunk is None:
        return None
    return PathStep(seed, chunk, channel, kind, weight, () if name is None else (name,), via=via)


def _similarity_edge(step: PathStep, _place: int) -> dict[str, object]:
    """The chunk with the smaller IRI is the source of a similar pair."""
    source, target = sorted((step.seed, step.chunk))
    return {
        "type": [_CLASS_OF.get(step.kind, step.kind)],
        "source": source,
        "target": target,
        "weight": step.weight,
    }


def _analogous_edge(step: PathStep, _place: int) -> dict[str, object]:
    """The chunk with the smaller IRI is the source."""
    source, target = sorted((step.seed, step.chunk))
    return {"type": ["AnalogousEdge"], "source": source, "target": target, "weight": step.weight}


def _link_edge(step: PathStep, _place: int) -> dict[str, object]:
    """Without its target, a document of which an answer need not know."""
    source = step.seed if step.kind == FORWARD else step.chunk
    edge: dict[str, object] = {"type": ["Link"], "source": source, "confidence": step.weight}
    return edge if step.row is None else edge | {"row": step.row}


def _curated_edge(_step: PathStep, _place: int) -> dict[str, object]:
    """Its class alone: the step has the relation, and weights the edge by its type."""
    return {"type": ["CuratedEdge"]}


def _order_edge(step: PathStep, _place: int) -> dict[str, object]:
    source, target = (step.seed, step.chunk) if step.kind == "next" else (step.chunk, step.seed)
    return {"type": ["Adjacency"], "source": source, "target": target, "weight": step.weight}


CHANNELS: Final[Mapping[str, Channel]] = {
    row.name: row
    for row in (
        Channel(
            name="similarity",
            query="similarity",
            read=_similarity,
            walk_query="walk_similarity",
            walk_targets=WalkTargets.CHUNKS,
            colours=Colours("#6b8e23", "#a3c35c"),
            edge=_similarity_edge,
            edge_classes=(*_KIND_OF, v.SIMILARITY_EDGE, v.EDGE),
            general_kinds=_GENERAL,
        ),
        Channel(
            name=ENTITY,
            query="entity",
            read=_entity,
            walk_query="walk_entity",
            walk_targets=WalkTargets.SHARED_NODES,
            colours=Colours("#d9822b", "#eda65a"),
        ),
        Channel(
            name=CONCEPT,
            query="concept",
            read=_concept,
            walk_query="walk_concept",
            walk_targets=WalkTargets.SHARED_NODES,
            colours=Colours("#9c6ade", "#b795ee"),
        ),
        Channel(
            name=LINK,
            query="link",
            read=_link,
            walk_query="walk_link",
            walk_targets=WalkTargets.DOCUMENTS,
            colours=Colours("#2f74d0", "#6ea8f2"),
            edge=_link_edge,
            edge_classes=(v.LINK,),
            in_tables=True,
        ),
        Channel(
            name=STATEMENT,
            query="statement",
            read=_statement,
            walk_query="statement",
            walk_targets=WalkTargets.WAYS,
            colours=Colours("#178a7a", "#4fc1b0"),
            followed_class=v.STATEMENT_PROPERTY,
        ),
        Channel(
            name=RELATION,
            query="relation",
            read=_relation,
            walk_query="relation",
            walk_targets=WalkTargets.RELATED,
            colours=Colours("#c23b78", "#e377a6"),
            edge=_curated_edge,
            edge_classes=(v.CURATED_EDGE,),
        ),
        Channel(
            name="structure",
            query="structure",
            read=_structure,
            walk_query="walk_structure",
            walk_targets=WalkTargets.CHUNKS,
            colours=Colours("#8a8d9b", "#a3a6b3"),
            edge=_order_edge,
            edge_classes=(v.ADJACENCY,),
        ),
        Channel(
            name="analogy",
            query="analogy",
            read=_analogy,
            walk_query="walk_analogy",
            walk_targets=WalkTargets.CHUNKS,
            colours=Colours("#b0543c", "#dc8a72"),
            edge=_analogous_edge,
            edge_classes=(v.ANALOGOUS_EDGE,),
            followed_class=v.ANALOGOUS_EDGE,
        ),
    )
}
"""Name -> channel."""
CHANNEL_NAMES: Final = tuple(CHANNELS)
