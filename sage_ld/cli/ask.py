"""The command ask: a question answered in sentences, each with the places that it rests on."""

from __future__ import annotations

import sys
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from sage_ld.cli import search_options as options
from sage_ld.cli.app import GRAPH, app
from sage_ld.cli.outputs import print_json
from sage_ld.cli.terminal import harmless

if TYPE_CHECKING:
    from sage_ld.answering import Citation, CitedAnswer, CitedSentence


class CitedAnswerFormat(StrEnum):
    """How `ask` prints an answer."""

    TEXT = "text"
    JSON = "json"
    JSONLD = "jsonld"
    TURTLE = "turtle"


@app.command()
def ask(
    graph: GRAPH,
    question: options.QUESTION,
    sentences: Annotated[int, typer.Option(help="Most sentences of the answer.")] = 3,
    k: options.K = 5,
    neighbours: options.NEIGHBOURS = 5,
    recipe: options.RECIPE = None,
    document: options.DOCUMENT = None,
    kind: options.KIND = None,
    language: options.LANGUAGE = None,
    question_language: options.QUESTION_LANGUAGE = None,
    keyword: options.KEYWORD = None,
    since: options.SINCE = "",
    until: options.UNTIL = "",
    where: options.WHERE = None,
    form: Annotated[
        CitedAnswerFormat, typer.Option("--format", help="text, json, jsonld or turtle.")
    ] = CitedAnswerFormat.TEXT,
) -> None:
    """Answer a question in a few sentences, each with the places in the documents that say so.

    Example: sage-ld ask films "Who composed the film that won the Golden Heron in 1987?"
    """
    from sage_ld.answering import answer_question

    only = options.only(document, kind, language, keyword, since, until, where)
    retriever, _ = options.retriever(graph, recipe)
    answer = answer_question(
        retriever,
        question,
        k,
        neighbours,
        sentences=sentences,
        only=only,
        question_language=question_language,
    )
    _print(answer, form)


def _print(answer: CitedAnswer, form: CitedAnswerFormat) -> None:
    from sage_ld.answering.forms import cited_answer_jsonld, plain_cited_answer

    if form is CitedAnswerFormat.TEXT:
        _print_text(answer)
    elif form is CitedAnswerFormat.JSON:
        print_json(plain_cited_answer(answer))
    elif form is CitedAnswerFormat.JSONLD:
        print_json(cited_answer_jsonld(answer))
    else:
        from sage_ld.exports.results import turtle

        sys.stdout.write(turtle(cited_answer_jsonld(answer)))


def _print_text(answer: CitedAnswer) -> None:
    """The sentences with numbers of their citations, then the citations, each once."""
    if not answer.in_graph:
        typer.echo(answer.text)
        return
    numbers: dict[Citation, int] = {}
    for sentence in answer.sentences:
        for citation in sentence.citations:
            numbers.setdefault(citation, len(numbers) + 1)
        marks = "".join(f" [{numbers[each]}]" for each in sentence.citations)
        typer.echo(_said(sentence) + marks)
    typer.echo("")
    for citation, number in numbers.items():
        typer.echo(f"[{number}] {_source(citation)}")


def _said(sentence: CitedSentence) -> str:
    """A sentence, or the cells of a row, each on an indented line."""
    if not sentence.cells:
        return harmless(sentence.text)
    return "\n".join(f"    {harmless(column)}: {harmless(value)}" for column, value in sentence.cells)


def _source(citation: Citation) -> str:
    view = citation.chunk
    place = f", {view.place}" if view.place else ""
    offsets = f"characters {citation.begin}–{citation.end}"
    return harmless(f"{view.name} ({view.identifier}{place}, {offsets}) {view.iri}")
