"""One ingest: files are read, compared with what the graph holds, stored, and linked with the rest."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from contextlib import closing
from itertools import islice
from typing import Final

from sage_ld.build.annotators import RuleAnnotator
from sage_ld.build.readers import FileReader
from sage_ld.build.readers.isolation import file_reader
from sage_ld.foundation.metadata_terms import read_terms
from sage_ld.foundation.model import Document
from sage_ld.foundation.progress import Progress
from sage_ld.graph.changes.described import Describing
from sage_ld.graph.changes.guarding import refusal
from sage_ld.graph.changes.intake import IngestRequest, Intake, stored_files
from sage_ld.graph.changes.patched_keys import with_patches
from sage_ld.graph.changes.preparation import prepare
from sage_ld.graph.changes.summaries import IngestSummary
from sage_ld.graph.derivations.derivation import Changes
from sage_ld.graph.derivations.deriver import Deriver
from sage_ld.graph.open_graph import OpenGraph
from sage_ld.graph.store.directory import Directory
from sage_ld.graph.store.reading import StoredDocument
from sage_ld.graph.store.stored_documents import StoredDocuments
from sage_ld.graph.store.stores import Stores

BATCH_DOCUMENTS: Final = 5_000
"""How many documents are prepared at once: bounds memory, and keeps encoding batches full."""


def ingest(graph: OpenGraph, request: IngestRequest, *, dry_run: bool, progress: Progress) -> IngestSummary:
    """Reads files into a graph, and links what is new with what is there; with `dry_run`, nothing changes."""
    file = request.metadata_terms
    terms = None if file is None else read_terms(file)
    with closing(file_reader(graph.settings)) as reader:
        if dry_run:
            snapshot = graph.snapshot() if graph.directory.current() else None  # it pins its revision
            store = Stores.empty().named if snapshot is None else snapshot.store
            known = StoredDocuments(lambda: store, graph.iris)
            describing = Describing(graph.metadata_terms(terms, str(file)), graph.iris.base, request.metadata)
            roots = graph.directory.roots()
            return planned(
                Intake.begun(request, known, roots, describing, stored_files(snapshot)), reader, progress
            )
        with graph.writer() as writer:
            iris = writer.iris
            describing = Describing(graph.metadata_terms(terms, str(file)), iris.base, request.metadata)
            known = StoredDocuments(writer.published_store, iris)
            roots, files = graph.directory.roots(), writer.documents.files_below
            intake = Intake.begun(request, known, roots, describing, files)
            intake.guard = lambda document: refusal(document, writer.store, iris)
            intake.carried = lambda document: with_patches(document, writer.store, iris, describing.terms)
            return ingested(intake, reader, graph.deriver(writer, progress), graph.directory, terms)


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
        summary.chunks += store_documents(batch, intake.stored, deriver, changes)
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


def store_documents(
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
