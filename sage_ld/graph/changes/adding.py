"""Documents that a program adds, replaces and takes out, beside those that come from files.

Such a document lies below the root `program`, so an ingest of files neither takes it for one of its own nor
takes it out. In turn, a document that came from a file is replaced only where the program says so.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from enum import StrEnum
from itertools import islice
from typing import Final

from pyoxigraph import Literal, NamedNode

from sage_ld.build.readers.metadata.properties import properties_of
from sage_ld.build.readers.roots import PROGRAM_ROOT
from sage_ld.build.readers.source import LeftOut
from sage_ld.build.readers.uploads import ReadUpload, Upload, UploadReader
from sage_ld.foundation import vocabulary as v
from sage_ld.foundation.errors import ConflictError, InputError, NotFoundError, SageError
from sage_ld.foundation.metadata_terms import MetadataTerms
from sage_ld.foundation.model import Document, Duplicates, Property
from sage_ld.foundation.settings import Settings
from sage_ld.graph.changes.incoming_documents import Describer, without_own
from sage_ld.graph.changes.named_graphs import check_no_named_graph
from sage_ld.graph.changes.preconditions import PYTHON, Conditions, check_document
from sage_ld.graph.changes.preparation import BATCH_DOCUMENTS, language_warnings, store_documents
from sage_ld.graph.changes.shape_checks import check_own_shapes
from sage_ld.graph.changes.summaries import DeleteSummary
from sage_ld.graph.derivations.derivation import Changes
from sage_ld.graph.derivations.deriver import Deriver
from sage_ld.graph.open_graph import OpenGraph
from sage_ld.graph.store import reading
from sage_ld.graph.store.curated_edges import CuratedEdge
from sage_ld.graph.store.protocol import Store
from sage_ld.graph.store.reading import StoredDocument
from sage_ld.graph.store.stored_documents import check_own_iri, documents_named, own_document
from sage_ld.graph.store.terms import node
from sage_ld.graph.views.documents import document_tag

_PLACES: Final = 5
"""Places of each kind that is passed over which a warning names."""


class Outcome(StrEnum):
    """The ways in which adding a document ends."""

    ADDED = "added"
    REPLACED = "replaced"
    UNCHANGED = "unchanged"
    DUPLICATE = "duplicate"
    """Another document has the same content, and stands for it."""


@dataclass(frozen=True, slots=True)
class AddRules:
    """The rules for adding documents to a graph that may hold them."""

    replace: bool = False
    """They may take the place of documents that came from files."""
    duplicates: Duplicates = Duplicates.SKIP


@dataclass(frozen=True, slots=True)
class AddedDocument:
    """The outcome for one document, which the graph now holds."""

    identifier: str
    iri: str
    outcome: Outcome
    source: str
    """The name of the upload that it was read from."""


@dataclass(frozen=True, slots=True)
class PassedOver:
    """The parts of one kind, such as `chart`, that the file of a document has and its text has not."""

    identifier: str
    kind: str
    count: int
    places: tuple[str, ...]
    """The first places, such as `page 3`."""


@dataclass(frozen=True, slots=True)
class AddSummary:
    """The result of adding documents."""

    documents: tuple[AddedDocument, ...] = ()
    failed: tuple[tuple[str, SageError], ...] = ()
    """Each upload of which nothing was taken, with the reason."""
    left_out: tuple[LeftOut, ...] = ()
    """Files inside uploads that give no document."""
    warnings: tuple[str, ...] = ()
    """What was read otherwise than it seems to be meant."""
    chunks: int = 0
    """Chunks of the added and replaced documents."""
    tag: str = ""
    """Of a single document, the tag by which `if_match` knows it; empty where there are several."""
    revision: int | None = None
    """The revision that shows the change; None if nothing changed."""
    removed_edges: tuple[CuratedEdge, ...] = ()
    """The curated edges that went with what they joined, at most `max_report_entries`."""
    passed_over: tuple[PassedOver, ...] = ()
    """What the files of the added and replaced documents have and the graph has not."""

    @property
    def changed(self) -> bool:
        """Whether a document was stored."""
        return any(each.outcome in (Outcome.ADDED, Outcome.REPLACED) for each in self.documents)

    @property
    def identifier(self) -> str:
        """The identifier of the first document. Raises the reason of the first upload, if there is none."""
        if not self.documents and self.failed:
            raise self.failed[0][1]
        return self.documents[0].identifier


@dataclass(slots=True)
class _Choice:
    """The documents that are wanted, as the uploads are gone through, and those of them that are stored."""

    deriver: Deriver
    rules: AddRules
    wanted: dict[str, Document] = field(default_factory=dict)
    """The documents of the uploads that are taken, by identifier."""
    sources: list[tuple[str, str]] = field(default_factory=list)
    """The identifier of each of them with the name of its upload, in their order: several may send one."""
    former: dict[str, StoredDocument] = field(default_factory=dict)
    """The documents of the graph with the same identifiers."""
    documents: dict[str, Document] = field(default_factory=dict)
    """The wanted ones that are to be stored."""
    holders: dict[tuple[str, str], str] = field(default_factory=dict)
    """The identifiers of those that the graph holds afterwards, by content and media type."""
    numbers: dict[str, int] = field(default_factory=dict)
    """The last number that was given apart, by the identifier that it is appended to."""

    @property
    def store(self) -> Store:
        """The writer's store: not kept here, since the traceback of an error may outlive the writer."""
        return self.deriver.writer.store


