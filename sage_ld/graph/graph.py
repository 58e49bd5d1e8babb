"""`KnowledgeGraph`: a graph's directory as an object."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from functools import cached_property
from itertools import islice
from pathlib import Path

from sage_ld import arguments
from sage_ld.annotators import RuleAnnotator
from sage_ld.encoders import load_encoder
from sage_ld.encoders.cache import CachedEncoder, load_cached
from sage_ld.errors import NotFoundError
from sage_ld.graph.derivations.derivation import Changes
from sage_ld.graph.deriver import Deriver
from sage_ld.graph.foreign import without_own
from sage_ld.graph.preparation import Progress, prepare, with_language
from sage_ld.graph.snapshot import Snapshot
from sage_ld.graph.summaries import DeleteSummary, IngestSummary, RelinkSummary
from sage_ld.graph.writer import Writer, writing
from sage_ld.model import Document
from sage_ld.readers import FileResult, file_reader, read_with
from sage_ld.readers.registry import is_made_of_its_file
from sage_ld.recipes import PRESETS, Recipe, Retrieval, checked_retrieval, load_recipe, write_recipe
from sage_ld.settings import Settings
from sage_ld.store import reading
from sage_ld.store.directory import Configuration, Directory
from sage_ld.store.drafts import RECIPE_FILE, check_free
from sage_ld.store.iris import DEFAULT_BASE_IRI, Iris
from sage_ld.store.reading import StoredDocument

_BATCH_DOCUMENTS = 5_000  # how many are prepared at once: bounds memory, and keeps encoding batches full


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
        self.settings = settings or Settings.load(dict(self.configuration.settings))
        self.iris = Iris(self.configuration.base_iri)
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
        loaded = load_recipe(arguments.text(recipe, "recipe"))
        loaded_encoder = load_encoder(arguments.text(encoder, "encoder"), Settings.load())
        name = recipe if recipe in PRESETS else RECIPE_FILE
        base = DEFAULT_BASE_IRI if base_iri is None else arguments.text(base_iri, "base_iri")
        configuration = Configuration(base, loaded_encoder.name, name)
        directory.create(configuration, write_recipe(loaded) if name == RECIPE_FILE else None)
        return cls(directory)

    @cached_property
    def encoder(self) -> CachedEncoder:
        """The graph's encoder, with its cache in front of it."""
        return load_cached(self.configuration.encoder, self.settings)

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
        progress: Progress = _silent,
    ) -> IngestSummary:
        """Reads a file, a folder or several of them into the graph, and links what is new with what is there.

        A file that did not change is skipped, a changed one replaces what it said before, one that cannot be
        read is named in the summary and hinders no other. `ignore_links` leaves out the links that files
        carry. With `curated`, RDF files may also speak of the graph's own resources, and those that do are
        read again even if they did not change. With `follow_symlinks`, links in the folders may lead to files
        outside them. All of it becomes visible at once, at the end; interrupted, nothing of it does.

        Raises InputError for what is not a path, NotFoundError for a path that does not exist, ConflictError
        where another process writes.
        """
        wanted = arguments.paths(paths, "paths")
        summary = IngestSummary()
        clock = _Clock(summary.seconds)
        with closing(file_reader(self.settings)) as reader, self.writer() as writer:
            known = {each.identifier: each for each in reading.documents(writer.store)}
            changes = Changes()
            files = read_with(reader, wanted, follow_symlinks=follow_symlinks)
            changed = self._changed(files, known, summary, curated)
            while batch := list(islice(changed, _BATCH_DOCUMENTS)):
                clock.lap("read")
                if ignore_links:
                    batch = [replace(document, links=()) for document in batch]
                self._store(batch, known, writer, changes, summary, progress)
                clock.lap("store")
            clock.lap("read")
            deriver = Deriver(writer, self.recipe, self.configuration.encoder, progress)
            summary.edges = deriver.run(changes, self.settings.relink_share)
            clock.lap("link")
            summary.revision = writer.publish()
            clock.lap("publish")
        return summary

    def relink(self, progress: Progress = _silent) -> RelinkSummary:
        """Rebuild all edges, labels and thresholds."""
        with self.writer() as writer:
            edges = Deriver(writer, self.recipe, self.configuration.encoder, progress).run_all()
            return RelinkSummary(edges, writer.publish())

    def delete(self, names: str | Iterable[str]) -> DeleteSummary:
        """Takes a document or several out, by identifier or IRI, with all that is known from them alone.

        Raises InputError for what is not a name, NotFoundError for a name that no document has; then nothing
        is deleted.
        """
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
            Deriver(writer, self.recipe, self.configuration.encoder, _silent).follow(changes)
            identifiers = tuple(sorted({by_name[name].identifier for name in wanted}))
            return DeleteSummary(identifiers, changes.removed, writer.publish())

    def adopt(self, retrieval: Retrieval) -> None:
        """Answers as `retrieval` says from now on; how the graph is built stays as it is.

        Another process that has the graph open answers so when it opens it anew. Raises InputError for a
        value out of its range, ConflictError if another process writes.
        """
        retrieval = checked_retrieval(retrieval)
        with self.directory.locked():
            recipe = replace(self.recipe, retrieval=retrieval)
            self.configuration = replace(self.configuration, recipe=RECIPE_FILE)
            self.directory.configure(self.configuration, write_recipe(recipe))
            self.__dict__["recipe"] = recipe  # what the cached property holds

    @contextmanager
    def writer(self) -> Iterator[Writer]:
        """The graph's writer, for as long as the block lasts."""
        with writing(self.directory, self.iris, self.encoder, self.settings) as writer:
            yield writer

    # --- inside ---

    def _changed(
        self,
        files: Iterable[FileResult],
        known: Mapping[str, StoredDocument],
        summary: IngestSummary,
        curated: bool,
    ) -> Iterator[Document]:
        for file in files:
            if file.error is not None:
                summary.failed.append((file.identifier, str(file.error)))
            elif file.skipped is not None:
                summary.skipped.setdefault(file.skipped, []).append(file.identifier)
            summary.name_left_out(file.left_out)
            for document in file.documents:
                foreign = without_own(document, self.iris.base)
                own = len(document.statements) - len(foreign.statements)
                stored = known.get(document.identifier)
                if stored and stored.content_hash == document.content_hash and not (curated and own):
                    summary.unchanged += 1
                    continue
                if stored and not curated and (reason := _of_another_file(document, stored)):
                    summary.failed.append((file.identifier, f"{file.identifier}: {reason}"))
                    continue
                summary.count_left_out(0 if curated else own, document.reserved)
                yield document if curated else foreign

    def _store(
        self,
        documents: Sequence[Document],
        known: Mapping[str, StoredDocument],
        writer: Writer,
        changes: Changes,
        summary: IngestSummary,
        progress: Progress,
    ) -> None:
        replaced = [each for each in documents if each.identifier in known]
        changes.remove(writer, (self.iris.document(each.identifier) for each in replaced))
        documents = [with_language(each, self.settings) for each in documents]
        annotator = RuleAnnotator(self.settings)
        prepared, vectors = prepare(
            documents, self.recipe.chunking, annotator, self.encoder, self.iris, progress
        )
        writer.add(prepared, vectors)
        for each in prepared:
            changes.documents.add(self.iris.document(each.document.identifier))
            changes.chunks.update(each.iris)
            changes.entities.update(
                self.iris.entity(mention.label) for note in each.annotations for mention in note.mentions
            )
            summary.chunks += len(each.chunks)
        summary.replaced += len(replaced)
        summary.added += len(documents) - len(replaced)


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


def _of_another_file(document: Document, stored: StoredDocument) -> str:
    """Why a document may not take the place of the stored one: it states the identifier that a file has."""
    if stored.media_type == document.media_type or not is_made_of_its_file(
        stored.identifier, stored.media_type
    ):
        return ""
    return (
        f"{document.identifier!r} is the identifier of a document that was made of a file of that name; "
        "give another one, or ingest it as curated"
    )
