"""Learns the default ranking, and says how well it carries over to questions and data sets it has not seen.

    python benchmarks/learning.py [--data FOLDER] [--graphs FOLDER] [--sets …] [--write]

The documents that bear the answer have the gain 15 and its table 1, all supporting passages 7. Every graph
weighs the same, and OTT-QA has two; generated questions on single chunks of the same graphs weigh a little.
Printed are the figures of cross-validation over the questions (those that share a table or a passage are held
out together) and of leaving each data set out. On two corpora of other domains and on generated files of a
company, of which nothing is learned, the model is compared with the flat ranking of the same graph. `--write`
learns from all questions and writes sage_ld/retrieval/rankings/models/default.json.
"""

from __future__ import annotations

import math
import tempfile
from collections import defaultdict
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from _own_words import KINDS, own_words
from _report import write
from _services import write_services
from _sets import DOMAINS, SETS, Place, Set, all_examples, chosen, examples, parser, place

import sage_ld.retrieval.rankings.models
from sage_ld import KnowledgeGraph, Retriever
from sage_ld.graph.store.reading import chunks as chunks_of_store
from sage_ld.lab.evaluation import BUDGETS, Evaluation, as_json, compare
from sage_ld.lab.evaluation.measures import Run
from sage_ld.lab.tuning import Example, Examples, Plan, evidence, flat_run, folds, learn, parameters, run_of
from sage_ld.retrieval.rankings.features import FEATURE_NAMES
from sage_ld.retrieval.rankings.learned_model import LearnedModel

FOLDS = 3
PLAN = Plan(features=tuple(name for name in FEATURE_NAMES if name != "likeness"))
"""`likeness` counts where the trees do not; with it in them, MuSiQue loses a point."""
_HYBRID = FEATURE_NAMES.index("hybrid")
_OF_DOMAIN = ("ndcg@10", "mrr", "recall@5", "recall@20")
FOLDER = {each.name: each.folder for each in SETS}


OWN_WORDS_WEIGHT = 0.25
"""The weight of the generated questions of a graph on one kind of chunk, where that of a set is 1. With 0.15,
loose questions on rows of tables are answered hardly better than by flat search."""
OwnWords: TypeAlias = Mapping[str, Sequence[Sequence[Example]]]
"""The generated questions of each set's graph, by kind of chunk."""


def together(parts: Mapping[str, Sequence[Example]], own: OwnWords, plan: Plan | None = None) -> LearnedModel:
    """A model of the examples of several sets, each with its weight."""
    weighed = [(1.0, part) for part in parts.values()]
    weighed += [(OWN_WORDS_WEIGHT, part) for name in parts for part in own[name] if part]
    items = [item for _, part in weighed for item in part]
    weights = [weight / len(part) for weight, part in weighed for _ in part]
    return learn(items, plan or PLAN, weights)


def generated(where: Place, sets: Sequence[Set], changes: Mapping[str, Any] | None = None) -> OwnWords:
    """The generated questions of the graphs of some sets, by the default recipe with `changes`."""
    found = {}
    for each in sets:
        graph = where.graph(each)
        found[each.name] = [own_words(graph, kind, changes) for kind in KINDS]
        graph.close()
    return found


def crossed(sets: Mapping[str, Examples], own: OwnWords, plan: Plan | None = None) -> dict[str, Run]:
    """Rankings by models that have not seen the question, nor the same one over another graph."""
    split = {name: list(folds(each.items, FOLDS)) for name, each in sets.items()}

    def fold(number: int) -> dict[str, dict[str, list[str]]]:
        parts = {name: each[number] for name, each in split.items()}
        model = together(
            {name: [each.items[at] for at in parts[name][0]] for name, each in sets.items()}, own, plan
        )
        return {
            name: dict(run_of([each.items[at] for at in parts[name][1]], model))
            for name, each in sets.items()
        }

    with ThreadPoolExecutor(2) as pool:
        found = list(pool.map(fold, range(FOLDS)))
    return {
        name: {
            item.question: ranking[item.question]
            for item in each.items
            for ranking in [{question: ranked for part in found for question, ranked in part[name].items()}]
        }
        for name, each in sets.items()
    }


def left_out(sets: Mapping[str, Examples], own: OwnWords) -> dict[str, Run]:
    """Rankings by models that have seen no question of the set."""
    found = {}
    for name, each in sets.items():
        others = {other: its.items for other, its in sets.items() if FOLDER[other] != FOLDER[name]}
        if others:
            found[name] = run_of(each.items, together(others, own))
    return found


