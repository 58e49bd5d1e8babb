"""The comparison of files with what a graph holds: which documents an ingest adds, replaces and takes out."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath
from typing import TypeAlias

from pyoxigraph import Quad

from sage_ld.build.readers import DiscoveredFile, Discovery, FileReader, FileResult, discover, read_with
from sage_ld.build.readers.companions import companion_names
from sage_ld.build.readers.r2rml import TABLE_SUFFIXES
from sage_ld.build.readers.rdf import RDF
from sage_ld.build.readers.registry import is_made_of_its_file
from sage_ld.build.readers.roots import PROGRAM_ROOT, FilePlace, Roots, below, is_below, located
from sage_ld.foundation.errors import ConflictError, SageError
from sage_ld.foundation.model import Document, Duplicates, Property
from sage_ld.foundation.progress import Progress
from sage_ld.graph.changes.incoming_documents import Describer, count_statements, without_own
from sage_ld.graph.changes.named_graphs import MEDIA_TYPE as NAMED_GRAPH_TYPE
from sage_ld.graph.changes.summaries import IngestSummary
from sage_ld.graph.indexes.documents import DocumentIndex
from sage_ld.graph.open_graph import Snapshot
from sage_ld.graph.store import reading
from sage_ld.graph.store.documents import file_quads
from sage_ld.graph.store.iris import Iris
from sage_ld.graph.store.reading import StoredDocument
from sage_ld.graph.store.stored_documents import StoredDocuments

StoredFiles: TypeAlias = Callable[[str, str], Iterable[tuple[str, str]]]
"""The look-up of the files that documents came from: a root and a folder below it to paths and IRIs."""


@dataclass(frozen=True, slots=True)
class Policy:
    """The rules of one ingest for what the graph already holds."""

    curated: bool = False
    replace: bool = False
    """Documents may take the place of those that came from other files."""
    sync: bool = False
    """Documents whose files have gone are taken out."""
    duplicates: Duplicates = Duplicates.KEEP


@dataclass(frozen=True, slots=True)
class IngestRequest:
    """The files that one ingest is to read, and how."""

    paths: tuple[Path, ...]
    root: Path | None = None
    """The folder that identifiers begin below, where the graph remembers none above a file."""
    only: tuple[Path, ...] | None = None
    """The files and folders below the paths that may have changed; None for all of them."""
    follow_symlinks: bool = False
    ignore_links: bool = False
    policy: Policy = Policy()
    metadata: tuple[Property, ...] = ()
    """Metadata of all documents of the run."""
    metadata_terms: Path | None = None
    """A Turtle file that says which properties keys mean; the graph keeps it once anything changes."""
    ocr: bool = False
    """Whether pictures and pages without text are read by OCR, whatever the settings say."""
    header: str = ""
    """Which row of a table names its columns, as the setting `header` says it; empty: as the setting does."""
    encoding: str = ""
    """The coding of text files that are not UTF-8 and state none; empty: as the setting `encoding` says."""


@dataclass(frozen=True, slots=True)
class _Coverage:
    """The coverage of a file by a reading: all of it, except some files inside it that could not be."""

    identifier: str
    failed: frozenset[str]

    @classmethod
    def of(cls, result: FileResult) -> _Coverage:
        return cls(result.identifier, frozenset(each.identifier for each in result.left_out if each.failed))

    def has(self, identifier: str) -> bool:
        """Whether a document of the file would have been among those that were read.

        It is not known of one in a file that could not be read, and of a record, whose identifier does not
        say which file inside it is its own.
        """
        if not self.failed:
            return True
        above = [identifier, *(each.as_posix() for each in PurePosixPath(identifier).parents)]
        return self.identifier in above and self.failed.isdisjoint(above)


@dataclass(slots=True)
class FileComparison:
    """One comparison, while its files are read one after the other."""

    request: IngestRequest
    describer: Describer
    """How the documents are described by metadata."""
    stored: StoredDocuments
    """The documents of the graph by identifier."""
    discovery: Discovery
    among: Collection[str] | None
    """The locations of the files that are read; None for all of them."""
    summary: IngestSummary = field(default_factory=IngestSummary)
    unplaced: list[Quad] = field(default_factory=list)
    """Statements about which file unchanged documents came from, where the graph does not say it."""
    guard: Callable[[Document], str] | None = None
    """Why a curated document, with its patches, may not be stored; empty where it may. None: all may be."""
    carried: Callable[[Document], Document] | None = None
    """A document with what patches have changed in the graph; None: nothing is stored."""
    _given: set[str] = field(default_factory=set)
    _read: set[FilePlace] = field(default_factory=set)
    _taken: dict[FilePlace, _Coverage] = field(default_factory=dict)
    _gone: set[FilePlace] = field(default_factory=set)
    _apart: set[FilePlace] = field(default_factory=set)
    """The files whose stored documents hold no content: they are read now, or have gone."""
    _holders: dict[str, str] = field(default_factory=dict)

    @classmethod
    def begin(
        cls,
        request: IngestRequest,
        stored: StoredDocuments,
        roots: Mapping[str, str],
        describer: Describer,
        stored_files: StoredFiles,
    ) -> FileComparison:
        """The comparison of what `request` asks for with the documents of a graph and its roots.

        Raises InputError for a root that does not lie above the paths.
        """
        discovery = discover(
            request.paths,
            follow_symlinks=request.follow_symlinks,
            roots=Roots.of(roots),
            root=request.root,
            is_used=stored.has_root,
        )
        partly = request.only is not None and request.policy.duplicates is Duplicates.KEEP
        among = files_at(discovery, request.only or ()) if partly else None
        comparison = cls(request, describer, stored, discovery, among)
        known = list(known_files(discovery, stored_files))
        stored.read(document for _, document in known)
        missing = gone(discovery, {place for place, _ in known})
        if request.policy.sync:
            comparison._gone = missing
        elif missing:
            documents = (each for place in missing for each in comparison._from(place))
            comparison.summary.missing = sorted(each.identifier for each in documents)
        comparison._apart = comparison._gone | {each.place for each in comparison._files}
        return comparison

    @property
    def policy(self) -> Policy:
        """The rules for what the graph already holds."""
        return self.request.policy

    def documents(self, reader: FileReader, progress: Progress) -> Iterator[Document]:
        """The documents that are new or have changed, of the files as they are read."""
        contested: list[FileResult] = []
        for result in self._results(reader, progress):
            self.summary.name_left_out(result.left_out)
            if result.error is not None:
                self._fail(result, str(result.error), refused=isinstance(result.error, ConflictError))
            elif result.skipped is not None:
                self.summary.skipped.setdefault(result.skipped, []).append(result.identifier)
            else:
                self._read.add(result.file.place)
                if self._rivals(result):
                    contested.append(result)
                else:
                    yield from self._changed(result)
        for result in contested:  # their rivals may have given the identifiers up
            if reason := self._refusal(result):
                self._fail(result, reason, refused=True)
            else:
                yield from self._changed(result)

    def count_removed(self) -> list[str]:
        """The IRIs of the documents to be taken out, once all files have been read; counts them."""
        places = self._gone | self._taken.keys() if self.policy.sync else ()
        candidates = {each.identifier: each for place in places for each in self._from(place)}
        candidates |= {
            name: self.stored[name] for name in self.summary.skipped_duplicates if name in self.stored
        }
        removed = [
            each
            for _, each in sorted(candidates.items())
            if each.identifier not in self._given and (self._has_gone(each) or self._is_duplicate(each))
        ]
        self.summary.removed_documents += [each.identifier for each in removed]
        return [each.iri for each in removed]

    # --- inside ---

    @property
    def _files(self) -> list[DiscoveredFile]:
        files = self.discovery.files
        return [each for each in files if self.among is None or each.location in self.among]

    def _results(self, reader: FileReader, progress: Progress) -> Iterator[FileResult]:
        total = len(self._files)
        results = self.describer.files(read_with(reader, self.discovery.files, self.among))
        for number, result in enumerate(results):
            progress("reading", number, total)
            yield result
        progress("reading", total, total)

    def _changed(self, result: FileResult) -> Iterator[Document]:
        place = result.file.place
        self._taken[place] = _Coverage.of(result)
        for read in result.documents:
            document = replace(read, root=place.root, path=place.path)
            if self.request.ignore_links:
                document = replace(document, links=())
            if self._is_left_out_as_duplicate(document):
                continue
            self._given.add(document.identifier)
            foreign = without_own(document, self.describer.base)
            own = count_statements(document) - count_statements(foreign)
            stored = self.stored.get(document.identifier)
            if stored and self._is_unchanged(document, stored) and not (self.policy.curated and own):
                self.summary.unchanged += 1
                if not stored.path:
                    graph = Iris(self.describer.base).document_graph(stored.iri)
                    self.unplaced += file_quads(stored.iri, place.root, place.path, graph)
                continue
            taken = self._carried(document if self.policy.curated else foreign)
            if self.policy.curated and self.guard and (reason := self.guard(taken)):
                self._fail(result, reason, refused=True)
                continue
            self.summary.warnings.extend(document.warnings)
            self.summary.count_passed_over(document)
            self.summary.count_left_out(0 if self.policy.curated else own, document.reserved)
            (self.summary.replaced_documents if stored else self.summary.added_documents).append(
                document.identifier
            )
            yield taken

    def _carried(self, document: Document) -> Document:
        """The document with the patches of the stored one that it renews."""
        return self.carried(document) if self.carried and self._keeps_patches(document) else document

    def _keeps_patches(self, document: Document) -> bool:
        """Whether patches of the stored document that this one renews go over to it: it came from a file."""
        stored = self.stored.get(document.identifier)
        return stored is not None and stored.patched and stored.root != PROGRAM_ROOT

    def _is_unchanged(self, document: Document, stored: StoredDocument) -> bool:
        same_file = not stored.path or place_of(stored) == (document.root, document.path)
        return same_file and stored.content_hash == document.content_hash

    def _is_left_out_as_duplicate(self, document: Document) -> bool:
        if self._keeps_patches(document):  # it is no longer what its content makes
            return False
        holder = self._holder(document)
        if holder == document.identifier:
            return False
        self.summary.duplicates[document.identifier] = holder
        if self.policy.duplicates is Duplicates.KEEP:
            return False
        self.summary.skipped_duplicates.add(document.identifier)
        return True

    def _holder(self, document: Document) -> str:
        """The identifier of the document that has a document's content: another one, or itself."""
        digest = document.content_hash
        if digest not in self._holders:
            stored = self.stored.with_content(digest) if digest else []
            others = (
                each.identifier for each in stored if not each.patched and place_of(each) not in self._apart
            )
            self._holders[digest] = next(others, document.identifier)
        return self._holders[digest]

    def _from(self, place: FilePlace) -> list[StoredDocument]:
        """The stored documents that came from a file."""
        return [each for each in self.stored.with_path(place.path) if place_of(each) == place]

    def _has_gone(self, stored: StoredDocument) -> bool:
        """Whether a document's file has gone, or was read without it; without a sync, neither counts."""
        place = place_of(stored)
        coverage = self._taken.get(place) if self.policy.sync else None
        return place in self._gone or (coverage is not None and coverage.has(stored.identifier))

    def _is_duplicate(self, stored: StoredDocument) -> bool:
        skipped = stored.identifier in self.summary.skipped_duplicates
        return skipped and (not stored.path or place_of(stored) in self._taken)

    def _rivals(self, result: FileResult) -> list[StoredDocument]:
        """The stored documents that the file would replace although they came from another one."""
        if self.policy.replace:
            return []
        stored = ((each, self.stored.get(each.identifier)) for each in result.documents)
        return [other for each, other in stored if other and self._is_rival(each, other, result.file.place)]

    def _is_rival(self, document: Document, stored: StoredDocument, place: FilePlace) -> bool:
        if not stored.path:  # made of a named graph, or by an earlier version that did not state files
            made = is_made_of_its_file(stored.identifier, stored.media_type)
            is_other = made or stored.media_type == NAMED_GRAPH_TYPE
            return is_other and stored.media_type != document.media_type
        return place_of(stored) != place and place_of(stored) not in self._gone

    def _still_claims(self, stored: StoredDocument) -> bool:
        """Whether the file that a stored document came from was not read again without it."""
        return not (self.policy.sync and place_of(stored) in self._read)

    def _refusal(self, result: FileResult) -> str:
        """The reason to refuse a file: its documents would replace those of other files; empty if not."""
        rivals = [each for each in self._rivals(result) if self._still_claims(each)]
        if not rivals:
            return ""
        first, more = rivals[0], f" (and {len(rivals) - 1} more like it)" if len(rivals) > 1 else ""
        if first.root == PROGRAM_ROOT:
            return (
                f"{result.identifier}: {first.identifier!r}{more} is the identifier of a document that a "
                "program added; rename the file, take that document out, or use --replace"
            )
        folder = self.discovery.roots.get(first.root, f"root {first.root}")
        file = os.path.join(folder, first.path) if first.path else "a file or a named graph of that name"
        return (
            f"{result.identifier}: {first.identifier!r}{more} is the identifier of a document that came from "
            f"{file}; rename it, ingest the folder above both into a new graph, or use --replace"
        )

    def _fail(self, result: FileResult, reason: str, *, refused: bool) -> None:
        if self._from(result.file.place):
            reason += " (what the graph holds of it stays)"
        self.summary.failed.append((result.identifier, reason))
        if refused:
            self.summary.refused_locations.add(result.file.location)


