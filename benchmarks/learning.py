"""Learns the default ranking, and says how well it carries over to questions and data sets it has not seen.

    python benchmarks/learning.py GRAPH=DATASET [GRAPH=DATASET …] [--write]

Each GRAPH was built from the benchmark folder DATASET by `sage-ld ingest`. Relevant documents have grade 3;
where a data set judges answers and tables apart, the answer's documents have 4 and the table 1. Every pair
weighs the same. Printed are the figures of three-fold cross-validation over the questions and of leaving each
data set out; `--write` learns from all questions and writes sage_ld/retrieval/models/default.json.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Collection
from dataclasses import dataclass
from pathlib import Path

import lightgbm
import numpy as np
from numpy.typing import NDArray

import sage_ld.retrieval.models
from sage_ld.evaluation.datasets import load_dataset, qrels_names
from sage_ld.graph import KnowledgeGraph
from sage_ld.retrieval import Retriever, ranking
from sage_ld.retrieval.features import FREE, NAMES
from sage_ld.retrieval.trees import Trees

ROUNDS = 150
FOLDS = 3
BUDGETS = (2, 5, 10, 20, 50, 100)
PARAMETERS = {
    "objective": "lambdarank",
    "num_leaves": 15,
    "learning_rate": 0.07,
    "min_data_in_leaf": 50,
    "feature_fraction": 0.6,
    "bagging_fraction": 0.8,
    "bagging_freq": 1,
    "lambda_l2": 5,
    "lambdarank_truncation_level": 100,
    "label_gain": [0, 1, 3, 7, 15],
    "max_bin": 63,
    "monotone_constraints": [0 if name in FREE else 1 for name in NAMES],
    "num_threads": 2,
    "seed": 7,
    "deterministic": True,
    "force_col_wise": True,
    "verbosity": -1,
}


@dataclass(frozen=True)
class Example:
    """A question's candidates."""

    values: NDArray[np.float32]
    documents: NDArray[np.int64]
    grades: NDArray[np.int64]
    relevant: int
    """How many documents are relevant in all, candidates or not."""


@dataclass(frozen=True)
class Collected:
    """A data set's examples."""

    name: str
    folder: Path
    graded: bool
    examples: list[Example]


def main() -> None:
    """Collects, cross-validates, and writes where asked."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("pairs", nargs="*", metavar="GRAPH=DATASET")
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    if not given.pairs:
        print("no GRAPH=DATASET given: nothing to learn from")
        return
    sets = [collect(*map(Path, pair.split("=", 1))) for pair in given.pairs]
    print("cross-validated over the questions")
    report(sets, lambda each, fold: [i for i in range(len(each.examples)) if i % FOLDS != fold], FOLDS)
    print("each data set left out")
    for number, left in enumerate(sets):
        others = [each for each in sets if each.folder != left.folder]
        if others:
            model = learn([(each, range(len(each.examples))) for each in others])
            show(left, [measures(left, i, model) for i in range(len(sets[number].examples))])
    if given.write:
        model = learn([(each, range(len(each.examples))) for each in sets])
        file = Path(sage_ld.retrieval.models.__file__).with_name("default.json")
        file.write_text(Trees.of_lightgbm(model.dump_model(), NAMES).to_json() + "\n", encoding="utf-8")
        print(f"written: {file}")


def collect(path: Path, folder: Path) -> Collected:
    """Asks every question for its candidates."""
    retriever = Retriever(KnowledgeGraph.open(path))
    snapshot = retriever.graph.snapshot()
    catalogue, names = retriever.catalogue(snapshot), np.array(retriever.identifiers(snapshot), dtype=object)
    graded = {"answer", "table"} <= set(qrels_names(folder))
    dataset = load_dataset(folder, "answer" if graded else None)
    tables = load_dataset(folder, "table") if graded else None
    examples = []
    for identifier, text in dataset.questions.items():
        question = retriever.question(snapshot, text)
        channels = retriever.parameters.channels
        found = ranking.candidates(snapshot, catalogue, question, channels, retriever.parameters).features
        documents = catalogue.documents[found.candidates]
        relevant = dataset.relevant(identifier)
        grades = np.isin(names[documents], list(relevant)) * (4 if graded else 3)
        if tables is not None and identifier in tables.questions:
            grades = np.maximum(grades, np.isin(names[documents], list(tables.relevant(identifier))) * 1)
        examples.append(Example(found.values, documents, grades, len(relevant)))
    return Collected(path.name, folder, graded, examples)


def learn(parts: list[tuple[Collected, Collection[int]]]) -> lightgbm.Booster:
    """A model of the given examples; each data set weighs the same."""
    values, grades, groups, weights = [], [], [], []
    for each, chosen in parts:
        for i in chosen:
            example = each.examples[i]
            if example.grades.any():
                values.append(example.values)
                grades.append(example.grades)
                groups.append(len(example.grades))
                weights.append(np.full(len(example.grades), 1 / len(chosen)))
    weight = np.concatenate(weights)
    data = lightgbm.Dataset(
        np.concatenate(values), np.concatenate(grades), group=groups, weight=weight / weight.mean()
    )
    return lightgbm.train(PARAMETERS, data, ROUNDS)


def report(sets: list[Collected], chosen: Callable[[Collected, int], list[int]], folds: int) -> None:
    """Learns on the chosen examples of each fold and measures on the others."""
    found: dict[str, list[list[float]]] = {each.name: [] for each in sets}
    for fold in range(folds):
        model = learn([(each, chosen(each, fold)) for each in sets])
        for each in sets:
            held = sorted(set(range(len(each.examples))) - set(chosen(each, fold)))
            found[each.name] += [measures(each, i, model) for i in held]
    for each in sets:
        show(each, found[each.name])


def measures(each: Collected, number: int, model: lightgbm.Booster) -> list[float]:
    """Success at each budget where answers are graded, else recall at 2 and 5 and all at 5."""
    example = each.examples[number]
    order = np.argsort(-model.predict(example.values), kind="stable")
    _, first = np.unique(example.documents[order], return_index=True)
    grades = example.grades[order][np.sort(first)]
    if each.graded:
        return [float((grades[:k] == 4).any()) for k in BUDGETS]
    hits = [float((grades[:k] > 0).sum()) / max(example.relevant, 1) for k in (2, 5)]
    return [*hits, float(hits[1] >= 1)]


def show(each: Collected, values: list[list[float]]) -> None:
    """One line of percentages."""
    names = [f"success@{k}" for k in BUDGETS] if each.graded else ["recall@2", "recall@5", "all@5"]
    means = 100 * np.mean(values, axis=0)
    print(
        f"  {each.name}: " + ", ".join(f"{n} {m:.1f}" for n, m in zip(names, means, strict=True)), flush=True
    )


if __name__ == "__main__":
    main()
