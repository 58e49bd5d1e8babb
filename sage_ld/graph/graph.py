"""`KnowledgeGraph`: a graph's directory as an object.

What only writing needs is imported where it is used: who searches need not wait for it.
"""

from __future__ import annotations

import dataclasses
import threading
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from sage_ld import arguments
from sage_ld.encoders import load_encoder
from sage_ld.encoders.cache import CachedEncoder, load_cached
from sage_ld.errors import NotFoundError
from sage_ld.graph.creation import configuration_of
from sage_ld.graph.snapshot import Snapshot
from sage_ld.graph.summaries import DeleteSummary, IngestSummary, RebaseSummary, RelinkSummary
from sage_ld.graph.writer import Writer
from sage_ld.metadata_terms import MetadataTerms, builtin_terms, read_terms
from sage_ld.model import Duplicates
from sage_ld.provenance import RetrievalLog
from sage_ld.recipes import PRESETS, Recipe, Retrieval, checked_retrieval, load_recipe, write_recipe
from sage_ld.settings import Settings
from sage_ld.store import reading
from sage_ld.store.directory import Configuration, Directory, checked_value
from sage_ld.store.drafts import RECIPE_FILE, check_free
from sage_ld.store.iris import Iris, checked_base

if TYPE_CHECKING:
    from sage_ld.graph.deriver import Deriver
    from sage_ld.graph.preparation import Progress


def _silent(step: str, done: int, total: int) -> None:
    """Takes progress and does nothing."""


