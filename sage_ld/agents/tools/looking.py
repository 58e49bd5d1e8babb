"""Tools that look at what the graph holds: read, expand_node, statistics."""

from __future__ import annotations

from typing import Any, Final

from sage_ld.agents.tools.quoting import excerpt, quoted, quoted_schema
from sage_ld.agents.tools.suggestions import suggestion
from sage_ld.agents.tools.tool import (
    COUNT,
    FLAG,
    NUMBER,
    TEXT,
    Arguments,
    Result,
    Schema,
    Tool,
    ToolContext,
    listed,
    record,
)
from sage_ld.foundation.deadline import Check
from sage_ld.foundation.errors import InputError, NotFoundError
from sage_ld.foundation.model import ChunkView
from sage_ld.foundation.records import record_schema
from sage_ld.foundation.settings import Settings
from sage_ld.graph import Snapshot
from sage_ld.graph.store.iris import Iris
from sage_ld.graph.store.reading import StoredDocument
from sage_ld.graph.store.statistics import summary
from sage_ld.graph.store.stored_documents import document_text, documents_named
from sage_ld.graph.views.documents import described_document
from sage_ld.graph.views.neighbourhood import KINDS, entities_named, node_named
from sage_ld.retrieval.chunks.chunk_table import chunk_views
from sage_ld.retrieval.chunks.context_windows import context_windows
from sage_ld.service.api import neighbourhoods, schemas
from sage_ld.service.api.answers import StatsJson
from sage_ld.service.api.schemas import SETTING

_HASH: Final = 24
"""Characters at the end of a chunk's IRI."""
_NODES: Final = 20
_FAN_OUT: Final = 6
_NAMESAKES: Final = 5
"""Resources of one name that an error lists."""


# --- read ---------------------------------------------------------------------------------------------


def _read_arguments(settings: Settings) -> Schema:
    return schemas.closed(
        ["name"],
        {
            "name": {
                "type": "string",
                "minLength": 1,
                "maxLength": settings.max_identifier_length,
                SETTING: "max_identifier_length",
                "description": "A chunk or a document: its IRI, or the identifier of a document, as other "
                "tools show them.",
                "examples": ["films/the-ninth-ferry.md"],
            },
            "offset": {
                "type": "integer",
                "minimum": 0,
                "maximum": settings.max_text_length,
                SETTING: "max_text_length",
                "default": 0,
                "description": "The character at which reading begins.",
            },
            "around": {
                "type": "integer",
                "minimum": 0,
                "maximum": settings.max_window,
                SETTING: "max_window",
                "default": 1,
                "description": "Of a chunk: how many chunks before and after it to give with it.",
            },
        },
    )


def _read(context: ToolContext, arguments: Arguments) -> Result:
    name = arguments["name"]
    with context.revision() as snapshot, context.searching() as check:
        if (view := _chunk_named(snapshot, name)) is not None:
            return _read_chunk(context, snapshot, view, arguments, check)
        iris = Iris(snapshot.configuration.base_iri)
        named = documents_named(snapshot.stores.named, iris, [name])
        if name not in named:
            raise NotFoundError(
                f"there is no chunk and no document {name[:200]!r}; give an IRI or identifier that search "
                "shows"
            )
        return _read_document(context, snapshot, named[name][0], arguments["offset"], check)


def _chunk_named(snapshot: Snapshot, name: str) -> ChunkView | None:
    """The chunk with an IRI, or with the end of one."""
    begin = f"{snapshot.configuration.base_iri}chunk/"
    identifier = name.removeprefix(begin)
    if len(identifier) != _HASH or not set(identifier) <= set("0123456789abcdef"):
        return None
    iri = begin + identifier
    return chunk_views(snapshot.store, [iri]).get(iri)


