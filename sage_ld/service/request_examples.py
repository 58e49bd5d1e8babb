"""Examples of requests and answers for `/openapi.json`, made by the code that makes real ones."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

import sage_ld
from sage_ld.agents.answering.answer import Citation, CitedAnswer, CitedSentence
from sage_ld.agents.answering.forms import cited_answer_jsonld, plain_cited_answer
from sage_ld.agents.answering.forms import events as answer_events
from sage_ld.foundation import vocabulary as v
from sage_ld.foundation.errors import LimitError
from sage_ld.foundation.metadata_terms import builtin_terms
from sage_ld.foundation.model import Answer, ChunkKind, ChunkView, Filter, Mode, PathStep, Result, Role
from sage_ld.foundation.relation_types import builtin_types
from sage_ld.foundation.settings import Settings, described
from sage_ld.graph.exports.curated_edges import edge_json, relation_types_json
from sage_ld.graph.exports.neighbourhoods import as_json
from sage_ld.graph.provenance import Judgement, KeptResult, KeptRetrieval
from sage_ld.graph.provenance.analytics import Analytics, FrequentQuestion, PopularChunk
from sage_ld.graph.provenance.kept_retrieval import parameters_of
from sage_ld.graph.store.curated_edges import CuratedEdge
from sage_ld.graph.store.iris import Iris
from sage_ld.graph.store.reading import StoredDocument
from sage_ld.graph.views.neighbourhood import GraphEdge, GraphNode, Neighbourhood
from sage_ld.retrieval.answers.explanation import (
    ChunkExplanation,
    FlatPlace,
    Remedy,
    ResultBudget,
    Standing,
    Verdict,
)
from sage_ld.retrieval.answers.highlights import Highlights, MatchedWord
from sage_ld.retrieval.answers.kept_retrievals import (
    activity,
    document,
    judgement_node,
    plain_document,
    plain_judgement,
    plain_retrieval,
)
from sage_ld.retrieval.answers.outline import OutlineNode
from sage_ld.retrieval.answers.plain import (
    plain_analysis,
    plain_answer,
    plain_answers,
    plain_chunk,
    plain_explanation,
    plain_outline,
    plain_results,
)
from sage_ld.retrieval.answers.results import (
    answer_jsonld,
    answer_summary,
    answers_jsonld,
    chunk_node,
    result_node,
)
from sage_ld.retrieval.filtering.conditions import EXAMPLE
from sage_ld.retrieval.filtering.facets import FacetCounts, Facets, FacetValue
from sage_ld.retrieval.questions.difficulty import FEATURES, Difficulty
from sage_ld.retrieval.questions.question_analysis import QuestionAnalysis, QuestionNode
from sage_ld.service.api.facets import facets_json
from sage_ld.service.api.kept_retrievals import analytics_json
from sage_ld.service.http import problems
from sage_ld.service.views import lists

Example = dict[str, Any]

_IRIS: Final = Iris()
_QUESTION: Final = "Who composed the film that won the Golden Heron in 1987?"
_CONTEXT: Final = {"@context": {"@version": 1.1}}  # the real one is long, and always the same


def _view(number: int, identifier: str, name: str, text: str, kind: ChunkKind = ChunkKind.TEXT) -> ChunkView:
    document = _IRIS.document(identifier)
    entity = (_IRIS.entity("night bus to hask"), "Night Bus to Hask")
    iri = f"{_IRIS.base}chunk/{number:024x}"
    return ChunkView(
        iri, kind, name, text, document, identifier, name, mentions=(entity,), begin=0, end=len(text)
    )


_FILM: Final = _view(1, "films/night-bus.md", "Night Bus to Hask", "Mira Tolland wrote the music.")
_PRIZE: Final = _view(
    2, "heron.md", "The Golden Heron", "Year: 1987; Film: Night Bus to Hask", ChunkKind.TABLE
)
_STEP: Final = PathStep(
    _PRIZE.iri,
    _FILM.iri,
    "link",
    "links to",
    0.9,
    (_IRIS.title_link(_PRIZE.iri, _FILM.document, 12, 29),),
    row=1,
)
_SEED_PARTS: Final = {"bm25": 8.7, "dense": 0.61, "hybrid": 0.92, "coverage": 0.74, "likeness": 0.66}
_NEIGHBOUR_PARTS: Final = {
    "bm25": 3.1,
    "dense": 0.44,
    "hybrid": 0.5,
    "coverage": 0.38,
    "likeness": 0.27,
    "pair_coverage": 0.95,
    "pair_dense": 0.63,
    "graph": 1.9,
}
_SEED: Final = Result(1, Role.SEED, 0.93, _SEED_PARTS, (), _PRIZE)
_NEIGHBOUR: Final = Result(2, Role.NEIGHBOUR, 0.88, _NEIGHBOUR_PARTS, (_STEP,), _FILM)
_PARAMETERS: Final[dict[str, float | int | str]] = {
    "bm25_weight": 0.5,
    "seed_share": 0.5,
    "hops": 1,
    "decay": 0.5,
    "fusion": "convex",
    "ranking": "learned",
}
_ANSWER: Final = Answer(
    _QUESTION, "sage", "default", 1, 1, ("link", "entity"), 42, (_SEED, _NEIGHBOUR), 0,
    Filter(kinds=("text", "table")), _PARAMETERS,
)  # fmt: skip

_EXPLANATION: Final = ChunkExplanation(
    _QUESTION, 42, Mode.SAGE, "learned", ResultBudget(1, 1, 0, 1000),
    Standing(
        Verdict.RANKED_LOW,
        (FlatPlace(Mode.BM25, 3.1, 8), FlatPlace(Mode.DENSE, 0.44, 5), FlatPlace(Mode.HYBRID, 0.5, 6)),
        3, 0.71, Role.NEIGHBOUR, _NEIGHBOUR_PARTS, (_STEP,), is_start=True, is_reached=True, ranked=212,
        score_missing=0.17, remedies=(Remedy("k + neighbours", 2, 3, 3),),
    ),
    _FILM, Highlights((MatchedWord(4, 12, "compos"),), (), (MatchedWord(23, 28, "music"),)),
)  # fmt: skip

_OUTLINE: Final = (
    OutlineNode(_FILM.document, _FILM.name, 0, 0, 0.5, 0.25, 0.375, 0.75),
    OutlineNode(_IRIS.section(_FILM.document, 0), "Music", 1, 2, 0.625, 0.0, 0.3125, 1.0),
)
_FEATURES: Final = dict(zip(FEATURES, (1, 0, 0.0, 4, 1.5, 7, 14, 11, 9, 6, 3, 12, 4.2), strict=True))
_ANALYSIS: Final = QuestionAnalysis(
    _QUESTION, 42, (QuestionNode(*_FILM.mentions[0], 7),), _FEATURES,
    {"multihop": 0, "fragmentation": 1, "subgraph_size": 1, "branching": 2, "dispersion": 1}, 5,
    Difficulty.MEDIUM,
)  # fmt: skip

_CITED: Final = CitedAnswer(
    (CitedSentence(_FILM.text, (Citation(_FILM, 412, 412 + len(_FILM.text), _FILM.text),)),), _ANSWER
)

SUMMARY: Final[Example] = answer_summary(_ANSWER) | _CONTEXT

QUESTIONS: Final[dict[str, Example]] = {
    "plain": {"value": {"q": _QUESTION, "k": 2, "neighbours": 2}},
    "filtered": {
        "summary": "From some chunks only",
        "value": {"q": _QUESTION, "kinds": ["text", "table"], "since": "2020", "where": [EXAMPLE]},
    },
    "weighed": {
        "summary": "As the paper ranks, by other shares and channels",
        "value": {"q": _QUESTION, "recipe": "paper", "weights": {"bm25_weight": 0.3}, "channels": ["link"]},
    },
    "second page": {"value": {"q": _QUESTION, "offset": 10}},
}
TEXT: Final[dict[str, Example]] = {
    "a text": {
        "value": {
            "text": "The Golden Heron is a prize for films.",
            "name": "The Golden Heron",
            "metadata": {"team": "red", "year": 1931},
        }
    }
}
TEXTS: Final[dict[str, Example]] = {
    "a text": {"value": {"identifier": "prizes/heron", **TEXT["a text"]["value"]}},
    "several": {
        "value": {
            "documents": [
                {"identifier": "prizes/heron", "text": "The Golden Heron is a prize for films."},
                {"identifier": "notes/1", "text": "# Note\n\nA note.", "mediaType": "text/markdown"},
            ]
        }
    },
}
PATCHES: Final[dict[str, Example]] = {
    "one key set, one removed": {"value": {"metadata": {"year": 1932, "team": None}}}
}
EDGE: Final[dict[str, Example]] = {
    "another weight": {"value": {"relation": "depends_on", "weight": 0.4, "validThrough": "2026-12-31"}}
}
_EDGE: Final = {"source": _FILM.identifier, "relation": "depends_on", "target": _PRIZE.iri, "weight": 0.8}
EDGES: Final[dict[str, Example]] = {
    "one": {"value": {**_EDGE, "comment": "read in the programme", "metadata": {"team": "red"}}},
    "several": {"value": {"edges": [_EDGE, {**_EDGE, "relation": "related_to", "weight": 0.3}]}},
}
EDGE_PATCHES: Final[dict[str, Example]] = {
    "the weight, and no comment": {"value": {"weight": 0.4, "comment": None}}
}
BATCHES: Final[dict[str, Example]] = {
    "several questions": {"value": {"questions": [_QUESTION, "What is the Golden Heron?"], "k": 2}},
}
EVALUATION: Final[dict[str, Example]] = {
    "two modes": {"value": {"dataset": "ottqa", "budgets": [5, 10]}},
    "questions of yours": {
        "value": {"questions": [{"q": _QUESTION, "relevant": {"people/tobias-wren.md": 1}}]}
    },
    "two recipes": {"value": {"dataset": "ottqa", "modes": ["sage"], "recipes": ["default", "paper"]}},
}
_ADDRESSED: Final = {"@context": "http://localhost:8000/context.jsonld"}
ANSWER: Final[Example] = answer_jsonld(_ANSWER) | _ADDRESSED
ANSWERS: Final[Example] = answers_jsonld([_ANSWER]) | _ADDRESSED
CHUNK: Final[Example] = _CONTEXT | chunk_node(_FILM)
NEIGHBOURS: Final[Example] = lists.item_list([result_node(_NEIGHBOUR)]) | _CONTEXT
_PAGE: Final = {"offset": 0, "limit": 1}
CHUNKS: Final[Example] = lists.item_list([chunk_node(_FILM)], 1234) | _CONTEXT | _PAGE
_DOCUMENT: Final = StoredDocument(
    _FILM.document, _FILM.identifier, _FILM.name, None, "e3b0c44298fc1c14" * 4, "text/markdown"
)
DOCUMENTS: Final[Example] = lists.item_list([lists.document_node(_DOCUMENT)], 345) | _CONTEXT | _PAGE
_ENTITY: Final = lists.Entity(*_FILM.mentions[0], 7)
ENTITIES: Final[Example] = lists.item_list([lists.entity_node(_ENTITY)], 678) | _CONTEXT | _PAGE
STORED: Final[Example] = {
    "documents": [
        {
            "id": _FILM.document,
            "identifier": _FILM.identifier,
            "status": "added",
            "source": _FILM.identifier,
        }
    ],
    "failed": [],
    "leftOut": [],
    "warnings": [],
    "chunks": 1,
    "revision": 42,
}
JOB: Final[Example] = {
    "id": "064ab3c1d2e3f4-" + "0123456789abcdef" * 2,
    "state": "running",
    "created": "2026-11-23T10:00:00.000+00:00",
    "progress": {"step": "reading", "done": 3, "total": 20},
}
DESCRIBED: Final[Example] = {
    "id": _FILM.document,
    "identifier": _FILM.identifier,
    "mediaType": "text/markdown",
    "contentHash": "e3b0c44298fc1c14" * 4,
    "metadata": {"team": "red", "year": 1987},
    "chunks": 1,
    "name": _FILM.name,
}
_DEPENDS_ON: Final = "https://w3id.org/sage-ld/relations#dependsOn"
_CURATED: Final = CuratedEdge(
    _IRIS.relation(_FILM.document, _DEPENDS_ON, _PRIZE.iri, ""),
    _FILM.document,
    _DEPENDS_ON,
    _PRIZE.iri,
    0.8,
    comment="read in the programme",
)
CURATED_EDGE: Final[Example] = edge_json(_CURATED, builtin_types(), builtin_terms(), _IRIS.base)
SUPPORTED: Final[Example] = {
    "types": [{"mediaType": "text/markdown", "suffixes": [".md", ".markdown"], "reader": "Markdown"}],
    "maxBytes": 67108864,
}
_STATEMENT: Final = "SELECT studio, sum(admissions) AS admissions FROM data_admissions GROUP BY studio"
STATEMENTS: Final[Example] = {"a sum": {"value": {"sql": _STATEMENT, "limit": 10}}}
TABLES: Final[Example] = {
    "revision": 1,
    "total": 8,
    "tables": [
        {
            "name": "data_admissions",
            "source": "data/admissions.csv",
            "kind": "table",
            "documents": [_IRIS.document("data/admissions.csv")],
            "rows": 12,
            "columns": [{"name": "year", "title": "Year", "type": "BIGINT", "examples": ["1971", "1973"]}],
        }
    ],
}
TABLE_ANSWER: Final[Example] = {
    "revision": 1,
    "sql": _STATEMENT,
    "columns": [{"name": "studio", "type": "VARCHAR"}, {"name": "admissions", "type": "HUGEINT"}],
    "rows": [["Lantern Works", 602900]],
    "chunks": [[]],
    "complete": True,
    "tables": [{"name": "data_admissions", "source": "data/admissions.csv"}],
}
TOOL_CALLS: Final[Mapping[str, Example]] = {
    "search": {"question": _QUESTION, "k": 4},
    "explain": {"question": _QUESTION, "chunk": _FILM.iri},
    "outline": {"question": _QUESTION, "document": _FILM.identifier},
    "analyse": {"question": _QUESTION},
    "export_scope": {"question": _QUESTION, "format": "turtle"},
    "read": {"name": _FILM.identifier},
    "expand_node": {"name": _FILM.iri, "hops": 1},
    "statistics": {},
    "graph_schema": {"matching": "film"},
    "sparql_query": {"query": "SELECT ?name { ?d a sage:Document ; schema:name ?name } LIMIT 10"},
    "list_tables": {"matching": "films"},
    "query_tables": {"sql": _STATEMENT},
    "answer": {"question": _QUESTION, "sentences": 2},
    "ask_graph": {"question": "Which film has the most admissions?"},
    "reason": {"question": "Which studio had the most admissions?", "hops": 2},
    "ingest_text": {"text": "The Silver Otter is a prize for books.", "identifier": "otter"},
    "delete_document": {"name": "otter"},
    "relate": {"source": _FILM.iri, "relation": "related_to", "target": _PRIZE.iri},
}
"""Arguments of each tool."""
GRAPH_QUESTIONS: Final[Example] = {
    "a superlative": {"value": {"question": "Which film has the most admissions?", "rows": 10}}
}
GRAPH_ANSWER: Final[Example] = {
    "question": "Which film has the most admissions?",
    "revision": 1,
    "way": "grammar",
    "sure": True,
    "confidence": 0.9,
    "language": "sql",
    "query": _STATEMENT,
    "columns": ["film"],
    "rows": [["The Ninth Ferry"]],
    "complete": True,
    "sources": [{"document": _FILM.document, "identifier": "films.csv", "chunks": [_FILM.iri]}],
    "bindings": [{"words": "admissions", "kind": "column", "name": "admissions"}],
    "unused": [],
    "attempts": [],
}
REASONED: Final[Example] = {
    "a sum": {"value": {"question": "Which studio had the most admissions?", "hops": 2, "seconds": 30}}
}
REASONING_STEP: Final[Example] = {"kind": "code", "thought": "A sum by studio.", "sql": _STATEMENT}
REASONED_ANSWER: Final[Example] = {
    "question": "Which studio had the most admissions?",
    "revision": 1,
    "answer": "Saltmarsh Pictures, with 708,500.",
    "byModel": True,
    "citations": [_FILM.iri],
    "steps": [REASONING_STEP],
    "calls": 4,
    "tokens": 2_900,
}
REASONING_EVENTS: Final = "".join(
    f"event: {name}\ndata: {json.dumps(said)}\n\n"
    for name, said in (("step", REASONING_STEP), ("answer", REASONED_ANSWER))
)
NEIGHBOURHOOD: Final[Example] = {
    "revision": 42,
    **as_json(
        Neighbourhood(
            _FILM.document,
            (
                GraphNode(_FILM.document, "document", _FILM.name, 0),
                GraphNode(_FILM.iri, "chunk", _FILM.name, 1),
                GraphNode(_PRIZE.iri, "chunk", _PRIZE.name, 1),
            ),
            (
                GraphEdge(_FILM.iri, _FILM.document, "part", 1.0, v.IS_PART_OF),
                GraphEdge(_PRIZE.iri, _FILM.document, "link", 0.9),
            ),
            complete=True,
        )
    ),
}
COMMUNITY: Final[Example] = {
    "revision": 42,
    "complete": True,
    "id": "root",
    "communities": [
        {
            "id": identifier,
            "label": label,
            "size": 2 * size,
            "documents": size // 2,
            "chunks": size,
            "entities": size // 2,
        }
        for identifier, label, size in (
            ("220a9bfa4ebd", "Films · Isolde Brack", 90),
            ("8fe1bc8791d9", "Awards · Golden Heron", 20),
        )
    ],
    "links": [{"source": "220a9bfa4ebd", "target": "8fe1bc8791d9", "count": 12}],
    "nodes": [],
    "edges": [],
}
STATS: Final[Example] = {
    "revision": 42,
    "baseIri": _IRIS.base,
    "encoder": "minilm:bf16",
    "recipe": "default",
    "documents": 345,
    "sections": 210,
    "chunks": 1234,
    "entities": 678,
    "concepts": 0,
    "edges": {"Mention": 5600, "Link": 900, "Adjacency": 889, "DocumentDocument": 2400},
    "quads": 98765,
}
MEASURES: Final[Example] = {
    "dataset": "ottqa",
    "qrels": "answer",
    "queries": 100,
    "unjudged_queries": 0,
    "unknown_documents": 0,
    "budgets": [5],
    "modes": {"hybrid": {"success@5": 0.43}, "sage": {"success@5": 0.64}},
    "baseline": "hybrid",
    "confidence": 0.95,
    "differences": {"sage": {"success@5": {"difference": 0.21, "low": 0.13, "high": 0.29}}},
}
EVENTS: Final = "".join(
    f"event: {name}\ndata: {json.dumps(said)}\n\n"
    for name, said in (
        ("seed", result_node(_SEED)),
        ("neighbour", result_node(_NEIGHBOUR)),
        ("summary", SUMMARY),
    )
)
CITED_QUESTIONS: Final[dict[str, Example]] = {
    "plain": {"value": {"q": _QUESTION}},
    "by a language model": {"value": {"q": _QUESTION, "method": "model"}},
    "one sentence": {
        "summary": "From texts alone",
        "value": {"q": _QUESTION, "sentences": 1, "kinds": ["text"]},
    },
}
ANSWER_EVENTS: Final = "".join(
    f"event: {name}\ndata: {json.dumps(said | (_CONTEXT if '@context' in said else {}))}\n\n"
    for name, said in answer_events((*_CITED.sentences, _CITED))
)
_JUDGEMENT: Final = Judgement(1, 2, _FILM.iri, True, "names the composer", 1795405260.0)
_KEPT: Final = KeptRetrieval(
    _IRIS.retrieval("example"), 7, 1795405200.0, 0.043, _QUESTION, 42, json.loads(parameters_of(_ANSWER)),
    (KeptResult(1, 0.93, "seed", _PRIZE.iri), KeptResult(2, 0.88, "neighbour", _FILM.iri)), (_JUDGEMENT,),
)  # fmt: skip
_FACETS: Final = Facets(
    41,
    True,
    (
        FacetCounts("kind", False, (FacetValue("text", 38, {"kinds": ["text"]}),), 2),
        FacetCounts("team", True, (FacetValue("red", 3, {"metadata": {"team": "red"}}),), 0),
    ),
)
_FREQUENT: Final = FrequentQuestion(_QUESTION, 12, 0.91, 1795405200.0)
_POOR: Final = FrequentQuestion("Who designed the costumes?", 3, 0.21, 1795405100.0)
_FIGURES: Final = Analytics(
    1792813200.0, 40, 5, 4, (PopularChunk(_FILM.iri, 14, 1.6, 3, 1),), (_FREQUENT, _POOR), (_POOR,),
    {50: 0.031, 90: 0.058, 95: 0.07, 99: 0.12},
)  # fmt: skip
DECISION: Final[dict[str, Example]] = {
    "given": {"value": {"approved": True}},
    "refused": {"value": {"approved": False, "reason": "the document is still needed"}},
}
FEEDBACK: Final[dict[str, Example]] = {
    "by rank": {"value": {"rank": 2, "helped": True, "comment": "names the composer"}},
    "by chunk": {"value": {"chunk": _PRIZE.iri, "helped": False}},
}
SNAPSHOT: Final[Example] = {
    "name": "20261123T091500Z-000042",
    "created": "2026-11-23T09:15:00+00:00",
    "revision": 42,
}
NEW_TOKENS: Final[dict[str, Example]] = {"a writer": {"value": {"name": "alice", "role": "write"}}}
CHECKS: Final[dict[str, Example]] = {"look": {"value": {}}, "repair": {"value": {"repair": True}}}
TOKENS: Final[Example] = {"tokens": [{"name": "alice", "role": "write", "created": "2026-11-23"}]}
CREATED_TOKEN: Final[Example] = {
    "name": "alice",
    "role": "write",
    "created": "2026-11-23",
    "token": "sage_V2h5IGFyZSB5b3UgcmVhZGluZyB0aGlzPyBJdCBpcyBub25l",
}
SETTINGS: Final[Example] = {"settings": described(Settings())[:2]}
STATE: Final[Example] = {
    "version": sage_ld.__version__,
    "python": "3.13.1",
    "revision": 42,
    "encoder": "minilm",
    "baseIri": "http://localhost:8000/id/",
    "bytes": {"store": 1_482_311, "lexical": 90_112},
    "pools": {"sparql": {"waiting": 0, "busy": 1}},
    "processes": 7,
    "memory": 914_358_272,
}
RESTORATION: Final = {"back": {"value": {"name": SNAPSHOT["name"]}}}
PROBLEM: Final[Example] = {
    "type": problems.TYPES + "limit",
    "title": "Request Entity Too Large",
    "status": 413,
    "detail": str(LimitError.of("k + neighbours", 2000, 1000, "results", "max_results")),
}

_APPROVAL: Final = {
    "approval": "5d1c8f0a3b2e4c6d9e7f1a2b3c4d5e6f",
    "caller": "research-agent",
    "created": "2026-11-24T09:15:00.250Z",
    "tool": "delete_document",
    "arguments": {"name": "films/regent.html"},
    "role": "admin",
    "state": "waiting",
}
OF: Final[dict[str, Example]] = {
    "Answer": ANSWER,
    "Answers": ANSWERS,
    "PlainAnswer": plain_answer(_ANSWER),
    "PlainAnswers": plain_answers([plain_answer(_ANSWER)]),
    "Summary": SUMMARY,
    "KeptRetrieval": document(_KEPT) | _CONTEXT,
    "KeptRetrievals": lists.item_list([activity(_KEPT)], 345) | _CONTEXT | {"nextCursor": "Nw"},
    "Feedback": _CONTEXT | judgement_node(_KEPT.iri, _JUDGEMENT),
    "Analytics": analytics_json(_FIGURES),
    "Removed": {"removed": 40},
    "Approval": _APPROVAL,
    "Approvals": {"approvals": [_APPROVAL], "limit": 50},
    "Chunk": CHUNK,
    "Neighbours": NEIGHBOURS,
    "Chunks": CHUNKS,
    "Documents": DOCUMENTS,
    "Entities": ENTITIES,
    "PlainKeptRetrieval": plain_document(_KEPT),
    "PlainKeptRetrievals": {
        "retrievals": [plain_retrieval(_KEPT)],
        "numberOfItems": 345,
        "limit": 1,
        "nextCursor": "Nw",
    },
    "PlainFeedback": plain_judgement(_KEPT.iri, _JUDGEMENT),
    "PlainChunk": plain_chunk(_FILM),
    "PlainNeighbours": {"neighbours": plain_results([_NEIGHBOUR]), "numberOfItems": 1, "limit": 1},
    "PlainChunks": {"chunks": [plain_chunk(_FILM)], "numberOfItems": 1234, **_PAGE},
    "PlainDocuments": {"documents": [lists.plain_document(_DOCUMENT)], "numberOfItems": 345, **_PAGE},
    "PlainEntities": {"entities": [lists.plain_entity(_ENTITY)], "numberOfItems": 678, **_PAGE},
    "Neighbourhood": NEIGHBOURHOOD,
    "Community": COMMUNITY,
    "Tables": TABLES,
    "ReasoningStep": REASONING_STEP,
    "ReasonedAnswer": REASONED_ANSWER,
    "GraphAnswer": GRAPH_ANSWER,
    "Tools": {"tools": [{"name": "statistics", "role": "read", "effect": "reads"}]},
    "PendingCall": {
        "approval": "0123456789abcdef0123456789abcdef",
        "address": "/v1/approvals/0123456789abcdef0123456789abcdef",
        "detail": "the call of delete_document waits for a person",
    },
    "TableAnswer": TABLE_ANSWER,
    "Facets": facets_json(_FACETS, 42),
    "Stats": STATS,
    "Stored": STORED,
    "ChangedDocument": {"chunks": 1, "revision": 43, "removedEdges": [CURATED_EDGE]},
    "Job": JOB,
    "Jobs": {"jobs": [JOB], "nextCursor": "MDY0"},
    "DescribedDocument": DESCRIBED,
    "SupportedTypes": SUPPORTED,
    "CuratedEdge": CURATED_EDGE,
    "CuratedEdges": {"edges": [CURATED_EDGE], "numberOfItems": 1, "limit": 50},
    "RelationTypes": {"relationTypes": relation_types_json(builtin_types())["relationTypes"][:2]},
    "AddedEdges": {"edges": [CURATED_EDGE], "added": 1, "revision": 42},
    "ChangedEdge": {"edge": CURATED_EDGE, "revision": 43},
    "Explanation": plain_explanation(_EXPLANATION),
    "Outline": plain_outline(_OUTLINE, 42),
    "QuestionAnalysis": plain_analysis(_ANALYSIS),
    "CitedAnswer": cited_answer_jsonld(_CITED) | _CONTEXT,
    "PlainCitedAnswer": plain_cited_answer(_CITED),
    "Evaluation": MEASURES,
    "Snapshot": SNAPSHOT,
    "Snapshots": {"snapshots": [SNAPSHOT]},
    "Restored": {"revision": 43},
    "Tokens": TOKENS,
    "CreatedToken": CREATED_TOKEN,
    "Settings": SETTINGS,
    "State": STATE,
    "Role": {"role": "write"},
    "Problem": PROBLEM,
}
"""By the name of the schema that they fit."""
