"""The command concepts: which terms of a graph name one thing, and why."""

from __future__ import annotations

import sys
from dataclasses import asdict
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sage_ld.cli.app import GRAPH, app
from sage_ld.cli.terminal import check_output, print_json, write_output
from sage_ld.foundation.shown_text import harmless

if TYPE_CHECKING:
    from sage_ld.graph.views.concepts import Concept, TermExplanation


class ConceptFormat(StrEnum):
    """The formats in which `concepts` prints them."""

    TABLE = "table"
    JSON = "json"
    TURTLE = "turtle"
    CSV = "csv"
    SYNONYMS = "synonyms"


@app.command()
def concepts(
    graph: GRAPH,
    matching: Annotated[str, typer.Option(help="Only concepts with a term that contains this text.")] = "",
    limit: Annotated[
        int | None,
        typer.Option(
            min=1, help="Maximum number of concepts, those with the most chunks first; all by default."
        ),
    ] = None,
    explain: Annotated[
        str | None,
        typer.Option(metavar="TERM", help="Say why this term is in its concept, and others are not."),
    ] = None,
    form: Annotated[
        ConceptFormat,
        typer.Option(
            "--format", help="table, json, turtle (SKOS), csv, or synonyms (a JSON table from term to label)."
        ),
    ] = ConceptFormat.TABLE,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="The file to write; without it, standard output.")
    ] = None,
) -> None:
    """List concepts, terms that name one thing, or explain one; export them as SKOS, CSV or JSON.

    Example: sage-ld concepts films --matching festival
    """
    from sage_ld.graph import KnowledgeGraph
    from sage_ld.graph.exports.concepts import FORMATS

    check_output(output, "--output")
    knowledge = KnowledgeGraph.open(graph)
    if explain is not None:
        explanation = knowledge.explain_term(explain)
        if form == ConceptFormat.JSON:
            print_json(_plain(explanation))
        else:
            _print_explanation(explanation)
        return
    matches = knowledge.concepts(matching)[:limit]
    if not matches:
        why = f"no term of a concept contains {matching!r}" if matching else "no two terms name one thing"
        if not knowledge.recipe.concepts.derive:
            why = "the recipe of the graph does not have [concepts] derive = true"
        typer.echo(f"none: {why}", err=True)
    if form == ConceptFormat.TABLE and output is None:
        _print_table(matches)
        return
    text = FORMATS["csv" if form == ConceptFormat.TABLE else form](matches)
    if output is None:
        sys.stdout.write(text)
    else:
        write_output(output, text, "--output")


def _print_table(concepts_shown: tuple[Concept, ...]) -> None:
    width = max((len(each.label) for each in concepts_shown), default=0)
    for each in concepts_shown:
        typer.echo(harmless(f"{each.chunks:>7,}  {each.label:<{width}}  {', '.join(each.aliases)}"))


def _plain(explanation: TermExplanation) -> dict[str, object]:
    concept = explanation.concept
    return asdict(explanation) | {
        "concept": None if concept is None else concept._asdict(),
        "evidence": [each._asdict() for each in explanation.evidence],
        "near_misses": [each._asdict() for each in explanation.near_misses],
    }


def _print_explanation(explanation: TermExplanation) -> None:
    name, concept = explanation.term, explanation.concept
    if concept is not None:
        lines = [f"{name} is in the concept {concept.label}, of {concept.chunks:,} chunks:"]
        lines += [
            f"  {each.left} = {each.right}: {each.reason}, cosine {each.cosine:.3f}"
            for each in explanation.evidence
        ]
    elif explanation.known:
        lines = [f"{name} has no alias, and so no concept"]
    else:
        lines = [f"{name} is neither the name of an entity nor a keyword of enough chunks (least_chunks)"]
    if explanation.near_misses:
        lines.append("near, and not in one concept with it:")
    lines += [f"  {each.term}: {each.reason}, cosine {each.cosine:.3f}" for each in explanation.near_misses]
    for line in lines:
        typer.echo(harmless(line))
