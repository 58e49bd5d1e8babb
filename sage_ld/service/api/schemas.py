"""JSON Schemas of the requests and answers of the HTTP API.

`/openapi.json` publishes them, and requests are checked by them.
"""

from __future__ import annotations

from typing import Any, Final

from sage_ld.foundation.channels import CHANNEL_NAMES
from sage_ld.foundation.model import ChunkKind, Role
from sage_ld.foundation.recipes import PRESETS
from sage_ld.foundation.settings import Settings
from sage_ld.retrieval import Mode
from sage_ld.retrieval.answers.explanation import Verdict
from sage_ld.service.api.violations import SETTING

Schema = dict[str, Any]

_NAME: Final[Schema] = {  # of a folder or file: never a path
    "type": "string",
    "maxLength": 100,
    "pattern": r"^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$",
}
_DAY_LENGTH: Final = len("2026-11-23")
_MODES: Final = [str(mode) for mode in Mode]


def _object(required: list[str], properties: Schema, **more: Any) -> Schema:
    return {"type": "object", "required": required, "properties": properties, **more}


def closed(required: list[str], properties: Schema) -> Schema:
    """The schema of an object in a request: a name that is not listed is a mistake, and refused."""
    return _object(required, properties, additionalProperties=False, maxProperties=len(properties))


def _list(items: Schema, **more: Any) -> Schema:
    return {"type": "array", "items": items, **more}


def _said(schema: Schema, description: str) -> Schema:
    return {**schema, "description": description}


_TEXT: Final[Schema] = {"type": "string"}
_IRI: Final[Schema] = {"type": "string", "format": "iri"}
_COUNT: Final[Schema] = {"type": "integer", "minimum": 0}
_NUMBER: Final[Schema] = {"type": "number"}
_SHARE: Final[Schema] = {"type": "number", "minimum": 0, "maximum": 1}
_TYPES: Final[Schema] = _list(_TEXT, minItems=1)
_CONTEXT: Final[Schema] = _said({"type": "object"}, "The JSON-LD context, inline: nothing is to be fetched.")


NOTHING: Final = closed([], {})
"""The schema of a request without parameters."""


EVALUATED_MODES: Final = ["hybrid", "sage"]
EVALUATED_BUDGETS: Final = [5, 10]


def relation_parameters(settings: Settings) -> dict[str, Schema]:
    """The parameters that say which relations a search follows."""
    return {
        "relations": {
            "type": "array",
            "items": {"type": "string", "minLength": 1, "maxLength": settings.max_filter_length},
            "minItems": 1,
            "maxItems": settings.max_filter_values,
            SETTING: "max_filter_values",
            "description": "The types of relation that the channel relation follows, by name or IRI, with "
            "their inverses; all unless given.",
            "examples": [["part_of", "depends_on"]],
        },
        "as_of": {
            "type": "string",
            "maxLength": _DAY_LENGTH,
            "pattern": r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$",
            "description": "A day: the channel relation follows only edges that are valid then.",
            "examples": ["2026-11-23"],
        },
    }


def evaluate_parameters(settings: Settings) -> Schema:
    """The parameters of an evaluation, of a data set of the server or of the client."""
    most = settings.max_results // 2
    schema = closed(
        [],
        {
            "questions": _said(
                _list(
                    _judged_question(settings),
                    minItems=1,
                    maxItems=settings.max_evaluation_questions,
                    **{SETTING: "max_evaluation_questions"},
                ),
                "Questions with the documents that ought to be found, in place of dataset.",
            ),
            "dataset": _said(
                {**_NAME, "examples": ["ottqa"]},
                "A folder of the setting evaluation_dir, in the layout of BEIR.",
            ),
            "qrels": _said(_NAME, "Which judgements, where there are several."),
            "modes": _said(
                _list(
                    {"type": "string", "enum": _MODES},
                    minItems=1,
                    maxItems=len(_MODES),
                    uniqueItems=True,
                    default=EVALUATED_MODES,
                ),
                "What is compared.",
            ),
            "recipes": _said(
                _list(
                    {"type": "string", "enum": list(PRESETS)},
                    minItems=1,
                    maxItems=len(PRESETS),
                    uniqueItems=True,
                ),
                "Presets whose parameters of retrieval hold in place of the graph's; several are compared in "
                "mode sage, each under its name.",
            ),
            "budgets": _said(
                _list(
                    {"type": "integer", "minimum": 1, "maximum": most, SETTING: "max_results"},
                    minItems=1,
                    maxItems=10,
                    uniqueItems=True,
                    default=EVALUATED_BUDGETS,
                ),
                "Results in all, seeds and neighbours.",
            ),
            **relation_parameters(settings),
        },
    )
    one = {"type": "object", "maxProperties": schema["maxProperties"]}
    return {**schema, "oneOf": [{**one, "required": ["dataset"]}, {**one, "required": ["questions"]}]}