def place_of(document: StoredDocument) -> FilePlace:
    """The root and the path of the file that a document came from; empty where the graph does not say."""
    return FilePlace(document.root, document.path)


def stored_files(snapshot: Snapshot | None) -> StoredFiles:
    """`DocumentIndex.files_below` of a revision; all files of a root where the index is damaged."""
    if snapshot is None:
        return lambda root, folder: ()
    try:
        folder = snapshot.directory.revision(snapshot.number) / "documents"
        return DocumentIndex.open(folder).files_below
    except SageError:
        documents = reading.documents(snapshot.store)
        return lambda root, folder: [(each.path, each.iri) for each in documents if each.root == root]


def known_files(discovery: Discovery, stored: StoredFiles) -> Iterator[tuple[FilePlace, str]]:
    """The files of the graph in the folders that were read, each with the IRI of a document from it."""
    for root, location in discovery.roots.items():
        for folder in discovery.folders:
            if is_below(folder, location):
                within = "" if folder == location else below(folder, location)
            elif is_below(location, folder):
                within = ""
            else:
                continue
            for path, document in stored(root, within):
                yield FilePlace(root, path), document


def gone(discovery: Discovery, places: Iterable[FilePlace]) -> set[FilePlace]:
    """The files in a folder that was read that no longer exist.

    A file in a folder that could not be read, or was passed over, counts as there.
    """
    unread = {each.location for each in discovery.files if each.error or each.skipped}
    present = {each.location for each in discovery.files}
    result = set()
    for place in places:
        if not place.path or place.root not in discovery.roots:
            continue
        location = os.path.normpath(os.path.join(discovery.roots[place.root], place.path))
        within = any(is_below(location, folder) for folder in discovery.folders)
        if within and location not in present and unread.isdisjoint(map(str, Path(location).parents)):
            result.add(place)
    return result


def files_at(discovery: Discovery, paths: Iterable[Path]) -> set[str]:
    """The locations of the files at or below some paths, and of those that such a file may belong to.

    What is made of a file depends on its companions (`readers.companions`), and what is made of a mapping on
    the tables in its folder (`readers.mapped_tables`).
    """
    changed = {located(each) for each in paths}
    folders = [each for each in changed if os.path.isdir(each)]
    with_tables = {os.path.dirname(each) for each in changed if each.lower().endswith(TABLE_SUFFIXES)}
    return {
        each.location
        for each in discovery.files
        if not changed.isdisjoint((each.location, *_companions(each)))
        or any(is_below(each.location, folder) for folder in folders)
        or (each.source.suffix in RDF.media_types and os.path.dirname(each.location) in with_tables)
    }


def _companions(file: DiscoveredFile) -> list[str]:
    """The paths that companions of a file may have."""
    folder = os.path.dirname(file.location)
    return [os.path.join(folder, name) for name in companion_names(file.source)]
