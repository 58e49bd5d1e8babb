"""Fits the cuts of the difficulty of questions to recall, and says how well the classes carry over.

    python benchmarks/difficulty.py [--data FOLDER] [--graphs FOLDER] [--sets …] [--questions N] [--write]

Of each question of each set it takes the features (`Retriever.analyse`), and what the default recipe finds:
Success@5 on OTT-QA, Recall@5 where all supporting passages are relevant, Recall@20 on other domains.
Recall is standardised within a set, so that sets count alike and no class stands for a set. For each
dimension the fit chooses a feature of those in `CHOICES` and two cuts, then two cuts of the total. Printed
are the means by class of each set and of all questions with their 95 % intervals: by cuts that have seen the
set, and by cuts that were fitted to the other sets. `--write` writes them to
sage_ld/retrieval/rankings/models/difficulty.json.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from itertools import combinations, product
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np
from _report import write
from _sets import DOMAINS, SETS, Place, Set, chosen, parser, place

import sage_ld.retrieval.rankings.models
from sage_ld.foundation.model import DoubleArray, IntArray
from sage_ld.lab.evaluation import evaluate, searcher, systems
from sage_ld.lab.evaluation.by_class import mean_intervals
from sage_ld.retrieval import Mode, Retriever
from sage_ld.retrieval.questions.difficulty import Difficulty, DifficultyModel, Dimension, points

MEASURES: Final = {"answer": "success@5", "support": "recall@5"}
DOMAIN_MEASURE: Final = "recall@20"
CHOICES: Final[Mapping[str, Sequence[str]]] = {
    "multihop": ("mean_path_length", "max_path_length", "query_node_count"),
    "fragmentation": ("component_count",),
    "subgraph_size": ("subgraph_node_count", "subgraph_edge_count", "lexical_rivals"),
    "branching": ("mean_degree", "max_degree", "rivals", "dense_rivals"),
    "dispersion": ("doc_count", "effective_documents"),
}
"""The features that may stand for a dimension."""
QUANTILES: Final = ((0.33, 0.67), (0.2, 0.6), (0.4, 0.8), (0.5, 0.9), (0.1, 0.5))
"""The shares of all questions that lie below the cuts which are tried."""
LEAST_SHARE: Final = 0.15
"""Of all questions, in each class."""
LEAST_OF_A_SET: Final = 0.03
"""Of the questions of a set, for it to count in the choice of the classes' cuts."""
ROUNDS: Final = 4


class Asked(NamedTuple):
    """The q questions of a set."""

    features: Mapping[str, DoubleArray]
    """(q,) each."""
    recall: DoubleArray
    """(q,)"""

    @property
    def standardised(self) -> DoubleArray:
        """(q,) the recall with mean 0 and deviation 1."""
        return (self.recall - self.recall.mean()) / max(float(self.recall.std()), 1e-9)


def asked(where: Place, each: Set) -> Asked:
    """The features and the recall of the questions of a set."""
    graph, dataset = where.graph(each), each.dataset(where.data)
    retriever = Retriever(graph)
    found = [retriever.analyse(text).features for text in dataset.questions.values()]
    named = systems(graph, [Mode.SAGE])
    measured = evaluate(dataset, searcher(named), list(named), (5, 20)).modes["sage"]
    name = DOMAIN_MEASURE if each in DOMAINS else MEASURES[each.qrels]
    graph.close()
    return Asked(
        {name: np.array([each[name] for each in found], np.float64) for name in found[0]},
        measured.values[name],
    )


def fit(sets: Sequence[Asked]) -> DifficultyModel:
    """The dimensions with which the total falls most with recall, one changed at a time, and cuts of it."""
    options = {name: _options(sets, choices) for name, choices in CHOICES.items()}
    taken = {name: each[0] for name, each in options.items()}
    for _ in range(ROUNDS):
        for name, each in options.items():
            scores = [_agreement(sets, {**taken, name: option}) for option in each]
            taken[name] = each[int(np.argmax(scores))]
    return DifficultyModel(taken, _class_cuts(sets, taken))


def _options(sets: Sequence[Asked], choices: Sequence[str]) -> list[Dimension]:
    """Each feature with pairs of cuts, rising and falling."""
    found = []
    for name, shares in product(choices, QUANTILES):
        pooled = np.concatenate([each.features[name] for each in sets])
        low, high = (round(float(np.quantile(pooled, share)), 3) for share in shares)
        if low < high:
            found += [Dimension(name, (low, high)), Dimension(name, (high, low))]
    return found


