"""Examples of requests and answers for `/openapi.json`, made by the code that makes real ones."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final, TypeAlias

import sage_ld
from sage_ld.foundation import vocabulary as v
from sage_ld.foundation.errors import LimitError
from sage_ld.foundation.metadata_terms import builtin_terms
from sage_ld.foundation.model import ChunkKind, ChunkView, PathStep, Result, Role
from sage_ld.foundation.question import Answer, Filter, Mode, Question
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
from sage_ld.service.representations import lists

Example: TypeAlias = Mapping[str, Any]

IRIS: Final = Iris()
QUESTION: Final = "Who composed the film that won the Golden Heron in 1987?"
INLINE: Final = {"@context": {"@version": 1.1}}  # the real one is long, and always the same


def _view(number: int, identifier: str, name: str, text: str, kind: ChunkKind = ChunkKind.TEXT) -> ChunkView:
    document = IRIS.document(identifier)
    entity = (IRIS.entity("night bus to hask"), "Night Bus to Hask")
    iri = f"{IRIS.base}chunk/{number:024x}"
    return ChunkView(
        iri, kind, name, text, document, identifier, name, mentions=(entity,), begin=0, end=len(text)
    )


FILM: Final = _view(1, "films/night-bus.md", "Night Bus to Hask", "Mira Tolland wrote the music.")
PRIZE: Final = _view(
    2, "heron.md", "The Golden Heron", "Year: 1987; Film: Night Bus to Hask", ChunkKind.TABLE
)
_STEP: Final = PathStep(
    PRIZE.iri,
    FILM.iri,
    "link",
    "links to",
    0.9,
    (IRIS.title_link(PRIZE.iri, FILM.document, 12, 29),),
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
_SEED: Final = Result(1, Role.SEED, 0.93, _SEED_PARTS, (), PRIZE)
_NEIGHBOUR: Final = Result(2, Role.NEIGHBOUR, 0.88, _NEIGHBOUR_PARTS, (_STEP,), FILM)
_PARAMETERS: Final[dict[str, float | int | str]] = {
    "bm25_weight": 0.5,
    "seed_share": 0.5,
    "hops": 1,
    "decay": 0.5,
    "fusion": "convex",
    "ranking": "learned",
}
FOUND: Final = Answer(
    Question(QUESTION, 1, 1, channels=("link", "entity"), only=Filter(kinds=("text", "table"))),
    "default", 42, (_SEED, _NEIGHBOUR), _PARAMETERS,
)  # fmt: skip

_EXPLANATION: Final = ChunkExplanation(
    Question(QUESTION, 1, 1), 42, "learned", 1000,
    Standing(
        Verdict.RANKED_LOW,
        (FlatPlace(Mode.BM25, 3.1, 8), FlatPlace(Mode.DENSE, 0.44, 5), FlatPlace(Mode.HYBRID, 0.5, 6)),
        3, 0.71, Role.NEIGHBOUR, _NEIGHBOUR_PARTS, (_STEP,), is_start=True, is_reached=True, ranked=212,
        score_missing=0.17, remedies=(Remedy("k", 2, 3, 3),),
    ),
    FILM, Highlights((MatchedWord(4, 12, "compos"),), (), (MatchedWord(23, 28, "music"),)),
)  # fmt: skip

_OUTLINE: Final = (
    OutlineNode(FILM.document, FILM.name, 0, 0, 0.5, 0.25, 0.375, 0.75),
    OutlineNode(IRIS.section(FILM.document, 0), "Music", 1, 2, 0.625, 0.0, 0.3125, 1.0),
)
_FEATURES: Final = dict(zip(FEATURES, (1, 0, 0.0, 4, 1.5, 7, 14, 11, 9, 6, 3, 12, 4.2), strict=True))
_ANALYSIS: Final = QuestionAnalysis(
    QUESTION, 42, (QuestionNode(*FILM.mentions[0], 7),), _FEATURES,
    {"multihop": 0, "fragmentation": 1, "subgraph_size": 1, "branching": 2, "dispersion": 1}, 5,
    Difficulty.MEDIUM,
)  # fmt: skip


SUMMARY: Final[Example] = answer_summary(FOUND) | INLINE

QUESTIONS: Final[dict[str, Example]] = {
    "plain": {"value": {"q": QUESTION, "k": 4, "from_graph": 2}},
    "filtered": {
        "summary": "From some chunks only",
        "value": {"q": QUESTION, "kinds": ["text", "table"], "since": "2020", "where": [EXAMPLE]},
    },
    "weighed": {
        "summary": "As the paper ranks, by other shares and channels",
        "value": {"q": QUESTION, "recipe": "paper", "weights": {"bm25_weight": 0.3}, "channels": ["link"]},
    },
    "second page": {"value": {"q": QUESTION, "offset": 10}},
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
_EDGE: Final = {"source": FILM.identifier, "relation": "depends_on", "target": PRIZE.iri, "weight": 0.8}
EDGES: Final[dict[str, Example]] = {
    "one": {"value": {**_EDGE, "comment": "read in the programme", "metadata": {"team": "red"}}},
    "several": {"value": {"edges": [_EDGE, {**_EDGE, "relation": "related_to", "weight": 0.3}]}},
}
EDGE_PATCHES: Final[dict[str, Example]] = {
    "the weight, and no comment": {"value": {"weight": 0.4, "comment": None}}
}
BATCHES: Final[dict[str, Example]] = {
    "several questions": {"value": {"questions": [QUESTION, "What is the Golden Heron?"], "k": 2}},
}
_ADDRESSED: Final = {"@context": "http://localhost:8000/context.jsonld"}
ANSWER: Final[Example] = answer_jsonld(FOUND) | _ADDRESSED
ANSWERS: Final[Example] = answers_jsonld([FOUND]) | _ADDRESSED
CHUNK: Final[Example] = INLINE | chunk_node(FILM)
NEIGHBOURS: Final[Example] = lists.item_list([result_node(_NEIGHBOUR)]) | INLINE
_PAGE: Final = {"offset": 0, "limit": 1}
CHUNKS: Final[Example] = lists.item_list([chunk_node(FILM)], 1234) | INLINE | _PAGE
_DOCUMENT: Final = StoredDocument(
    FILM.document, FILM.identifier, FILM.name, None, "e3b0c44298fc1c14" * 4, "text/markdown"
)
DOCUMENTS: Final[Example] = lists.item_list([lists.document_node(_DOCUMENT)], 345) | INLINE | _PAGE
_ENTITY: Final = lists.Entity(*FILM.mentions[0], 7)
ENTITIES: Final[Example] = lists.item_list([lists.entity_node(_ENTITY)], 678) | INLINE | _PAGE
STORED: Final[Example] = {
    "documents": [
        {
            "id": FILM.document,
            "identifier": FILM.identifier,
            "status": "added",
            "source": FILM.identifier,
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
    "id": FILM.document,
    "identifier": FILM.identifier,
    "mediaType": "text/markdown",
    "contentHash": "e3b0c44298fc1c14" * 4,
    "metadata": {"team": "red", "year": 1987},
    "chunks": 1,
    "name": FILM.name,
}
_DEPENDS_ON: Final = "https://w3id.org/sage-ld/relations#dependsOn"
_CURATED: Final = CuratedEdge(
    IRIS.relation(FILM.document, _DEPENDS_ON, PRIZE.iri, ""),
    FILM.document,
    _DEPENDS_ON,
    PRIZE.iri,
    0.8,
    comment="read in the programme",
)
CURATED_EDGE: Final[Example] = edge_json(_CURATED, builtin_types(), builtin_terms(), IRIS.base)
SUPPORTED: Final[Example] = {
    "types": [{"mediaType": "text/markdown", "suffixes": [".md", ".markdown"], "reader": "Markdown"}],
    "maxBytes": 67108864,
}
NEIGHBOURHOOD: Final[Example] = {
    "revision": 42,
    **as_json(
        Neighbourhood(
            FILM.document,
            (
                GraphNode(FILM.document, "document", FILM.name, 0),
                GraphNode(FILM.iri, "chunk", FILM.name, 1),
                GraphNode(PRIZE.iri, "chunk", PRIZE.name, 1),
            ),
            (
                GraphEdge(FILM.iri, FILM.document, "part", 1.0, v.IS_PART_OF),
                GraphEdge(PRIZE.iri, FILM.document, "link", 0.9),
            ),
            complete=True,
        )
    ),
}
STATS: Final[Example] = {
    "revision": 42,
    "baseIri": IRIS.base,
    "encoder": "minilm:int8",
    "recipe": "default",
    "documents": 345,
    "sections": 210,
    "chunks": 1234,
    "entities": 678,
    "concepts": 0,
    "edges": {"Mention": 5600, "Link": 900, "Adjacency": 889, "DocumentDocument": 2400},
    "quads": 98765,
}
EVENTS: Final = "".join(
    f"event: {name}\ndata: {json.dumps(said)}\n\n"
    for name, said in (
        ("seed", result_node(_SEED)),
        ("neighbour", result_node(_NEIGHBOUR)),
        ("summary", SUMMARY),
    )
)
_JUDGEMENT: Final = Judgement(1, 2, FILM.iri, True, "names the composer", 1795405260.0)
_KEPT: Final = KeptRetrieval(
    IRIS.retrieval("example"), 7, 1795405200.0, 0.043, QUESTION, 42, json.loads(parameters_of(FOUND)),
    (KeptResult(1, 0.93, "seed", PRIZE.iri), KeptResult(2, 0.88, "neighbour", FILM.iri)), (_JUDGEMENT,),
)  # fmt: skip
_FACETS: Final = Facets(
    41,
    True,
    (
        FacetCounts("kind", False, (FacetValue("text", 38, {"kinds": ["text"]}),), 2),
        FacetCounts("team", True, (FacetValue("red", 3, {"metadata": {"team": "red"}}),), 0),
    ),
)
_FREQUENT: Final = FrequentQuestion(QUESTION, 12, 0.91, 1795405200.0)
_POOR: Final = FrequentQuestion("Who designed the costumes?", 3, 0.21, 1795405100.0)
_FIGURES: Final = Analytics(
    1792813200.0, 40, 5, 4, (PopularChunk(FILM.iri, 14, 1.6, 3, 1),), (_FREQUENT, _POOR), (_POOR,),
    {50: 0.031, 90: 0.058, 95: 0.07, 99: 0.12},
)  # fmt: skip
FEEDBACK: Final[dict[str, Example]] = {
    "by rank": {"value": {"rank": 2, "helped": True, "comment": "names the composer"}},
    "by chunk": {"value": {"chunk": PRIZE.iri, "helped": False}},
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
    "detail": str(LimitError.of("k", 2000, 1000, "results", "max_results")),
}

OF: Final[dict[str, Example]] = {
    "Answer": ANSWER,
    "Answers": ANSWERS,
    "PlainAnswer": plain_answer(FOUND),
    "PlainAnswers": plain_answers([plain_answer(FOUND)]),
    "Summary": SUMMARY,
    "KeptRetrieval": document(_KEPT) | INLINE,
    "KeptRetrievals": lists.item_list([activity(_KEPT)], 345) | INLINE | {"nextCursor": "Nw"},
    "Feedback": INLINE | judgement_node(_KEPT.iri, _JUDGEMENT),
    "Analytics": analytics_json(_FIGURES),
    "Removed": {"removed": 40},
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
    "PlainChunk": plain_chunk(FILM),
    "PlainNeighbours": {"neighbours": plain_results([_NEIGHBOUR]), "numberOfItems": 1, "limit": 1},
    "PlainChunks": {"chunks": [plain_chunk(FILM)], "numberOfItems": 1234, **_PAGE},
    "PlainDocuments": {"documents": [lists.plain_document(_DOCUMENT)], "numberOfItems": 345, **_PAGE},
    "PlainEntities": {"entities": [lists.plain_entity(_ENTITY)], "numberOfItems": 678, **_PAGE},
    "Neighbourhood": NEIGHBOURHOOD,
    "Facets": dict(facets_json(_FACETS, 42)),
    "Suggestions": {"result": [{"id": FILM.mentions[0][0], "name": FILM.mentions[0][1], "notable": []}]},
    "Flyout": {"id": FILM.mentions[0][0], "html": f"<p>{FILM.mentions[0][1]}</p>"},
    "ProposedProperties": {
        "properties": [{"id": v.SCHEMA + "director", "name": "director"}],
        "type": v.SCHEMA + "Movie",
        "limit": 10,
    },
    "Stats": STATS,
    "Stored": STORED,
    "ChangedDocument": {"chunks": 1, "revision": 43, "removedEdges": [CURATED_EDGE]},
    "ChangedStatements": {"revision": 43, "added": 12, "removed": 2, "dryRun": False, "warnings": []},
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