def _judged_question(settings: Settings) -> Schema:
    """A question, and the identifiers of documents with their grades."""
    return closed(
        ["q", "relevant"],
        {
            "q": _said(
                {"type": "string", "minLength": 1, "maxLength": settings.max_question_length}, "The question."
            ),
            "relevant": {
                "type": "object",
                "minProperties": 1,
                "maxProperties": settings.max_filter_values,
                "propertyNames": {"maxLength": settings.max_identifier_length},
                "additionalProperties": {"type": "integer", "minimum": 1, "maximum": 1_000_000},
                "description": "Identifiers of documents, each with its grade; 1 is relevant.",
            },
        },
    )


# --- answers -----------------------------------------------------------------------------------------

_ABSTRACT: Final = _said(_TEXT, "What it is about, where view is summary and the graph has abstracts.")
DOCUMENT: Final = _object(
    ["id", "type", "identifier"],
    {
        "id": _IRI,
        "type": _TYPES,
        "identifier": _TEXT,
        "name": _TEXT,
        "url": _TEXT,
        "abstract": _ABSTRACT,
        "contentHash": _said(_TEXT, "SHA-256 of the document's content; in the list of documents."),
    },
)
SECTION: Final = _object(["id", "type"], {"id": _IRI, "type": _TYPES, "name": _TEXT, "abstract": _ABSTRACT})
CHUNK: Final = _object(
    ["id", "type", "name", "text", "isPartOf", "mentions"],
    {
        "@context": _CONTEXT,
        "id": _IRI,
        "type": _said(_TYPES, f"Chunk, and what it is cut from: {', '.join(ChunkKind)}."),
        "name": _TEXT,
        "text": _TEXT,
        "place": _said(_TEXT, "Where it stands in its file: page 3, lines 10–24, Budget!A3:F20."),
        "isPartOf": _list({"anyOf": [DOCUMENT, SECTION]}, minItems=1),
        "mentions": _list(_object(["id", "prefLabel"], {"id": _IRI, "prefLabel": _TEXT})),
    },
)
STEP: Final = _object(
    ["type", "channel", "relation", "evidence", "seed", "reaches"],
    {
        "type": _TYPES,
        "channel": _list({"type": "string", "enum": list(CHANNEL_NAMES)}),
        "relation": _said(_TEXT, "What the edge is, within its channel: TableDocument, links to, next …"),
        "evidence": _said(_NUMBER, "The weight of the edge."),
        "seed": _said(_IRI, "The chunk that the step starts from."),
        "reaches": _said(_IRI, "The chunk that it leads to."),
        "edge": _said(_object(["id", "type"], {"id": _IRI, "type": _TYPES}), "The edge as the graph has it."),
        "via": _said(
            {"anyOf": [_IRI, _list(_IRI)]},
            "The shared entity, or the resources that statements or relations join.",
        ),
        "propertyPath": _said(_TEXT, "The properties from the one chunk to the other, as a SPARQL path."),
    },
)
RESULT: Final = _object(
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
        "path": _said(_list(STEP), "The steps that led here from a seed; none for a seed."),
        "item": CHUNK,
        "contextBefore": _said(_list(CHUNK), "The chunks before it, in order, where there is a window."),
        "contextAfter": _said(_list(CHUNK), "Those after it."),
    },
)
_WORDS: Final = _list(_TEXT, minItems=1)
RETRIEVAL: Final = _object(
    [
        "type",
        "query",
        "mode",
        "recipe",
        "channel",
        "seedBudget",
        "neighbourBudget",
        "offset",
        "ranking",
        "fusion",
        "hops",
        "decay",
        "bm25Weight",
        "seedShare",
        "revision",
    ],
    {
        "id": _said(_IRI, "By which the retrieval is cited; present if the service keeps it."),
        "type": _TYPES,
        "query": _TEXT,
        "mode": {"type": "string", "enum": _MODES},
        "recipe": _said(_TEXT, "The preset whose parameters held, or the graph's own file."),
        "channel": _list(_TEXT),
        "seedBudget": _COUNT,
        "neighbourBudget": _COUNT,
        "offset": _COUNT,
        "contextWindow": _said(_COUNT, "How many chunks before and after each result are given with it."),
        "hops": {"type": "integer", "minimum": 1},
        "decay": _SHARE,
        "damping": _SHARE,
        "restartPower": _NUMBER,
        "walkShare": _SHARE,
        "ranking": _TEXT,
        "rankingModel": _said(_TEXT, "Of a learned ranking: `default`, or the digest of its own."),
        "fusion": _TEXT,
        "bm25Weight": _SHARE,
        "seedShare": _SHARE,
        "globalShare": _SHARE,
        "vectorSeeds": _COUNT,
        "expandedSeeds": _COUNT,
        "expansionDepth": _COUNT,
        "vectorWeight": _SHARE,
        "graphWeight": _SHARE,
        "connectivityWeight": _SHARE,
        "centralityWeight": _SHARE,
        "relationshipWeight": _SHARE,
        "legacyConnectivity": _SHARE,
        "centrality": _TEXT,
        "centralityDamping": _SHARE,
        "sectionWeight": _SHARE,
        "coverageShare": _SHARE,
        "headingShare": _SHARE,
        "inheritanceDecay": _SHARE,
        "summaryWeight": _SHARE,
        "neighbourWeight": _SHARE,
        "nearestEntities": _COUNT,
        "hubSample": _COUNT,
        "ensembleMembers": _TEXT,
        "memberFusion": _TEXT,
        "deduplicate": {"type": "boolean"},
        "duplicateThreshold": _SHARE,
        "decompose": {"type": "boolean"},
        "rrfConstant": _COUNT,
        "onlyDocument": _said(_WORDS, "This and the following: the filter, as far as there was one."),
        "onlyKind": _WORDS,
        "onlyLanguage": _WORDS,
        "onlyKeyword": _WORDS,
        "onlySince": _TEXT,
        "onlyUntil": _TEXT,
        "questionLanguage": _TEXT,
        "onlyWhere": _WORDS,
        "onlyRelation": _WORDS,
        "asOf": _TEXT,
        "view": _TEXT,
        "revision": _said(_COUNT, "The revision of the graph that was asked."),
    },
)


