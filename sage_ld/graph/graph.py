"""`KnowledgeGraph`: the façade over an opened graph, with every operation that a program may ask of it.

Each checks its arguments and calls the module that does the work. What only writing needs is imported
where it is used: who searches need not wait for it.
"""

from __future__ import annotations

import dataclasses
import logging
import threading
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from sage_ld.build.concepts.lookup import FALLBACK_THRESHOLD, CanonicalLookup
from sage_ld.build.encoders import load_encoder
from sage_ld.foundation import arguments
from sage_ld.foundation.deadline import Check, unchecked
from sage_ld.foundation.errors import LimitError, SageError
from sage_ld.foundation.model import Duplicates
from sage_ld.foundation.progress import Progress, silent
from sage_ld.foundation.recipes import DEFAULT_ENCODER, Retrieval, checked_retrieval
from sage_ld.graph.changes.creation import configuration_of
from sage_ld.graph.changes.summaries import DeleteSummary, IngestSummary, RebaseSummary, RelinkSummary
from sage_ld.graph.open_graph import OpenGraph, Snapshot
from sage_ld.graph.provenance import ApprovalLog, RetrievalLog
from sage_ld.graph.store.configuration import checked_value
from sage_ld.graph.store.directory import Directory
from sage_ld.graph.store.drafts import check_free
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
    from sage_ld.graph.upkeep.checking import Health
    from sage_ld.graph.views.concepts import Concept, TermExplanation
    from sage_ld.graph.views.documents import DocumentsView
    from sage_ld.graph.views.drift import Drift
    from sage_ld.graph.views.neighbourhood import Neighbourhood


_log = logging.getLogger(__name__)


