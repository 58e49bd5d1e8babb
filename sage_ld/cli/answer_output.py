"""An answer as `search` prints it: a table for a person, or JSON, JSON-LD and Turtle."""

from __future__ import annotations

import sys

from rich.console import Console
from rich.text import Text

from sage_ld.cli.outputs import print_json
from sage_ld.cli.reading import AnswerFormat
from sage_ld.cli.terminal import harmless
from sage_ld.model import Answer, ChunkView, PathStep, Result

_EXCERPT = 240  # characters of a chunk's text that a table shows

_STEP_KEYS = {"edges": "edge", "via": "entity"}


def print_answer(answer: Answer, form: AnswerFormat) -> None:
    """Prints the answer on standard output."""
    if form is AnswerFormat.TABLE:
        _print_table(answer)
    elif form is AnswerFormat.JSON:
        print_json([_plain(result) for result in answer.results])
    else:
        from sage_ld.exports.results import answer_jsonld, turtle

        document = answer_jsonld(answer)
        if form is AnswerFormat.JSONLD:
            print_json(document)
        else:
            sys.stdout.write(turtle(document))


def _plain(result: Result) -> dict[str, object]:
    view = result.view
    return {
        "rank": result.rank,
        "score": round(result.score, 6),
        "role": str(result.role),
        "document": view.identifier,
        "chunk": view.iri,
        "kind": str(view.kind),
        "name": view.name,
        "title": view.title,
        "url": view.url,
        "place": view.place,
        "text": view.text,
        "parts": result.parts,
        "path": [_plain_step(step) for step in result.path],
        **_plain_window(result),
    }


def _plain_window(result: Result) -> dict[str, object]:
    """The chunks before and after a result, where a window has some."""
    sides = {"before": result.before, "after": result.after}
    return {
        name: [{"chunk": view.iri, "name": view.name, "text": view.text} for view in views]
        for name, views in sides.items()
        if views
    }


def _plain_step(step: PathStep) -> dict[str, object]:
    """The fields that say something; of edges and nodes the only one, or a list of several."""
    plain: dict[str, object] = {}
    for name in PathStep.__slots__:
        value = getattr(step, name)
        if isinstance(value, tuple):
            value = value[0] if len(value) == 1 else list(value) or None
        if value is not None:
            plain[_STEP_KEYS.get(name, name)] = value
    return plain


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