def headline(found: Evaluation, mode: str) -> str:
    """The figures that the issue of a set names, in one line."""
    result = found.modes[mode]
    if found.dataset.qrels in ("answer", "table"):
        names = [f"success@{k}" for k in BUDGETS]
    else:
        names = ["recall@2", "recall@5", "all@5"]
    return ", ".join(f"{name} {100 * result.mean(name):.1f}" for name in names)


def main() -> None:
    """Collects, cross-validates, and writes where asked."""
    made = parser(__doc__)
    made.add_argument("--write", action="store_true", help="write the model into the package")
    given = made.parse_args()
    where, wanted = place(given, made), chosen(given, made)
    sets = all_examples(where, wanted)
    own = generated(where, wanted)
    runs = {"cross-validated": crossed(sets, own), "left out": left_out(sets, own)}
    figures: dict[str, object] = {}
    for each in wanted:
        evaluations = _measured(each, sets[each.name], runs, where.data)
        figures[each.name] = {name: as_json(found) for name, found in evaluations.items()}
    model = together({name: each.items for name, each in sets.items()}, own)
    figures["domains"] = {each.name: _on_domain(where, each, model) for each in DOMAINS}
    figures["services"] = _on_services(model)
    write("learning", figures)
    if given.write:
        file = Path(sage_ld.retrieval.rankings.models.__file__).with_name("default.json")
        file.write_text(model.to_json() + "\n", encoding="utf-8")
        print(f"written: {file}")


def _on_domain(where: Place, each: Set, model: LearnedModel) -> dict[str, object]:
    """The model against the flat ranking, on a corpus of another domain; printed."""
    found = examples(where, each)
    runs = {"flat": flat_run(found.items), "learned": run_of(found.items, model)}
    evaluation = compare(found.dataset, runs, BUDGETS, "flat")
    for way, result in evaluation.modes.items():
        told = ", ".join(f"{name} {100 * result.mean(name):.1f}" for name in _OF_DOMAIN)
        print(f"{each.name}, {way}: {told}", flush=True)
    return as_json(evaluation)


def _on_services(model: LearnedModel) -> dict[str, dict[str, list[float]]]:
    """Mean reciprocal rank, and shares of answers that are first and among three, in per cent; printed."""
    places: dict[tuple[str, str], list[float]] = defaultdict(list)
    with tempfile.TemporaryDirectory() as folder:
        questions = write_services(Path(folder) / "files")
        graph = KnowledgeGraph.create(Path(folder) / "graph", encoder="minilm")
        graph.ingest([Path(folder) / "files"])
        retriever, snapshot = Retriever(graph, parameters(graph.recipe.retrieval)), graph.snapshot()
        texts = {each.iri: each.chunk.text for each in chunks_of_store(snapshot.store, links=False)}
        names, documents = retriever.identifiers(snapshot), retriever.chunk_table(snapshot).documents
        chunks = [(names[documents[row]], texts[iri]) for row, iri in enumerate(snapshot.vectors.iris)]
        for question in questions:
            found = evidence(retriever, snapshot, question.text)
            ways = {"flat": found.values[:, _HYBRID], "learned": model.logits(found.values)}
            for way, scores in ways.items():
                order = found.candidates[np.argsort(-scores, kind="stable")].tolist()
                right = (at for at, row in enumerate(order, 1) if question.answered_by(*chunks[row]))
                places[question.kind, way].append(next(right, math.inf))
        graph.close()
    figures: dict[str, dict[str, list[float]]] = defaultdict(dict)
    for (kind, way), each in places.items():
        told = [sum(1 / at for at in each), sum(at <= 1 for at in each), sum(at <= 3 for at in each)]
        figures[kind][way] = [round(100 * value / len(each), 1) for value in told]
        print(
            f"services, {kind}, {way}: mrr {figures[kind][way][0]}, first, of three: {figures[kind][way][1:]}"
        )
    return figures


def _measured(
    each: Set, found: Examples, runs: Mapping[str, Mapping[str, Run]], data: Path
) -> dict[str, Evaluation]:
    """Each way by the set's judgements, and by OTT-QA's tables; printed."""
    judged = {each.qrels: found.dataset}
    if each.qrels == "answer":
        judged["table"] = each.tables(data)
    evaluations = {}
    for name, dataset in judged.items():
        evaluations[name] = compare(
            dataset, {way: run[each.name] for way, run in runs.items() if each.name in run}
        )
        for way in evaluations[name].modes:
            print(f"{each.name} {name}, {way}: {headline(evaluations[name], way)}", flush=True)
    return evaluations


if __name__ == "__main__":
    main()
