"""The options of a question, which several commands take."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sage_ld.foundation.channels import CHANNEL_NAMES
from sage_ld.foundation.errors import InputError
from sage_ld.foundation.model import ChunkKind
from sage_ld.foundation.question import AnswerView, Filter, Mode
from sage_ld.foundation.recipes import Ranking

if TYPE_CHECKING:
    from sage_ld.retrieval import Retriever

QUESTION = Annotated[str, typer.Argument(metavar="QUESTION", help="What you want to know.")]
K = Annotated[int, typer.Option("-k", help="Number of seeds, the chunks found by their own text.")]
NEIGHBOURS = Annotated[int, typer.Option(help="Number of neighbours that the graph adds to the seeds.")]
MODE = Annotated[
    Mode, typer.Option(help="sage follows the graph from the seeds; the others search without it.")
]
CHANNELS = Annotated[
    str | None, typer.Option(help=f"Edges to follow, with commas: {', '.join(CHANNEL_NAMES)}.")
]
RELATION = Annotated[
    list[str] | None,
    typer.Option(help="A type of relation to follow, such as part_of; may be repeated. By default all."),
]
AS_OF = Annotated[
    str | None,
    typer.Option(metavar="DAY", help="Follow only relations valid on this day, such as 2026-11-23."),
]
RECIPE = Annotated[
    str | None, typer.Option(help="A preset or a recipe file to use instead of the graph's recipe.")
]
HOPS = Annotated[
    int | None,
    typer.Option(
        help="Maximum number of edges between a seed and a result, 1 to 10; by default the recipe's."
    ),
]
RANKING = Annotated[
    Ranking | None,
    typer.Option(help="Ranking of seeds and neighbours; by default the recipe's."),
]
SECTION_WEIGHT = Annotated[
    float | None,
    typer.Option(help="Weight of a chunk's section in its score, 0 to 1; by default the recipe's."),
]
MEMBER = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAME[=WEIGHT]",
        help="A ranking that --ranking ensemble fuses, as in bfs=0.5; repeatable. Default: the recipe's.",
    ),
]
WINDOW = Annotated[int, typer.Option(help="Number of chunks before and after each result to show with it.")]
VIEW = Annotated[AnswerView, typer.Option(help="summary shows the abstracts of section and document, too.")]
OFFSET = Annotated[int, typer.Option(help="Number of results to skip, for the next page.")]
DEDUPLICATE = Annotated[
    bool | None,
    typer.Option(help="Replace results that nearly repeat an earlier one by the next candidates."),
]
DECOMPOSE = Annotated[
    bool | None,
    typer.Option(help="Ask a question that compares two things, or asks twice, part by part."),
]
DOCUMENT = Annotated[list[str] | None, typer.Option(help="Only chunks of this document; may be repeated.")]
KIND = Annotated[list[ChunkKind] | None, typer.Option(help="Only chunks of this kind; may be repeated.")]
LANGUAGE = Annotated[list[str] | None, typer.Option(help="Only chunks in this language; may be repeated.")]
QUESTION_LANGUAGE = Annotated[
    str | None, typer.Option(help="The language of the question, such as de; detected by default.")
]
KEYWORD = Annotated[list[str] | None, typer.Option(help="Only chunks with this keyword; may be repeated.")]
SINCE = Annotated[str, typer.Option(help="Only chunks dated in or after this year, month or day.")]
UNTIL = Annotated[str, typer.Option(help="Only chunks dated in or before this year, month or day.")]
WHERE = Annotated[
    list[str] | None,
    typer.Option(
        help="Only chunks that meet this condition on a key of metadata, as in team=red or year>=2020, "
        "or on a property path; may be repeated."
    ),
]


def names(channels: str | None) -> tuple[str, ...] | None:
    """The channels in a list with commas; None where there is none."""
    return None if channels is None else tuple(each.strip() for each in channels.split(",") if each.strip())


def only(
    document: Sequence[str] | None,
    kind: Sequence[str] | None,
    language: Sequence[str] | None,
    keyword: Sequence[str] | None,
    since: str,
    until: str,
    where: Sequence[str] | None,
) -> Filter:
    """The filter that the options give."""
    documents, kinds, languages, keywords, conditions = (
        tuple(each or ()) for each in (document, kind, language, keyword, where)
    )
    return Filter(documents, kinds, languages, keywords, since, until, conditions)


def members(given: Sequence[str] | None) -> dict[str, float] | None:
    """The members of an ensemble and their weights, from texts as `bfs=0.5`; None where there is none.

    Raises InputError for a weight that is not a number, and for a member that comes twice.

    >>> members(["learned", "bfs=0.5"])
    {'learned': 1.0, 'bfs': 0.5}
    """
    weights: dict[str, float] = {}
    for name, sign, weight in (each.partition("=") for each in given or ()):
        if name in weights:
            raise InputError(f"--member: {name[:40]!r} is given twice; give it once, as in {name[:40]}=2")
        try:
            weights[name] = float(weight) if sign else 1.0
        except ValueError:
            raise InputError(
                f"--member: {weight[:40]!r} is not a weight; give a number, as in bfs=0.5"
            ) from None
    return weights or None


def retriever(
    graph: Path, recipe: str | None, **changes: float | Mapping[str, float] | Ranking | None
) -> tuple[Retriever, str | None]:
    """The retriever, and the name of the recipe that replaces the graph's, if there is one."""
    from sage_ld.foundation.recipes import adjusted, load_recipe
    from sage_ld.graph import KnowledgeGraph
    from sage_ld.retrieval import Retriever

    used = None if recipe is None else load_recipe(recipe)
    knowledge = KnowledgeGraph.open(graph)
    retrieval = (used or knowledge.recipe).retrieval
    given = {name: value for name, value in changes.items() if value is not None}
    return Retriever(knowledge, adjusted(retrieval, given)), None if used is None else used.name
