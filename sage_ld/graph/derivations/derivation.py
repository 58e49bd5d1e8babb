"""A derivation: statements that follow from several documents, and how they follow a change."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from sage_ld.build.concepts.grouping import Judge
from sage_ld.foundation.recipes import Recipe
from sage_ld.graph.store import reading
from sage_ld.graph.store.derived import BuildThreshold
from sage_ld.graph.store.iris import Iris
from sage_ld.graph.store.reading import StoredDocument
from sage_ld.graph.writing.writer import Writer


@dataclass(slots=True)
class Changes:
    """The changes that one writer has made so far."""

    chunks: set[str] = field(default_factory=set)
    """IRIs of the chunks that are new."""
    documents: set[str] = field(default_factory=set)
    """IRIs of the documents that are new."""
    entities: set[str] = field(default_factory=set)
    """IRIs of the entities that new or removed chunks mention."""
    annotated: set[str] = field(default_factory=set)
    """IRIs of the chunks that stay, and whose documents say of them that they mention others."""
    linking: set[str] = field(default_factory=set)
    """IRIs of the chunks that linked to a document which was taken out or replaced."""
    resources: set[str] = field(default_factory=set)
    """IRIs of the users' resources that removed documents described; from `identity` on, new ones too."""
    keywords: set[str] = field(default_factory=set)
    """The terms of removed chunks, where concepts follow them."""
    gone: set[str] = field(default_factory=set)
    """IRIs of the documents that were taken out, or replaced."""
    removed: int = 0
    """The number of removed chunks."""
    languages: Counter[str] = field(default_factory=Counter)
    """The number of new documents that are analysed in each language."""

    def remove(self, writer: Writer, documents: Iterable[str]) -> None:
        """Takes documents (IRIs) out of the graph, and notes what followed from them."""
        wanted = list(documents)
        removed = writer.remove(wanted)
        self.gone.update(wanted)
        self.removed += removed.chunks
        self.entities |= removed.entities
        self.linking |= removed.linking
        self.resources |= removed.resources
        self.keywords |= removed.keywords


@dataclass(frozen=True)
class Corpus:
    """The input of derivations: a writer, and how its graph is built."""

    writer: Writer
    recipe: Recipe
    encoder_name: str
    judge: Judge | None = None
    """Which of the near terms that no rule decides are aliases; None for none."""

    @cached_property
    def documents(self) -> Sequence[StoredDocument]:
        """The documents, sorted by identifier."""
        return reading.documents(self.writer.store)


@dataclass(frozen=True, slots=True)
class DerivationResult:
    """The result of one derivation."""

    lines: Iterable[str] | None
    """N-Quads in its named graph, without blank nodes; read once, so that it may be a generator. None: it has
    written its graph itself."""
    counts: Mapping[str, int] = field(default_factory=dict)
    """Edges by kind; all are counted once the lines have been read."""
    thresholds: Sequence[BuildThreshold] = ()
    """The thresholds that the record of the build keeps."""


@dataclass(frozen=True, slots=True)
class Derivation:
    """One kind of statement that follows from several documents."""

    name: str
    graph: Callable[[Iris], str]
    """The named graph that it writes; several derivations may write one."""
    derive: Callable[[Corpus, Mapping[str, DerivationResult]], DerivationResult]
    """All of it, from the corpus and from what the derivations before it in the list gave."""
    follow: Callable[[Corpus, Changes], Mapping[str, int]]
    """Brings the graph to the state after a small change; returns the new edges by kind."""
