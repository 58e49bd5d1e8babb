"""The command reason: an answer by a language model that reads, computes and walks on over the graph."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

import typer

from sage_ld.cli.app import GRAPH, app
from sage_ld.cli.terminal import print_json
from sage_ld.foundation.shown_text import harmless

if TYPE_CHECKING:
    from sage_ld.agents.reasoning import ReasonedAnswer, ReasoningStep

_SHOWN = 3
_LONGEST = 100


@app.command()
def reason(
    graph: GRAPH,
    question: Annotated[str, typer.Argument(metavar="QUESTION", help="What you want to know.")],
    hops: Annotated[
        int, typer.Option(min=1, help="Maximum number of steps at which the model chooses what to do.")
    ] = 3,
    code: Annotated[
        str,
        typer.Option(
            help="What the model computes with: sql, or python (pandas). The setting reasoning_code unless "
            "given.",
            show_default=False,
        ),
    ] = "",
    calls: Annotated[int, typer.Option(min=1, help="Maximum number of calls of the language model.")] = 10,
    seconds: Annotated[float, typer.Option(min=1, help="Time limit.")] = 45.0,
    as_json: Annotated[bool, typer.Option("--json", help="Print a JSON object, with every step.")] = False,
) -> None:
    """Answer a question by reasoning with code: a language model reads, computes and walks on.

    Example: sage-ld reason films "Which studio had the most admissions?"
    """
    from sage_ld.agents.reasoning import ReasonedAnswer, Reasoner, ReasoningParameters
    from sage_ld.agents.tables import TableWorkers
    from sage_ld.foundation.language_model import LanguageModel
    from sage_ld.graph import KnowledgeGraph

    knowledge = KnowledgeGraph.open(graph)
    model = LanguageModel.of(knowledge.settings, "sage-ld reason (search and tables --sql work without one)")
    parameters = ReasoningParameters(n_hops=hops, max_llm_calls=calls, max_seconds=seconds)
    with TableWorkers(replace(knowledge.settings, table_workers=1)) as workers:
        for step in Reasoner(knowledge, model, workers, parameters, code or None).steps(question):
            if isinstance(step, ReasonedAnswer):
                _print_answer(step, as_json)
            elif not as_json:
                typer.echo(harmless(line(step)), err=True)


def line(step: ReasoningStep) -> str:
    """A step in one line, for people."""
    parts = [step.query_type, step.thought, step.code, step.error]
    if step.result is not None:
        parts.append(f"{len(step.result.rows)} rows")
    if step.nodes:
        names = ", ".join(each.label for each in step.nodes[:_SHOWN])
        parts.append(f"{len(step.nodes)} nodes: {names}")
    text = "; ".join(" ".join(each.split()) for each in parts if each)
    return f"{step.kind}: {text if len(text) <= _LONGEST else text[:_LONGEST] + '…'}"


def _print_answer(answer: ReasonedAnswer, as_json: bool) -> None:
    if as_json:
        print_json(answer.as_json())
        return
    typer.echo(harmless(answer.text))
    for iri in answer.citations:
        typer.echo(f"  {iri}")
