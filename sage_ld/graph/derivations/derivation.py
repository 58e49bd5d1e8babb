"""A derivation: statements that follow from several documents, and how they follow a change."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from pyoxigraph import Quad

from sage_ld.graph.writer import Writer
from sage_ld.model import EdgeSet
from sage_ld.recipes import Recipe
from sage_ld.store.iris import Iris
from sage_ld.store.reading import StoredChunk, StoredDocument


@dataclass(slots=True)
class Changes:
    """The changes that one writer has made so far."""

    chunks: set[str] = field(default_factory=set)
    """IRIs of the chunks that are new."""
    documents: set[str] = field(default_factory=set)
    """IRIs of the documents that are new."""
    entities: set[str] = field(default_factory=set)
    """IRIs of the entities that new or removed chunks mention."""
    removed: int = 0
    """How many chunks were taken out."""


@dataclass(frozen=True, slots=True)
class Corpus:
    """The input of derivations: a writer, the recipe of its graph, and the contents of the graph."""

    writer: Writer
    recipe: Recipe
    encoder_name: str
    chunks: list[StoredChunk]
    """Where a change is followed, without the links that their files carry."""
    documents: Sequence[StoredDocument]


@dataclass(frozen=True, slots=True)
class Derived:
    """The result of one derivation."""

    quads: Iterable[Quad]
    """In its named graph; read once, so that it may be a generator."""
    counts: Mapping[str, int] = field(default_factory=dict)
    """Edges by kind."""
    edge_sets: Sequence[EdgeSet] = ()
    """Edges whose thresholds the record of the build keeps."""


@dataclass(frozen=True, slots=True)
class Derivation:
    """One kind of statement that follows from several documents."""

    name: str
    reads: frozenset[str]
    """IRIs of the classes of what it follows from: a change of anything else leaves it as it is."""
    graph: Callable[[Iris], str]
    """The named graph that it writes; several derivations may write one."""
    derive: Callable[[Corpus, Mapping[str, Derived]], Derived]
    """All of it, from the corpus and from what the derivations before it in the list gave."""
    follow: Callable[[Corpus, Changes], Mapping[str, int]]
    """Brings the graph to the state after a small change; gives the new edges by kind."""
