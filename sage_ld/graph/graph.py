"""`KnowledgeGraph`: a graph's directory as an object.

Imports that only writing needs are inside its functions, so that a search does not wait for them.
"""

from __future__ import annotations

import dataclasses
import logging
import sys
import threading
import traceback
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from sage_ld.build.concepts.lookup import FALLBACK_THRESHOLD, CanonicalLookup
from sage_ld.build.encoders import load_encoder
from sage_ld.build.encoders.cache import CachedEncoder, load_cached
from sage_ld.foundation import arguments
from sage_ld.foundation.deadline import Check, unchecked
from sage_ld.foundation.errors import InputError, LimitError, NotFoundError, SageError
from sage_ld.foundation.metadata_terms import MetadataTerms, builtin_terms, read_terms
from sage_ld.foundation.model import Duplicates
from sage_ld.foundation.recipes import (
    PRESETS,
    Recipe,
    Retrieval,
    changed_recipe,
    checked_retrieval,
    load_recipe,
    write_recipe,
)
from sage_ld.foundation.settings import Settings
from sage_ld.graph.changes.creation import configuration_of
from sage_ld.graph.changes.summaries import DeleteSummary, IngestSummary, RebaseSummary, RelinkSummary
from sage_ld.graph.provenance import ApprovalLog, RetrievalLog
from sage_ld.graph.snapshot import Snapshot
from sage_ld.graph.store.configuration import FORMAT_VERSION, Configuration, checked_value
from sage_ld.graph.store.directory import Directory
from sage_ld.graph.store.drafts import RECIPE_FILE, check_free
from sage_ld.graph.store.iris import Iris, checked_base

if TYPE_CHECKING:
    from sage_ld.build.annotators.abstracts import Summarise
    from sage_ld.build.annotators.skeletons import MakeSkeleton
    from sage_ld.build.concepts.grouping import Judge
    from sage_ld.build.readers.uploads import Upload
    from sage_ld.foundation.language_model import Exchange, LanguageModel
    from sage_ld.graph.changes.adding import AddRules, AddSummary
    from sage_ld.graph.changes.annotating import AnnotationSummary
    from sage_ld.graph.changes.edge_collection import EdgeCollection
    from sage_ld.graph.changes.preconditions import Conditions
    from sage_ld.graph.changes.preparation import Progress
    from sage_ld.graph.derivations.deriver import Deriver
    from sage_ld.graph.upkeep.checking import Health
    from sage_ld.graph.views.concept_explanation import TermExplanation
    from sage_ld.graph.views.concept_list import Concept
    from sage_ld.graph.views.document_view import DocumentsView
    from sage_ld.graph.views.drift import Drift
    from sage_ld.graph.views.neighbourhood import Neighbourhood
    from sage_ld.graph.writing.writer import Writer


_log = logging.getLogger(__name__)


