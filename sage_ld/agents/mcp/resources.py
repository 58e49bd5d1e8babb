"""Documents and chunks as resources of an MCP server, by their IRIs."""

from __future__ import annotations

from bisect import bisect_right
from typing import Final

import mcp_types as types

from sage_ld.agents.tools.backend import Backend, Gone
from sage_ld.agents.tools.quoting import NOTICE, QUOTED
from sage_ld.agents.tools.toolbox import Toolbox
from sage_ld.foundation.errors import LimitError
from sage_ld.graph import Snapshot
from sage_ld.graph.store.reading import StoredDocument, documents

_PLAIN: Final = "text/plain"
_READING: Final = "read"
"""The tool that gives what resources give."""
_COMPLETED: Final = 100
"""Most values of one completion, as the protocol has it."""


def listed(toolbox: Toolbox, cursor: str | None) -> types.ListResourcesResult:
    """The documents by identifier, a page at a time; the cursor is the identifier of the last one.

    None where somebody decides what may be read: names of documents are content, too.
    """
    if not toolbox.is_free(_READING):
        return types.ListResourcesResult(resources=[])
    backend = toolbox.backend
    most = backend.graph.settings.max_page_items
    with backend.revision() as snapshot:
        stored = snapshot.derived(_documents)
    begin = 0 if cursor is None else bisect_right(stored, cursor, key=lambda each: each.identifier)
    part = stored[begin : begin + most]
    more = begin + len(part) < len(stored)
    return types.ListResourcesResult(
        resources=[
            types.Resource(uri=each.iri, name=each.identifier, title=each.name or None, mime_type=_PLAIN)
            for each in part
        ],
        next_cursor=part[-1].identifier if more else None,
    )


def templates(backend: Backend) -> list[types.ResourceTemplate]:
    """The IRIs of documents and chunks, as templates."""
    base = backend.graph.iris.base
    return [
        types.ResourceTemplate(
            uri_template=f"{base}{name}/{{identifier}}",
            name=name,
            title=title,
            description="Its text. Search results name it by IRI.",
            mime_type=_PLAIN,
        )
        for name, title in (("document", "Document"), ("chunk", "Passage"))
    ]


def read(toolbox: Toolbox, uri: str, gone: Gone) -> types.ReadResourceResult:
    """The text of a document or a chunk. Raises NotFoundError, LimitError for one that is too long."""
    most = toolbox.backend.graph.settings.max_tool_answer
    text, is_end = "", False
    while not is_end:
        page = toolbox.call(_READING, {"name": uri, "offset": len(text), "around": 0}, gone=gone)
        if page["length"] > most:
            raise LimitError.of("the text", page["length"], most, "characters", "max_tool_answer")
        text, is_end = text + page[QUOTED]["text"], page["complete"]
    contents = types.TextResourceContents(uri=uri, mime_type=_PLAIN, text=text, _meta={"notice": NOTICE})
    return types.ReadResourceResult(contents=[contents])


def completed(toolbox: Toolbox, name: str, begin: str) -> types.CompleteResult:
    """The identifiers of documents that begin so, for an argument `document`; none for any other.

    None where somebody decides what may be read.
    """
    values: list[str] = []
    if name == "document" and toolbox.is_free(_READING):
        with toolbox.backend.revision() as snapshot:
            stored = snapshot.derived(_documents)
        values = [each.identifier for each in stored if each.identifier.startswith(begin)]
    shown = types.Completion(values=values[:_COMPLETED], total=len(values), has_more=len(values) > _COMPLETED)
    return types.CompleteResult(completion=shown)


def _documents(snapshot: Snapshot) -> list[StoredDocument]:
    return documents(snapshot.store)
