"""The command ask: a question answered in sentences, each with the places that it rests on."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from sage_ld.cli.app import GRAPH, app
from sage_ld.cli.search_options import SearchOptions, asks
from sage_ld.cli.terminal import print_json
from sage_ld.foundation.errors import InputError
from sage_ld.foundation.shown_text import harmless

if TYPE_CHECKING:
    from sage_ld.agents.answering import Citation, CitedAnswer, CitedSentence


class CitedAnswerFormat(StrEnum):
    """The formats in which `ask` prints an answer."""

    TEXT = "text"
    JSON = "json"
    JSONLD = "jsonld"
    TURTLE = "turtle"


@app.command()
@asks(without=("window", "view"))
def ask(
    graph: GRAPH,
    search: SearchOptions,
    sentences: Annotated[int, typer.Option(help="Most sentences of the answer.")] = 3,
    method: Annotated[
        str | None,
        typer.Option(
            help="extraction quotes the documents, model has a language model write; by default model, "
            "where one is set."
        ),
    ] = None,
    form: Annotated[
        CitedAnswerFormat, typer.Option("--format", help="text, json, jsonld or turtle.")
    ] = CitedAnswerFormat.TEXT,
    stream: Annotated[
        bool, typer.Option("--stream", help="Print each sentence as soon as it is ready, as text.")
    ] = False,
) -> None:
    """Answer a question in a few sentences, each with the places in the documents that say so.

    Example: sage-ld ask films "Who composed the film that won the Golden Heron in 1987?"
    """
    from sage_ld.agents.answering import answer_from, answer_stream

    if stream and form is not CitedAnswerFormat.TEXT:
        raise InputError(f"--stream prints text; leave --format {form} out, or --stream")
    retriever, _ = search.retriever(graph)
    snapshot = retriever.graph.snapshot()
    retrieved = retriever.retrieve(search.question, at=snapshot)
    if stream:
        _print_text(answer_stream(retriever, snapshot, retrieved, sentences, method))
    else:
        _print(answer_from(retriever, snapshot, retrieved, sentences, method), form)


def _print(answer: CitedAnswer, form: CitedAnswerFormat) -> None:
    from sage_ld.agents.answering.forms import cited_answer_jsonld, plain_cited_answer

    if form is CitedAnswerFormat.TEXT:
        _print_text((*answer.sentences, answer))
    elif form is CitedAnswerFormat.JSON:
        print_json(plain_cited_answer(answer))
    elif form is CitedAnswerFormat.JSONLD:
        print_json(cited_answer_jsonld(answer))
    else:
        from sage_ld.retrieval.answers.results import turtle

        sys.stdout.write(turtle(cited_answer_jsonld(answer)))


def _print_text(parts: Iterable[CitedSentence | CitedAnswer]) -> None:
    """The sentences with numbers of their citations, then the citations, each once, and the note."""
    from sage_ld.agents.answering import CitedAnswer

    numbers: dict[Citation, int] = {}
    for part in parts:
        if isinstance(part, CitedAnswer):
            _print_end(part, numbers)
            return
        for citation in part.citations:
            numbers.setdefault(citation, len(numbers) + 1)
        typer.echo(_said(part) + "".join(f" [{numbers[each]}]" for each in part.citations))


def _print_end(answer: CitedAnswer, numbers: Mapping[Citation, int]) -> None:
    typer.echo("" if answer.in_graph else answer.text)
    for citation, number in numbers.items():
        typer.echo(f"[{number}] {_source(citation)}")
    if answer.note:
        typer.echo(f"note: {harmless(answer.note)}", err=True)


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