def _clear_frames(error: BaseException, before: BaseException | None) -> None:
    """Clears the frames of the calls that an error ended, so that they release the store and its lock.

    So whoever handles the error may write again before it is forgotten. `error` followed from other errors
    (`__context__`); the error `before` them, and its causes, do not belong to the write.
    """
    cleared: list[BaseException] = []  # each once: whoever sets `__context__` may make a circle of errors
    ended: BaseException | None = error
    while ended is not None and ended is not before and ended not in cleared:
        traceback.clear_frames(ended.__traceback__)
        cleared.append(ended)
        ended = ended.__context__


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

    def __init__(
        self,
        directory: Directory,
        settings: Settings | None = None,
        *,
        judge: Judge | None = None,
        summarise: Summarise | None = None,
        make_skeleton: MakeSkeleton | None = None,
    ) -> None:
        self.directory = directory
        self.configuration = directory.configuration()
        """The number of the newest revision that this object has opened or written."""
        self.settings = settings or Settings.load(dict(self.configuration.settings))
        self.judge = judge
        """Says which near terms are aliases; writes to a graph with concepts ask it (docs/structure.md)."""
        self.summarise = summarise
        """Writes abstracts where the recipe asks for some; None: sentences are chosen by a rule."""
        self.make_skeleton = make_skeleton
        """Makes skeletons where the recipe asks for analogies; None: words are chosen by a rule."""
        self._loaded: tuple[str, CachedEncoder] | None = None
        self._snapshot: Snapshot | None = None
        self._asked = 0
        """The newest revision when `_snapshot` was opened, which is an earlier one if that was damaged."""
        self._guard = threading.Lock()

    @classmethod
    def open(
        cls,
        path: str | Path,
        *,
        judge: Judge | None = None,
        summarise: Summarise | None = None,
        make_skeleton: MakeSkeleton | None = None,
    ) -> KnowledgeGraph:
        """The graph in the directory `path`; functions take the place of rules (docs/structure.md).

        Raises NotFoundError, InputError, ConflictError.
        """
        directory = Directory(arguments.path(path, "path"))
        return cls(directory, judge=judge, summarise=summarise, make_skeleton=make_skeleton)

    @classmethod
    def create(
        cls,
        path: str | Path,
        *,
        base_iri: str | None = None,
        encoder: str = "minilm",
        recipe: str = "default",
        judge: Judge | None = None,
        summarise: Summarise | None = None,
        make_skeleton: MakeSkeleton | None = None,
    ) -> KnowledgeGraph:
        """A new, empty graph; functions are those of `open`.

        Raises InputError for an invalid base IRI, encoder or recipe.
        """
        directory = Directory(arguments.path(path, "path"))
        check_free(directory.path)  # before the encoder is loaded, which may take seconds
        base = None if base_iri is None else arguments.text(base_iri, "base_iri")
        names = arguments.text(encoder, "encoder"), arguments.text(recipe, "recipe")
        directory.create(*configuration_of(base, *names))
        return cls(directory, judge=judge, summarise=summarise, make_skeleton=make_skeleton)

    @property
    def iris(self) -> Iris:
        """The IRIs of the graph's resources."""
        return Iris(self.configuration.base_iri)

    @property
    def edges(self) -> EdgeCollection:
        """The edges that users state: iterate over them, add, change and remove them (docs/relations.md)."""
        from sage_ld.graph.changes.edge_collection import EdgeCollection

        return EdgeCollection(self)

    @property
    def encoder(self) -> CachedEncoder:
        """The graph's encoder, with its cache in front of it."""
        return self._encoder_named(self.configuration.encoder)

    def encoder_of(self, snapshot: Snapshot) -> CachedEncoder:
        """The encoder of a revision: another one where the graph was encoded again after or before it."""
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

    @property
    def approvals(self) -> ApprovalLog:
        """The calls of tools that wait, or waited, for a person (docs/agents.md)."""
        return ApprovalLog(self.directory.path, self.settings)

    def language_model(self, purpose: str = "this") -> LanguageModel:
        """The language model that the settings name, for `purpose`; its calls are kept as the settings say.

        Raises UnavailableError where they name none.
        """
        from sage_ld.foundation.language_model import LanguageModel

        keep = self._keep if self.settings.keep_model_calls else None
        return LanguageModel.of(self.settings, purpose, keep)

    def _keep(self, task: str, exchanges: Sequence[Exchange]) -> None:
        """Keeps calls of the language model; what cannot be kept is logged, and hinders no answer."""
        try:
            self.retrievals.keep_model_calls(task, exchanges)
        except SageError as error:
            _log.error("calls of the language model are not kept: %s", error)

    @cached_property
    def recipe(self) -> Recipe:
        """The recipe by which the graph is built and searched: a preset, or its own copy of a recipe file."""
        name = self.configuration.recipe
        return load_recipe(name if name in PRESETS else self.directory.path / name)

    # --- reading ---

    def snapshot(self) -> Snapshot:
        """The newest revision. It stays open as long as somebody refers to it, or until the graph is closed.

        Of a damaged one, indexes are rebuilt in memory; where its store is damaged, an earlier revision that
        is still there takes its place. Raises NotFoundError if nothing has been ingested yet.
        """
        with self._guard:
            number = self.directory.current_or_unknown()
            if self._snapshot is None or self._asked != number:
                newest = Snapshot.newest(self.directory, self.settings)
                self.configuration = dataclasses.replace(
                    newest.configuration, recipe=self.configuration.recipe
                )
                self._snapshot, self._asked = newest, number
            return self._snapshot

    def neighbourhood(
        self,
        name: str,
        *,
        hops: int = 1,
        kinds: Collection[str] | None = None,
        nodes: int = 100,
        fan_out: int = 25,
        at: Snapshot | None = None,
        check: Check = unchecked,
    ) -> Neighbourhood:
        """The nodes and edges within `hops` edges of a resource: an IRI, or the identifier of a document.

        `kinds` are the kinds of edges that are followed, all of `sage_ld.graph.views.neighbourhood.KINDS`
        unless given. From each node the `fan_out` strongest edges are followed, to at most `nodes` nodes.
        `at` is the revision that is asked, the newest unless given; `check` is called before each node is
        read.

        Raises InputError for an unknown kind or a number below 1, LimitError for one above the settings,
        NotFoundError for a resource of which the graph says nothing.
        """
        from sage_ld.graph.views.neighbourhood import checked_request, neighbourhood, node_named

        followed, limits, hops = checked_request(self.settings, hops, kinds, nodes, fan_out)
        snapshot = self.snapshot() if at is None else at
        iris = Iris(snapshot.configuration.base_iri)
        start = node_named(snapshot.store, arguments.text(name, "name"), iris)
        chunks = len(snapshot.vectors)
        return neighbourhood(snapshot.store, start, hops, followed, limits, chunks, check)

    def concepts(self, matching: str = "", *, at: Snapshot | None = None) -> tuple[Concept, ...]:
        """The concepts of the graph, those of the most chunks first; none unless its recipe asks for them.

        `matching` is a text that a term of each contains; `at` is the revision that is asked, the newest
        unless given.
        """
        from sage_ld.graph.views.concept_list import all_concepts, with_text

        return with_text(
            all_concepts(self.snapshot() if at is None else at), arguments.text(matching, "matching")
        )

    def explain_term(self, term: str, *, at: Snapshot | None = None) -> TermExplanation:
        """The reasons why a term is in its concept: rules, cosines, and terms that are near but not the same.

        It takes a pass over the keywords and names of the revision `at`, the newest unless given.
        """
        from sage_ld.graph.views.concept_explanation import explained

        snapshot = self.snapshot() if at is None else at
        least = self.recipe.concepts.least_chunks
        return explained(snapshot, self.encoder_of(snapshot), arguments.text(term, "term"), least)

    def canonical_lookup(
        self, fallback_threshold: float = FALLBACK_THRESHOLD, *, at: Snapshot | None = None
    ) -> CanonicalLookup:
        """The lookup of canonical terms: the table of synonyms first, then the nearest preferred label.

        `fallback_threshold` is the cosine, in 0..1, at or above which the nearest one is taken; `at` is the
        revision that is asked, the newest unless given. The preferred labels are encoded when it is made.
        """
        from sage_ld.graph.views.concept_list import all_concepts, lookup_of

        snapshot = self.snapshot() if at is None else at
        return lookup_of(all_concepts(snapshot), self.encoder_of(snapshot), fallback_threshold)

    def drift(self, at: Snapshot | None = None) -> Drift | None:
        """The drift of the graph since all its edges were built, and the changes that a relink would make.

        `at` is the revision that is measured, the newest unless given. None where nothing can be said before
        the next relink (`sage_ld.graph.views.drift.measured`).
        """
        from sage_ld.graph.views.drift import measured

        snapshot = self.snapshot() if at is None else at
        return measured(snapshot, self.recipe.edges, self.encoder_of(snapshot))

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

        Raises InputError for anything butt a path and for a root that does not lie above the paths,
        ConflictError where another process writes.
        """
        from sage_ld.build.readers import file_reader
        from sage_ld.build.readers.metadata.properties import properties_of
        from sage_ld.graph.changes.described import Describing
        from sage_ld.graph.changes.guarding import refusal
        from sage_ld.graph.changes.ingestion import ingested, planned
        from sage_ld.graph.changes.intake import IngestRequest, Intake, Policy, stored_files
        from sage_ld.graph.changes.patched_keys import with_patches
        from sage_ld.graph.store.stored_documents import StoredDocuments
        from sage_ld.graph.store.stores import Stores

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
                snapshot = self.snapshot() if self.directory.current() else None  # it pins its revision
                store = Stores.empty().named if snapshot is None else snapshot.store
                describing = Describing(self._terms(terms, str(metadata_terms)), self.iris.base, stated)
                known = StoredDocuments(lambda: store, self.iris)
                files = stored_files(snapshot)
                intake = Intake.begun(request, known, self.directory.roots(), describing, files)
                return planned(intake, reader, progress)
            with self.writer() as writer:
                describing = Describing(self._terms(terms, str(metadata_terms)), writer.iris.base, stated)
                known = StoredDocuments(writer.published_store, writer.iris)
                files = writer.documents.files_below
                intake = Intake.begun(request, known, self.directory.roots(), describing, files)
                intake.guard = lambda document: refusal(document, writer.store, writer.iris)
                intake.carried = lambda document: with_patches(
                    document, writer.store, writer.iris, describing.terms
                )
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
        from sage_ld.graph.changes.watching import watch

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

    def check(self, *, repair: bool = False, progress: Progress = _silent) -> Health:
        """Checks files, indexes, shapes and edges; with `repair`, repairs what is derived, and checks again.

        Documents and users' graphs are never changed. Raises ConflictError where another process writes, and
        it is to be repaired.
        """
        from sage_ld.graph.upkeep.checking import check_graph

        return check_graph(self.directory, repair=repair, progress=progress)

    def add(
        self,
        content: str | bytes,
        *,
        identifier: str | None = None,
        name: str | None = None,
        metadata: Mapping[str, object] | None = None,
        media_type: str | None = None,
        file_name: str | None = None,
        replace: bool = False,
        duplicates: str = "skip",
        if_match: str | None = None,
        if_none_match: str | None = None,
    ) -> AddSummary:
        """Adds a document that has no file: a text, or the bytes of a file.

        A text is plain unless `media_type` says otherwise; of bytes, `media_type` or `file_name` says which
        reader takes them. The document's identifier is `identifier`, or else `file_name`, or one that follows
        from the content; a document that was added under it before is replaced. One that came from a file is
        replaced only with `replace`, and an ingest of that file is refused from then on. `name` is the title.

        A new document with the content and metadata of another one is not stored: the summary names the one
        that is there. With `duplicates="keep"` both are.

        With `if_match`, the tag that `documents` returns of a document, it is replaced only if it has not
        changed since; with `if_none_match="*"`, the document is stored only if there is none.

        Raises InputError for what cannot be read, ConflictError for an identifier that a document of a file
        has, and where another process writes, PreconditionError where a condition does not hold.

        >>> import tempfile
        >>> graph = KnowledgeGraph.create(tempfile.mkdtemp(), encoder="jaccard")
        >>> graph.add("The Golden Heron is a prize for films.", identifier="heron").identifier
        'heron'
        >>> graph.close()
        """
        from sage_ld.build.readers.uploads import Upload
        from sage_ld.graph.changes.adding import AddRules
        from sage_ld.graph.changes.preconditions import conditions_of

        if not isinstance(content, bytes):
            content = arguments.encoded(content, "content")
        upload = Upload(
            content,
            identifier=arguments.optional_text(identifier, "identifier"),
            file_name=arguments.optional_text(file_name, "file_name"),
            media_type=arguments.optional_text(media_type, "media_type"),
            name=arguments.optional_text(name, "name"),
            metadata=arguments.mapping(metadata or {}, "metadata"),
        )
        kept = Duplicates.named(arguments.text(duplicates, "duplicates"))
        conditions = conditions_of(if_match, if_none_match)
        summary = self.add_uploads([upload], AddRules(replace, kept), conditions)
        for _, error in summary.failed:
            raise error
        return summary

    def add_uploads(
        self, uploads: Iterable[Upload], rules: AddRules, conditions: Conditions | None = None
    ) -> AddSummary:
        """Adds the documents of several texts and files, all of them in one revision.

        One that cannot be read, or may not be replaced, is named in the summary and hinders no other. With
        `conditions`, each upload is to hold one document, of which they are asked: nothing is changed where
        they do not hold. Raises ConflictError where another process writes, PreconditionError.
        """
        from sage_ld.build.readers.uploads import UploadReader
        from sage_ld.graph.changes.adding import add_documents, described, only_document
        from sage_ld.graph.changes.preconditions import PYTHON, check_document

        with closing(UploadReader(self.settings)) as reader:
            reads = [reader.read(each) for each in uploads]
        terms = self.directory.metadata_terms()
        with self.writer() as writer:
            reads = [described(each, terms, writer.iris.base, self.settings) for each in reads]
            for each in reads if conditions else ():
                document = writer.iris.document(only_document(each).identifier)
                check_document(writer.store, writer.iris, document, conditions, PYTHON)
            summary = add_documents(reads, self.deriver(writer), rules)
            if not summary.changed:
                return summary
            revision = writer.publish()
            return dataclasses.replace(summary, revision=revision, removed_edges=tuple(writer.lost_edges))

    @property
    def documents(self) -> DocumentsView:
        """The documents by identifier, read from the newest revision when they are asked for.

        Each has its metadata, and its whole text as `text`.

        >>> import tempfile
        >>> graph = KnowledgeGraph.create(tempfile.mkdtemp(), encoder="jaccard")
        >>> _ = graph.add("Mira Tolland wrote the music.", identifier="mira", metadata={"year": 1987})
        >>> list(graph.documents), graph.documents["mira"].metadata, graph.documents["mira"].text
        (['mira'], {'year': 1987}, 'Mira Tolland wrote the music.')
        >>> graph.close()
        """
        from sage_ld.graph.views.document_view import DocumentsView

        return DocumentsView(
            lambda: self.snapshot() if self.directory.current() else None,
            self.directory.metadata_terms,
            self.settings.max_text_length,
        )

    def patch_metadata(
        self,
        identifier: str,
        metadata: Mapping[str, object],
        *,
        replace: bool = False,
        if_match: str | None = None,
    ) -> int | None:
        """Changes single keys of a document's metadata; None as a value removes a key.

        Gives the new revision's number, None if nothing changed. Of a document that came from a file, the
        change stays when the file is read again, whether the file has changed or not; with `replace` the
        document becomes a program's, and the file is refused from then on, as in `add`. With `if_match`, the
        tag that `documents` returns of it, nothing is changed if the document has changed since.

        Raises NotFoundError, InputError for a key that decides how the document is cut or linked (its name,
        language or address), ConflictError, PreconditionError, ShapeError where the document would break the
        shapes.
        """
        from sage_ld.graph.changes.adding import check_no_named_graph
        from sage_ld.graph.changes.metadata_patch import patch_metadata
        from sage_ld.graph.changes.preconditions import PYTHON, check_document, conditions_of
        from sage_ld.graph.store.stored_documents import own_document

        conditions = conditions_of(if_match)
        name = arguments.text(identifier, "identifier")
        changes = arguments.mapping(metadata, "metadata")
        with self.writer() as writer:
            stored = own_document(writer.store, writer.iris, name)
            if stored is None:
                raise NotFoundError(f"no document {name!r} in {self.directory.path}; nothing was changed")
            check_document(writer.store, writer.iris, stored.iri, conditions, PYTHON)
            check_no_named_graph(stored)
            terms = self.directory.metadata_terms()
            patch_metadata(self.deriver(writer), stored, changes, terms, take_over=replace)
            return writer.publish()

    def remove(self, names: str | Iterable[str], *, if_match: str | None = None) -> DeleteSummary:
        """Takes documents out, as `delete` does: the name that goes with `add`."""
        return self.delete(names, if_match=if_match)

    def upgrade(self, backup: str | Path, progress: Progress = _silent) -> int:
        """Brings a graph of an earlier format to the present one; returns how many statements changed.

        Before that, it is copied to `backup`, a new folder, where it keeps its version. All that is derived
        is derived again, and becomes visible at once, at the end. Raises InputError if `backup` is in use,
        ConflictError where another process writes, or a newer sage-ld has made the graph.
        """
        from sage_ld.graph.upkeep.backup import copy_graph
        from sage_ld.graph.upkeep.upgrading import move_statements

        folder = arguments.path(backup, "backup")
        with self.writer() as writer:
            copy_graph(self.directory.path, folder)
            moved = move_statements(writer)
            self.deriver(writer, progress).run_all()
            writer.publish()
            self.directory.configure(
                dataclasses.replace(self.directory.configuration(), format_version=FORMAT_VERSION)
            )
        return moved

    def relink(self, progress: Progress = _silent, *, recipe: str | Path | None = None) -> RelinkSummary:
        """Rebuild all edges, labels, concepts and thresholds.

        `recipe` is a TOML file. What it names replaces the graph's own values from now on: of `[edges]`,
        `[concepts]`, `[analogies]` and `[retrieval]`. Raises InputError for an invalid one, and for one that
        changes what is made when files are read; NotFoundError, if there is none.
        """
        if recipe is None:
            with self.writer() as writer:
                return RelinkSummary(self.deriver(writer, progress).run_all(), writer.publish())
        file = arguments.path(recipe, "recipe")
        with self.writer() as writer:
            del self.__dict__["recipe"]  # another process may have changed its [retrieval], too
            wanted = changed_recipe(self.recipe, file)
            edges = dataclasses.replace(self.deriver(writer, progress), recipe=wanted).run_all()
            summary = RelinkSummary(edges, writer.publish())
            self._adopt(wanted)
        return summary

    def annotate(
        self,
        names: str | Iterable[str] | None = None,
        *,
        calls: int | None = None,
        again: bool = False,
        progress: Progress = _silent,
    ) -> AnnotationSummary:
        """Has a language model give topic, keywords and entities of chunks, and titles of documents.

        It takes the documents with some names (identifiers or IRIs), or all, that no model has annotated yet;
        with `again` the others, too. What it says replaces what the rules said, chunk by chunk; where it
        fails, theirs stays. At most `calls` calls are made (the setting max_annotation_calls); the
        next run goes on.

        Raises UnavailableError where no model is set or it does not answer, NotFoundError for a name of no
        document, LimitError, ConflictError where another process writes, or annotates.
        """
        from sage_ld.graph.changes.annotating import annotate

        given = [names] if isinstance(names, str) else names
        wanted = None if given is None else arguments.texts(given, "names")
        most = self.settings.max_annotation_calls
        if calls is not None and not 1 <= calls <= most:
            raise LimitError.of("calls", calls, most, "calls", "max_annotation_calls")
        model = self.language_model("annotate (ingest annotates by rules without one)")
        with self.directory.annotating():
            return annotate(self, model, wanted, calls or most, again=again, progress=progress)

    def delete(self, names: str | Iterable[str], *, if_match: str | None = None) -> DeleteSummary:
        """Takes a document or several out, by identifier or IRI, with all that is known from them alone.

        `if_match`, for a single document, is the tag that `documents` returns of it: it is deleted only if it
        has not changed since. Raises InputError for anything butt a name, NotFoundError for a name that no
        document has, ConflictError for a document that an update states, PreconditionError; then nothing is
        deleted.
        """
        from sage_ld.graph.changes.adding import take_out
        from sage_ld.graph.changes.preconditions import PYTHON, check_document, conditions_of
        from sage_ld.graph.store.stored_documents import check_own_iri, documents_named

        conditions = conditions_of(if_match)
        wanted = sorted(set(arguments.texts([names] if isinstance(names, str) else names, "names")))
        with self.writer() as writer:
            named = documents_named(writer.store, writer.iris, wanted)
            for name in wanted:
                if name not in named:
                    raise NotFoundError(f"no document {name!r} in {self.directory.path}; nothing was deleted")
            documents = {each.iri: each for name in wanted for each in named[name]}
            for each in documents.values():
                check_own_iri(each, writer.iris)
            if conditions is not None and len(documents) != 1:
                raise InputError(
                    f"if_match applies to one document, but {len(documents):,} are named; name one"
                )
            for iri in documents:
                check_document(writer.store, writer.iris, iri, conditions, PYTHON)
            chunks = take_out(self.deriver(writer), sorted(documents))
            identifiers = tuple(sorted({each.identifier for each in documents.values()}))
            revision = writer.publish()
            return DeleteSummary(identifiers, chunks, revision, tuple(writer.lost_edges))

    def make_retrievable(self, name: str, retrievable: bool = True) -> int | None:
        """Has retrieval find the resources of a named graph that a user wrote, or find them no more.

        The graph's resources become chunks of a document whose identifier is `name`, the graph's IRI. Writes
        to the graph by `sage-ld serve` renew it. Gives the new revision's number, None if nothing changed.

        Raises InputError for a graph of ours or a name that a document has, NotFoundError for a graph that
        does not exist.
        """
        from sage_ld.graph.changes.following import follow_graphs

        wanted = arguments.text(name, "name")
        with self.writer() as writer:
            follow_graphs(self.deriver(writer), [wanted], retrievable)
            return writer.publish()

    def reencode(self, encoder: str, progress: Progress = _silent) -> RelinkSummary:
        """Encodes all chunks with another encoder, and derives edges and thresholds again; reads no files.

        All of it becomes visible at once, at the end; interrupted, nothing of it does. Raises InputError for
        an unknown encoder, ConflictError if another process writes.
        """
        from sage_ld.graph.upkeep.reencoding import encode_anew

        name = checked_value(load_encoder(arguments.text(encoder, "encoder"), self.settings).name)
        if self._made_while_empty(lambda before: dataclasses.replace(before, encoder=name)):
            return RelinkSummary({}, None)
        with self.writer() as writer:
            encode_anew(writer, load_cached(name, self.settings), progress)
            edges = dataclasses.replace(self.deriver(writer, progress), encoder_name=name).run_all()
            summary = RelinkSummary(edges, writer.publish())
        self._follow()
        return summary

    def rebase(self, base_iri: str, progress: Progress = _silent) -> RebaseSummary:
        """Moves every IRI below the graph's base to another base; those of others stay as they are.

        All of it becomes visible at once, at the end; interrupted, nothing of it does. Raises InputError for
        a base IRI below which none can be made, above a property of the graph's own table of keys of
        metadata, or above IRIs of others in the graph, ConflictError if another process writes.
        """
        from sage_ld.graph.upkeep.rebasing import move

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

        Another process that has the graph open answers so when it opens it again. Raises InputError for a
        value out of its range, ConflictError if another process writes.
        """
        retrieval = checked_retrieval(retrieval)
        with self.directory.locked():
            self._follow()
            self._adopt(dataclasses.replace(self.recipe, retrieval=retrieval))

    @contextmanager
    def writer(self, distrusted: Collection[str] = ()) -> Iterator[Writer]:
        """The graph's writer, for as long as the block lasts. Raises ConflictError if another process writes.

        What the block did not `publish` is as if it had not been done. The indexes that `distrusted` names
        are rebuilt from the store.
        """
        handled = sys.exception()
        with self.directory.locked():
            self._follow()
            from sage_ld.graph.writing.writer import Writer

            try:
                writer = Writer(self.directory, self.iris, self.encoder, self.settings, distrusted)
                try:
                    yield writer
                finally:
                    writer.close()
            except BaseException as error:
                _clear_frames(error, handled)
                raise

    def deriver(self, writer: Writer, progress: Progress = _silent) -> Deriver:
        """The deriver of edges, links and labels by the graph's recipe, for a writer."""
        from sage_ld.graph.derivations.deriver import Deriver

        return Deriver(
            writer,
            self.recipe,
            self.configuration.encoder,
            progress,
            judge=self.judge,
            summarise=self.summarise,
            make_skeleton=self.make_skeleton,
        )

    # --- inside ---

    def _follow(self) -> None:
        """Takes over base IRI, encoder and how the graph is built, which another process may have changed."""
        retrieval, self.configuration = self.recipe.retrieval, self.directory.configuration()
        del self.__dict__["recipe"]  # what the cached property holds
        self.__dict__["recipe"] = dataclasses.replace(self.recipe, retrieval=retrieval)

    def _adopt(self, recipe: Recipe) -> None:
        """Makes a recipe the graph's own, for whoever holds the lock."""
        self.configuration = dataclasses.replace(self.configuration, recipe=RECIPE_FILE)
        self.directory.configure(self.configuration, write_recipe(recipe))
        self.__dict__["recipe"] = recipe

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