class KnowledgeGraph:
    r"""A knowledge graph on disk. Reading never waits for a writer; writing takes the graph's one lock.

    >>> import tempfile, pathlib
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> _ = (folder / "note.md").write_text("# Heron\n\nThe Golden Heron is a prize for films.")
    >>> graph = KnowledgeGraph.create(folder / "graph", encoder="jaccard")
    >>> graph.ingest([folder / "note.md"]).added
    1
    >>> graph.close()
    """

    def __init__(self, directory: Directory, settings: Settings | None = None) -> None:
        self.directory = directory
        self.configuration = directory.configuration()
        """That of the newest revision that this object has opened or written."""
        self.settings = settings or Settings.load(dict(self.configuration.settings))
        self._loaded: tuple[str, CachedEncoder] | None = None
        self._snapshot: Snapshot | None = None
        self._guard = threading.Lock()

    @classmethod
    def open(cls, path: str | Path) -> KnowledgeGraph:
        """The graph in the directory `path`. Raises NotFoundError, InputError, ConflictError."""
        return cls(Directory(arguments.path(path, "path")))

    @classmethod
    def create(
        cls,
        path: str | Path,
        *,
        base_iri: str | None = None,
        encoder: str = "minilm",
        recipe: str = "default",
    ) -> KnowledgeGraph:
        """A new, empty graph. Raises InputError for an invalid base IRI, encoder or recipe."""
        directory = Directory(arguments.path(path, "path"))
        check_free(directory.path)  # before the encoder is loaded, which may take seconds
        base = None if base_iri is None else arguments.text(base_iri, "base_iri")
        names = arguments.text(encoder, "encoder"), arguments.text(recipe, "recipe")
        directory.create(*configuration_of(base, *names))
        return cls(directory)

    @property
    def iris(self) -> Iris:
        """The IRIs of the graph's resources."""
        return Iris(self.configuration.base_iri)

    @property
    def encoder(self) -> CachedEncoder:
        """The graph's encoder, with its cache in front of it."""
        return self._encoder_named(self.configuration.encoder)

    def encoder_of(self, snapshot: Snapshot) -> CachedEncoder:
        """The encoder of a revision: another one where the graph was encoded anew after or before it."""
        return self._encoder_named(snapshot.configuration.encoder)

    def _encoder_named(self, name: str) -> CachedEncoder:
        """The encoder, loaded when it is first asked for; the last one is kept."""
        loaded = self._loaded
        if loaded is None or loaded[0] != name:
            loaded = self._loaded = (name, load_cached(name, self.settings))
        return loaded[1]

    @property
    def retrievals(self) -> RetrievalLog:
        """The kept retrievals: what was asked, what was found, and whether it helped."""
        return RetrievalLog(self.directory.path, self.configuration.base_iri, self.settings)

    @cached_property
    def recipe(self) -> Recipe:
        """How the graph is built and searched: a preset, or the graph's own copy of a recipe file."""
        name = self.configuration.recipe
        return load_recipe(name if name in PRESETS else self.directory.path / name)

    # --- reading ---

    def snapshot(self) -> Snapshot:
        """The newest revision. It stays open until a newer one takes its place, or the graph is closed.

        Raises NotFoundError if nothing has been ingested yet.
        """
        with self._guard:
            if self._snapshot is None or self._snapshot.number != self.directory.current():
                newest = Snapshot.newest(self.directory, self.settings)
                self.configuration = dataclasses.replace(
                    newest.configuration, recipe=self.configuration.recipe
                )
                if self._snapshot is not None:
                    self._snapshot.close()
                self._snapshot = newest
            return self._snapshot

    def close(self) -> None:
        """Close the open revision."""
        with self._guard:
            if self._snapshot is not None:
                self._snapshot.close()
                self._snapshot = None

    # --- writing ---

    def ingest(
        self,
        paths: str | Path | Iterable[str | Path],
        *,
        ignore_links: bool = False,
        curated: bool = False,
        follow_symlinks: bool = False,
        metadata: Mapping[str, object] | None = None,
        metadata_terms: str | Path | None = None,
        root: str | Path | None = None,
        replace: bool = False,
        sync: bool = False,
        only: Iterable[str | Path] | None = None,
        duplicates: str = "keep",
        dry_run: bool = False,
        progress: Progress = _silent,
    ) -> IngestSummary:
        """Reads a file, a folder or several of them into the graph, and links what is new with what is there.

        A file that did not change is skipped, a changed one replaces what it said before, one that cannot be
        read is named in the summary and hinders no other. A file's identifier is its path below a root that
        the graph remembers: `root`, or else the folder that was named first. A file whose documents would
        replace those that came from other files is refused, unless `replace` says so. With `sync`, documents
        whose files have gone from the folders are taken out; with `only`, of the files in the folders, those
        at or below these paths are read, and the others count as unchanged. `duplicates` says what happens to
        a document with the content of another one: `keep` or `skip`, for which all files are read. With
        `dry_run`, the summary says what would be done, and nothing is.

        `metadata` are keys and values of all documents of this run; a document whose own differ is read
        again. `metadata_terms` is a Turtle file that says which properties keys mean, as
        `ontology/metadata.ttl` does; the graph keeps it once an ingest with it has changed something.

        `ignore_links` leaves out the links that files carry. With `curated`, RDF files may also speak of the
        graph's own resources, and those that do are read again even if they did not change. With
        `follow_symlinks`, links in the folders may lead to files outside them. All of it becomes visible at
        once, at the end; interrupted, nothing of it does.

        Raises InputError for what is not a path and for a root that does not lie above the paths,
        ConflictError where another process writes.
        """
        from sage_ld.graph.described import Describing
        from sage_ld.graph.ingestion import ingested, planned
        from sage_ld.graph.intake import IngestRequest, Intake, Policy
        from sage_ld.readers import file_reader
        from sage_ld.readers.metadata import properties_of

        policy = Policy(curated, replace, sync, Duplicates.named(arguments.text(duplicates, "duplicates")))
        request = IngestRequest(
            tuple(arguments.paths(paths, "paths")),
            None if root is None else arguments.path(root, "root"),
            None if only is None else tuple(arguments.paths(only, "only")),
            follow_symlinks,
            ignore_links,
            policy,
        )
        stated = properties_of(arguments.mapping(metadata or {}, "metadata"), "the run", self.settings)
        terms = (
            None if metadata_terms is None else read_terms(arguments.path(metadata_terms, "metadata_terms"))
        )
        with closing(file_reader(self.settings)) as reader:
            if dry_run:
                stored = reading.documents(self.snapshot().store) if self.directory.current() else []
                describing = Describing(self._terms(terms, str(metadata_terms)), self.iris.base, stated)
                return planned(
                    Intake.begun(request, stored, self.directory.roots(), describing), reader, progress
                )
            with self.writer() as writer:
                describing = Describing(self._terms(terms, str(metadata_terms)), writer.iris.base, stated)
                stored = reading.documents(writer.store)
                intake = Intake.begun(request, stored, self.directory.roots(), describing)
                return ingested(intake, reader, self.deriver(writer, progress), self.directory, terms)

    def watch(
        self,
        folders: str | Path | Iterable[str | Path],
        *,
        ignore_links: bool = False,
        curated: bool = False,
        follow_symlinks: bool = False,
        root: str | Path | None = None,
        replace: bool = False,
        duplicates: str = "keep",
        metadata: Mapping[str, object] | None = None,
        stop: threading.Event | None = None,
    ) -> Iterator[IngestSummary]:
        """Brings the graph in step with folders, and keeps it so: a summary of each ingest that this takes.

        The first ingest reads all files, those after it what has changed. A file that cannot be read is named
        in its summary; an ingest that fails as a whole gives a summary that says so, and is tried again. The
        options are those of `ingest`. Ends when `stop` is set.

        Raises InputError for a path that is not a folder, NotFoundError when a folder has gone.
        """
        from sage_ld.graph.watching import watch

        def ingest(only: Collection[str] | None) -> IngestSummary:
            return self.ingest(
                paths,
                ignore_links=ignore_links,
                curated=curated,
                follow_symlinks=follow_symlinks,
                root=root,
                replace=replace,
                sync=True,
                only=only,
                duplicates=duplicates,
                metadata=metadata,
            )

        paths = arguments.paths(folders, "folders")
        return watch(paths, ingest, leave_out=self.directory.path, stop=stop)

    def relink(self, progress: Progress = _silent) -> RelinkSummary:
        """Rebuild all edges, labels and thresholds."""
        with self.writer() as writer:
            edges = self.deriver(writer, progress).run_all()
            return RelinkSummary(edges, writer.publish())

    def delete(self, names: str | Iterable[str]) -> DeleteSummary:
        """Takes a document or several out, by identifier or IRI, with all that is known from them alone.

        Raises InputError for what is not a name, NotFoundError for a name that no document has; then nothing
        is deleted.
        """
        from sage_ld.graph.derivations.derivation import Changes

        wanted = sorted(set(arguments.texts([names] if isinstance(names, str) else names, "names")))
        with self.writer() as writer:
            documents = reading.documents(writer.store)
            by_name = {each.identifier: each for each in documents} | {each.iri: each for each in documents}
            for name in wanted:
                if name not in by_name:
                    raise NotFoundError(f"no document {name!r} in {self.directory.path}; nothing was deleted")
            iris = sorted({by_name[name].iri for name in wanted})
            changes = Changes()
            changes.remove(writer, iris)
            self.deriver(writer).follow(changes)
            identifiers = tuple(sorted({by_name[name].identifier for name in wanted}))
            return DeleteSummary(identifiers, changes.removed, writer.publish())

    def make_retrievable(self, name: str, retrievable: bool = True) -> int | None:
        """Has retrieval find the resources of a named graph that a user wrote, or find them no more.

        The graph's resources become chunks of a document whose identifier is `name`, the graph's IRI. Writes
        to the graph by `sage-ld serve` renew it. Gives the new revision's number, None if nothing changed.

        Raises InputError for a graph of ours or a name that a document has, NotFoundError for a graph that
        does not exist.
        """
        from sage_ld.graph.following import follow_graphs

        wanted = arguments.text(name, "name")
        with self.writer() as writer:
            follow_graphs(self.deriver(writer), [wanted], retrievable)
            return writer.publish()

    def reencode(self, encoder: str, progress: Progress = _silent) -> RelinkSummary:
        """Encodes all chunks with another encoder, and derives edges and thresholds anew; reads no files.

        All of it becomes visible at once, at the end; interrupted, nothing of it does. Raises InputError for
        an unknown encoder, ConflictError if another process writes.
        """
        from sage_ld.graph.deriver import Deriver
        from sage_ld.graph.reencoding import encode_anew

        name = checked_value(load_encoder(arguments.text(encoder, "encoder"), self.settings).name)
        if self._made_while_empty(lambda before: dataclasses.replace(before, encoder=name)):
            return RelinkSummary({}, None)
        with self.writer() as writer:
            encode_anew(writer, load_cached(name, self.settings), progress)
            edges = Deriver(writer, self.recipe, name, progress).run_all()
            summary = RelinkSummary(edges, writer.publish())
        self._follow()
        return summary

    def rebase(self, base_iri: str, progress: Progress = _silent) -> RebaseSummary:
        """Moves every IRI below the graph's base to another base; those of others stay as they are.

        All of it becomes visible at once, at the end; interrupted, nothing of it does. Raises InputError for
        a base IRI below which none can be made, above a property of the graph's own table of keys of
        metadata, or above IRIs of others in the graph, ConflictError if another process writes.
        """
        from sage_ld.graph.rebasing import move

        base = checked_value(checked_base(arguments.text(base_iri, "base_iri")))
        self.directory.metadata_terms(base)
        before = self.directory.configuration().base_iri
        if self._made_while_empty(lambda before: dataclasses.replace(before, base_iri=base)):
            return RebaseSummary(before, base, 0, None)
        with self.writer() as writer:
            before = writer.iris.base
            statements = move(writer, Iris(base), progress)
            summary = RebaseSummary(before, base, statements, writer.publish())
        self._follow()
        return summary

    def adopt(self, retrieval: Retrieval) -> None:
        """Answers as `retrieval` says from now on; how the graph is built stays as it is.

        Another process that has the graph open answers so when it opens it anew. Raises InputError for a
        value out of its range, ConflictError if another process writes.
        """
        retrieval = checked_retrieval(retrieval)
        with self.directory.locked():
            self._follow()
            recipe = dataclasses.replace(self.recipe, retrieval=retrieval)
            self.configuration = dataclasses.replace(self.configuration, recipe=RECIPE_FILE)
            self.directory.configure(self.configuration, write_recipe(recipe))
            self.__dict__["recipe"] = recipe  # what the cached property holds

    @contextmanager
    def writer(self) -> Iterator[Writer]:
        """The graph's writer, for as long as the block lasts. Raises ConflictError if another process writes.

        What the block did not `publish` is as if it had not been done.
        """
        with self.directory.locked():
            self._follow()
            writer = Writer(self.directory, self.iris, self.encoder, self.settings)
            try:
                yield writer
            finally:
                writer.close()

    def deriver(self, writer: Writer, progress: Progress = _silent) -> Deriver:
        """What derives edges, links and labels by the graph's recipe, for one that writes."""
        from sage_ld.graph.deriver import Deriver

        return Deriver(writer, self.recipe, self.configuration.encoder, progress)

    # --- inside ---

    def _follow(self) -> None:
        """Takes over base IRI and encoder of the newest revision, which another process may have changed."""
        self.configuration = dataclasses.replace(
            self.directory.configuration(), recipe=self.configuration.recipe
        )

    def _made_while_empty(self, change: Callable[[Configuration], Configuration]) -> bool:
        """Whether there is no revision yet; then the configuration alone is changed."""
        with self.directory.locked():
            if self.directory.current() > 0:
                return False
            self._follow()
            self.configuration = change(self.configuration)
            self.directory.configure(self.configuration)
            return True

    def _terms(self, text: str | None, name: str) -> MetadataTerms:
        """The graph's table of keys of metadata, or the one that `text` is instead, from the file `name`."""
        if text is None:
            return self.directory.metadata_terms()
        return builtin_terms().extended(text, name, self.iris.base)
