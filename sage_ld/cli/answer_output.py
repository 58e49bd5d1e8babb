"""An answer as `search` prints it: a table for a person, or JSON, JSON-LD and Turtle."""

from __future__ import annotations

import sys
from collections.abc import Mapping

from rich.console import Console
from rich.text import Text

from sage_ld.cli.search_options import AnswerFormat
from sage_ld.cli.terminal import print_json
from sage_ld.foundation.model import ChunkView, PathStep
from sage_ld.foundation.question import Answer
from sage_ld.foundation.shown_text import harmless
from sage_ld.graph import Snapshot
from sage_ld.graph.store.labels import label_of
from sage_ld.retrieval.answers.explanation import ChunkExplanation
from sage_ld.retrieval.answers.highlights import Highlights

_EXCERPT = 240  # characters of a chunk's text that a table shows


def print_answer(answer: Answer, form: AnswerFormat, snapshot: Snapshot) -> None:
    """Prints the answer, which the revision `snapshot` has given, on standard output."""
    if form is AnswerFormat.TABLE:
        console = Console(highlight=False, soft_wrap=True)
        marks = _highlights(answer, snapshot) if console.is_terminal else {}
        _print_table(console, answer, marks, snapshot)
    elif form is AnswerFormat.JSON:
        from sage_ld.retrieval.answers.plain import plain_results

        print_json(plain_results(answer.results, _highlights(answer, snapshot)))
    else:
        from sage_ld.retrieval.answers.results import answer_jsonld, turtle

        document = answer_jsonld(answer)
        if form is AnswerFormat.JSONLD:
            print_json(document)
        else:
            sys.stdout.write(turtle(document))


def print_explanation(explained: ChunkExplanation, snapshot: Snapshot) -> None:
    """Prints why a chunk is, or is not, in an answer."""
    from sage_ld.retrieval.answers.reasons import reason, remedy_text

    console = Console(highlight=False, soft_wrap=True)
    view, standing = explained.view, explained.standing
    console.print(Text.assemble((harmless(view.name), "bold"), f"  [{harmless(view.identifier)}]"))
    console.print(Text("    ") + _excerpt(view, explained.highlights))
    console.print(Text(harmless(reason(explained)), style="cyan"))
    for each in standing.flat:
        place = "no word of the question" if each.place is None else f"place {each.place:,}"
        console.print(f"    {each.ranking}: {place}, score {each.score:.3f}")
    if standing.is_start:
        console.print("    the graph was followed from it")
    for step in standing.path:
        console.print(Text("    " + _path_line(step, {}, snapshot), style="dim"))
    for remedy in standing.remedies:
        console.print(f"    enough would be: {remedy_text(remedy)}")


def _excerpt(view: ChunkView, marks: Highlights | None = None) -> Text:
    """The beginning of a chunk's text in one line, the words that match in bold."""
    from sage_ld.retrieval.answers.highlights import marked

    whole = harmless(" ".join(view.text.split()))
    shown = Text(whole if len(whole) <= _EXCERPT else whole[:_EXCERPT] + "…")
    for span in marked(shown.plain, marks.language, marks.terms) if marks else ():
        shown.stylize("bold yellow", span.begin, span.end)
    return shown


def _highlights(answer: Answer, snapshot: Snapshot) -> dict[str, Highlights]:
    from sage_ld.retrieval.answers.highlights import highlights

    views = [result.view for result in answer.results]
    return highlights(snapshot, answer.question, views, answer.question_language)


def _print_table(
    console: Console, answer: Answer, marks: Mapping[str, Highlights], snapshot: Snapshot
) -> None:
    if answer.results and not answer.matched:
        console.print("nothing matches the question; these chunks have the score 0 by their text")
    ranks = {result.view.iri: result.rank for result in answer.results}
    for result in answer.results:
        view = result.view
        head = f"{result.rank:>2}  {result.score:.3f}  {result.role:<9}  "
        name, identifier = harmless(view.name), harmless(view.identifier)
        place = f", {harmless(view.place)}" if view.place else ""
        console.print(Text.assemble((head, "cyan"), (name, "bold"), f"  [{identifier}{place}]"))
        _print_abstracts(console, view)
        for other in result.before:
            console.print(Text("    before: ", style="dim") + _excerpt(other))
        console.print(Text("    ") + _excerpt(view, marks.get(view.iri)))
        for other in result.after:
            console.print(Text("    after: ", style="dim") + _excerpt(other))
        for step in result.path:
            console.print(Text("    " + _path_line(step, ranks, snapshot), style="dim"))
    if not answer.results:
        console.print("nothing found")


def _print_abstracts(console: Console, view: ChunkView) -> None:
    """The abstracts of a chunk's document and section, if the view has them."""
    for label, text in (("document", view.document_abstract), ("section", view.section_abstract)):
        if text is not None:
            console.print(Text(f"    {label}: ", style="dim") + Text(harmless(text)))


def _path_line(step: PathStep, ranks: Mapping[str, int], snapshot: Snapshot) -> str:
    def name(iri: str) -> str:
        return f'"{harmless(label_of(snapshot.store, iri))}"'

    origin = f"result {ranks[step.seed]}" if step.seed in ranks else name(step.seed)
    row = "" if step.row is None else f", row {step.row + 1}"
    via = f" ({', '.join(map(name, step.via))})" if step.via else ""
    return f"from {origin} over {step.channel}: {step.kind}{via}{row}, weight {step.weight:.2f}"
