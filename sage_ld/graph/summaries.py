"""Summaries of changes: what an ingest, a relink or a delete did, in numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from sage_ld.readers import LeftOut

OWN = "about this graph's own resources"
RESERVED = "in the vocabulary of sage-ld"


@dataclass(slots=True)
class IngestSummary:
    """The result of one ingest. `failed` names each file that could not be read, with the reason."""

    added: int = 0
    replaced: int = 0
    unchanged: int = 0
    chunks: int = 0
    """Chunks of the added and replaced documents."""
    skipped: dict[str, list[str]] = field(default_factory=dict)
    """The identifiers of files in folders that are not read, by the reason, such as `unknown kind .png`."""
    left_out: Counter[str] = field(default_factory=Counter)
    """Statements of RDF files that were left out, by what they are (`OWN`, `RESERVED`)."""
    failed: list[tuple[str, str]] = field(default_factory=list)
    edges: dict[str, int] = field(default_factory=dict)
    """Edges of the graph by kind, where they were derived anew."""
    seconds: dict[str, float] = field(default_factory=dict)
    """Wall time by step."""
    revision: int | None = None
    """The revision that shows the change; None if nothing changed."""

    def count_left_out(self, own: int, reserved: int) -> None:
        """Counts statements of one document that were left out."""
        self.left_out += Counter({OWN: own, RESERVED: reserved})

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