def _read_chunk(
    context: ToolContext, snapshot: Snapshot, view: ChunkView, arguments: Arguments, check: Check
) -> Result:
    window = context_windows(snapshot.store, [view.iri], arguments["around"], check)[view.iri]
    offset, longest = arguments["offset"], context.settings.max_quoted_text
    shown, is_end = _page(view.text, offset, context.settings.max_read_text)
    around = {
        side: [{"chunk": each.iri, "text": excerpt(each.text, longest)} for each in views]
        for side, views in (("before", window.before), ("after", window.after))
    }
    after = window.after[-1:] or (view,)
    return {
        "revision": snapshot.number,
        "kind": "chunk",
        "id": view.iri,
        "document": view.identifier,
        "offset": offset,
        "length": len(view.text),
        "complete": is_end,
        **quoted(title=view.title, name=view.name, place=view.place, text=shown, **around),
        "next": [
            *_rest(view.iri, offset + len(shown), is_end),
            suggestion("read", "read on after this", name=after[0].iri),
            suggestion("expand_node", "see what the chunk is joined to", name=view.iri),
        ],
    }


def _read_document(
    context: ToolContext, snapshot: Snapshot, stored: StoredDocument, offset: int, check: Check
) -> Result:
    settings, store = context.settings, snapshot.stores.named
    terms = context.graph.directory.metadata_terms()
    described = described_document(snapshot, stored.identifier, terms, settings.max_sent_text)
    iris = Iris(snapshot.configuration.base_iri)
    text = document_text(
        store, iris, stored.iri, limit=settings.max_sent_text, setting="max_sent_text", check=check
    )
    shown, is_end = _page(text, offset, settings.max_read_text)
    return {
        "revision": snapshot.number,
        "kind": "document",
        "id": stored.iri,
        "document": stored.identifier,
        "offset": offset,
        "length": len(text),
        "complete": is_end,
        **quoted(title=stored.name, metadata=None if described is None else described.metadata, text=shown),
        "next": [
            *_rest(stored.identifier, offset + len(shown), is_end),
            suggestion("expand_node", "see what the document is joined to", name=stored.iri),
        ],
    }


def _page(text: str, offset: int, most: int) -> tuple[str, bool]:
    """The text from an offset on, and whether it goes to the end."""
    return text[offset : offset + most], offset + most >= len(text)


def _rest(name: str, offset: int, is_end: bool) -> list[dict[str, Any]]:
    return [] if is_end else [suggestion("read", "read on", name=name, offset=offset)]


_BESIDE: Final = listed(record(chunk=TEXT, text=TEXT))
READ: Final = Tool(
    name="read",
    title="Read a document or a passage",
    description=(
        "Gives the text of a chunk with the chunks around it, or the text of a document with its metadata. A "
        "long text comes page by page: go on with offset, as 'next' says. Use it to check a passage that "
        "search has found before you rely on it."
    ),
    arguments=_read_arguments,
    result=record(
        revision=COUNT,
        kind={"type": "string", "enum": ["chunk", "document"]},
        id=TEXT,
        document=TEXT,
        offset=COUNT,
        length={**COUNT, "description": "Characters of the whole text."},
        complete={**FLAG, "description": "Whether the text is shown to its end."},
        quoted=quoted_schema(
            title=TEXT,
            name=TEXT,
            place=TEXT,
            metadata={"type": "object"},
            text=TEXT,
            before=_BESIDE,
            after=_BESIDE,
        ),
    ),
    run=_read,
    operation="document",
)


# --- expand_node --------------------------------------------------------------------------------------


def _expand_arguments(settings: Settings) -> Schema:
    given = neighbourhoods.schema(settings)["properties"]
    most = min(settings.max_tool_rows, settings.max_graph_nodes)
    return schemas.closed(
        ["name"],
        {
            "name": {
                **given["iri"],
                "description": "A document, chunk, section, entity or other resource: its IRI, the "
                "identifier of a document, or the name of an entity.",
            },
            "hops": given["hops"],
            "kinds": {**given["kinds"], "description": "Only edges of these kinds; all unless given."},
            "nodes": {
                **given["nodes"],
                "maximum": most,
                SETTING: "max_tool_rows",
                "default": min(_NODES, most),
            },
            "fan_out": {**given["fan_out"], "default": min(_FAN_OUT, settings.max_graph_fan_out)},
        },
    )


