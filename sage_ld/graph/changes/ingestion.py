"""One ingest: files are read, compared with what the graph holds, stored, and linked with the rest."""

from __future__ import annotations

import time
from contextlib import closing
from dataclasses import replace
from itertools import islice

from sage_ld.build.readers import FileReader
from sage_ld.build.readers.codings import coding
from sage_ld.build.readers.heads import stated_head
from sage_ld.build.readers.isolation import file_reader
from sage_ld.foundation.metadata_terms import read_terms
from sage_ld.foundation.progress import Progress
from sage_ld.graph.changes.comparison import FileComparison, IngestRequest, stored_files
from sage_ld.graph.changes.incoming_documents import Describer
from sage_ld.graph.changes.metadata_patch import with_patches
from sage_ld.graph.changes.preparation import BATCH_DOCUMENTS, language_warnings, store_documents
from sage_ld.graph.changes.shape_checks import check_own_shapes, refusal
from sage_ld.graph.changes.summaries import IngestSummary
from sage_ld.graph.derivations.derivation import Changes
from sage_ld.graph.derivations.deriver import Deriver
from sage_ld.graph.open_graph import OpenGraph
from sage_ld.graph.store.directory import Directory
from sage_ld.graph.store.stored_documents import StoredDocuments
from sage_ld.graph.store.stores import Stores


def ingest(graph: OpenGraph, request: IngestRequest, *, dry_run: bool, progress: Progress) -> IngestSummary:
    """Reads files into a graph, and links what is new with what is there; with `dry_run`, nothing changes."""
    file = request.metadata_terms
    terms = None if file is None else read_terms(file)
    settings = replace(
        graph.settings,
        ocr=graph.settings.ocr or request.ocr,
        header=request.header or graph.settings.header,
        encoding=request.encoding or graph.settings.encoding,
    )
    stated_head(settings.header)  # before the files are read
    if settings.encoding:
        coding(settings.encoding, "encoding")
    with closing(file_reader(settings)) as reader:
        if dry_run:
            snapshot = graph.snapshot() if graph.directory.current() else None  # it pins its revision
            store = Stores.empty().named if snapshot is None else snapshot.store
            known = StoredDocuments(lambda: store, graph.iris)
            describer = Describer(graph.metadata_terms(terms, str(file)), graph.iris.base, request.metadata)
            roots = graph.directory.roots()
            return planned(
                FileComparison.begin(request, known, roots, describer, stored_files(snapshot)),
                reader,
                progress,
            )
        with graph.writer() as writer:
            iris = writer.iris
            describer = Describer(graph.metadata_terms(terms, str(file)), iris.base, request.metadata)
            known = StoredDocuments(writer.published_store, iris)
            roots, files = graph.directory.roots(), writer.documents.files_below
            comparison = FileComparison.begin(request, known, roots, describer, files)
            comparison.guard = lambda document: refusal(document, writer.store, iris)
            comparison.carried = lambda document: with_patches(document, writer.store, iris, describer.terms)
            return ingested(comparison, reader, graph.deriver(writer, progress), graph.directory, terms)


def planned(comparison: FileComparison, reader: FileReader, progress: Progress) -> IngestSummary:
    """The summary of an ingest as it would be; nothing is changed."""
    clock = _Clock(comparison.summary.seconds)
    for _ in comparison.documents(reader, progress):
        pass
    comparison.count_removed()
    clock.lap("read")
    return comparison.summary


def ingested(
    comparison: FileComparison,
    reader: FileReader,
    deriver: Deriver,
    directory: Directory,
    terms: str | None = None,
) -> IngestSummary:
    """The summary of an ingest by the writer that derives; all of it becomes visible at once, at the end.

    `terms` is the text of a new table of keys of metadata, which the graph keeps if anything changes.
    """
    summary, changes, writer = comparison.summary, Changes(), deriver.writer
    clock = _Clock(summary.seconds)
    documents = comparison.documents(reader, deriver.progress)
    while batch := list(islice(documents, BATCH_DOCUMENTS)):
        clock.lap("read")
        summary.chunks += store_documents(batch, comparison.stored, deriver, changes)
        clock.lap("store")
    if removed := comparison.count_removed():
        changes.remove(writer, removed)
    if comparison.unplaced:
        writer.place(comparison.unplaced)
    clock.lap("read")
    summary.edges = deriver.run(changes, writer.settings.relink_share)
    summary.warnings += [*language_warnings(changes, writer.encoder), *writer.warnings]
    clock.lap("link")
    if writer.changed:
        summary.warnings += check_own_shapes(writer, directory.path, writer.changed_in_documents())
    clock.lap("check")
    if writer.changed and comparison.discovery.roots != directory.roots():
        directory.remember_roots(comparison.discovery.roots)
    if writer.changed and terms is not None:
        directory.keep_metadata_terms(terms)
    summary.revision = writer.publish()
    summary.removed_edges = tuple(writer.lost_edges)
    clock.lap("publish")
    return summary


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
