"""Documents that clients add, change and take out, in the process that writes.

What is sent has been read before (`reading`). Its chunks are counted before the graph's lock is taken, and
those of a job, or of a long text, are encoded, in a process that writes nothing else meanwhile: the lock is
held for a bounded number of chunks, whose vectors are in the encoder's cache.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from sage_ld.build.chunkers import chunk_all, encoding_text
from sage_ld.build.readers.uploads import SHOWN, ReadUpload
from sage_ld.foundation.errors import LimitError, NotFoundError
from sage_ld.foundation.model import Duplicates
from sage_ld.foundation.progress import Progress
from sage_ld.graph import KnowledgeGraph
from sage_ld.graph.changes import preconditions
from sage_ld.graph.changes.adding import (
    AddRules,
    AddSummary,
    PassedOver,
    add_documents,
    described,
    only_document,
    take_out,
)
from sage_ld.graph.changes.metadata_patch import patch_metadata
from sage_ld.graph.changes.named_graphs import check_no_named_graph
from sage_ld.graph.changes.shape_checks import check_own_shapes
from sage_ld.graph.store.reading import StoredDocument
from sage_ld.graph.store.stored_documents import own_document
from sage_ld.graph.views.documents import document_tag
from sage_ld.service.workers.commit import Result, Write

_RELINKED: Final = 2
"""Times as many chunks as a request may have: in a larger graph, one links what is new, and no more."""


def prepare_reads(
    graph: KnowledgeGraph, reads: Sequence[ReadUpload], progress: Progress, *, encodes: bool
) -> None:
    """Counts the chunks of what was read and, if it `encodes`, has the encoder's cache keep their vectors.

    Both are done again with the lock held, with what the graph says then. Raises LimitError.
    """
    if not reads:
        return
    most, encoder = graph.settings.max_request_chunks, graph.encoder
    terms, base = graph.directory.metadata_terms(), graph.iris.base
    documents = [
        document for each in reads for document in described(each, terms, base, graph.settings).documents
    ]
    encodes = encodes and encoder.cache.max_bytes > 0
    if not encodes and sum(len(each.text) for each in documents) <= most:
        return  # there is a character in each chunk
    texts: list[str] = []
    for chunks in chunk_all(documents, graph.recipe.chunking, encoder):
        texts += map(encoding_text, chunks)
        if len(texts) > most:
            raise LimitError.of("the request", len(texts), most, "chunks", "max_request_chunks")
    if encodes:
        encoder.encode(texts, lambda done, total: progress("encoding", done, total))


def write_documents(write: Write) -> Result:
    """Adds, describes or takes out documents, as the job says.

    Raises InputError, NotFoundError, ConflictError, PreconditionError, ShapeError.
    """
    return _ACTIONS[write.job["action"]](write)


def report(summary: AddSummary) -> Result:
    """The report of adding documents, in plain data: for each document, and for each upload that failed."""
    passed_over = [_passed_over(each) for each in summary.passed_over]
    return {
        "documents": [
            {
                "id": each.iri,
                "identifier": each.identifier,
                "status": str(each.outcome),
                "source": each.source[:SHOWN],
            }
            for each in summary.documents
        ],
        "failed": [{"source": name, "detail": str(error)} for name, error in summary.failed],
        "leftOut": [{"identifier": each.identifier, "detail": each.reason} for each in summary.left_out],
        "warnings": list(summary.warnings),
        **({"passedOver": passed_over} if passed_over else {}),
        "chunks": summary.chunks,
    }


def _passed_over(part: PassedOver) -> Result:
    return {
        "identifier": part.identifier,
        "kind": part.kind,
        "count": part.count,
        "places": list(part.places),
    }


# --- the actions --------------------------------------------------------------------------------------


def _add(write: Write) -> Result:
    job, writer = write.job, write.writer
    settings = write.graph.settings
    reads = [described(each, write.terms, writer.iris.base, settings) for each in write.reads]
    if job["single"]:
        _check_conditions(write, only_document(reads[0]).identifier)
    rules = AddRules(job["replace"], Duplicates(job["duplicates"]))
    largest = _RELINKED * settings.max_request_chunks
    summary = add_documents(reads, write.graph.deriver(writer, write.progress), rules, largest)
    if job["alone"]:
        for _, error in summary.failed:
            raise error
    done = report(summary)
    if summary.changed:
        done["warnings"] += _checked(write)
    if summary.tag and job["alone"]:
        done["tag"] = summary.tag
    return {**done, **write.published(summary.changed)}


def _patch(write: Write) -> Result:
    stored = _existing(write)
    check_no_named_graph(stored)
    deriver, take_over = write.graph.deriver(write.writer), write.job["replace"]
    changed = patch_metadata(deriver, stored, write.job["metadata"], write.terms, take_over=take_over)
    tag = document_tag(write.writer.store, write.writer.iris, stored.iri)
    return {"tag": tag, **write.published(changed)}


def _remove(write: Write) -> Result:
    chunks = take_out(write.graph.deriver(write.writer), [_existing(write).iri])
    _checked(write)
    return {"chunks": chunks, **write.published()}


_ACTIONS: Final[dict[str, Callable[[Write], Result]]] = {"add": _add, "patch": _patch, "remove": _remove}


# --- inside -------------------------------------------------------------------------------------------


def _checked(write: Write) -> list[str]:
    """The warnings of shapes of a user's own. Raises ShapeError."""
    writer = write.writer
    return check_own_shapes(writer, write.graph.directory.path, writer.changed_in_documents())


def _existing(write: Write) -> StoredDocument:
    """The document that the job names, if what the request asks of it holds. Raises NotFoundError."""
    name = write.job["identifier"]
    _check_conditions(write, name)
    stored = own_document(write.writer.store, write.writer.iris, name)
    if stored is None:
        raise NotFoundError(f"no document {name[:200]!r}; GET /v1/documents lists those that are there")
    return stored


def _check_conditions(write: Write, identifier: str) -> None:
    """Holds If-Match and If-None-Match against the document as it is; the lock keeps it so."""
    store, iris = write.writer.store, write.writer.iris
    preconditions.check_document(store, iris, iris.document(identifier), write.job.get("conditions"))
