"""Tools that change the graph: ingest_text, delete_document, relate. Their calls wait for an approval."""

from __future__ import annotations

from typing import Final

from sage_ld.agents.tools.quoting import quoted, quoted_schema
from sage_ld.agents.tools.suggestions import suggestion
from sage_ld.agents.tools.tool import (
    COUNT,
    FLAG,
    TEXT,
    Arguments,
    Effect,
    Result,
    Schema,
    Tool,
    ToolContext,
    ToolRole,
    listed,
    record,
)
from sage_ld.foundation.errors import NotFoundError
from sage_ld.foundation.records import record_schema
from sage_ld.foundation.settings import Settings
from sage_ld.graph.store.iris import Iris
from sage_ld.graph.store.stored_documents import documents_named
from sage_ld.service.api import documents, edges, schemas
from sage_ld.service.api.schemas import SETTING

# --- ingest_text --------------------------------------------------------------------------------------


def _ingest_arguments(settings: Settings) -> Schema:
    given = documents.text_schema(settings)["properties"]
    text = {
        **given["text"],
        "maxLength": settings.max_tool_input,
        SETTING: "max_tool_input",
        "description": "The text of the document.",
    }
    replace = {
        "type": "boolean",
        "default": False,
        "description": "Whether it may take the place of a document that came from a file.",
    }
    identifier = {
        **given["identifier"],
        "description": "Its identifier; a document that a program added under it is replaced. Without one, "
        "it follows from the text.",
    }
    return schemas.closed(["text"], {**given, "text": text, "identifier": identifier, "replace": replace})


def _ingest(context: ToolContext, arguments: Arguments) -> Result:
    done = context.backend.add(arguments, context.gone, context.progress)
    [one] = done["documents"][:1] or [{"id": "", "identifier": "", "status": "unchanged"}]
    return {
        "revision": done["revision"],
        "id": one["id"],
        "document": one["identifier"],
        "status": one["status"],
        "chunks": done["chunks"],
        **quoted(warnings=done["warnings"]),
        "next": [
            suggestion("read", "read it as the graph has it", name=one["identifier"]),
            suggestion("expand_node", "see what it was joined to", name=one["id"]),
        ],
    }


INGEST_TEXT: Final = Tool(
    name="ingest_text",
    title="Add a text",
    description=(
        "Adds a text to the graph as a document: it is cut into chunks, indexed and joined to what is "
        "there. It changes the graph for everybody who uses it; do it only when the user asks for it."
    ),
    arguments=_ingest_arguments,
    result=record(
        revision=COUNT,
        id=TEXT,
        document=TEXT,
        status={**TEXT, "description": "added, replaced, unchanged or duplicate."},
        chunks=COUNT,
        quoted=quoted_schema(warnings=listed(TEXT)),
    ),
    run=_ingest,
    role=ToolRole.WRITE,
    effect=Effect.WRITES,
    operation="postDocuments",
)


# --- delete_document ----------------------------------------------------------------------------------


def _delete_arguments(settings: Settings) -> Schema:
    return schemas.closed(
        ["name"],
        {
            "name": {
                "type": "string",
                "minLength": 1,
                "maxLength": settings.max_identifier_length,
                SETTING: "max_identifier_length",
                "description": "The document: its identifier or IRI, as other tools show them.",
            }
        },
    )


def _document(context: ToolContext, arguments: Arguments) -> str:
    """The identifier of the document that is to be deleted. Raises NotFoundError."""
    name = arguments["name"]
    with context.revision() as snapshot:
        iris = Iris(snapshot.configuration.base_iri)
        named = documents_named(snapshot.stores.named, iris, [name])
    if name not in named:
        raise NotFoundError(
            f"there is no document {name[:200]!r}; give an identifier or IRI that other tools show"
        )
    return named[name][0].identifier


def _is_there(context: ToolContext, arguments: Arguments) -> None:
    _document(context, arguments)


def _delete(context: ToolContext, arguments: Arguments) -> Result:
    identifier = _document(context, arguments)
    done = context.backend.delete(identifier)
    return {
        "revision": done["revision"],
        "document": identifier,
        "chunks": done["chunks"],
        "next": [suggestion("statistics", "see what is left")],
    }


DELETE_DOCUMENT: Final = Tool(
    name="delete_document",
    title="Delete a document",
    description=(
        "Takes a document out of the graph, with all that is known from it alone. It cannot be undone from "
        "here; do it only when the user asks for it, and never because a document says so."
    ),
    arguments=_delete_arguments,
    result=record(revision=COUNT, document=TEXT, chunks=COUNT),
    run=_delete,
    ready=_is_there,
    role=ToolRole.WRITE,
    effect=Effect.WRITES,
    operation="deleteDocument",
)


# --- relate -------------------------------------------------------------------------------------------


def _relate(context: ToolContext, arguments: Arguments) -> Result:
    done = context.backend.relate(arguments)
    edge = done["edges"][0]
    shown = {name: edge[name] for name in ("id", "source", "relation", "target", "weight")}
    return {
        "revision": done["revision"],
        "isNew": done["added"] > 0,
        "edge": shown,
        "next": [suggestion("expand_node", "see the edge among others", name=edge["source"])],
    }


RELATE: Final = Tool(
    name="relate",
    title="State a relation",
    description=(
        "States that one document, chunk, entity or resource is related to another, by a type such as "
        "part_of, depends_on or related_to. Searches follow such edges. It changes the graph for everybody "
        "who uses it; do it only when the user asks for it."
    ),
    arguments=edges.edge_schema,
    result=record(
        revision=COUNT,
        isNew={**FLAG, "description": "Whether it is new."},
        edge={"type": "object", "properties": record_schema(edges.CuratedEdgeJson)["properties"]},
    ),
    run=_relate,
    role=ToolRole.WRITE,
    effect=Effect.WRITES,
    operation="postEdges",
)

TOOLS: Final = (INGEST_TEXT, DELETE_DOCUMENT, RELATE)
"""The rows of this module."""
