"""Options that have a language model do what rules do while a graph is written."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, Annotated, Final, TypeAlias

import typer

from sage_ld.cli.app import FAILED
from sage_ld.cli.ingest_report import counted
from sage_ld.foundation.errors import InputError
from sage_ld.foundation.shown_text import harmless

if TYPE_CHECKING:
    from sage_ld.foundation.language_model import OptionalAnswers
    from sage_ld.graph import KnowledgeGraph

JUDGE: TypeAlias = Annotated[
    bool, typer.Option("--judge", help="Have a language model say which near terms name one thing.")
]
SUMMARISE: TypeAlias = Annotated[
    bool, typer.Option("--summarise", help="Have a language model write the abstracts.")
]
MAKE_SKELETONS: TypeAlias = Annotated[
    bool, typer.Option("--make-skeletons", help="Have a language model write the skeletons of mechanisms.")
]
CALLS: TypeAlias = Annotated[
    int | None,
    typer.Option(min=1, help="Maximum number of calls of the model for each of these; rules do the rest."),
]
TABLES: Final = {"--judge": "concepts", "--summarise": "summaries", "--make-skeletons": "analogies"}
"""Option -> the table of the recipe that derives what it is for."""
_SHOWN: Final = 10


def chosen(judge: bool, summarise: bool = False, make_skeletons: bool = False) -> list[str]:
    """The names of the options that are given. Raises UnavailableError for one where no model is set."""
    given = dict(zip(TABLES, (judge, summarise, make_skeletons), strict=True))
    options = [option for option, is_given in given.items() if is_given]
    if options:  # before files are read, which may take long
        from sage_ld.foundation.language_model import LanguageModel
        from sage_ld.foundation.settings import Settings

        LanguageModel.of(Settings.load(), options[0])
    return options


def plug_in(
    knowledge: KnowledgeGraph, options: Collection[str], calls: int | None, *, check: bool = True
) -> list[OptionalAnswers]:
    """Has a graph ask a model for what the options say; returns what is asked of it, in their order.

    Raises InputError for `calls` without an option, and with `check` where the recipe derives nothing that
    the model could be asked for.
    """
    if calls is not None and not options:
        raise InputError(
            f"--calls limits the calls of {', '.join(TABLES)}; give one of them, or leave it out"
        )
    for option in options if check else ():
        table = TABLES[option]
        if not getattr(knowledge.recipe, table).derive:
            raise InputError(
                f"{option}: the recipe of {knowledge.directory.path} derives no {table}; leave the option "
                f"out, or set derive = true in [{table}] of a recipe (docs/structure.md)"
            )
    answers: list[OptionalAnswers] = []
    if "--judge" in options:
        from sage_ld.build.concepts.judgements import ModelJudge

        knowledge.judge = judge = ModelJudge(knowledge.language_model("--judge"), calls)
        answers.append(judge.answers)
    if "--summarise" in options:
        from sage_ld.build.annotators.model_annotator import ModelSummariser

        knowledge.summarise = summarise = ModelSummariser(knowledge.language_model("--summarise"), calls)
        answers.append(summarise.answers)
    if "--make-skeletons" in options:
        from sage_ld.build.annotators.model_annotator import ModelSkeletons

        knowledge.make_skeleton = make = ModelSkeletons(knowledge.language_model("--make-skeletons"), calls)
        answers.append(make.answers)
    return answers


def report(answers: Collection[OptionalAnswers]) -> None:
    """Prints what was asked of the model. Ends the command with status 1 where it left something to rules."""
    for each in answers:
        typer.echo(
            f"{each.name} by the language model: {counted(each.used.calls, 'call')}, {each.used.tokens:,} "
            f"tokens, {each.used.cached:,} answers from the cache"
        )
        if each.left:
            typer.echo(f"{each.name}: left to the rules: {counted(each.left, 'question')}")
        for fault, count in each.faults.most_common(_SHOWN):
            typer.echo(harmless(f"{fault} ({count:,} times)" if count > 1 else fault), err=True)
    if any(each.left for each in answers):
        raise typer.Exit(FAILED)