def totals(each: Asked, dimensions: Mapping[str, Dimension]) -> DoubleArray:
    """(q,) the points of each question."""
    return sum(
        (points(each.features[one.feature], one.cuts).astype(np.float64) for one in dimensions.values()),
        np.zeros(len(each.recall)),
    )


def _agreement(sets: Sequence[Asked], dimensions: Mapping[str, Dimension]) -> float:
    """The mean over the sets of how much the total falls with recall: the covariance, standardised."""
    found = []
    for each in sets:
        total = totals(each, dimensions)
        found.append(-float((total - total.mean()) @ each.standardised) / len(total) / max(total.std(), 1e-9))
    return float(np.mean(found))


def _class_cuts(sets: Sequence[Asked], dimensions: Mapping[str, Dimension]) -> tuple[int, int]:
    """The totals from which classes begin that lie furthest apart on the mean of the sets."""
    of_sets = [totals(each, dimensions) for each in sets]
    pooled, best, found = np.concatenate(of_sets), -np.inf, (4, 7)
    for cuts in combinations(range(1, 11), 2):
        if np.bincount(points(pooled, cuts), minlength=3).min() < LEAST_SHARE * len(pooled):
            continue
        gaps = [
            _gap(each.standardised, points(total, cuts)) for each, total in zip(sets, of_sets, strict=True)
        ]
        if (apart := float(np.mean(gaps))) > best:
            best, found = apart, cuts
    return found


def _gap(recall: DoubleArray, classes: IntArray) -> float:
    """By how much a class lies below the one before it at least; 0 where one has too few questions."""
    counts = np.bincount(classes, minlength=3)
    if counts.min() < LEAST_OF_A_SET * len(classes):
        return 0.0
    means = np.bincount(classes, recall, 3) / counts
    return float(-np.diff(means).max())


def by_class(sets: Mapping[str, Asked], models: Mapping[str, DifficultyModel]) -> dict[str, object]:
    """The recall of each class with its interval: of each set by its own model, and of all; printed."""
    rows = {
        name: (each.recall, points(totals(each, models[name].dimensions), models[name].cuts))
        for name, each in sets.items()
    }
    recall, classes = (np.concatenate(column) for column in zip(*rows.values(), strict=True))
    figures: dict[str, object] = {}
    centred = np.concatenate([each.recall - each.recall.mean() for each in sets.values()])
    pooled = {"all": (recall, classes), "all, less the mean of the set": (centred, classes)}
    for name, (values, own) in {**rows, **pooled}.items():
        told = {
            str(kind): mean_intervals(values[own == number, np.newaxis])[0]
            for number, kind in enumerate(Difficulty)
            if (own == number).any()
        }
        figures[name] = {kind: asdict(each) for kind, each in told.items()}
        line = ", ".join(
            f"{kind} {100 * each.difference:.1f} [{100 * each.low:.1f}, {100 * each.high:.1f}] "
            f"of {each.questions}"
            for kind, each in told.items()
        )
        print(f"{name}: {line}", flush=True)
    return figures


def main() -> None:
    """Fits, prints, and writes where asked."""
    made = parser(__doc__)
    made.set_defaults(sets=",".join(each.name for each in (*SETS, *DOMAINS) if each.name != "ottqa-links"))
    made.add_argument("--write", action="store_true", help="write the cuts into the package")
    given = made.parse_args()
    where, wanted = place(given, made), chosen(given, made, (*SETS, *DOMAINS))
    sets = {each.name: asked(where, each) for each in wanted}
    model = fit(list(sets.values()))
    print(model.to_json())
    figures: dict[str, object] = {"seen": by_class(sets, dict.fromkeys(sets, model))}
    if len(sets) > 1:
        print("by cuts that were fitted to the other sets:")
        others = {name: fit([each for other, each in sets.items() if other != name]) for name in sets}
        figures["left out"] = by_class(sets, others)
    write("difficulty", figures)
    if given.write:
        file = Path(sage_ld.retrieval.rankings.models.__file__).with_name("difficulty.json")
        file.write_text(model.to_json(), encoding="utf-8")
        print(f"written: {file}")


if __name__ == "__main__":
    main()
