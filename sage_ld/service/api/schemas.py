"""JSON Schemas of the requests and answers of the HTTP API.

`/openapi.json` publishes them, and requests are checked by them.
"""

from __future__ import annotations

from typing import Any, Final

from sage_ld.foundation.channels import CHANNEL_NAMES
from sage_ld.foundation.model import ChunkKind, Role
from sage_ld.foundation.parameters import parameters
from sage_ld.foundation.question import Filter, Question
from sage_ld.foundation.recipes import Retrieval
from sage_ld.retrieval import Mode
from sage_ld.retrieval.answers.explanation import Verdict
from sage_ld.service.api.field_schemas import answer_schemas

Schema = dict[str, Any]

_MODES: Final = [str(mode) for mode in Mode]


def record(required: list[str], properties: Schema, **more: Any) -> Schema:
    """The schema of an object."""
    return {"type": "object", "required": required, "properties": properties, **more}


def closed(required: list[str], properties: Schema) -> Schema:
    """The schema of an object in a request: a name that is not listed is a mistake, and refused."""
    return record(required, properties, additionalProperties=False, maxProperties=len(properties))


def list_of(items: Schema, **more: Any) -> Schema:
    """The schema of a list."""
    return {"type": "array", "items": items, **more}


def noted(schema: Schema, description: str) -> Schema:
    """A schema with its description."""
    return {**schema, "description": description}


_TEXT: Final[Schema] = {"type": "string"}
_IRI: Final[Schema] = {"type": "string", "format": "iri"}
_COUNT: Final[Schema] = {"type": "integer", "minimum": 0}
_NUMBER: Final[Schema] = {"type": "number"}
_SHARE: Final[Schema] = {"type": "number", "minimum": 0, "maximum": 1}
_TYPES: Final[Schema] = list_of(_TEXT, minItems=1)
_CONTEXT: Final[Schema] = noted({"type": "object"}, "The JSON-LD context, inline: nothing is to be fetched.")


NOTHING: Final = closed([], {})
"""The schema of a request without parameters."""


# --- answers -----------------------------------------------------------------------------------------

