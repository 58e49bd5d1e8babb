"""Learns the default ranking, and says how well it carries over to questions and data sets it has not seen.

    python benchmarks/learning.py [--data FOLDER] [--graphs FOLDER] [--sets …] [--write]

The documents that bear the answer have the gain 15 and its table 1, all supporting passages 7; every data set
weighs the same. Printed are the figures of cross-validation over the questions (those that share a table or a
passage are held out together) and of leaving each data set out. On two corpora of other domains, of which
nothing is learned, the model is compared with the flat ranking of the same graph. `--write` learns from all
questions and writes sage_ld/retrieval/models/default.json.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from _report import write
from _sets import DOMAINS, SETS, Place, Set, all_examples, chosen, examples, parser, place

import sage_ld.retrieval.models
from sage_ld.evaluation import BUDGETS, Evaluation, as_json, compare
from sage_ld.evaluation.measures import Run
from sage_ld.retrieval.features import FEATURE_NAMES
from sage_ld.retrieval.learned_model import LearnedModel
from sage_ld.tuning import Example, Examples, Plan, folds, learn, ranked, run_of

FOLDS = 3
PLAN = Plan(features=tuple(name for name in FEATURE_NAMES if name != "likeness"))
"""`likeness` counts where the trees do not; with it in them, MuSiQue loses a point."""
_HYBRID = FEATURE_NAMES.index("hybrid")
_OF_DOMAIN = ("ndcg@10", "mrr", "recall@5", "recall@20")
FOLDER = {each.name: each.folder for each in SETS}


def together(parts: Mapping[str, Sequence[Example]], plan: Plan | None = None) -> LearnedModel:
    """A model of the examples of several sets, each of which weighs the same."""
    items = [item for part in parts.values() for item in part]
    weights = [1 / len(part) for part in parts.values() for _ in part]
    return learn(items, plan or PLAN, weights)


def crossed(sets: Mapping[str, Examples], plan: Plan | None = None) -> dict[str, Run]:
    """Rankings by models that have not seen the question, nor the same one over another graph."""
    split = {name: list(folds(each.items, FOLDS)) for name, each in sets.items()}

    def fold(number: int) -> dict[str, dict[str, list[str]]]:
        parts = {name: each[number] for name, each in split.items()}
        model = together(
            {name: [each.items[at] for at in parts[name][0]] for name, each in sets.items()}, plan
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


def left_out(sets: Mapping[str, Examples]) -> dict[str, Run]:
    """Rankings by models that have seen no question of the set."""
    found = {}
    for name, each in sets.items():
        others = {other: its.items for other, its in sets.items() if FOLDER[other] != FOLDER[name]}
        if others:
            found[name] = run_of(each.items, together(others))
    return found


def flat(found: Examples) -> Run:
    """The flat ranking of the candidates."""
    return {item.question: ranked(item, item.values[:, _HYBRID]) for item in found.items}


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
    runs = {"cross-validated": crossed(sets), "left out": left_out(sets)}
    figures: dict[str, object] = {}
    for each in wanted:
        evaluations = _measured(each, sets[each.name], runs, where.data)
        figures[each.name] = {name: as_json(found) for name, found in evaluations.items()}
    model = together({name: each.items for name, each in sets.items()})
    figures["domains"] = {each.name: _on_domain(where, each, model) for each in DOMAINS}
    write("learning", figures)
    if given.write:
        file = Path(sage_ld.retrieval.models.__file__).with_name("default.json")
        file.write_text(model.to_json() + "\n", encoding="utf-8")
        print(f"written: {file}")


def _on_domain(where: Place, each: Set, model: LearnedModel) -> dict[str, object]:
    """The model against the flat ranking, on a corpus of another domain; printed."""
    found = examples(where, each)
    runs = {"flat": flat(found), "learned": run_of(found.items, model)}
    evaluation = compare(found.dataset, runs, BUDGETS, "flat")
    for way, result in evaluation.modes.items():
        told = ", ".join(f"{name} {100 * result.mean(name):.1f}" for name in _OF_DOMAIN)
        print(f"{each.name}, {way}: {told}", flush=True)
    return as_json(evaluation)


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