def add_uploads(
    graph: OpenGraph, uploads: Iterable[Upload], rules: AddRules, conditions: Conditions | None
) -> AddSummary:
    """Adds the documents of several texts and files in one revision, if `conditions` hold of each."""
    with closing(UploadReader(graph.settings)) as reader:
        reads = [reader.read(each) for each in uploads]
    terms = graph.directory.metadata_terms()
    with graph.writer() as writer:
        reads = [described(each, terms, writer.iris.base, graph.settings) for each in reads]
        for each in reads if conditions else ():
            document = writer.iris.document(only_document(each).identifier)
            check_document(writer.store, writer.iris, document, conditions, PYTHON)
        summary = add_documents(reads, graph.deriver(writer), rules)
        if not summary.changed:
            return summary
        check_own_shapes(writer, graph.directory.path, writer.changed_in_documents())
        revision = writer.publish()
        return replace(summary, revision=revision, removed_edges=tuple(writer.lost_edges))


def delete_documents(graph: OpenGraph, names: Sequence[str], conditions: Conditions | None) -> DeleteSummary:
    """Takes documents out by identifier or IRI, all of them or none, if `conditions` hold of the only one."""
    with graph.writer() as writer:
        named = documents_named(writer.store, writer.iris, names)
        for name in names:
            if name not in named:
                raise NotFoundError(f"no document {name!r} in {graph.directory.path}; nothing was deleted")
        documents = {each.iri: each for name in names for each in named[name]}
        for each in documents.values():
            check_own_iri(each, writer.iris)
        if conditions is not None and len(documents) != 1:
            raise InputError(f"if_match applies to one document, but {len(documents):,} are named; name one")
        for iri in documents:
            check_document(writer.store, writer.iris, iri, conditions, PYTHON)
        chunks = take_out(graph.deriver(writer), sorted(documents))
        identifiers = tuple(sorted({each.identifier for each in documents.values()}))
        check_own_shapes(writer, graph.directory.path, writer.changed_in_documents())
        revision = writer.publish()
        return DeleteSummary(identifiers, chunks, revision, tuple(writer.lost_edges))


def described(read: ReadUpload, terms: MetadataTerms, base: str, settings: Settings) -> ReadUpload:
    """The result of reading an upload, its documents with what the program says of them."""
    if read.error is not None:
        return read
    try:
        stated = _stated(read, settings)
    except SageError as error:
        return ReadUpload(read.upload, error=error)
    describer = Describer(terms, base, stated)
    return replace(read, documents=tuple(map(describer.of, read.documents)))


