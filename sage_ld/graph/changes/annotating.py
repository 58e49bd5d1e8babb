"""Annotation of stored documents by a language model, a part of them at a time.

The model is asked before the graph is locked; what it said is stored if the document is still the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Final

from pyoxigraph import NamedNode, Quad

from sage_ld.build.annotators.model_annotator import TASK, ModelAnnotations, annotated, calls_for
from sage_ld.foundation import vocabulary as v
from sage_ld.foundation.deadline import Check, unchecked
from sage_ld.foundation.errors import NotFoundError
from sage_ld.foundation.language_model import LanguageModel
from sage_ld.foundation.model import ChunkKind
from sage_ld.foundation.progress import Progress
from sage_ld.graph.derivations.derivation import Changes
from sage_ld.graph.derivations.mention_targets import drop_unshared
from sage_ld.graph.open_graph import OpenGraph
from sage_ld.graph.store import reading
from sage_ld.graph.store.annotations import (
    annotation_quads,
    call_quads,
    model_call,
    stored_annotation,
    stored_call,
)
from sage_ld.graph.store.reading import StoredChunk, StoredDocument
from sage_ld.graph.store.stored_documents import documents_named
from sage_ld.graph.writing.writer import Writer

_AT_ONCE: Final = 100
"""Documents that are stored together."""


@dataclass(slots=True)
class AnnotationSummary:
    """A summary of a run of annotate."""

    documents: int = 0
    """Annotated."""
    chunks: int = 0
    """Of them."""
    entities: int = 0
    """The names that the model found in them."""
    dropped: int = 0
    """Entities whose name does not stand in the chunk that the model gave it for."""
    failed: dict[str, str] = field(default_factory=dict)
    """Documents, by identifier, of which a part keeps the annotations of the rules, and why."""
    annotated_before: int = 0
    changed: int = 0
    """Documents that were changed while the model was asked, and stay as they are."""
    left: int = 0
    """Documents for which no calls were left; the next run goes on with them."""
    calls: int = 0
    tokens: int = 0
    cached: int = 0
    """Answers that came from the cache."""
    revision: int | None = None


@dataclass(frozen=True, slots=True)
class _Told:
    """The answer of the model about a document, and its time."""

    document: StoredDocument
    chunks: tuple[StoredChunk, ...]
    said: ModelAnnotations
    begin: str
    end: str


def annotate(
    graph: OpenGraph,
    model: LanguageModel,
    names: Sequence[str] | None,
    calls: int,
    *,
    again: bool,
    progress: Progress,
    check: Check = unchecked,
) -> AnnotationSummary:
    """Annotates the documents with some names, or all, that a model has not annotated yet.

    At most `calls` calls are made; `again` annotates also what was annotated before. What the model said
    before an error is stored. Raises NotFoundError for a name of no document, UnavailableError where the
    model does not answer, ConflictError where another process writes.
    """
    summary = AnnotationSummary()
    documents = _wanted(graph, names, summary, again=again)
    told: list[_Told] = []
    try:
        for number, document in enumerate(documents):
            progress("annotating", number, len(documents))
            chunks = _chunks(graph, document)
            needed = calls_for([each.chunk for each in chunks], graph.settings)
            if summary.calls + needed > calls:
                summary.left += 1
                continue
            told.append(_asked(graph, model, document, chunks, summary, check))
            if len(told) == _AT_ONCE:
                _store(graph, model.name, told, summary)
                told = []
    finally:
        _store(graph, model.name, told, summary)
    progress("annotating", len(documents), len(documents))
    return summary


def _wanted(
    graph: OpenGraph, names: Sequence[str] | None, summary: AnnotationSummary, *, again: bool
) -> list[StoredDocument]:
    """The documents that are to be annotated, by identifier."""
    store, iris = graph.snapshot().store, graph.iris
    if names is None:
        found = reading.documents(store)
    else:
        named = documents_named(store, iris, names)
        if missing := [name for name in names if name not in named]:
            raise NotFoundError(
                f"no document {missing[0][:200]!r} in {graph.directory.path}; sage-ld inspect lists them"
            )
        found = [each for name in named for each in named[name]]
    own = {each.iri: each for each in found if each.iri == iris.document(each.identifier)}
    wanted = []
    for each in sorted(own.values(), key=lambda each: each.identifier):
        if not again and model_call(store, iris.document_graph(each.iri), TASK) is not None:
            summary.annotated_before += 1
        else:
            wanted.append(each)
    return wanted


def _chunks(graph: OpenGraph, document: StoredDocument) -> tuple[StoredChunk, ...]:
    store = graph.snapshot().store
    found = reading.chunks(store, reading.chunks_of(store, document.iri), links=False)
    return tuple(sorted(found, key=lambda each: each.chunk.position))


def _asked(
    graph: OpenGraph,
    model: LanguageModel,
    document: StoredDocument,
    chunks: tuple[StoredChunk, ...],
    summary: AnnotationSummary,
    check: Check,
) -> _Told:
    begin = _now()
    said = annotated(model, document.name, [each.chunk for each in chunks], graph.settings, check)
    summary.calls += said.used.calls
    summary.tokens += said.used.tokens
    summary.cached += said.used.cached
    if said.faults:
        summary.failed[document.identifier] = said.faults[0]
    return _Told(document, chunks, said, begin, _now())


def _store(graph: OpenGraph, model: str, told: Sequence[_Told], summary: AnnotationSummary) -> None:
    """Stores what was said of documents that are still as they were when the model was asked."""
    if not told:
        return
    with graph.writer() as writer:
        changes = Changes()
        for each in told:
            current = {*reading.chunks_of(writer.store, each.document.iri)}
            if current != {chunk.iri for chunk in each.chunks}:
                summary.changed += 1
                continue
            _exchange(writer, each, model, changes)
            summary.documents += not each.said.faults
            summary.chunks += len(each.said.annotations)
            summary.dropped += each.said.dropped
            summary.entities += sum(len(note.mentions) for note in each.said.annotations.values())
        gone = sorted(changes.entities)
        graph.deriver(writer).follow(changes)
        drop_unshared(writer, gone)
        summary.revision = writer.publish() or summary.revision


def _exchange(writer: Writer, told: _Told, model: str, changes: Changes) -> None:
    """Puts the model's annotations of a document in the place of those that it has."""
    iris, document = writer.iris, told.document.iri
    graph = iris.document_graph(document)
    call = iris.model_call(document, model, told.begin)
    before: list[Quad] = []
    after: list[Quad] = []
    for number, note in told.said.annotations.items():
        chunk = told.chunks[number]
        is_text = chunk.chunk.kind is ChunkKind.TEXT  # the cells of tables name their entities best
        before += stored_annotation(writer.store, chunk.iri, graph, iris, mentions=is_text)
        after += annotation_quads(chunk.iri, note, graph, iris, call, mentions=is_text)
    if not told.said.faults:  # else the document is not marked: the next run asks for the rest
        if (former := model_call(writer.store, graph, TASK)) is not None:
            before += stored_call(writer.store, document, graph, former, iris)
        said = {"task": TASK, "model": model, "begin": told.begin, "end": told.end}
        after += call_quads(document, graph, call, said, told.said.title, iris)
    gone, new = {*before} - {*after}, {*after} - {*before}
    writer.exchange(sorted(gone, key=str), sorted(new, key=str))
    changed = {told.chunks[number].iri for number in told.said.annotations}
    if changed:
        writer.refresh(changed)
    changes.entities.update(_entities((*gone, *new)))


def _entities(quads: Sequence[Quad]) -> Iterator[str]:
    for each in quads:
        if each.predicate.value in (v.MENTIONS, v.BY_LABEL) and isinstance(each.object, NamedNode):
            yield each.object.value


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
