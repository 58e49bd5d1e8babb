"""The searches that are evaluated: each of one graph, by a recipe and in a mode, under a name."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cache

from sage_ld.foundation.deadline import Check, unchecked
from sage_ld.foundation.errors import InputError
from sage_ld.foundation.question import Question
from sage_ld.foundation.recipes import load_recipe
from sage_ld.graph import KnowledgeGraph, Snapshot
from sage_ld.lab.evaluation.datasets import Dataset
from sage_ld.lab.evaluation.evaluate import Search
from sage_ld.lab.evaluation.explain import Expansion
from sage_ld.retrieval import Mode, Retriever
from sage_ld.retrieval.answers.explanation import reach
from sage_ld.retrieval.rankings.table import ranked, ranking_method


@dataclass(frozen=True, slots=True)
class System:
    """One search."""

    retriever: Retriever
    mode: Mode
    relations: tuple[str, ...] | None = None
    """The types of relation that it follows; None: all."""
    as_of: str | None = None
    """The day on which relations are to be valid; None for any."""

    def question(self, text: str, k: int = 10, from_graph: int | None = None) -> Question:
        """A question as it asks it."""
        return Question(text, k, from_graph, self.mode, relations=self.relations, as_of=self.as_of)

    @property
    def fixed(self) -> bool:
        """Whether its recipe fixes the shares of seeds and neighbours: each budget has its own seeds."""
        return ranking_method(self.retriever.parameters.ranking).fixed_shares

    @property
    def split(self) -> bool:
        """Whether those shares are what it answers by, so that each budget has a ranking of its own."""
        return self.mode is Mode.SAGE and self.fixed


def systems(
    graph: KnowledgeGraph,
    modes: Sequence[Mode],
    recipes: Sequence[str] = (),
    relations: Sequence[str] | None = None,
    as_of: str | date | None = None,
) -> dict[str, System]:
    """Each search by its name: the mode, or, where several recipes are compared, for `sage` the recipe.

    The modes that do not expand go by the first recipe. Of a recipe only `[retrieval]` counts: how the graph
    was cut and joined is fixed. `relations` and `as_of` are those of `Retriever.retrieve`, for all of them.
    Raises InputError for two of one name and for anything that is not a day, NotFoundError for an unknown
    recipe.
    """
    every = Question.of("every question", relations=relations, as_of=as_of)
    loaded = [load_recipe(each) for each in recipes]
    retrievers = [(each.name, Retriever(graph, each.retrieval)) for each in loaded] or [
        ("", Retriever(graph))
    ]
    by_label: dict[str, System] = {}
    for mode in dict.fromkeys(modes):
        several = mode is Mode.SAGE and len(retrievers) > 1
        for name, retriever in retrievers if several else retrievers[:1]:
            label = name if several else str(mode)
            if label in by_label:
                raise InputError(f"two searches are named {label!r}; give one of the recipes another name")
            by_label[label] = System(retriever, mode, every.relations, every.as_of)
    return by_label


def seeds_of(budget: int) -> int:
    """The number of seeds in a budget, where their share is fixed: half, as in the paper.

    >>> [seeds_of(budget) for budget in (2, 5, 10, 20, 50, 100)]
    [1, 2, 5, 10, 25, 50]
    """
    return max(1, budget // 2)


def searcher(named: Mapping[str, System], at: Snapshot | None = None, check: Check = unchecked) -> Search:
    """A search for the evaluation: from question, budget and the name of a system to ranked documents.

    It asks the revision `at`, the newest unless given. `check` is called between the steps of each search.

    Where the shares are fixed, the seeds are half of the budget and followed by all their neighbours: as many
    as it takes fill the places that several chunks of one document leave.
    """
    first = next(iter(named.values())).retriever
    snapshot = first.graph.snapshot() if at is None else at
    chunk_table, names = first.chunk_table(snapshot), first.identifiers(snapshot)

    def search(question: str, budget: int, name: str) -> list[tuple[str, float]]:
        system, seeds = named[name], seeds_of(budget)
        neighbours = len(chunk_table.rows) if system.split else budget - seeds
        asked = system.question(question, seeds + neighbours, neighbours)
        found = ranked(system.retriever.inquiry(snapshot, asked, check))
        rows = [chunk_table.rows[each.iri] for each in found]
        return [
            (names[int(chunk_table.documents[row])], each.score)
            for row, each in zip(rows, found, strict=True)
        ]

    return search


def known_documents(named: Mapping[str, System], at: Snapshot | None = None) -> frozenset[str]:
    """The identifiers of the documents that the searches, all of one graph, may find."""
    retriever = next(iter(named.values())).retriever
    return frozenset(retriever.identifiers(retriever.graph.snapshot() if at is None else at))


def expansions(system: System, dataset: Dataset, budget: int) -> Callable[[str], Expansion]:
    """For `explain`: what a question is expanded from by the system's recipe, and what that leads to."""
    retriever = system.retriever
    snapshot = retriever.graph.snapshot()
    documents, names = retriever.chunk_table(snapshot).documents, retriever.identifiers(snapshot)

    @cache
    def expansion(identifier: str) -> Expansion:
        inquiry = retriever.inquiry(snapshot, system.question(dataset.questions[identifier]))
        found = reach(inquiry, seeds_of(budget))
        return Expansion(*(frozenset(names[number] for number in documents[rows].tolist()) for rows in found))

    return expansion