class KnowledgeGraph(OpenGraph):
    r"""A knowledge graph on disk. Reading never waits for a writer; writing takes the graph's one lock.

    >>> import tempfile, pathlib
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> _ = (folder / "note.md").write_text("# Heron\n\nThe Golden Heron is a prize for films.")
    >>> graph = KnowledgeGraph.create(folder / "graph", encoder="jaccard")
    >>> graph.ingest([folder / "note.md"]).added
    1
    >>> graph.close()
    """

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
        encoder: str = DEFAULT_ENCODER,
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
    def edges(self) -> EdgeCollection:
        """The edges that users state: iterate over them, add, change and remove them (docs/relations.md)."""
        from sage_ld.graph.changes.edge_collection import EdgeCollection

        return EdgeCollection(self)

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

        keep = self._keep_calls if self.settings.keep_model_calls else None
        return LanguageModel.of(self.settings, purpose, keep)

    def _keep_calls(self, task: str, exchanges: Sequence[Exchange]) -> None:
        """Keeps calls of the language model; a failure to keep them is logged, and hinders no answer."""
        try:
            self.retrievals.keep_model_calls(task, exchanges)
        except SageError as error:
            _log.error("calls of the language model are not kept: %s", error)

    # --- reading ---

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
        from sage_ld.graph.views.concepts import all_concepts, with_text

        return with_text(
            all_concepts(self.snapshot() if at is None else at), arguments.text(matching, "matching")
        )

    def explain_term(self, term: str, *, at: Snapshot | None = None) -> TermExplanation:
        """The reasons why a term is in its concept: rules, cosines, and terms that are near but not the same.

        It takes a pass over the keywords and names of the revision `at`, the newest unless given.
        """
        from sage_ld.graph.views.concepts import explained

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
        from sage_ld.graph.views.concepts import all_concepts, lookup_of

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
        ocr: bool = False,
        header: str = "",
        encoding: str = "",
        dry_run: bool = False,
        progress: Progress = silent,
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
        `follow_symlinks`, links in the folders may lead to files outside them. With `ocr`, the text of
        pictures and of pages without text is read, which takes seconds for a page. `header` says which row of
        a table names its columns (`3`, `3-4`, `none`), where the guess from its cells is wrong; `encoding` is
        the coding of text files that are not UTF-8 and state none.

        All of it becomes visible at once, at the end; interrupted, nothing of it does.

        Raises InputError for anything but a path and for a root that does not lie above the paths,
        ConflictError where another process writes.
        """
        from sage_ld.build.readers.metadata.properties import properties_of
        from sage_ld.graph.changes.comparison import IngestRequest, Policy
        from sage_ld.graph.changes.ingestion import ingest

        policy = Policy(curated, replace, sync, Duplicates.named(arguments.text(duplicates, "duplicates")))
        request = IngestRequest(
            tuple(arguments.paths(paths, "paths")),
            None if root is None else arguments.path(root, "root"),
            None if only is None else tuple(arguments.paths(only, "only")),
            follow_symlinks,
            ignore_links,
            policy,
            properties_of(arguments.mapping(metadata or {}, "metadata"), "the run", self.settings),
            None if metadata_terms is None else arguments.path(metadata_terms, "metadata_terms"),
            ocr,
            arguments.text(header, "header"),
            arguments.text(encoding, "encoding"),
        )
        return ingest(self, request, dry_run=dry_run, progress=progress)

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
        ocr: bool = False,
        header: str = "",
        encoding: str = "",
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
                ocr=ocr,
                header=header,
                encoding=encoding,
            )

        paths = arguments.paths(folders, "folders")
        return watch(paths, ingest, leave_out=self.directory.path, stop=stop)

    def check(self, *, repair: bool = False, progress: Progress = silent) -> Health:
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
        from sage_ld.build.readers.uploads import Upload, of_unicode
        from sage_ld.graph.changes.adding import AddRules
        from sage_ld.graph.changes.preconditions import conditions_of

        stated = arguments.mapping(metadata or {}, "metadata")
        if not isinstance(content, bytes):
            content, stated = arguments.encoded(content, "content"), of_unicode(stated)
        upload = Upload(
            content,
            identifier=arguments.optional_text(identifier, "identifier"),
            file_name=arguments.optional_text(file_name, "file_name"),
            media_type=arguments.optional_text(media_type, "media_type"),
            name=arguments.optional_text(name, "name"),
            metadata=stated,
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
        from sage_ld.graph.changes.adding import add_uploads

        return add_uploads(self, uploads, rules, conditions)

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
        from sage_ld.graph.views.documents import DocumentsView

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
        from sage_ld.graph.changes.metadata_patch import patch_document
        from sage_ld.graph.changes.preconditions import conditions_of

        conditions = conditions_of(if_match)
        name = arguments.text(identifier, "identifier")
        changes = arguments.mapping(metadata, "metadata")
        return patch_document(self, name, changes, conditions, take_over=replace)

    def remove(self, names: str | Iterable[str], *, if_match: str | None = None) -> DeleteSummary:
        """Takes documents out, as `delete` does: the name that goes with `add`."""
        return self.delete(names, if_match=if_match)

    def upgrade(self, backup: str | Path, progress: Progress = silent) -> int:
        """Brings a graph of an earlier format to the present one; returns how many statements changed.

        Before that, it is copied to `backup`, a new folder, where it keeps its version. All that is derived
        is derived again, and becomes visible at once, at the end. Raises InputError if `backup` is in use,
        ConflictError where another process writes, or a newer sage-ld has made the graph.
        """
        from sage_ld.graph.upkeep.upgrading import upgrade

        return upgrade(self, arguments.path(backup, "backup"), progress)

    def relink(self, progress: Progress = silent, *, recipe: str | Path | None = None) -> RelinkSummary:
        """Rebuild all edges, labels, concepts and thresholds.

        `recipe` is a TOML file. What it names replaces the graph's own values from now on: of `[edges]`,
        `[concepts]`, `[analogies]` and `[retrieval]`. Raises InputError for an invalid one, and for one that
        changes what is made when files are read; NotFoundError, if there is none.
        """
        from sage_ld.graph.upkeep.relinking import relink

        return relink(self, None if recipe is None else arguments.path(recipe, "recipe"), progress)

    def annotate(
        self,
        names: str | Iterable[str] | None = None,
        *,
        calls: int | None = None,
        again: bool = False,
        progress: Progress = silent,
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
        has not changed since. Raises InputError for anything but a name, NotFoundError for a name that no
        document has, ConflictError for a document that an update states, PreconditionError; then nothing is
        deleted.
        """
        from sage_ld.graph.changes.adding import delete_documents
        from sage_ld.graph.changes.preconditions import conditions_of

        conditions = conditions_of(if_match)
        wanted = sorted(set(arguments.texts([names] if isinstance(names, str) else names, "names")))
        return delete_documents(self, wanted, conditions)

    def make_retrievable(self, name: str, retrievable: bool = True) -> int | None:
        """Has retrieval find the resources of a named graph that a user wrote, or find them no more.

        The graph's resources become chunks of a document whose identifier is `name`, the graph's IRI. Writes
        to the graph by `sage-ld serve` renew it. Gives the new revision's number, None if nothing changed.

        Raises InputError for a graph of ours or a name that a document has, NotFoundError for a graph that
        does not exist.
        """
        from sage_ld.graph.changes.named_graphs import make_retrievable

        return make_retrievable(self, arguments.text(name, "name"), retrievable)

    def reencode(self, encoder: str, progress: Progress = silent) -> RelinkSummary:
        """Encodes all chunks with another encoder, and derives edges and thresholds again; reads no files.

        All of it becomes visible at once, at the end; interrupted, nothing of it does. Raises InputError for
        an unknown encoder, ConflictError if another process writes.
        """
        from sage_ld.graph.upkeep.relinking import reencode

        name = checked_value(load_encoder(arguments.text(encoder, "encoder"), self.settings).name)
        return reencode(self, name, progress)

    def rebase(self, base_iri: str, progress: Progress = silent) -> RebaseSummary:
        """Moves every IRI below the graph's base to another base; those of others stay as they are.

        All of it becomes visible at once, at the end; interrupted, nothing of it does. Raises InputError for
        a base IRI below which none can be made, above a property of the graph's own table of keys of
        metadata, or above IRIs of others in the graph, ConflictError if another process writes.
        """
        from sage_ld.graph.upkeep.rebasing import rebase

        return rebase(self, checked_value(checked_base(arguments.text(base_iri, "base_iri"))), progress)

    def adopt(self, retrieval: Retrieval) -> None:
        """Answers as `retrieval` says from now on; how the graph is built stays as it is.

        Another process that has the graph open answers so when it opens it again. Raises InputError for a
        value out of its range, ConflictError if another process writes.
        """
        retrieval = checked_retrieval(retrieval)
        with self.directory.locked():
            self.reread_configuration()
            self.keep_recipe(dataclasses.replace(self.recipe, retrieval=retrieval))