def item_list(item: Schema, *required: str, **more: Schema) -> Schema:
    """A `schema:ItemList` of `item`."""
    return _object(
        ["@context", "type", "numberOfItems", "itemListElement", *required],
        {
            "@context": _CONTEXT,
            "id": _IRI,
            "type": _TYPES,
            "numberOfItems": _COUNT,
            "itemListElement": _list(item),
            **more,
        },
    )


_ADDRESSED: Final[Schema] = {
    "@context": _said(
        {"anyOf": [_IRI, {"type": "object"}, _list({"anyOf": [_IRI, {"type": "object"}]}, minItems=1)]},
        "The address of the JSON-LD context, with further terms where there are some; or the context itself.",
    )
}
_ANSWER: Final = item_list(RESULT, "wasGeneratedBy", wasGeneratedBy=RETRIEVAL)
ANSWER: Final = {**_ANSWER, "properties": _ANSWER["properties"] | _ADDRESSED}
_NAMELESS: Final = [name for name in ANSWER["required"] if name != "@context"]
ANSWERS: Final = _object(
    ["@context", "@graph"],
    {
        **_ADDRESSED,
        "@graph": _said(_list({**ANSWER, "required": _NAMELESS}), "In the order of the questions."),
    },
)
FRAMED: Final = _object(["@context"], _ADDRESSED)
_ONE_OR_ALL: Final[Schema] = {"anyOf": [_IRI, _list(_IRI)]}
_OR_NULL: Final[Schema] = {"type": ["string", "null"]}
_OFFSET: Final[Schema] = {"type": ["integer", "null"], "minimum": 0}
PLAIN_STEP: Final = _object(
    ["seed", "chunk", "channel", "kind", "weight"],
    {
        "seed": _said(_IRI, "The chunk that the step starts from."),
        "chunk": _said(_IRI, "The chunk that it leads to."),
        "channel": {"type": "string", "enum": list(CHANNEL_NAMES)},
        "kind": _said(_TEXT, "What the edge is, within its channel: TableDocument, links to, next …"),
        "weight": _said(_NUMBER, "The weight of the edge."),
        "edge": _said(_ONE_OR_ALL, "The edge as the graph has it, or the edges."),
        "entity": _said(_ONE_OR_ALL, "The shared entity or concept, or the resources that statements join."),
        "row": _said(_COUNT, "The row of the table that holds the link, from 0."),
        "properties": _said({"anyOf": [_TEXT, _list(_TEXT)]}, "The properties that lead from node to node."),
    },
)
_AROUND: Final = _list(_object(["chunk", "name", "text"], {"chunk": _IRI, "name": _TEXT, "text": _TEXT}))
_SPANS: Final = _list(
    _object(["begin", "end", "term"], {"begin": _COUNT, "end": _COUNT, "term": _TEXT}),
    description="Offsets in characters, the end exclusive, and the term of the word in the indexes.",
)
_MATCHES: Final = _object(["question", "name", "text"], {"question": _SPANS, "name": _SPANS, "text": _SPANS})
_PLAIN_CHUNK: Final[dict[str, Schema]] = {
    "document": _said(_TEXT, "The identifier of the document."),
    "chunk": _said(_IRI, "The IRI of the chunk."),
    "kind": {"type": "string", "enum": [str(kind) for kind in ChunkKind]},
    "name": _TEXT,
    "title": _TEXT,
    "url": _OR_NULL,
    "place": _said(_OR_NULL, "Where it stands in its file: page 3, lines 10–24, Budget!A3:F20."),
    "begin": _said(_OFFSET, "Where it begins in its document's text, in characters from 0."),
    "end": _said(_OFFSET, "Where it ends there, exclusive."),
    "text": _TEXT,
    "documentAbstract": _ABSTRACT,
    "sectionAbstract": _ABSTRACT,
}
_PLAIN_RANKED: Final[dict[str, Schema]] = {
    "rank": {"type": "integer", "minimum": 1},
    "score": _NUMBER,
    "role": {"type": "string", "enum": [str(role) for role in Role]},
}
PLAIN_RESULT: Final = _object(
    [
        *("rank", "score", "role", "document", "chunk", "kind", "name", "title", "url", "place"),
        *("begin", "end", "text", "parts", "path"),
    ],
    {
        **_PLAIN_RANKED,
        **_PLAIN_CHUNK,
        "parts": _said(
            {"type": "object", "additionalProperties": _NUMBER}, "What the score is made of: bm25, dense …"
        ),
        "path": _said(_list(PLAIN_STEP), "The steps that led here from a seed; none for a seed."),
        "before": _said(_AROUND, "The chunks before it in its document, as many as window says."),
        "after": _said(_AROUND, "Those after it."),
        "matches": _said(_MATCHES, "The words that match, on request (highlight)."),
        "labels": _said(
            {"type": "object", "additionalProperties": _TEXT},
            "The names of the chunks and nodes on its path, by IRI, on request (labels).",
        ),
    },
)
PLAIN_ANSWER: Final = _object(
    ["question", "revision", "matched", "results"],
    {
        "matched": _said(
            {"type": "boolean"},
            "Whether a result has something of the question; false where all have the score 0 by their text.",
        ),
        "question": _TEXT,
        "revision": _said(_COUNT, "The revision of the graph that was asked."),
        "retrieval": _said(_IRI, "Where the retrieval is kept: the name by which the answer can be cited."),
        "results": _said(_list(PLAIN_RESULT), "As sage-ld search --format json prints them."),
    },
)
_NUMBER_OR_NULL: Final[Schema] = {"type": ["number", "null"]}
_COUNT_OR_NULL: Final[Schema] = {"type": ["integer", "null"], "minimum": 1}
_FLAT_PLACE: Final = _object(["place", "score"], {"place": _COUNT_OR_NULL, "score": _NUMBER})
_REMEDY: Final = _object(
    ["name", "value", "enough", "rank"],
    {
        "name": _said(_TEXT, "The parameter, setting, or key of the recipe; `k + neighbours`: the budget."),
        "value": _said({}, "What it is."),
        "enough": _said({}, "A value that is enough."),
        "rank": _said(_COUNT_OR_NULL, "The rank of the chunk then; null where that was not tried."),
    },
)
EXPLANATION: Final = _object(
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
        "reason": _said(_TEXT, "The verdict with the numbers that decide it, for a person."),
        "rank": _said(_COUNT_OR_NULL, "Its rank, in the answer or behind it."),
        "ranked": _said(_COUNT, "How many chunks were ranked, at most max_results."),
        "score": _NUMBER_OR_NULL,
        "scoreMissing": _said(_NUMBER_OR_NULL, "What its score lacks to that of the last result."),
        "role": {"enum": [*(str(role) for role in Role), None]},
        "parts": {"type": "object", "additionalProperties": _NUMBER},
        "flat": _said(
            {"type": "object", "additionalProperties": _FLAT_PLACE},
            "Its place and score by flat ranking.",
        ),
        "isStart": _said({"type": "boolean"}, "Whether the graph was followed from it."),
        "isReached": _said({"type": "boolean"}, "Whether an edge led to it from where that began."),
        "path": _said(_list(PLAIN_STEP), "The best path from a seed to it."),
        "excludedBy": _said(_list(_TEXT), "The conditions of the filter that it does not meet."),
        "remedies": _said(_list(_REMEDY), "What would have to be there for it to be ranked, or a result."),
        "matches": _MATCHES,
    },
)
OUTLINE: Final = _object(
    ["revision", "sections"],
    {
        "revision": _COUNT,
        "sections": _said(
            _list(
                _object(
                    ["iri", "name", "depth", "chunks", "keyword", "heading", "own", "score"],
                    {
                        "iri": _IRI,
                        "name": _TEXT,
                        "depth": _said(_COUNT, "How many nodes it stands in; 0 for the document."),
                        "chunks": _said(_COUNT, "How many chunks stand in it and in no section below it."),
                        "keyword": _said(_SHARE, "How well its keywords fit the question."),
                        "heading": _said(_SHARE, "How well its name fits."),
                        "own": _said(_SHARE, "Both, blended."),
                        "score": _said(
                            _SHARE, "With what it inherits, over the highest of all sections of the graph."
                        ),
                    },
                )
            ),
            "The document and its sections, in the order of its text.",
        ),
    },
)
PLAIN_ANSWERS: Final = _object(
    ["answers"], {"answers": _said(_list(PLAIN_ANSWER), "In the order of the questions.")}
)
NEIGHBOURS: Final = item_list(RESULT)
ENTITY: Final = _object(
    ["id", "type", "prefLabel"],
    {
        "id": _IRI,
        "type": _TYPES,
        "prefLabel": _TEXT,
        "chunkFrequency": _said(_COUNT, "How many chunks mention it."),
    },
)
_PAGE: Final[Schema] = {"offset": _COUNT, "limit": _COUNT}
CHUNKS: Final = item_list(CHUNK, *_PAGE, **_PAGE)
CURSOR: Final[Schema] = {"nextCursor": _said(_TEXT, "Where the next page begins; missing on the last one.")}
DOCUMENTS: Final = item_list(DOCUMENT, *_PAGE, **_PAGE, **CURSOR)
ENTITIES: Final = item_list(ENTITY, *_PAGE, **_PAGE)
PLAIN_RANKED: Final = _object(["rank", "role", "score", "chunk"], {**_PLAIN_RANKED, "chunk": _IRI})
PLAIN_CHUNK: Final = _object(
    ["document", "chunk", "kind", "name", "title", "text", "entities"],
    {
        **_PLAIN_CHUNK,
        "entities": _said(
            _list(_object(["id", "label"], {"id": _IRI, "label": _TEXT})), "The entities that it mentions."
        ),
    },
)


