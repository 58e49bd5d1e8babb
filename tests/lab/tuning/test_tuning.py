"""A ranking learned from judgements of a small real corpus: what it gains, what it keeps, what is refused."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from sage_ld.foundation.errors import InputError, UnavailableError
from sage_ld.foundation.recipes import Ranking, load_recipe, parse_recipe, write_recipe
from sage_ld.graph import KnowledgeGraph
from sage_ld.lab.evaluation import Dataset, load_dataset
from sage_ld.lab.tuning import (
    FOLDS,
    Example,
    Examples,
    Plan,
    collect,
    folds,
    held_out,
    learn,
    parameters,
    run_of,
    tune,
    tuning_json,
)
from sage_ld.lab.tuning.examples import graded
from sage_ld.lab.tuning.tune import plan_for
from sage_ld.retrieval import Retriever
from sage_ld.retrieval.rankings.features import FEATURE_NAMES
from sage_ld.retrieval.rankings.models import load_model

QUESTIONS = 24


@pytest.fixture(scope="module")
def judged(data: Path) -> Dataset:
    """The first questions of HotpotQA."""
    whole = load_dataset(data / "hotpotqa")
    chosen = list(whole.questions)[:QUESTIONS]
    return replace(
        whole,
        questions={each: whole.questions[each] for each in chosen},
        judgements={each: whole.judgements[each] for each in chosen},
    )


@pytest.fixture(scope="module")
def graph(data: Path, judged: Dataset, tmp_path_factory: pytest.TempPathFactory) -> KnowledgeGraph:
    """Their passages, and as many others."""
    wanted = {document for grades in judged.judgements.values() for document in grades}
    lines = (data / "hotpotqa" / "corpus.jsonl").read_text(encoding="utf-8").splitlines()
    records = {json.loads(line)["_id"]: line for line in lines}
    others = [name for name in records if name not in wanted][: 4 * len(wanted)]
    folder = tmp_path_factory.mktemp("tuning")
    file = folder / "corpus.jsonl"
    file.write_text("".join(records[name] + "\n" for name in [*sorted(wanted), *others]), encoding="utf-8")
    made = KnowledgeGraph.create(folder / "graph", encoder="jaccard")
    made.ingest([file])
    return made


@pytest.fixture(scope="module")
def examples(graph: KnowledgeGraph, judged: Dataset) -> Examples:
    return collect(Retriever(graph), judged)


@pytest.mark.slow
def test_an_example_has_the_evidence_for_every_candidate(examples: Examples, judged: Dataset) -> None:
    assert [each.question for each in examples.items] == list(judged.questions)
    for each in examples.items:
        assert each.values.shape == (len(each.documents), len(FEATURE_NAMES))
        assert set(each.documents[each.gains > 0]) <= set(judged.judgements[each.question])
    assert examples.learnable() == QUESTIONS
    assert examples.unknown == ()


def test_the_shipped_ranking_of_examples_is_that_of_a_search(
    graph: KnowledgeGraph, examples: Examples
) -> None:
    run = run_of(examples.items, load_model())
    for identifier, text in list(examples.dataset.questions.items())[:5]:
        found = [each.view.identifier for each in Retriever(graph).retrieve(text, 10, 5).results]
        assert run[identifier][:5] == list(dict.fromkeys(found))[:5]


def test_gains_are_in_proportion_to_the_grades(judged: Dataset) -> None:
    first = next(iter(judged.judgements))
    assert set(graded(judged)[first].values()) == {7.0}
    mixed = replace(judged, judgements={first: {"a": 1, "b": 2, "c": 4}})
    assert graded(mixed) == {first: {"a": 1.75, "b": 3.5, "c": 7.0}}


def test_learning_ranks_what_it_has_seen_better_than_what_only_one_feature_says(examples: Examples) -> None:
    model = learn(examples.items, Plan(rounds=20, leaves=4, least=5))
    runs = run_of(examples.items, model)
    relevant = [examples.dataset.relevant(each.question) for each in examples.items]
    first = [run[0] in those for run, those in zip(runs.values(), relevant, strict=True)]
    by_text = [
        each.documents[each.values[:, FEATURE_NAMES.index("bm25")].argmax()] for each in examples.items
    ]
    flat = [document in those for document, those in zip(by_text, relevant, strict=True)]
    assert np.mean(first) > np.mean(flat)


def test_learning_twice_gives_the_same_model_and_leaves_out_what_is_left_out(examples: Examples) -> None:
    kept = tuple(name for name in FEATURE_NAMES if not name.startswith("edge_"))
    plan = Plan(rounds=5, leaves=4, least=5, features=kept)
    model = learn(examples.items, plan)
    assert model.to_json() == learn(examples.items, plan).to_json()
    trees = model.trees
    inner = trees.children[::2] != np.arange(len(trees.feature))
    assert {FEATURE_NAMES[number] for number in trees.feature[inner]} <= set(kept)


def test_a_prior_is_what_the_trees_are_added_to(examples: Examples) -> None:
    prior = load_model()
    model = learn(examples.items, Plan(rounds=3, leaves=3, least=5), prior=prior)
    assert model.trees == prior.trees
    assert model.corrections is not None
    assert len(model.corrections.roots) == 3
    rows = examples.items[0].values
    assert 0 < np.abs(model.logits(rows) - prior.logits(rows)).max() < 1


def test_no_question_is_ranked_by_a_model_that_has_seen_it(examples: Examples) -> None:
    seen: list[set[str]] = []

    def fit(given: list[Example]) -> object:
        seen.append({each.question for each in given})
        return load_model()

    run = held_out(examples.items, fit, folds(examples.items))
    assert list(run) == [each.question for each in examples.items]
    assert len(seen) == FOLDS
    for each, (_, held) in zip(seen, folds(examples.items), strict=True):
        assert not each & {examples.items[place].question for place in held}


def about(*relevant: str) -> list[Example]:
    """Questions with these relevant documents, one letter each."""
    nothing = np.zeros((0, len(FEATURE_NAMES)), np.float32), np.array([], object), np.zeros(0)
    return [Example(f"q{number}", *nothing, frozenset(each)) for number, each in enumerate(relevant)]


@pytest.mark.parametrize(
    ("relevant", "held"),
    [
        (["a", "b", "c", "d", "e"], [[0, 2, 4], [1, 3]]),
        (["ab", "c", "bd", "e", "d"], [[0, 2, 4], [1, 3]]),
        (["a", "b", "b", "b", "c"], [[0, 4], [1, 2, 3]]),
        (["a", "", "", "a"], [[0, 3], [1, 2]]),
    ],
)
def test_questions_of_the_same_documents_are_held_out_together(
    relevant: list[str], held: list[list[int]]
) -> None:
    found = list(folds(about(*relevant), 2))
    assert [each for _, each in found] == held
    for seen, out in found:
        assert sorted([*seen, *out]) == list(range(len(relevant)))


def test_where_all_questions_share_documents_none_can_be_held_out() -> None:
    with pytest.raises(InputError, match="all 3 questions are joined by relevant documents"):
        list(folds(about("ab", "bc", "c"), 2))


def test_tuning_says_what_it_gained_on_questions_held_out(examples: Examples) -> None:
    ticks: list[int] = []
    tuning = tune(examples, lambda: ticks.append(1))
    told = tuning_json(tuning)
    assert (set(told["modes"]), told["baseline"], len(ticks)) == (
        {"default", "flat", "tuned"},
        "default",
        FOLDS + 1,
    )
    assert told["gain"]["low"] <= told["gain"]["difference"] <= told["gain"]["high"]
    values = told["modes"]
    gained = values["tuned"]["ndcg@10"] - values["default"]["ndcg@10"]
    assert told["gain"]["difference"] == pytest.approx(gained, abs=1e-5)
    assert told["verdict"] == tuning.verdict
    assert tuning.model.corrections is not None
    assert len(tuning.model.corrections.roots) == tuning.plan.rounds
    assert ("No gain" in tuning.verdict) != told["gain"]["significant"]


def test_a_recipe_carries_its_ranking_and_a_graph_can_adopt_it(
    graph: KnowledgeGraph, examples: Examples
) -> None:
    model = learn(examples.items, Plan(rounds=5, leaves=4, least=5))
    given = replace(parameters(graph.recipe.retrieval), model=model.to_json())
    recipe = replace(graph.recipe, name="mine", retrieval=given)
    assert parse_recipe(write_recipe(recipe)) == recipe
    question = next(iter(examples.dataset.questions.values()))
    tuned = Retriever(graph, given).retrieve(question)
    assert tuned.results != Retriever(graph).retrieve(question).results
    graph.adopt(given)
    again = KnowledgeGraph.open(graph.directory.path)
    assert again.recipe.edges == load_recipe("default").edges
    assert Retriever(again).retrieve(question).results == tuned.results
    assert Retriever(graph).retrieve(question).results == tuned.results


def test_a_graph_whose_recipe_learns_nothing_is_tuned_from_the_default() -> None:
    found = parameters(load_recipe("paper").retrieval)
    assert (found.ranking, found.channels) == (Ranking.LEARNED, load_recipe("default").retrieval.channels)
    mine = replace(load_recipe("default").retrieval, bm25_weight=0.7, model="{}")
    assert parameters(mine) == replace(mine, model="default")


def test_few_questions_correct_the_shipped_ranking_less_than_many() -> None:
    few, many = plan_for(49), plan_for(50)
    assert few.rounds < many.rounds
    assert few.leaves < many.leaves


def test_too_few_questions_are_refused(examples: Examples) -> None:
    few = Examples(examples.dataset, examples.items[:9])
    with pytest.raises(
        InputError, match=r"9 of 9 questions have a relevant document.*at least 10 are needed"
    ):
        tune(few)


def test_questions_without_anything_relevant_teach_nothing(examples: Examples) -> None:
    barren = tuple(replace(each, gains=np.zeros(len(each.gains))) for each in examples.items)
    with pytest.raises(InputError, match=r"0 of 24 questions .* at least 10 .* eval --explain"):
        tune(Examples(examples.dataset, barren))
    with pytest.raises(InputError, match="nothing to learn"):
        learn(barren)


def test_without_lightgbm_the_extra_is_named(
    monkeypatch: pytest.MonkeyPatch, examples: Examples, graph: KnowledgeGraph, judged: Dataset
) -> None:
    monkeypatch.setitem(sys.modules, "lightgbm", None)
    for fail in (lambda: learn(examples.items), lambda: collect(Retriever(graph), judged)):
        with pytest.raises(UnavailableError, match=r"lightgbm is not installed.*sage-ld\[tuning\]"):
            fail()


def test_judgements_of_other_documents_are_refused_or_counted(graph: KnowledgeGraph, judged: Dataset) -> None:
    first = next(iter(judged.judgements))
    stray = replace(judged, judgements=judged.judgements | {first: {"nowhere": 1}})
    assert collect(Retriever(graph), stray).unknown == ("nowhere",)
    foreign = replace(judged, judgements={each: {f"x-{each}": 1} for each in judged.questions})
    with pytest.raises(InputError, match=r"none of the 24 documents that hotpotqa judges .*'x-"):
        collect(Retriever(graph), foreign)
