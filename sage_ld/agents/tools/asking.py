"""Tools that put a question to the graph: search, explain, outline, analyse, export_scope."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from sage_ld.agents.tools.question_arguments import filter_arguments, question_argument
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
from sage_ld.foundation.errors import LimitError
from sage_ld.foundation.model import PathStep, Role
from sage_ld.foundation.model import Result as Found
from sage_ld.foundation.question import Answer
from sage_ld.foundation.records import record_schema
from sage_ld.foundation.settings import Settings
from sage_ld.retrieval import Retriever
from sage_ld.retrieval.answers import records
from sage_ld.retrieval.answers.plain import plain_analysis, plain_explanation, plain_outline
from sage_ld.retrieval.answers.results import answer_jsonld, turtle
from sage_ld.retrieval.questions.difficulty import Difficulty
from sage_ld.service.api import retrieval, schemas
from sage_ld.service.api.retrieval import RetrievalRequest
from sage_ld.service.api.schemas import SETTING

_RESULTS: Final = 7
_STEP: Final = record(seed=TEXT, chunk=TEXT, channel=TEXT, kind=TEXT)


def _question(settings: Settings) -> dict[str, Schema]:
    """The question and how many results are wanted: few, since a model reads them all."""
    given, most = retrieval.schema(settings)["properties"], settings.max_tool_results
    limit = {"maximum": most, SETTING: "max_tool_results"}
    return {
        "question": question_argument(settings),
        "k": {
            **given["k"],
            **limit,
            "default": min(_RESULTS, most),
        },
        "from_graph": {**given["from_graph"], **limit},
    }


def _filtered(settings: Settings) -> Schema:
    return schemas.closed(["question"], _question(settings) | filter_arguments(settings))


# --- search -------------------------------------------------------------------------------------------


def _search(context: ToolContext, arguments: Arguments) -> Result:
    with context.revision() as snapshot:
        answer = context.backend.answer(snapshot, _asked(arguments), context.gone)
    most = context.settings.max_quoted_text
    return {
        "revision": answer.revision,
        "matched": answer.matched,
        "results": [_result(each, most) for each in answer.results],
        "next": _after_search(answer, arguments),
    }


def _asked(arguments: Arguments) -> dict[str, Any]:
    """The parameters of `/v1/retrieve`."""
    given = dict(arguments)
    return {"q": given.pop("question"), **given}


def _result(found: Found, most: int) -> dict[str, Any]:
    view = found.view
    return {
        "chunk": view.iri,
        "document": view.identifier,
        "kind": str(view.kind),
        "role": str(found.role),
        "score": round(found.score, 4),
        "path": [_step(each) for each in found.path],
        "complete": len(view.text) <= most,
        **quoted(title=view.title, name=view.name, place=view.place, text=excerpt(view.text, most)),
    }


def _step(step: PathStep) -> dict[str, str]:
    return {"seed": step.seed, "chunk": step.chunk, "channel": step.channel, "kind": step.kind}


def _after_search(answer: Answer, arguments: Arguments) -> list[dict[str, Any]]:
    if not answer.results:
        return [
            suggestion("statistics", "see what the graph holds"),
            suggestion("graph_schema", "see which classes and properties a query can use"),
        ]
    best, last = answer.results[0].view, answer.results[-1].view
    return [
        suggestion("read", "read the best result with what stands around it", name=best.iri),
        suggestion("expand_node", "see what it is joined to", name=best.iri),
        suggestion("explain", "see why a chunk is here", question=arguments["question"], chunk=last.iri),
    ]


SEARCH: Final = Tool(
    name="search",
    title="Search the graph",
    description=(
        "Finds the passages (chunks of text, tables and records) that answer a question: first those whose "
        "own text fits, then neighbours that edges of the graph lead to, each with the path to it. Use it "
        "first for any question in words. 'matched' is false if nothing in the graph has to do with the "
        "question: then say so, and do not guess. To count or to list all things of a kind, use sparql_query."
    ),
    arguments=_filtered,
    result=record(
        revision=COUNT,
        matched=FLAG,
        results=listed(
            record(
                chunk=TEXT,
                document=TEXT,
                kind=TEXT,
                role={"type": "string", "enum": [str(each) for each in Role]},
                score=NUMBER,
                path=listed(_STEP),
                complete={
                    **FLAG,
                    "description": "Whether the text is complete; if not, read returns the rest.",
                },
                quoted=quoted_schema(title=TEXT, name=TEXT, place=TEXT, text=TEXT),
            )
        ),
    ),
    run=_search,
    operation="retrieve",
)


# --- explain ------------------------------------------------------------------------------------------


def _explain_arguments(settings: Settings) -> Schema:
    chunk = retrieval.explain_schema(settings)["properties"]["chunk"]
    return schemas.closed(["question", "chunk"], {**_question(settings), "chunk": chunk})


def _explain(context: ToolContext, arguments: Arguments) -> Result:
    asked = _asked(arguments)
    chunk = asked.pop("chunk")
    question = RetrievalRequest.of(context.graph, asked)
    with context.revision() as snapshot, context.searching() as check:
        explained = plain_explanation(question.explanation(chunk, snapshot, check))
    shown = {name: explained[name] for name in _EXPLAINED}
    matches: Any = explained["matches"]
    terms = sorted({each["term"] for part in ("name", "text") for each in matches[part]})
    return {
        **shown,
        **quoted(name=explained["name"], matchingTerms=terms),
        "next": [
            suggestion("read", "read the chunk", name=explained["chunk"]),
            suggestion("search", "ask the question", question=arguments["question"]),
        ],
    }


_EXPLANATION: Final = record_schema(records.ExplanationJson)["properties"]
_EXPLAINED: Final = (
    *("revision", "chunk", "document", "verdict", "reason", "rank", "ranked", "score", "scoreMissing"),
    *("isStart", "isReached", "path", "remedies"),
)
EXPLAIN: Final = Tool(
    name="explain",
    title="Explain a result",
    description=(
        "Says why a chunk is, or is not, in the answer that search gives to a question: its rank and score, "
        "the path that led to it, and what would have to change for it to be there. Use it when a passage "
        "that you expected is missing, or one that is there surprises."
    ),
    arguments=_explain_arguments,
    result=record(
        **{name: _EXPLANATION[name] for name in _EXPLAINED},
        quoted=quoted_schema(name=TEXT, matchingTerms=listed(TEXT)),
    ),
    run=_explain,
    operation="explain",
)


# --- outline ------------------------------------------------------------------------------------------


def _outline(context: ToolContext, arguments: Arguments) -> Result:
    document, question = arguments["document"], arguments["question"]
    with context.revision() as snapshot, context.searching() as check:
        if context.backend.is_owner:
            nodes = Retriever(context.graph).outline(document, question, at=snapshot, check=check)
        else:
            asked = RetrievalRequest.of(context.graph, {"q": question})
            nodes = asked.outline(document, snapshot, check)
        shown: Any = plain_outline(nodes, snapshot.number)
    most = context.settings.max_tool_rows
    sections = [_section(each, context.settings.max_quoted_text) for each in shown["sections"][:most]]
    return {
        "revision": shown["revision"],
        "sections": sections,
        "complete": len(shown["sections"]) <= most,
        "next": [suggestion("read", "read the document", name=document)],
    }


def _section(node: Mapping[str, Any], most: int) -> dict[str, Any]:
    kept = {name: node[name] for name in ("iri", "depth", "chunks", "score")}
    return {**kept, **quoted(name=excerpt(node["name"], most))}


OUTLINE: Final = Tool(
    name="outline",
    title="Outline of a document",
    description=(
        "Gives the sections of one document as a tree, each with its score for a question, so that you know "
        "where in a long document to read on."
    ),
    arguments=lambda settings: schemas.closed(
        ["document", "question"],
        {
            "document": retrieval.outline_schema(settings)["properties"]["document"],
            "question": question_argument(settings),
        },
    ),
    result=record(
        revision=COUNT,
        sections=listed(
            record(iri=TEXT, depth=COUNT, chunks=COUNT, score=NUMBER, quoted=quoted_schema(name=TEXT))
        ),
        complete=FLAG,
    ),
    run=_outline,
    operation="outline",
)


# --- analyse ------------------------------------------------------------------------------------------


def _analyse(context: ToolContext, arguments: Arguments) -> Result:
    with context.revision() as snapshot, context.searching() as check:
        analysis = Retriever(context.graph).analyse(arguments["question"], at=snapshot, check=check)
    shown: Any = plain_analysis(analysis)
    nodes = shown["nodes"][: context.settings.max_tool_results]
    return {
        "revision": shown["revision"],
        "difficulty": shown["difficulty"],
        "total": shown["total"],
        "points": shown["points"],
        "nodes": [
            {"id": each["id"], "chunks": each["chunks"], **quoted(label=each["label"])} for each in nodes
        ],
        "next": [
            suggestion("search", "ask it", question=arguments["question"]),
            *(suggestion("expand_node", "see what it is joined to", name=each["id"]) for each in nodes[:1]),
        ],
    }


_ANALYSIS: Final = record_schema(records.QuestionAnalysisJson)["properties"]
ANALYSE: Final = Tool(
    name="analyse",
    title="Analyse a question",
    description=(
        "Says which entities of the graph a question names, and how hard it is to answer by the part of the "
        "graph around them. Use it to plan: an easy question needs one search, a hard one several."
    ),
    arguments=lambda settings: schemas.closed(["question"], {"question": question_argument(settings)}),
    result=record(
        revision=COUNT,
        difficulty={"type": "string", "enum": [str(each) for each in Difficulty]},
        total=COUNT,
        points=_ANALYSIS["points"],
        nodes=listed(record(id=TEXT, chunks=COUNT, quoted=quoted_schema(label=TEXT))),
    ),
    run=_analyse,
    operation="analyse",
)


# --- export_scope -------------------------------------------------------------------------------------


def _export_arguments(settings: Settings) -> Schema:
    form = {
        "type": "string",
        "enum": ["turtle", "jsonld"],
        "default": "turtle",
        "description": "The format of the RDF.",
    }
    return schemas.closed(["question"], {**_question(settings), "format": form})


def _export(context: ToolContext, arguments: Arguments) -> Result:
    asked = _asked(arguments)
    form = asked.pop("format")
    with context.revision() as snapshot:
        answer = context.backend.answer(snapshot, asked, context.gone)
    document = answer_jsonld(answer)
    content = turtle(document) if form == "turtle" else json.dumps(document, ensure_ascii=False)
    most = context.settings.max_tool_answer
    if len(content) > most:
        raise LimitError.of("the exported scope", len(content), most, "characters", "max_tool_answer")
    return {
        "revision": answer.revision,
        "mediaType": {"turtle": "text/turtle", "jsonld": "application/ld+json"}[form],
        "results": len(answer.results),
        **quoted(content=content),
        "next": [suggestion("graph_schema", "see which properties the graph has")],
    }


EXPORT_SCOPE: Final = Tool(
    name="export_scope",
    title="Export what a question touches",
    description=(
        "Gives the part of the graph that a question touches as RDF, in Turtle or JSON-LD: the passages, "
        "their documents, the entities that they mention, and the edges between them. Use it when somebody "
        "wants data to work on, not an answer; ask for few results."
    ),
    arguments=_export_arguments,
    result=record(revision=COUNT, mediaType=TEXT, results=COUNT, quoted=quoted_schema(content=TEXT)),
    run=_export,
    operation="retrieve",
)

TOOLS: Final = (SEARCH, EXPLAIN, OUTLINE, ANALYSE, EXPORT_SCOPE)
"""The rows of this module."""
