"""Tools that answer a question as a whole: answer quotes, ask_graph queries, reason has a model think."""

from __future__ import annotations

import math
from typing import Any, Final

from sage_ld.agents.answering.answer import AnswerMethod, CitedSentence
from sage_ld.agents.answering.answering import answer_from
from sage_ld.agents.http import answer_schemas, reasoning_schemas
from sage_ld.agents.reasoning import ReasonedAnswer, Reasoner, ReasoningParameters, ReasoningStep
from sage_ld.agents.text_to_sparql import GraphQuestions
from sage_ld.agents.text_to_sparql.answers import RowSource
from sage_ld.agents.text_to_sparql.asking import Asking
from sage_ld.agents.tools.computing import shown_rows
from sage_ld.agents.tools.question_arguments import filter_arguments, question_argument
from sage_ld.agents.tools.quoting import quoted, quoted_schema
from sage_ld.agents.tools.suggestions import suggestion
from sage_ld.agents.tools.tool import (
    COUNT,
    FLAG,
    NUMBER,
    TEXT,
    Arguments,
    Effect,
    Result,
    Schema,
    Tool,
    ToolContext,
    listed,
    record,
)
from sage_ld.foundation.deadline import deadline
from sage_ld.foundation.settings import Settings
from sage_ld.retrieval import Retriever
from sage_ld.service.api import schemas

_SOURCES: Final = 10
_CHUNKS: Final = 5


# --- answer -------------------------------------------------------------------------------------------


def _answer_arguments(settings: Settings) -> Schema:
    sentences = answer_schemas.schema(settings)["properties"]["sentences"]
    question = {"question": question_argument(settings), "sentences": sentences}
    return schemas.closed(["question"], question | filter_arguments(settings))


def _answer(context: ToolContext, arguments: Arguments) -> Result:
    given = dict(arguments)
    question, sentences = given.pop("question"), given.pop("sentences")
    with context.revision() as snapshot:
        cited = context.backend.answer(snapshot, {"q": question, **given}, context.gone)
        with context.searching() as check:
            retriever = Retriever(context.graph)
            answer = answer_from(retriever, snapshot, cited, sentences, AnswerMethod.EXTRACTION, check)
    chunks = [each.citations[0].chunk.iri for each in answer.sentences]
    return {
        "revision": cited.revision,
        "inGraph": answer.in_graph,
        "note": answer.note,
        "sentences": [_cited(each) for each in answer.sentences],
        "next": [suggestion("read", "read what stands around it", name=iri) for iri in chunks[:1]]
        or [suggestion("search", "see the passages that are nearest", question=question)],
    }


def _cited(sentence: CitedSentence) -> dict[str, Any]:
    return {
        "citations": [
            {
                "chunk": each.chunk.iri,
                "document": each.chunk.identifier,
                "begin": each.begin,
                "end": each.end,
            }
            for each in sentence.citations
        ],
        **quoted(text=sentence.text),
    }


ANSWER: Final = Tool(
    name="answer",
    title="Answer in quoted sentences",
    description=(
        "Answers a question by the sentences of the documents that answer it best, each with the passage and "
        "the offsets that it stands at, or says that the graph does not answer it. Use it for a fact that a "
        "sentence can state; use search to read and judge for yourself."
    ),
    arguments=_answer_arguments,
    result=record(
        revision=COUNT,
        inGraph={**FLAG, "description": "Whether the graph answers the question."},
        note={
            **TEXT,
            "description": "What the question asks for and no sentence has, if anything.",
        },
        sentences=listed(
            record(
                citations=listed(record(chunk=TEXT, document=TEXT, begin=COUNT, end=COUNT)),
                quoted=quoted_schema(text=TEXT),
            )
        ),
    ),
    run=_answer,
    operation="answer",
)


# --- ask_graph ----------------------------------------------------------------------------------------


def _graph_arguments(settings: Settings) -> Schema:
    return schemas.closed(["question"], {"question": question_argument(settings)})


def _ask_graph(context: ToolContext, arguments: Arguments) -> Result:
    settings, backend, question = context.settings, context.backend, arguments["question"]
    most = min(settings.max_tool_rows, settings.max_question_rows)
    with (
        context.revision() as snapshot,
        GraphQuestions(context.graph, backend.rdf, backend.tables) as questions,
    ):
        answer = questions.ask(
            question,
            most,
            way=Asking.GRAMMAR,
            at=snapshot,
            check=deadline(settings.retrieve_timeout, "retrieve_timeout", context.gone),
            gone=context.gone,
            client=backend.client,
            searching=context.searching,
        )
    chunks = [] if answer.fallback is None else [each.view.iri for each in answer.fallback.results]
    hints = [suggestion("search", "read passages instead: the query is not sure", question=question)]
    tables = suggestion("list_tables", "see the tables, for an SQL statement of your own")
    names = suggestion("graph_schema", "see the classes and properties, for a query of your own")
    return {
        "revision": answer.revision,
        "sure": answer.is_sure,
        "confidence": round(answer.confidence, 3),
        "language": "none" if answer.language is None else str(answer.language),
        "complete": answer.is_complete,
        "sources": [_source(each) for each in answer.sources[:_SOURCES]],
        "chunks": chunks[:_CHUNKS],
        **quoted(
            query=answer.query,
            columns=list(answer.columns),
            rows=shown_rows(
                [[cell.iri or cell.value for cell in row] for row in answer.rows], settings.max_quoted_text
            ),
            unused=list(answer.unused),
            missing=[{"words": each.words, "nearest": list(each.nearest)} for each in answer.missing],
        ),
        "next": [tables] if answer.is_sure else [*hints, names, tables],
    }


