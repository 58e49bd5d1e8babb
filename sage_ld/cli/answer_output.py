"""An answer as `search` prints it: a table for a person, or JSON, JSON-LD and Turtle."""

from __future__ import annotations

import sys

from rich.console import Console
from rich.text import Text

from sage_ld.cli.outputs import print_json
from sage_ld.cli.reading import AnswerFormat
from sage_ld.cli.terminal import harmless
from sage_ld.model import Answer, ChunkView, PathStep

_EXCERPT = 240  # characters of a chunk's text that a table shows


def print_answer(answer: Answer, form: AnswerFormat) -> None:
    """Prints the answer on standard output."""
    if form is AnswerFormat.TABLE:
        _print_table(answer)
    elif form is AnswerFormat.JSON:
        from sage_ld.exports.plain import plain_results

        print_json(plain_results(answer.results))
    else:
        from sage_ld.exports.results import answer_jsonld, turtle

        document = answer_jsonld(answer)
        if form is AnswerFormat.JSONLD:
            print_json(document)
        else:
            sys.stdout.write(turtle(document))


def _print_table(answer: Answer) -> None:
    console = Console(highlight=False, soft_wrap=True)
    ranks = {result.view.iri: result.rank for result in answer.results}
    for result in answer.results:
        view = result.view
        head = f"{result.rank:>2}  {result.score:.3f}  {result.role:<9}  "
        name, identifier = harmless(view.name), harmless(view.identifier)
        place = f", {harmless(view.place)}" if view.place else ""
        console.print(Text.assemble((head, "cyan"), (name, "bold"), f"  [{identifier}{place}]"))
        for other in result.before:
            console.print(Text("    before: " + _excerpt(other), style="dim"))
        console.print(Text("    " + _excerpt(view)))
        for other in result.after:
            console.print(Text("    after: " + _excerpt(other), style="dim"))
        for step in result.path:
            console.print(Text("    " + _path_line(step, ranks), style="dim"))
    if not answer.results:
        console.print("nothing found")


def _excerpt(view: ChunkView) -> str:
    """The beginning of a chunk's text, in one line."""
    text = harmless(" ".join(view.text.split()))
    return text if len(text) <= _EXCERPT else text[:_EXCERPT] + "…"


def _path_line(step: PathStep, ranks: dict[str, int]) -> str:
    origin = f"result {ranks[step.seed]}" if step.seed in ranks else step.seed
    row = "" if step.row is None else f", row {step.row + 1}"
    return f"from {origin} over {step.channel}: {step.kind}{row}, weight {step.weight:.2f}"