def _expand(context: ToolContext, arguments: Arguments) -> Result:
    given = dict(arguments)
    name = given.pop("name")
    with context.revision() as snapshot, context.searching() as check:
        start = _start(snapshot, name)
        neighbourhood = context.graph.neighbourhood(start, at=snapshot, check=check, **given)
    numbers = {each.iri: number for number, each in enumerate(neighbourhood.nodes)}
    longest = context.settings.max_quoted_text
    others = [each.iri for each in neighbourhood.nodes if each.iri != neighbourhood.start]
    return {
        "revision": snapshot.number,
        "complete": neighbourhood.complete,
        "nodes": [
            {
                "id": each.iri,
                "kind": each.kind,
                "hops": each.hops,
                **quoted(label=excerpt(each.label, longest)),
            }
            for each in neighbourhood.nodes
        ],
        "edges": [
            {
                "source": numbers[each.source],
                "target": numbers[each.target],
                "kind": each.kind,
                "weight": round(each.weight, 4),
                **({"property": each.property} if each.property else {}),
            }
            for each in neighbourhood.edges
        ],
        "next": [suggestion("expand_node", "go on from a node", name=iri) for iri in others[:1]]
        + [suggestion("read", "read the document or chunk, if it is one", name=neighbourhood.start)],
    }


def _start(snapshot: Snapshot, name: str) -> str:
    """The start of a neighbourhood: the entity of that name, if nothing has it as IRI or identifier.

    Raises InputError where several have the name.
    """
    store, iris = snapshot.store, Iris(snapshot.configuration.base_iri)
    try:
        return node_named(store, name, iris)
    except NotFoundError:
        languages = snapshot.lexical.language_counts
        entities = entities_named(store, name, iris, languages)
        if not entities:
            raise
        if len(entities) > 1:
            shown = ", ".join(f"<{iri}>" for iri in entities[:_NAMESAKES])
            more = f" and {len(entities) - _NAMESAKES:,} more" if len(entities) > _NAMESAKES else ""
            raise InputError(
                f"{len(entities):,} resources are called {name[:200]!r}: {shown}{more}; give one of these "
                "IRIs"
            ) from None
        return entities[0]


EXPAND_NODE: Final = Tool(
    name="expand_node",
    title="Expand a node",
    description=(
        "Gives the nodes and edges around a document, chunk, section, entity or other resource: what it "
        "mentions, links to, resembles, is part of, or is stated of. Use it to walk from what search has "
        "found to what is related. Edges name their nodes by their place in 'nodes', from 0."
    ),
    arguments=_expand_arguments,
    result=record(
        revision=COUNT,
        complete={**FLAG, "description": "Whether no limit left anything out."},
        nodes=listed(record(id=TEXT, kind=TEXT, hops=COUNT, quoted=quoted_schema(label=TEXT))),
        edges=listed(
            {
                **record(
                    source=COUNT, target=COUNT, kind={"type": "string", "enum": list(KINDS)}, weight=NUMBER
                ),
                "description": "With the property, where a statement makes the edge.",
            }
        ),
    ),
    run=_expand,
    operation="neighbourhood",
)


# --- statistics ---------------------------------------------------------------------------------------


def _statistics(context: ToolContext, arguments: Arguments) -> Result:
    del arguments
    with context.revision() as snapshot:
        counts = snapshot.derived(_summary)
        return {
            "revision": snapshot.number,
            "baseIri": snapshot.configuration.base_iri,
            **counts,
            "next": [suggestion("graph_schema", "see which classes and properties a query can use")],
        }


def _summary(snapshot: Snapshot) -> dict[str, Any]:
    return dict(summary(snapshot.stores))


_STATS: Final = record_schema(StatsJson)["properties"]
_COUNTED: Final = ("documents", "sections", "chunks", "entities", "concepts", "edges", "quads")
STATISTICS: Final = Tool(
    name="statistics",
    title="Statistics of the graph",
    description=(
        "Says how much the graph holds: documents, chunks, entities, edges by kind. Use it to learn what "
        "kind of graph this is; for classes and properties, use graph_schema."
    ),
    arguments=lambda settings: schemas.NOTHING,
    result=record(revision=COUNT, baseIri=TEXT, **{name: _STATS[name] for name in _COUNTED}),
    run=_statistics,
    operation="stats",
)

TOOLS: Final = (READ, EXPAND_NODE, STATISTICS)
"""The rows of this module."""
