"""Curated edges that clients add, change and remove, in the process that writes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from sage_ld.graph.changes import preconditions
from sage_ld.graph.changes.curated_edges import (
    EdgeDraft,
    add_edges,
    edge_iri,
    existing_edge,
    remove_edges,
    replace_edge,
)
from sage_ld.graph.exports.curated_edges import draft_of, patched_draft
from sage_ld.graph.store.curated_edges import CuratedEdge
from sage_ld.service.workers.commit import Result, Write


def write_edges(write: Write) -> Result:
    """Adds, changes or removes edges, as the job says.

    Raises InputError, NotFoundError, ConflictError, PreconditionError.
    """
    return _ACTIONS[write.job["action"]](write)


def _add(write: Write) -> Result:
    drafts = [draft_of(each) for each in write.job["edges"]]
    added = add_edges(write.writer, drafts, write.terms)
    said = {"edges": write.edges_json(added.edges), "added": added.added}
    return {**said, "tag": added.edges[0].tag, **write.published(write.writer.changed)}


def _put(write: Write) -> Result:
    before = _existing(write)
    ends = {"source": before.source, "target": before.target}
    return _changed(write, before, draft_of(ends | write.job["edge"]))


def _patch(write: Write) -> Result:
    before = _existing(write)
    [said] = write.edges_json([before])
    draft = patched_draft(before, said, write.job["edge"], write.terms, write.writer.iris.base)
    return _changed(write, before, draft)


def _remove(write: Write) -> Result:
    remove_edges(write.writer, [_existing(write).iri])
    return write.published(write.writer.changed)


_ACTIONS: Final[dict[str, Callable[[Write], Result]]] = {
    "add": _add,
    "put": _put,
    "patch": _patch,
    "remove": _remove,
}


def _existing(write: Write) -> CuratedEdge:
    """The edge that the job names, if what the request asks of it holds. Raises NotFoundError."""
    writer = write.writer
    edge = existing_edge(writer.store, writer.iris, edge_iri(writer.iris, write.job["identifier"]))
    preconditions.check(write.job.get("conditions"), True, edge.tag)
    return edge


def _changed(write: Write, before: CuratedEdge, draft: EdgeDraft) -> Result:
    edge = replace_edge(write.writer, before.iri, draft, write.terms)
    [said] = write.edges_json([edge])
    return {"edge": said, "tag": edge.tag, **write.published(write.writer.changed)}