_ABSTRACT: Final = noted(_TEXT, "What it is about, where view is summary and the graph has abstracts.")
DOCUMENT: Final = record(
    ["id", "type", "identifier"],
    {
        "id": _IRI,
        "type": _TYPES,
        "identifier": _TEXT,
        "name": _TEXT,
        "url": _TEXT,
        "abstract": _ABSTRACT,
        "contentHash": noted(_TEXT, "SHA-256 of the document's content; in the list of documents."),
    },
)
SECTION: Final = record(["id", "type"], {"id": _IRI, "type": _TYPES, "name": _TEXT, "abstract": _ABSTRACT})
CHUNK: Final = record(
    ["id", "type", "name", "text", "isPartOf", "mentions"],
    {
        "@context": _CONTEXT,
        "id": _IRI,
        "type": noted(_TYPES, f"Chunk, and what it is cut from: {', '.join(ChunkKind)}."),
        "name": _TEXT,
        "text": _TEXT,
        "place": noted(_TEXT, "Where it stands in its file: page 3, lines 10–24, Budget!A3:F20."),
        "isPartOf": list_of({"anyOf": [DOCUMENT, SECTION]}, minItems=1),
        "mentions": list_of(record(["id", "prefLabel"], {"id": _IRI, "prefLabel": _TEXT})),
    },
)
STEP: Final = record(
    ["type", "channel", "relation", "evidence", "seed", "reaches"],
    {
        "type": _TYPES,
        "channel": list_of({"type": "string", "enum": list(CHANNEL_NAMES)}),
        "relation": noted(_TEXT, "What the edge is, within its channel: TableDocument, links to, next …"),
        "evidence": noted(_NUMBER, "The weight of the edge."),
        "seed": noted(_IRI, "The chunk that the step starts from."),
        "reaches": noted(_IRI, "The chunk that it leads to."),
        "edge": noted(record(["id", "type"], {"id": _IRI, "type": _TYPES}), "The edge as the graph has it."),
        "via": noted(
            {"anyOf": [_IRI, list_of(_IRI)]},
            "The shared entity, or the resources that statements or relations join.",
        ),
        "propertyPath": noted(_TEXT, "The properties from the one chunk to the other, as a SPARQL path."),
        "readFrom": noted(_TEXT, "The index that gave the step in place of the channel's query."),
    },
)
RESULT: Final = record(
    ["type", "rank", "role", "score", "path", "item"],
    {
        "type": _TYPES,
        "rank": {"type": "integer", "minimum": 1},
        "role": {"type": "string", "enum": [str(role) for role in Role]},
        "score": _NUMBER,
        "bm25Score": _NUMBER,
        "denseScore": _NUMBER,
        "hybridScore": _NUMBER,
        "coverageScore": _NUMBER,
        "likenessScore": _NUMBER,
        "pairCoverageScore": _NUMBER,
        "pairDenseScore": _NUMBER,
        "vectorScore": _SHARE,
        "connectivityScore": _SHARE,
        "centralityScore": _SHARE,
        "relationshipScore": _SHARE,
        "sectionScore": _SHARE,
        "summaryScore": _SHARE,
        "graphScore": _NUMBER,
        "path": noted(list_of(STEP), "The steps that led here from a seed; none for a seed."),
        "item": CHUNK,
        "contextBefore": noted(list_of(CHUNK), "The chunks before it, in order, where there is a window."),
        "contextAfter": noted(list_of(CHUNK), "Those after it."),
    },
)
_ALWAYS: Final = [
    each.term for kind in (Question, Retrieval) for each in parameters(kind).values() if each.always
]
RETRIEVAL: Final = record(
    ["type", "recipe", "revision", *_ALWAYS],
    {
        "id": noted(_IRI, "By which the retrieval is cited; present if the service keeps it."),
        "type": _TYPES,
        "recipe": noted(_TEXT, "The preset whose parameters held, or the graph's own file."),
        **answer_schemas(Question),
        **answer_schemas(Retrieval),
        **answer_schemas(Filter),
        "rankingModel": noted(_TEXT, "Of a learned ranking: `default`, or the digest of its own."),
        "revision": noted(_COUNT, "The revision of the graph that was asked."),
    },
)


def item_list(item: Schema, *required: str, **more: Schema) -> Schema:
    """A `schema:ItemList` of `item`."""
    return record(
        ["@context", "type", "numberOfItems", "itemListElement", *required],
        {
            "@context": _CONTEXT,
            "id": _IRI,
            "type": _TYPES,
            "numberOfItems": _COUNT,
            "itemListElement": list_of(item),
            **more,
        },
    )


