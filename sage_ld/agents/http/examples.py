"""Examples of requests and answers of the routes for agents, made by the code that makes real ones."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Final

from sage_ld.agents.answering.answer import Citation, CitedAnswer, CitedSentence
from sage_ld.agents.answering.forms import cited_answer_jsonld, plain_cited_answer
from sage_ld.agents.answering.forms import events as answer_events
from sage_ld.service.request_examples import FILM, FOUND, INLINE, IRIS, PRIZE, QUESTION, Example

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
            "documents": [IRIS.document("data/admissions.csv")],
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
    "search": {"question": QUESTION, "k": 4},
    "explain": {"question": QUESTION, "chunk": FILM.iri},
    "outline": {"question": QUESTION, "document": FILM.identifier},
    "analyse": {"question": QUESTION},
    "export_scope": {"question": QUESTION, "format": "turtle"},
    "read": {"name": FILM.identifier},
    "expand_node": {"name": FILM.iri, "hops": 1},
    "statistics": {},
    "graph_schema": {"matching": "film"},
    "sparql_query": {"query": "SELECT ?name { ?d a sage:Document ; schema:name ?name } LIMIT 10"},
    "list_tables": {"matching": "films"},
    "query_tables": {"sql": _STATEMENT},
    "answer": {"question": QUESTION, "sentences": 2},
    "ask_graph": {"question": "Which film has the most admissions?"},
    "reason": {"question": "Which studio had the most admissions?", "hops": 2},
    "ingest_text": {"text": "The Silver Otter is a prize for books.", "identifier": "otter"},
    "delete_document": {"name": "otter"},
    "relate": {"source": FILM.iri, "relation": "related_to", "target": PRIZE.iri},
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
    "sources": [{"document": FILM.document, "identifier": "films.csv", "chunks": [FILM.iri]}],
    "bindings": [{"words": "admissions", "kind": "column", "name": "admissions"}],
    "unused": [],
    "missing": [],
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
    "citations": [FILM.iri],
    "steps": [REASONING_STEP],
    "calls": 4,
    "tokens": 2_900,
}
REASONING_EVENTS: Final = "".join(
    f"event: {name}\ndata: {json.dumps(said)}\n\n"
    for name, said in (("step", REASONING_STEP), ("answer", REASONED_ANSWER))
)
_CITED: Final = CitedAnswer(
    (CitedSentence(FILM.text, (Citation(FILM, 412, 412 + len(FILM.text), FILM.text),)),), FOUND
)
CITED_QUESTIONS: Final[dict[str, Example]] = {
    "plain": {"value": {"q": QUESTION}},
    "by a language model": {"value": {"q": QUESTION, "method": "model"}},
    "one sentence": {
        "summary": "From texts alone",
        "value": {"q": QUESTION, "sentences": 1, "kinds": ["text"]},
    },
}
ANSWER_EVENTS: Final = "".join(
    f"event: {name}\ndata: {json.dumps(said | (INLINE if '@context' in said else {}))}\n\n"
    for name, said in answer_events((*_CITED.sentences, _CITED))
)
DECISION: Final[dict[str, Example]] = {
    "given": {"value": {"approved": True}},
    "refused": {"value": {"approved": False, "reason": "the document is still needed"}},
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
    "Approval": _APPROVAL,
    "Approvals": {"approvals": [_APPROVAL], "limit": 50},
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
    "CitedAnswer": cited_answer_jsonld(_CITED) | INLINE,
    "PlainCitedAnswer": plain_cited_answer(_CITED),
}
"""By the name of the schema that they fit."""
