"""Commands of kept retrievals: list, analyse, clear."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from sage_ld.cli.app import GRAPH, app
from sage_ld.cli.terminal import print_json
from sage_ld.foundation.shown_text import harmless

if TYPE_CHECKING:
    from sage_ld.graph.provenance.analytics import Analytics, FrequentQuestion

retrievals = typer.Typer(help="Show, analyse and delete kept retrievals.", no_args_is_help=True)
app.add_typer(retrievals, name="retrievals")
_SHOWN = 200  # characters of a question in a line
AS_JSON = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]


@retrievals.command(name="list")
def list_retrievals(
    graph: GRAPH,
    limit: Annotated[int, typer.Option(help="Maximum number of retrievals, the newest first.", min=1)] = 20,
    as_json: AS_JSON = False,
) -> None:
    """List the kept retrievals: when, how long it took, results, judgements, question.

    Example: sage-ld retrievals list films --limit 5
    """
    from sage_ld.graph import KnowledgeGraph
    from sage_ld.retrieval.answers.kept_retrievals import document, moment

    kept = KnowledgeGraph.open(graph).retrievals.newest(limit)
    if as_json:
        print_json([document(each) for each in kept])
        return
    typer.echo(f"{'asked':<24} {'ms':>6} {'results':>7} {'judged':>6}  IRI and question")
    for each in kept:
        counts = f"{1000 * each.seconds:>6.0f} {len(each.results):>7} {len(each.judgements):>6}"
        typer.echo(f"{moment(each.time)} {counts}  {each.iri}  {_line(each.question)}")


@retrievals.command()
def analyse(
    graph: GRAPH,
    days: Annotated[float, typer.Option(help="Number of days, up to now.", min=0, max=36_500)] = 30.0,
    limit: Annotated[int, typer.Option(help="Length of each list.", min=1)] = 20,
    poor_below: Annotated[
        float, typer.Option(help="A question is poor if no result reached this score.")
    ] = 0.5,
    as_json: AS_JSON = False,
) -> None:
    """Show popular chunks, frequent questions, questions without good results, and latency.

    Example: sage-ld retrievals analyse films --days 7
    """
    from sage_ld.graph import KnowledgeGraph
    from sage_ld.service.api.kept_retrievals import analytics_json

    analytics = KnowledgeGraph.open(graph).retrievals.analyse(days, limit, poor_below)
    if as_json:
        print_json(analytics_json(analytics))
        return
    _print_analytics(analytics, days)


@retrievals.command()
def clear(
    graph: GRAPH,
    older_than: Annotated[
        float | None, typer.Option(help="Only retrievals older than this number of days.", min=0)
    ] = None,
) -> None:
    """Delete all kept retrievals, with the feedback on them, and all kept calls of the language model.

    Example: sage-ld retrievals clear films --older-than 7
    """
    from sage_ld.graph import KnowledgeGraph

    gone = KnowledgeGraph.open(graph).retrievals.clear(older_than)
    typer.echo(f"{gone:,} records deleted")


def _print_analytics(analytics: Analytics, days: float) -> None:
    judged = f"{analytics.judgements:,} results judged, {analytics.helped:,} of them helped"
    typer.echo(f"{analytics.retrievals:,} retrievals in {days:g} days; {judged}")
    if analytics.latency:
        times = ", ".join(f"p{each} {1000 * seconds:.0f} ms" for each, seconds in analytics.latency.items())
        typer.echo(f"time of an answer: {times}")
    typer.echo("\npopular chunks: answers, mean rank, helped, did not help")
    for each in analytics.popular_chunks:
        judged = f"{each.helped:>4} {each.not_helped:>4}"
        typer.echo(f"{each.count:>8,} {each.mean_rank:>6.1f} {judged}  {harmless(each.chunk)}")
    _print_questions("frequent questions", analytics.frequent_questions)
    _print_questions("questions without good results", analytics.poor_questions)


def _print_questions(title: str, questions: tuple[FrequentQuestion, ...]) -> None:
    typer.echo(f"\n{title}: how often, mean best score")
    for each in questions:
        best = "none" if each.best is None else f"{each.best:.3f}"
        typer.echo(f"{each.count:>8,} {best:>6}  {_line(each.question)}")


def _line(question: str) -> str:
    """A question in one line, cut where it is long."""
    text = harmless(" ".join(question.split()))
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"
