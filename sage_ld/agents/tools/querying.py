"""Tools for exact questions: graph_schema says what a query can use, sparql_query runs one."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import IO, Any, Final

from sage_ld.agents.tools.quoting import excerpt, quoted, quoted_schema
from sage_ld.agents.tools.suggestions import suggestion
from sage_ld.agents.tools.tool import (
    COUNT,
    FLAG,
    TEXT,
    Arguments,
    Result,
    Schema,
    Tool,
    ToolContext,
    listed,
    record,
)
from sage_ld.foundation.errors import InputError, LimitError, ResultLimitError
from sage_ld.foundation.settings import Settings
from sage_ld.foundation.vocabulary import PREFIXES, XSD
from sage_ld.service.api import schemas
from sage_ld.service.api.schemas import SETTING
from sage_ld.service.workers.searches import uses
from sage_ld.service.workers.text_limits import TextLimits, checked_query, query_form

_MOST_BYTES: Final = 2**20
"""Bytes of an answer beyond which it is refused: a tool shows the first rows, and would read all of it."""
_NUMBERS: Final = frozenset(XSD + name for name in ("integer", "decimal", "double", "float", "int", "long"))
_PREFIXED: Final = " ".join(f"PREFIX {name}: <{iri}>" for name, iri in PREFIXES.items()) + "\n"


# --- graph_schema -------------------------------------------------------------------------------------


def _schema_arguments(settings: Settings) -> Schema:
    return schemas.closed(
        [],
        {
            "matching": {
                "type": "string",
                "maxLength": settings.max_filter_length,
                SETTING: "max_filter_length",
                "default": "",
                "description": "Only classes and properties whose name contains this.",
            },
            "limit": {
                "type": "integer",
                "minimum": 1,
                "maximum": settings.max_tool_rows,
                SETTING: "max_tool_rows",
                "default": min(25, settings.max_tool_rows),
                "description": "Maximum number of classes and of properties, the most used first.",
            },
        },
    )


def _graph_schema(context: ToolContext, arguments: Arguments) -> Result:
    with context.revision() as snapshot:
        counts = context.backend.statistics(snapshot)
        number = snapshot.number
    classes, all_classes = _most_used(counts.classes, arguments)
    properties, all_properties = _most_used(counts.properties, arguments)
    names = [each["name"] for each in (*classes, *properties)]
    used = {name: iri for name, iri in PREFIXES.items() if any(each.startswith(name + ":") for each in names)}
    first = classes[0]["name"] if classes else "rdfs:Resource"
    return {
        "revision": number,
        "prefixes": used,
        "classes": classes,
        "properties": properties,
        "complete": all_classes and all_properties,
        "next": [
            suggestion(
                "sparql_query",
                "see some things of a class",
                query=f"SELECT ?thing {{ ?thing a {first} }} LIMIT 10",
            )
        ],
    }


def _most_used(counts: Mapping[str, int], arguments: Arguments) -> tuple[list[dict[str, Any]], bool]:
    """The classes or properties used most, and whether these are all."""
    wanted = arguments["matching"].casefold()
    used = [(iri, count) for iri, count in counts.items() if wanted in iri.casefold()]
    used.sort(key=lambda each: (-each[1], each[0]))
    part = used[: arguments["limit"]]
    return [{"name": _short(iri), "count": count} for iri, count in part], len(part) == len(used)


def _short(iri: str) -> str:
    """A prefixed name, where there is a prefix and the rest needs no escape; else the IRI in brackets."""
    for name, start in PREFIXES.items():
        rest = iri.removeprefix(start)
        if rest != iri and rest.replace("_", "").isalnum():
            return f"{name}:{rest}"
    return f"<{iri}>"


_USED: Final = listed(record(name=TEXT, count=COUNT))
GRAPH_SCHEMA: Final = Tool(
    name="graph_schema",
    title="Schema of the graph",
    description=(
        "Lists the classes and properties that the graph uses, with their counts, as names that a query "
        "can use as they are. Call it before you write a SPARQL query: a name that the graph does not use "
        "matches nothing."
    ),
    arguments=_schema_arguments,
    result=record(
        revision=COUNT,
        prefixes={"type": "object", "additionalProperties": TEXT},
        classes=_USED,
        properties=_USED,
        complete={**FLAG, "description": "Whether these are all; else give matching, or a larger limit."},
    ),
    run=_graph_schema,
    operation="void",
)


# --- sparql_query -------------------------------------------------------------------------------------


def _query_arguments(settings: Settings) -> Schema:
    return schemas.closed(
        ["query"],
        {
            "query": {
                "type": "string",
                "minLength": 1,
                "maxLength": settings.max_query_bytes,
                SETTING: "max_query_bytes",
                "description": "A SPARQL 1.1 query: SELECT, ASK, CONSTRUCT or DESCRIBE, with a LIMIT. The "
                "prefixes that graph_schema names are declared.",
                "examples": ["SELECT ?name { ?d a sage:Document ; schema:name ?name } LIMIT 10"],
            }
        },
    )


def _query(context: ToolContext, arguments: Arguments) -> Result:
    settings = context.settings
    text = _PREFIXED + arguments["query"]
    limits = TextLimits(settings.max_query_bytes, settings.max_query_depth, settings.max_query_patterns)
    query = checked_query(text, limits)
    if uses(query):
        raise InputError("sage:search is not for this tool; call the tool search, and use the IRIs it gives")
    if not (form := query_form(query)):
        raise InputError("the query is not a SELECT, ASK, CONSTRUCT or DESCRIBE; use one of these")
    with context.backend.query(text, form, context.gone) as body:
        content = _short_content(body)
    if form in ("CONSTRUCT", "DESCRIBE"):
        return _graph(content, settings)
    return _table(json.loads(content), settings)


def _short_content(body: IO[bytes]) -> str:
    """All of a short answer. Raises ResultLimitError for a long one."""
    content = body.read(_MOST_BYTES + 1)
    if len(content) > _MOST_BYTES:
        raise ResultLimitError(
            f"the answer has more than {_MOST_BYTES:,} bytes; give the query a smaller LIMIT"
        )
    return content.decode()


def _graph(content: str, settings: Settings) -> Result:
    if len(content) > (most := settings.max_tool_answer):
        raise LimitError.of("the graph", len(content), most, "characters", "max_tool_answer")
    return {
        "form": "graph",
        "rows": 0,
        "complete": True,
        **quoted(turtle=content),
        "next": [suggestion("graph_schema", "see which names the graph has")],
    }


def _table(answer: Mapping[str, Any], settings: Settings) -> Result:
    if "boolean" in answer:
        return {
            "form": "boolean",
            "rows": 0,
            "complete": True,
            **quoted(boolean=answer["boolean"]),
            "next": [],
        }
    rows, most = answer["results"]["bindings"], settings.max_tool_rows
    shown = [
        {name: _value(term, settings.max_quoted_text) for name, term in row.items()} for row in rows[:most]
    ]
    hints = [] if rows else [suggestion("graph_schema", "see which names the graph has: nothing was found")]
    iris = (term["value"] for row in rows[:1] for term in row.values() if term["type"] == "uri")
    return {
        "form": "table",
        "rows": len(rows),
        "complete": len(rows) <= most,
        **quoted(columns=answer["head"]["vars"], rows=shown),
        "next": hints
        + [suggestion("expand_node", "see a node with its edges", name=iri) for iri in iris][:1],
    }


def _value(term: Mapping[str, Any], most: int) -> object:
    """An RDF term as a value of JSON: numbers and booleans as such, all else as text."""
    value: str = term["value"]
    if term.get("datatype") in _NUMBERS:
        try:
            return json.loads(value)
        except ValueError:  # such as INF
            return value
    if term.get("datatype") == XSD + "boolean":
        return value in ("true", "1")
    return excerpt(value, most)


SPARQL_QUERY: Final = Tool(
    name="sparql_query",
    title="Run a SPARQL query",
    description=(
        "Runs a read-only SPARQL query over the whole graph. Use it to count, to list all things of a kind, "
        "to compare and to sort by values; call graph_schema first to learn the names. Passages are "
        "sage:Chunk with schema:text; entities have skos:prefLabel. It cannot change anything, and calls no "
        "other server."
    ),
    arguments=_query_arguments,
    result=record(
        form={"type": "string", "enum": ["table", "boolean", "graph"]},
        rows={**COUNT, "description": "The number of rows; 'complete' says whether all are shown."},
        complete=FLAG,
        quoted=quoted_schema(
            columns=listed(TEXT), rows=listed({"type": "object"}), boolean=FLAG, turtle=TEXT
        ),
    ),
    run=_query,
    operation="sparql",
)

TOOLS: Final = (GRAPH_SCHEMA, SPARQL_QUERY)
"""The rows of this module."""
