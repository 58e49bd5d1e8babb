"""Summaries of changes: what an ingest, a relink or a delete did, in numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from sage_ld.build.readers.source import LeftOut
from sage_ld.foundation.model import Document
from sage_ld.graph.store.curated_edges import CuratedEdge

OWN = "about this graph's own resources"
RESERVED = "in the vocabulary of sage-ld"


@dataclass(slots=True)
class IngestSummary:
    """The result of one ingest; of a dry run, what it would be. Documents are named by identifier."""

    added_documents: list[str] = field(default_factory=list)
    replaced_documents: list[str] = field(default_factory=list)
    removed_documents: list[str] = field(default_factory=list)
    unchanged: int = 0
    missing: list[str] = field(default_factory=list)
    """Documents whose files have gone from the folders, and which stay since the ingest was no sync."""
    chunks: int = 0
    """Chunks of the added and replaced documents."""
    duplicates: dict[str, str] = field(default_factory=dict)
    """Each document with the content of another one, and that one, which was there or was read before it."""
    skipped_duplicates: set[str] = field(default_factory=set)
    """The `duplicates` that were left out of the graph, as the ingest was told."""
    skipped: dict[str, list[str]] = field(default_factory=dict)
    """The identifiers of files in folders that are not read, by the reason, such as `unknown kind .png`."""
    left_out: Counter[str] = field(default_factory=Counter)
    """Statements of RDF files that were left out, by what they are (`OWN`, `RESERVED`)."""
    failed: list[tuple[str, str]] = field(default_factory=list)
    """Each file that could not be read or taken, with the reason."""
    refused_locations: set[str] = field(default_factory=set)
    """The absolute paths of those of them whose identifiers other files have: they may be free next time."""
    warnings: list[str] = field(default_factory=list)
    """What of the added and replaced documents was read otherwise than it seems to be meant, and what was not
    derived as the recipe asks."""
    passed_over: dict[str, dict[str, int]] = field(default_factory=dict)
    """What those files have and the graph has not: of each kind, such as `chart`, how many by document."""
    passed_over_places: dict[str, dict[str, tuple[str, ...]]] = field(default_factory=dict)
    """Of each of these kinds, the first places by document, such as `page 3`."""
    edges: dict[str, int] = field(default_factory=dict)
    """Edges of the graph by kind, where they were derived again."""
    seconds: dict[str, float] = field(default_factory=dict)
    """Wall time by step."""
    revision: int | None = None
    """The revision that shows the change; None if nothing changed."""
    removed_edges: tuple[CuratedEdge, ...] = ()
    """The curated edges that went with what they joined, at most `max_report_entries`."""

    @property
    def added(self) -> int:
        """The number of new documents."""
        return len(self.added_documents)

    @property
    def replaced(self) -> int:
        """The number of changed documents."""
        return len(self.replaced_documents)

    @property
    def removed(self) -> int:
        """The number of removed documents."""
        return len(self.removed_documents)

    def count_left_out(self, own: int, reserved: int) -> None:
        """Counts statements of one document that were left out."""
        self.left_out += Counter({OWN: own, RESERVED: reserved})

    def count_passed_over(self, document: Document) -> None:
        """Counts what a document's file has and the document has not."""
        for kind, count in document.passed_over:
            self.passed_over.setdefault(kind, {})[document.identifier] = count
        for kind, places in document.passed_over_places:
            self.passed_over_places.setdefault(kind, {})[document.identifier] = places

    def name_left_out(self, members: Iterable[LeftOut]) -> None:
        """Names the files inside another one that gave no document."""
        for member in members:
            if member.failed:
                self.failed.append((member.identifier, member.reason))
            else:
                self.skipped.setdefault(member.reason, []).append(member.identifier)


@dataclass(frozen=True, slots=True)
class RelinkSummary:
    """The result of deriving all edges again."""

    edges: dict[str, int]
    revision: int | None
    warnings: tuple[str, ...] = ()
    """What was not derived as the recipe asks, such as statements that would be inferred beyond a limit."""


@dataclass(frozen=True, slots=True)
class RebaseSummary:
    """The result of moving a graph to another base IRI."""

    before: str
    """The base IRI that the graph had."""
    base_iri: str
    statements: int
    """How many statements name an IRI that has moved."""
    revision: int | None


@dataclass(frozen=True, slots=True)
class DeleteSummary:
    """The result of a deletion: the documents, by identifier, and the number of their chunks."""

    documents: tuple[str, ...]
    chunks: int
    revision: int | None
    removed_edges: tuple[CuratedEdge, ...] = ()
    """The curated edges that went with them, at most `max_report_entries`."""