_ADDRESSED: Final[Schema] = {
    "@context": noted(
        {"anyOf": [_IRI, {"type": "object"}, list_of({"anyOf": [_IRI, {"type": "object"}]}, minItems=1)]},
        "The address of the JSON-LD context, with further terms where there are some; or the context itself.",
    )
}
_ANSWER: Final = item_list(RESULT, "wasGeneratedBy", wasGeneratedBy=RETRIEVAL)
ANSWER: Final = {**_ANSWER, "properties": _ANSWER["properties"] | _ADDRESSED}
_NAMELESS: Final = [name for name in ANSWER["required"] if name != "@context"]
ANSWERS: Final = record(
    ["@context", "@graph"],
    {
        **_ADDRESSED,
        "@graph": noted(list_of({**ANSWER, "required": _NAMELESS}), "In the order of the questions."),
    },
)
FRAMED: Final = record(["@context"], _ADDRESSED)
_ONE_OR_ALL: Final[Schema] = {"anyOf": [_IRI, list_of(_IRI)]}
_OR_NULL: Final[Schema] = {"type": ["string", "null"]}
_OFFSET: Final[Schema] = {"type": ["integer", "null"], "minimum": 0}
PLAIN_STEP: Final = record(
    ["seed", "chunk", "channel", "kind", "weight"],
    {
        "seed": noted(_IRI, "The chunk that the step starts from."),
        "chunk": noted(_IRI, "The chunk that it leads to."),
        "channel": {"type": "string", "enum": list(CHANNEL_NAMES)},
        "kind": noted(_TEXT, "What the edge is, within its channel: TableDocument, links to, next …"),
        "weight": noted(_NUMBER, "The weight of the edge."),
        "edge": noted(_ONE_OR_ALL, "The edge as the graph has it, or the edges."),
        "entity": noted(_ONE_OR_ALL, "The shared entity or concept, or the resources that statements join."),
        "row": noted(_COUNT, "The row of the table that holds the link, from 0."),
        "properties": noted(
            {"anyOf": [_TEXT, list_of(_TEXT)]}, "The properties that lead from node to node."
        ),
    },
)
_AROUND: Final = list_of(record(["chunk", "name", "text"], {"chunk": _IRI, "name": _TEXT, "text": _TEXT}))
_SPANS: Final = list_of(
    record(["begin", "end", "term"], {"begin": _COUNT, "end": _COUNT, "term": _TEXT}),
    description="Offsets in characters, the end exclusive, and the term of the word in the indexes.",
)
_MATCHES: Final = record(["question", "name", "text"], {"question": _SPANS, "name": _SPANS, "text": _SPANS})
_PLAIN_CHUNK: Final[dict[str, Schema]] = {
    "document": noted(_TEXT, "The identifier of the document."),
    "chunk": noted(_IRI, "The IRI of the chunk."),
    "kind": {"type": "string", "enum": [str(kind) for kind in ChunkKind]},
    "name": _TEXT,
    "title": _TEXT,
    "url": _OR_NULL,
    "place": noted(_OR_NULL, "Where it stands in its file: page 3, lines 10–24, Budget!A3:F20."),
    "begin": noted(_OFFSET, "Where it begins in its document's text, in characters from 0."),
    "end": noted(_OFFSET, "Where it ends there, exclusive."),
    "text": _TEXT,
    "documentAbstract": _ABSTRACT,
    "sectionAbstract": _ABSTRACT,
}
_PLAIN_RANKED: Final[dict[str, Schema]] = {
    "rank": {"type": "integer", "minimum": 1},
    "score": _NUMBER,
    "role": {"type": "string", "enum": [str(role) for role in Role]},
}
PLAIN_RESULT: Final = record(
    [
        *("rank", "score", "role", "document", "chunk", "kind", "name", "title", "url", "place"),
        *("begin", "end", "text", "parts", "path"),
    ],
    {
        **_PLAIN_RANKED,
        **_PLAIN_CHUNK,
        "parts": noted(
            {"type": "object", "additionalProperties": _NUMBER}, "What the score is made of: bm25, dense …"
        ),
        "path": noted(list_of(PLAIN_STEP), "The steps that led here from a seed; none for a seed."),
        "before": noted(_AROUND, "The chunks before it in its document, as many as window says."),
        "after": noted(_AROUND, "Those after it."),
        "matches": noted(_MATCHES, "The words that match, on request (highlight)."),
        "labels": noted(
            {"type": "object", "additionalProperties": _TEXT},
            "The names of the chunks and nodes on its path, by IRI, on request (labels).",
        ),
    },
)
PLAIN_ANSWER: Final = record(
    ["question", "revision", "matched", "results"],
    {
        "matched": noted(
            {"type": "boolean"},
            "Whether a result has something of the question; false where all have the score 0 by their text.",
        ),
        "question": _TEXT,
        "revision": noted(_COUNT, "The revision of the graph that was asked."),
        "retrieval": noted(_IRI, "Where the retrieval is kept: the name by which the answer can be cited."),
        "results": noted(list_of(PLAIN_RESULT), "As sage-ld search --format json prints them."),
    },
)
_NUMBER_OR_NULL: Final[Schema] = {"type": ["number", "null"]}
_COUNT_OR_NULL: Final[Schema] = {"type": ["integer", "null"], "minimum": 1}
_FLAT_PLACE: Final = record(["place", "score"], {"place": _COUNT_OR_NULL, "score": _NUMBER})
_REMEDY: Final = record(
    ["name", "value", "enough", "rank"],
    {
        "name": noted(_TEXT, "The parameter, setting, or key of the recipe; `k + neighbours`: the budget."),
        "value": noted({}, "What it is."),
        "enough": noted({}, "A value that is enough."),
        "rank": noted(_COUNT_OR_NULL, "The rank of the chunk then; null where that was not tried."),
    },
)
EXPLANATION: Final = record(
    [
        *("question", "revision", "mode", "ranking", "k", "neighbours", "offset", "chunk", "document"),
        *("name", "text", "verdict", "reason", "rank", "ranked", "score", "scoreMissing", "role", "parts"),
        *("flat", "isStart", "isReached", "path", "excludedBy", "remedies", "matches"),
    ],
    {
        "question": _TEXT,
        "revision": _COUNT,
        "mode": {"type": "string", "enum": _MODES},
        "ranking": _TEXT,
        "k": _COUNT,
        "neighbours": _COUNT,
        "offset": _COUNT,
        "chunk": _IRI,
        "document": _TEXT,
        "name": _TEXT,
        "text": _TEXT,
        "verdict": {"type": "string", "enum": [str(verdict) for verdict in Verdict]},
        "reason": noted(_TEXT, "The verdict with the numbers that decide it, for a person."),
        "rank": noted(_COUNT_OR_NULL, "Its rank, in the answer or behind it."),
        "ranked": noted(_COUNT, "How many chunks were ranked, at most max_results."),
        "score": _NUMBER_OR_NULL,
        "scoreMissing": noted(_NUMBER_OR_NULL, "What its score lacks to that of the last result."),
        "role": {"enum": [*(str(role) for role in Role), None]},
        "parts": {"type": "object", "additionalProperties": _NUMBER},
        "flat": noted(
            {"type": "object", "additionalProperties": _FLAT_PLACE},
            "Its place and score by flat ranking.",
        ),
        "isStart": noted({"type": "boolean"}, "Whether the graph was followed from it."),
        "isReached": noted({"type": "boolean"}, "Whether an edge led to it from where that began."),
        "path": noted(list_of(PLAIN_STEP), "The best path from a seed to it."),
        "excludedBy": noted(list_of(_TEXT), "The conditions of the filter that it does not meet."),
        "remedies": noted(list_of(_REMEDY), "What would have to be there for it to be ranked, or a result."),
        "matches": _MATCHES,
    },
)
OUTLINE: Final = record(
    ["revision", "sections"],
    {
        "revision": _COUNT,
        "sections": noted(
            list_of(
                record(
                    ["iri", "name", "depth", "chunks", "keyword", "heading", "own", "score"],
                    {
                        "iri": _IRI,
                        "name": _TEXT,
                        "depth": noted(_COUNT, "How many nodes it stands in; 0 for the document."),
                        "chunks": noted(_COUNT, "How many chunks stand in it and in no section below it."),
                        "keyword": noted(_SHARE, "How well its keywords fit the question."),
                        "heading": noted(_SHARE, "How well its name fits."),
                        "own": noted(_SHARE, "Both, blended."),
                        "score": noted(
                            _SHARE, "With what it inherits, over the highest of all sections of the graph."
                        ),
                    },
                )
            ),
            "The document and its sections, in the order of its text.",
        ),
    },
)
PLAIN_ANSWERS: Final = record(
    ["answers"], {"answers": noted(list_of(PLAIN_ANSWER), "In the order of the questions.")}
)
NEIGHBOURS: Final = item_list(RESULT)
ENTITY: Final = record(
    ["id", "type", "prefLabel"],
    {
        "id": _IRI,
        "type": _TYPES,
        "prefLabel": _TEXT,
        "chunkFrequency": noted(_COUNT, "The number of chunks that mention it."),
    },
)
_PAGE: Final[Schema] = {"offset": _COUNT, "limit": _COUNT}
CHUNKS: Final = item_list(CHUNK, *_PAGE, **_PAGE)
CURSOR: Final[Schema] = {"nextCursor": noted(_TEXT, "The cursor of the next page; missing on the last one.")}
DOCUMENTS: Final = item_list(DOCUMENT, *_PAGE, **_PAGE, **CURSOR)
ENTITIES: Final = item_list(ENTITY, *_PAGE, **_PAGE)
PLAIN_RANKED: Final = record(["rank", "role", "score", "chunk"], {**_PLAIN_RANKED, "chunk": _IRI})
PLAIN_CHUNK: Final = record(
    ["document", "chunk", "kind", "name", "title", "text", "entities"],
    {
        **_PLAIN_CHUNK,
        "entities": noted(
            list_of(record(["id", "label"], {"id": _IRI, "label": _TEXT})), "The entities that it mentions."
        ),
    },
)