def add_documents(
    reads: Sequence[ReadUpload], deriver: Deriver, rules: AddRules, largest: float = math.inf
) -> AddSummary:
    """Stores what was read of uploads, and derives what follows; the caller publishes.

    An upload that gives an error, or a document that may not be replaced, gives none of its documents and
    hinders no other. A graph of more than `largest` chunks is not derived again as a whole.
    """
    choice, changes = _Choice(deriver, rules), Changes()
    failed: list[tuple[str, SageError]] = []
    for read in reads:
        try:
            _take(read, choice)
        except SageError as error:
            failed.append((read.name, error.with_traceback(None)))  # which would keep the store open
    outcomes, chunks = _outcomes(choice), 0
    if choice.documents:
        waiting = iter(choice.documents.values())
        while batch := list(islice(waiting, BATCH_DOCUMENTS)):
            chunks += store_documents(batch, choice.former, deriver, changes)
        deriver.run(changes, deriver.writer.settings.relink_share, largest)
    return AddSummary(
        outcomes,
        tuple(failed),
        tuple(each for read in reads for each in read.left_out),
        (
            *(warning for each in choice.documents.values() for warning in _warnings(each)),
            *language_warnings(changes, deriver.writer.encoder),
            *deriver.writer.warnings,
        ),
        chunks,
        document_tag(choice.store, deriver.writer.iris, outcomes[0].iri) if len(outcomes) == 1 else "",
        passed_over=tuple(part for each in choice.documents.values() for part in _passed_over(each)),
    )


def only_document(read: ReadUpload) -> Document:
    """The document of an upload that may have no other. Raises its error, and InputError."""
    if read.error is not None:
        raise read.error
    if (count := len(read.documents)) != 1:
        raise InputError(
            f"{read.name[:80]}: it holds {count:,} documents, but an identifier or condition applies to one; "
            "add it without (POST /v1/documents)"
        )
    return read.documents[0]


def take_out(deriver: Deriver, documents: Iterable[str]) -> int:
    """Removes documents (IRIs) and all that is known from them alone; returns the number of their chunks."""
    changes = Changes()
    changes.remove(deriver.writer, documents)
    deriver.follow(changes)
    return changes.removed


def check_own(stored: StoredDocument, *, replaces: bool) -> None:
    """Raises ConflictError for a document that is not a program's, unless the program `replaces` it."""
    check_no_named_graph(stored)
    if stored.root != PROGRAM_ROOT and not replaces:
        raise ConflictError(
            f"{stored.identifier[:200]!r} came from a file, which the next ingest would read again; change "
            "the file, patch the document's metadata, give another identifier, or replace it (replace=true): "
            "the file is then refused"
        )


# --- inside ---


def _stated(read: ReadUpload, settings: Settings) -> tuple[Property, ...]:
    """The properties that the program states about an upload's documents, the title first."""
    upload = read.upload
    properties = properties_of(upload.of_document, read.name[:80], settings)
    if not upload.name:
        return properties
    if len(read.documents) != 1:
        raise InputError(
            f"{read.name[:80]}: one name for {len(read.documents):,} documents; leave it out, or give one "
            "document"
        )
    return (Property(v.NAME, upload.name), *properties)


def _passed_over(document: Document) -> Iterator[PassedOver]:
    places = dict(document.passed_over_places)
    for kind, count in document.passed_over:
        yield PassedOver(document.identifier, kind, count, places.get(kind, ()))


def _warnings(document: Document) -> tuple[str, ...]:
    """The warnings of a document, and what its file has beside its text."""
    if not document.passed_over:
        return document.warnings
    places = dict(document.passed_over_places)
    counts = ", ".join(
        f"{kind} ({'; '.join([f'{count:,}', *places.get(kind, ())[:_PLACES]])})"
        for kind, count in document.passed_over
    )
    return (*document.warnings, f"{document.identifier}: passed over, as it is no text: {counts}")


def _take(read: ReadUpload, choice: _Choice) -> None:
    """Takes the documents of one upload among the wanted ones: all of them, or none."""
    if read.error is not None:
        raise read.error
    base, upload = choice.deriver.writer.iris.base, read.upload
    documents = [without_own(each, base) for each in read.documents]
    _check_apart(read, documents, choice)
    for each in documents:
        is_minted = upload.minted and each.identifier == upload.own_identifier
        if is_minted and choice.rules.duplicates is Duplicates.KEEP:
            each = _apart(each, choice)
        choice.wanted.setdefault(each.identifier, each)
        choice.sources.append((each.identifier, upload.own_identifier))
        if (stored := _stored(each.identifier, choice)) is not None:
            choice.former[each.identifier] = stored


