"""A derivation: statements that follow from several documents, and how they follow a change."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from pyoxigraph import Quad

from sage_ld.graph.writer import Writer
from sage_ld.model import EdgeSet
from sage_ld.recipes import Recipe
from sage_ld.store import reading
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
    linking: set[str] = field(default_factory=set)
    """IRIs of the chunks that linked to a document which was taken out or replaced."""
    resources: set[str] = field(default_factory=set)
    """IRIs of the users' resources that removed documents described."""
    gone: set[str] = field(default_factory=set)
    """IRIs of the documents that were taken out, or replaced."""
    removed: int = 0
    """How many chunks were taken out."""

    def remove(self, writer: Writer, documents: Iterable[str]) -> None:
        """Takes documents (IRIs) out of the graph, and notes what followed from them."""
        wanted = list(documents)
        removed = writer.remove(wanted)
        self.gone.update(wanted)
        self.removed += removed.chunks
        self.entities |= removed.entities
        self.linking |= removed.linking
        self.resources |= removed.resources


@dataclass(frozen=True)
class Corpus:
    """The input of derivations: a writer, how its graph is built, and what the graph holds.

    The chunks and the documents are read when a derivation first asks for them.
    """

    writer: Writer
    recipe: Recipe
    encoder_name: str
    with_links: bool
    """Whether chunks have the links that their files carry; not where a change is followed."""

    @cached_property
    def chunks(self) -> list[StoredChunk]:
        """The chunks that are indexed: a file may describe chunks of other graphs."""
        stored = reading.chunks(self.writer.store, links=self.with_links)
        rows = self.writer.vectors.rows(each.iri for each in stored).tolist()
        return [each for each, row in zip(stored, rows, strict=True) if row >= 0]

    @cached_property
    def documents(self) -> Sequence[StoredDocument]:
        """The documents, sorted by identifier."""
        return reading.documents(self.writer.store)


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
    graph: Callable[[Iris], str]
    """The named graph that it writes; several derivations may write one."""
    derive: Callable[[Corpus, Mapping[str, Derived]], Derived]
    """All of it, from the corpus and from what the derivations before it in the list gave."""
    follow: Callable[[Corpus, Changes], Mapping[str, int]]
    """Brings the graph to the state after a small change; gives the new edges by kind."""