def plain_list(name: str, items: Schema, **more: Schema) -> Schema:
    """The schema of a list in flat JSON, whose things stand in the member `name`."""
    return _object([name], {name: _list(items), **more})


COUNTED: Final = {"numberOfItems": _said(_COUNT, "How many there are in all."), "limit": _COUNT}
"""The members of a list in flat JSON where no offset chooses its part."""
_PLAIN_PAGE: Final = COUNTED | _PAGE
_FOUND: Final = {"numberOfItems": _said(_COUNT, "How many the list has, at most its limit.")}
PLAIN_NEIGHBOURS: Final = plain_list("neighbours", PLAIN_RESULT, **(COUNTED | _FOUND))
PLAIN_CHUNKS: Final = plain_list("chunks", PLAIN_CHUNK, **_PLAIN_PAGE)
PLAIN_DOCUMENTS: Final = plain_list(
    "documents",
    _object(
        ["id", "identifier", "contentHash"],
        {"id": _IRI, "identifier": _TEXT, "contentHash": _TEXT, "name": _TEXT, "url": _TEXT},
    ),
    **_PLAIN_PAGE,
    **CURSOR,
)
PLAIN_ENTITIES: Final = plain_list(
    "entities",
    _object(["id", "label"], {"id": _IRI, "label": _TEXT, "chunkFrequency": _COUNT}),
    **_PLAIN_PAGE,
)
STATS: Final = _object(
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
        "edges": _said({"type": "object", "additionalProperties": _COUNT}, "Edges by kind."),
        "quads": _COUNT,
    },
)
_INTERVAL: Final = _object(
    ["difference", "low", "high"], {"difference": _NUMBER, "low": _NUMBER, "high": _NUMBER}
)
EVALUATION: Final = _object(
    ["dataset", "qrels", "queries", "unjudged_queries", "unknown_documents", "budgets", "modes"],
    {
        "dataset": _TEXT,
        "qrels": _TEXT,
        "queries": _COUNT,
        "unjudged_queries": _said(_COUNT, "Left out, since no document is judged relevant to them."),
        "unknown_documents": _said(_COUNT, "Judged, but not in the graph: they are missed."),
        "unknown_example": _said(_TEXT, "The first of these."),
        "budgets": _list(_COUNT),
        "modes": _said(
            {"type": "object", "additionalProperties": {"type": "object", "additionalProperties": _SHARE}},
            "Mode, or recipe of several, to measure to value.",
        ),
        "baseline": _TEXT,
        "confidence": _SHARE,
        "differences": {
            "type": "object",
            "additionalProperties": {"type": "object", "additionalProperties": _INTERVAL},
        },
    },
)
RANKED: Final = _object(
    ["type", "rank", "role", "score", "item"],
    {
        "type": _TYPES,
        "rank": {"type": "integer", "minimum": 1},
        "role": {"type": "string", "enum": [str(role) for role in Role]},
        "score": _NUMBER,
        "item": _said(_object(["id"], {"id": _IRI}), "A chunk that an event before has shown."),
    },
)
SUMMARY: Final = item_list(RANKED, "wasGeneratedBy", wasGeneratedBy=RETRIEVAL)
PROBLEM: Final = _object(
    ["type", "title", "status", "detail"],
    {
        "type": _IRI,
        "title": _TEXT,
        "status": {"type": "integer", "minimum": 400, "maximum": 599},
        "detail": _said(_TEXT, "The value, the limit that it broke, and the remedy."),
    },
)