def _source(each: RowSource) -> dict[str, Any]:
    return {
        "graph": each.graph or "",
        "document": each.identifier if each.document else "",
        "chunks": list(each.chunks[:_CHUNKS]),
    }


ASK_GRAPH: Final = Tool(
    name="ask_graph",
    title="Answer by a query that is written for you",
    description=(
        "Compiles an English question to SPARQL over the graph's statements, or SQL over its tables; returns "
        "the rows with the query and how sure it is: counts, lists of a kind, values of a property, ranges, "
        "superlatives. It is not sure of what it does not understand, and then gives passages; write a query "
        "of your own with graph_schema and sparql_query, or list_tables and query_tables."
    ),
    arguments=_graph_arguments,
    result=record(
        revision=COUNT,
        sure={**FLAG, "description": "Whether the query is trusted to mean the question."},
        confidence=NUMBER,
        language={"type": "string", "enum": ["sparql", "sql", "none"]},
        complete=FLAG,
        sources=listed(record(graph=TEXT, document=TEXT, chunks=listed(TEXT))),
        chunks={**listed(TEXT), "description": "Passages that a search finds, where it is not sure."},
        quoted=quoted_schema(
            query=TEXT,
            columns=listed(TEXT),
            rows=listed({"type": "array", "items": {}}),
            unused={**listed(TEXT), "description": "Words of the question that the query does not use."},
            missing={
                **listed(record(words=TEXT, nearest=listed(TEXT))),
                "description": "Names in the question that the graph does not have.",
            },
        ),
    ),
    run=_ask_graph,
    operation="queryByQuestion",
)


# --- reason -------------------------------------------------------------------------------------------


def _reason_arguments(settings: Settings) -> Schema:
    given = reasoning_schemas.schema(settings)["properties"]
    calls = {**given["calls"], "default": min(ReasoningParameters().max_llm_calls, settings.language_calls)}
    hops = {**given["hops"], "default": ReasoningParameters().n_hops}
    return schemas.closed(
        ["question"], {"question": question_argument(settings), "hops": hops, "calls": calls}
    )


def _reason(context: ToolContext, arguments: Arguments) -> Result:
    backend, question = context.backend, arguments["question"]
    parameters = ReasoningParameters(n_hops=arguments["hops"], max_llm_calls=arguments["calls"])
    reasoner = Reasoner(context.graph, backend.language_model("reason"), backend.tables, parameters)
    steps: list[ReasoningStep] = []
    answer: ReasonedAnswer | None = None
    with backend.asking_model(), context.revision() as snapshot:
        for each in reasoner.steps(
            question,
            at=snapshot,
            check=deadline(math.inf, "language_seconds", context.gone),
            searching=context.searching,
            gone=context.gone,
            client=backend.client,
        ):
            if isinstance(each, ReasonedAnswer):
                answer = each
            else:
                steps.append(each)
                context.progress(str(each.kind), len(steps), arguments["calls"])
    assert answer is not None  # the last of the steps
    return {
        "revision": snapshot.number,
        "byModel": answer.by_model,
        "citations": list(answer.citations),
        "steps": [{"kind": str(each.kind), **quoted(**_written(each))} for each in steps],
        **quoted(answer=answer.text),
        "next": [suggestion("read", "check what it rests on", name=iri) for iri in answer.citations[:1]]
        or [suggestion("search", "see the passages that are nearest", question=question)],
    }


def _has_model(context: ToolContext, arguments: Arguments) -> None:
    context.backend.language_model("the tool reason")


def _written(step: ReasoningStep) -> dict[str, str | None]:
    """The text of the model at a step."""
    return {"thought": step.thought or None, "code": step.code or None, "error": step.error or None}


REASON: Final = Tool(
    name="reason",
    title="Have a language model work it out",
    description=(
        "Has another language model read, compute with SQL and walk on over the graph until it can answer; "
        "gives its answer with the passages it rests on. It costs calls of that model: use it for a question "
        "that needs several steps of reading and computing, after answer and ask_graph."
    ),
    arguments=_reason_arguments,
    result=record(
        revision=COUNT,
        byModel={
            **FLAG,
            "description": "Whether the model wrote the answer; if not, the answer is what was found.",
        },
        citations=listed(TEXT),
        steps=listed(record(kind=TEXT, quoted=quoted_schema(thought=TEXT, code=TEXT, error=TEXT))),
        quoted=quoted_schema(answer=TEXT),
    ),
    run=_reason,
    ready=_has_model,
    effect=Effect.COSTS,
    operation="reason",
)

TOOLS: Final = (ANSWER, ASK_GRAPH, REASON)
"""The rows of this module."""