def plain_list(name: str, items: Schema, **more: Schema) -> Schema:
    """The schema of a list in flat JSON, whose things stand in the member `name`."""
    return record([name], {name: list_of(items), **more})


COUNTED: Final = {"numberOfItems": noted(_COUNT, "How many there are in all."), "limit": _COUNT}
"""The members of a list in flat JSON where no offset chooses its part."""
_PLAIN_PAGE: Final = COUNTED | _PAGE
_FOUND: Final = {"numberOfItems": noted(_COUNT, "How many the list has, at most its limit.")}
PLAIN_NEIGHBOURS: Final = plain_list("neighbours", PLAIN_RESULT, **(COUNTED | _FOUND))
PLAIN_CHUNKS: Final = plain_list("chunks", PLAIN_CHUNK, **_PLAIN_PAGE)
PLAIN_DOCUMENTS: Final = plain_list(
    "documents",
    record(
        ["id", "identifier", "contentHash"],
        {"id": _IRI, "identifier": _TEXT, "contentHash": _TEXT, "name": _TEXT, "url": _TEXT},
    ),
    **_PLAIN_PAGE,
    **CURSOR,
)
PLAIN_ENTITIES: Final = plain_list(
    "entities",
    record(["id", "label"], {"id": _IRI, "label": _TEXT, "chunkFrequency": _COUNT}),
    **_PLAIN_PAGE,
)
STATS: Final = record(
    [
        "revision",
        "baseIri",
        "encoder",
        "recipe",
        "documents",
        "sections",
        "chunks",
        "entities",
        "concepts",
        "edges",
        "quads",
    ],
    {
        "revision": _COUNT,
        "baseIri": _IRI,
        "encoder": _TEXT,
        "recipe": _TEXT,
        "documents": _COUNT,
        "sections": _COUNT,
        "chunks": _COUNT,
        "entities": _COUNT,
        "concepts": _COUNT,
        "edges": noted({"type": "object", "additionalProperties": _COUNT}, "Edges by kind."),
        "quads": _COUNT,
    },
)
RANKED: Final = record(
    ["type", "rank", "role", "score", "item"],
    {
        "type": _TYPES,
        "rank": {"type": "integer", "minimum": 1},
        "role": {"type": "string", "enum": [str(role) for role in Role]},
        "score": _NUMBER,
        "item": noted(record(["id"], {"id": _IRI}), "A chunk that an event before has shown."),
    },
)
SUMMARY: Final = item_list(RANKED, "wasGeneratedBy", wasGeneratedBy=RETRIEVAL)
PROBLEM: Final = record(
    ["type", "title", "status", "detail"],
    {
        "type": _IRI,
        "title": _TEXT,
        "status": {"type": "integer", "minimum": 400, "maximum": 599},
        "detail": noted(_TEXT, "The value, the limit that it broke, and the remedy."),
    },
)
