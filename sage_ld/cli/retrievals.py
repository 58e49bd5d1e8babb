"""Commands of kept retrievals: list, analyse, clear."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from sage_ld.cli.app import GRAPH, app
from sage_ld.cli.outputs import print_json
from sage_ld.cli.terminal import harmless

if TYPE_CHECKING:
    from rich.table import Table

    from sage_ld.provenance.analytics import Analytics, FrequentQuestion

retrievals = typer.Typer(help="Show, analyse and delete kept retrievals.", no_args_is_help=True)
app.add_typer(retrievals, name="retrievals")
_SHOWN = 200  # characters of a question in a table
AS_JSON = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]


@retrievals.command(name="list")
def list_retrievals(
    graph: GRAPH,
    limit: Annotated[int, typer.Option(help="How many, the last one first.", min=1)] = 20,
    as_json: AS_JSON = False,
) -> None:
    """List the kept retrievals: when, how long it took, results, judgements, question.

    Example: sage-ld retrievals list films --limit 5
    """
    from sage_ld.exports.kept_retrievals import document, moment
    from sage_ld.graph import KnowledgeGraph

    kept = KnowledgeGraph.open(graph).retrievals.newest(limit)
    if as_json:
        print_json([document(each) for each in kept])
        return
    table = _table("asked", "ms", "results", "judged", "question", "IRI")
    for each in kept:
        counts = str(len(each.results)), str(len(each.judgements))
        milliseconds = f"{1000 * each.seconds:.0f}"
        table.add_row(moment(each.time), milliseconds, *counts, _line(each.question), each.iri)
    _print(table)


@retrievals.command()
def analyse(
    graph: GRAPH,
    days: Annotated[float, typer.Option(help="Of how many days, up to now.", min=0, max=36_500)] = 30.0,
    limit: Annotated[int, typer.Option(help="How long each list is.", min=1)] = 20,
    poor_below: Annotated[
        float, typer.Option(help="A question is poor if no result reached this score.")
    ] = 0.5,
    as_json: AS_JSON = False,
) -> None:
    """Show popular chunks, frequent questions, questions without good results, and latency.

    Example: sage-ld retrievals analyse films --days 7
    """
    from sage_ld.api.kept_retrievals import analytics_json
    from sage_ld.graph import KnowledgeGraph

    found = KnowledgeGraph.open(graph).retrievals.analyse(days, limit, poor_below)
    if as_json:
        print_json(analytics_json(found))
        return
    _print_analytics(found, days)


@retrievals.command()
def clear(
    graph: GRAPH,
    older_than: Annotated[
        float | None, typer.Option(help="Only what is older than so many days.", min=0)
    ] = None,
) -> None:
    """Delete all kept retrievals, with the feedback on them.

    Example: sage-ld retrievals clear films --older-than 7
    """
    from sage_ld.graph import KnowledgeGraph

    gone = KnowledgeGraph.open(graph).retrievals.clear(older_than)
    typer.echo(f"{gone:,} retrievals deleted")


def _print_analytics(found: Analytics, days: float) -> None:
    judged = f"{found.judgements:,} results judged, {found.helped:,} of them helped"
    typer.echo(f"{found.retrievals:,} retrievals in {days:g} days; {judged}")
    if found.latency:
        times = ", ".join(f"p{each} {1000 * seconds:.0f} ms" for each, seconds in found.latency.items())
        typer.echo(f"time of an answer: {times}")
    chunks = _table("answers", "mean rank", "helped", "not", "popular chunk")
    for each in found.popular_chunks:
        counts = str(each.helped), str(each.not_helped)
        chunks.add_row(f"{each.count:,}", f"{each.mean_rank:.1f}", *counts, harmless(each.chunk))
    _print(chunks)
    for title, questions in (
        ("frequent question", found.frequent_questions),
        ("question without good results", found.poor_questions),
    ):
        _print(_question_table(title, questions))


def _question_table(title: str, questions: tuple[FrequentQuestion, ...]) -> Table:
    table = _table("asked", "best score", title)
    for each in questions:
        best = "none" if each.best is None else f"{each.best:.3f}"
        table.add_row(f"{each.count:,}", best, _line(each.question))
    return table


def _line(question: str) -> str:
    """A question in one line, cut where it is long."""
    text = harmless(" ".join(question.split()))
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"


def _table(*columns: str) -> Table:
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    for name in columns:
        table.add_column(name, overflow="fold")
    return table


def _print(table: Table) -> None:
    from rich.console import Console

    Console(highlight=False, markup=False).print(table)
