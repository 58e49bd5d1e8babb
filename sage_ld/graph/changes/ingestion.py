"""One ingest: files are read, compared with what the graph holds, stored, and linked with the rest."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Final

from sage_ld.build.annotators import RuleAnnotator
from sage_ld.build.readers import FileReader
from sage_ld.foundation.model import Document
from sage_ld.graph.changes.intake import Intake
from sage_ld.graph.changes.preparation import Progress, prepare
from sage_ld.graph.changes.summaries import IngestSummary
from sage_ld.graph.derivations.derivation import Changes
from sage_ld.graph.derivations.deriver import Deriver
from sage_ld.graph.store.directory import Directory
from sage_ld.graph.store.reading import StoredDocument

BATCH_DOCUMENTS: Final = 5_000
"""How many documents are prepared at once: bounds memory, and keeps encoding batches full."""


def planned(intake: Intake, reader: FileReader, progress: Progress) -> IngestSummary:
    """The summary of an ingest as it would be; nothing is changed."""
    clock = _Clock(intake.summary.seconds)
    for _ in intake.documents(reader, progress):
        pass
    intake.count_removed()
    clock.lap("read")
    return intake.summary


def ingested(
    intake: Intake, reader: FileReader, deriver: Deriver, directory: Directory, terms: str | None = None
) -> IngestSummary:
    """The summary of an ingest by the writer that derives; all of it becomes visible at once, at the end.

    `terms` is the text of a new table of keys of metadata, which the graph keeps if anything changes.
    """
    summary, changes, writer = intake.summary, Changes(), deriver.writer
    clock = _Clock(summary.seconds)
    documents = intake.documents(reader, deriver.progress)
    while batch := list(islice(documents, BATCH_DOCUMENTS)):
        clock.lap("read")
        summary.chunks += store(batch, intake.stored, deriver, changes)
        clock.lap("store")
    if removed := intake.count_removed():
        changes.remove(writer, removed)
    if intake.unplaced:
        writer.place(intake.unplaced)
    clock.lap("read")
    summary.edges = deriver.run(changes, writer.settings.relink_share)
    clock.lap("link")
    if writer.changed and intake.discovery.roots != directory.roots():
        directory.remember_roots(intake.discovery.roots)
    if writer.changed and terms is not None:
        directory.keep_metadata_terms(terms)
    summary.revision = writer.publish()
    summary.removed_edges = tuple(writer.lost_edges)
    clock.lap("publish")
    return summary


def store(
    documents: Sequence[Document], stored: Mapping[str, StoredDocument], deriver: Deriver, changes: Changes
) -> int:
    """Stores documents in place of those in `stored` (by identifier); returns how many chunks they have."""
    writer, iris = deriver.writer, deriver.writer.iris
    changes.remove(
        writer, (iris.document(each.identifier) for each in documents if each.identifier in stored)
    )
    prepared, vectors = prepare(
        documents,
        deriver.recipe,
        RuleAnnotator(writer.settings),
        writer.encoder,
        iris,
        writer.settings,
        deriver.progress,
        deriver.summarise,
        deriver.make_skeleton,
    )
    writer.add(prepared, vectors)
    for each in prepared:
        changes.documents.add(iris.document(each.document.identifier))
        changes.chunks.update(each.iris)
        mentions = (mention for note in each.annotations for mention in note.mentions)
        changes.entities.update(iris.entity(mention.label) for mention in mentions)
    return sum(len(each.chunks) for each in prepared)


class _Clock:
    """Adds the time between two laps to a step's sum."""

    def __init__(self, seconds: dict[str, float]) -> None:
        self.seconds = seconds
        self.last = time.perf_counter()

    def lap(self, step: str) -> None:
        """Counts the time since the last lap to `step`."""
        now = time.perf_counter()
        self.seconds[step] = self.seconds.get(step, 0.0) + now - self.last
        self.last = now