def _check_apart(read: ReadUpload, documents: Sequence[Document], choice: _Choice) -> None:
    """Raises ConflictError for a document whose identifier is another one's."""
    identifiers: set[str] = set()
    for each in documents:
        name = each.identifier
        other = choice.wanted.get(name)
        if name in identifiers or (other and _content(other) != _content(each)):
            raise ConflictError(f"{name[:200]!r} is the identifier of two documents; give each its own")
        identifiers.add(name)
        stored = _stored(name, choice)
        if stored is not None and not _is_same(each, stored):
            check_own(stored, replaces=choice.rules.replace)


def _outcomes(choice: _Choice) -> tuple[AddedDocument, ...]:
    """The outcome for each wanted document, once all are known: one may replace what another is like."""
    for name in choice.former:
        choice.holders.setdefault(_content(choice.wanted[name]), name)
    return tuple(_decided(name, source, choice) for name, source in choice.sources)


def _decided(name: str, source: str, choice: _Choice) -> AddedDocument:
    iris, document, stored = choice.deriver.writer.iris, choice.wanted[name], choice.former.get(name)
    if name in choice.documents or (stored is not None and _is_same(document, stored)):
        return AddedDocument(name, iris.document(name), Outcome.UNCHANGED, source)
    if stored is None and (other := _holder(document, choice)) is not None:
        return AddedDocument(other, iris.document(other), Outcome.DUPLICATE, source)
    choice.documents[name] = replace(document, root=PROGRAM_ROOT, path=name)
    choice.holders.setdefault(_content(document), name)
    outcome = Outcome.ADDED if stored is None else Outcome.REPLACED
    return AddedDocument(name, iris.document(name), outcome, source)


def _stored(identifier: str, choice: _Choice) -> StoredDocument | None:
    return own_document(choice.store, choice.deriver.writer.iris, identifier)


def _content(document: Document | StoredDocument) -> tuple[str, str]:
    """The identity of a document's content: the content with its metadata, and the media type."""
    return document.content_hash, document.media_type


def _is_same(document: Document, stored: StoredDocument) -> bool:
    """Whether a stored document is as it was made, and of the same content as a new one."""
    return not stored.patched and _content(document) == _content(stored)


def _apart(document: Document, choice: _Choice) -> Document:
    """The document under an identifier that no other has: its own, or that with a number."""
    first = document.identifier

    def name(number: int) -> str:
        return first if number == 1 else f"{first}-{number}"

    def is_taken(number: int) -> bool:
        return name(number) in choice.wanted or _stored(name(number), choice) is not None

    number = _free_number(choice.numbers.get(first, 0) + 1, is_taken)
    choice.numbers[first] = number
    return replace(document, identifier=name(number))


def _free_number(begin: int, is_taken: Callable[[int], bool]) -> int:
    """A number from `begin` on that is not taken: the lowest, if none above it is.

    Looked for by doubling and bisection, so with a number of questions that is the logarithm of the answer.

    >>> _free_number(1, lambda number: number < 1_000)
    1000
    """
    if not is_taken(begin):
        return begin
    taken, step = begin, 1
    while is_taken(taken + step):
        taken, step = taken + step, 2 * step
    free = taken + step
    while free - taken > 1:
        middle = (taken + free) // 2
        taken, free = (middle, free) if is_taken(middle) else (taken, middle)
    return free


def _holder(document: Document, choice: _Choice) -> str | None:
    """The identifier of another document with the same content and media type; None to keep both.

    One that the same uploads replace does not count.
    """
    if choice.rules.duplicates is Duplicates.KEEP:
        return None
    if (among := choice.holders.get(_content(document))) is not None:
        return among
    content = Literal(document.content_hash)
    quads = choice.store.quads_for_pattern(None, node(v.CONTENT_HASH), content, None)
    iris = {quad.subject.value for quad in quads if isinstance(quad.subject, NamedNode)}
    stored = reading.documents(choice.store, iris) if iris else []
    staying = (each for each in stored if each.identifier not in choice.former)
    return next((each.identifier for each in staying if _is_same(document, each)), None)
