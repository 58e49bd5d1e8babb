from __future__ import annotations

import json
import xml.etree.ElementTree as ElementTree
from dataclasses import replace
from io import StringIO
from itertools import pairwise
from urllib.parse import unquote

import pytest
from lab.evaluation.conftest import GOLD
from rich.console import Console

from sage_ld.foundation.errors import InputError
from sage_ld.lab.evaluation import as_json, as_table, chart_svg, evaluate, load_dataset, trec_lines

RANKINGS = {
    "hybrid": {"first?": ["x", "x", "a", "b"], "second?": ["x", "y", "z", "c"]},
    "sage": {"first?": ["a", "b", "x"], "second?": ["c", "x"]},
}


@pytest.fixture
def dataset(folder):
    return load_dataset(folder(support=GOLD))


def search(question, budget, mode):
    ranking = RANKINGS[mode][question]
    return [(document, 1 / (rank + 1)) for rank, document in enumerate(ranking)][:budget]


def test_modes_are_measured_at_each_budget_and_set_against_the_baseline(dataset):
    report = as_json(evaluate(dataset, search, ["sage", "hybrid"], budgets=[3, 2]))
    assert report["dataset"] == dataset.name
    assert (report["qrels"], report["queries"], report["baseline"]) == ("support", 2, "hybrid")
    hybrid, sage = report["modes"]["hybrid"], report["modes"]["sage"]
    assert (hybrid["success@2"], hybrid["recall@2"], hybrid["recall@3"]) == (0.5, 0.25, 0.5)
    assert (sage["success@2"], sage["all@2"], sage["mrr"]) == (1, 1, 1)
    assert report["differences"]["sage"]["recall@2"]["difference"] == 0.75
    assert list(report["differences"]) == ["sage"]
    assert json.loads(json.dumps(report)) == report


def test_a_second_chunk_of_a_document_takes_no_rank(dataset):
    result = evaluate(dataset, search, ["hybrid"], budgets=[2]).modes["hybrid"]
    assert result.run["q1"] == ["x", "a", "b"]
    assert result.mean("recall@2") == 0.25


def test_a_mode_is_asked_for_more_until_it_has_as_many_documents_or_no_more_to_give(dataset):
    """Thirty chunks of one document stand before the others: three documents take 32 chunks."""
    asked = []

    def crowded(question, budget, mode):
        asked.append(budget)
        return [(document, 1.0) for document in ["x"] * 30 + ["y", "a"]][:budget]

    few = evaluate(dataset, crowded, ["hybrid"], [12]).modes["hybrid"]
    assert few.run["q1"] == ["x", "y", "a"]
    assert asked == [24, 96, 24, 96]
    asked.clear()
    alone = evaluate(dataset, crowded, ["hybrid"], [3]).modes["hybrid"]
    among = evaluate(dataset, crowded, ["hybrid"], [3, 50]).modes["hybrid"]
    assert alone.mean("success@3") == among.mean("success@3") == 0.5


def test_each_mode_is_asked_once_a_question_unless_its_results_are_not_nested(dataset):
    asked = []

    def counting(question, budget, mode):
        asked.append((question, budget, mode))
        return search(question, budget, mode)

    ticks = []
    evaluate(
        dataset, counting, ["hybrid", "sage"], [1, 3], per_budget=["sage"], advance=lambda: ticks.append(1)
    )
    assert [each for each in asked if each[2] == "hybrid"] == [
        ("first?", 20, "hybrid"),
        ("second?", 20, "hybrid"),
    ]
    assert [each[1] for each in asked if each[2] == "sage"] == [1, 3, 10, 1, 3, 10]
    assert len(ticks) == 4


def test_a_mode_asked_at_each_budget_is_measured_on_its_own_answer(dataset):
    def split(question, budget, mode):
        return [("a", 1.0)] if budget == 2 else [("x", 1.0), ("y", 0.9), ("b", 0.8)]

    values = evaluate(dataset, split, ["paper"], [2, 3], per_budget=["paper"]).modes["paper"]
    assert (values.mean("success@2"), values.mean("success@3")) == (0.5, 0.5)
    assert values.mean("mrr") == pytest.approx((1 / 3) / 2)


@pytest.mark.parametrize("per_budget", [[], ["sage"]])
def test_measures_of_the_whole_ranking_see_ten_documents_whatever_the_budgets(dataset, per_budget):
    def late(question, budget, mode):
        return [(document, 1.0) for document in [*"stuvwxyz", "a", "b", "c"]][:budget]

    small = evaluate(dataset, late, ["sage"], [2], per_budget=per_budget).modes["sage"]
    large = evaluate(dataset, late, ["sage"], [2, 10], per_budget=per_budget).modes["sage"]
    for name in ("success@2", "recall@2", "ndcg@10", "mrr"):
        assert small.mean(name) == large.mean(name)
    assert small.mean("mrr") == pytest.approx(1 / 9 / 2)
    assert small.mean("success@2") == 0


def test_without_the_baseline_there_are_no_differences(dataset):
    evaluation = evaluate(dataset, search, ["sage"], [2])
    assert (evaluation.baseline, dict(evaluation.differences)) == (None, {})
    assert "differences" not in as_json(evaluation)


@pytest.mark.parametrize(
    ("modes", "budgets", "message"),
    [
        ([], [2], "no mode to evaluate; give"),
        (["sage"], [0], r"budgets \[0\]: each must be at least 1; give"),
        (["sage"], [], r"budgets \[\]: each must"),
        (["sage"], [5, 10**20], "budget 100,000,000,000,000,000,000: the limit is 10,000; give"),
    ],
)
def test_what_cannot_be_evaluated_is_an_error(dataset, modes, budgets, message):
    with pytest.raises(InputError, match=message):
        evaluate(dataset, search, modes, budgets)


def test_the_table_shows_per_cent_and_the_gain(dataset):
    console = Console(file=StringIO(), width=120)
    console.print(as_table(evaluate(dataset, search, ["hybrid", "sage"], [2, 3])))
    text = console.file.getvalue()
    assert "support · 2 questions" in text
    row = next(line for line in text.splitlines() if "recall" in line)
    assert "25.0" in row
    assert "+75.0" in text
    assert "*" not in text
    assert "no stars below 10 questions" in " ".join(text.split())


def test_what_is_left_out_and_what_the_graph_does_not_hold_is_told(folder):
    dataset = load_dataset(folder(support=GOLD + "q3\tx\t0\n"))
    found = evaluate(dataset, search, ["sage"], [2], known=["a", "b", "x"])
    told = as_json(found)
    assert (told["unjudged_queries"], told["unknown_documents"], told["unknown_example"]) == (1, 1, "c")
    console = Console(file=StringIO(), width=150)
    console.print(as_table(found))
    text = " ".join(console.file.getvalue().split())
    assert "questions without a relevant document, left out: 1" in text
    assert "not in the graph, missed in every row: 1, such as 'c'" in text
    assert "unknown_documents" not in as_json(evaluate(dataset, search, ["sage"], [2]))


@pytest.mark.parametrize(
    ("known", "message"), [(["x", "w"], "'a' where the graph has 'w'; judge"), ([], "no document; judge")]
)
def test_judgements_of_another_graph_are_refused_before_anything_is_asked(dataset, known, message):
    def never(question, budget, mode):
        raise AssertionError(question)

    with pytest.raises(InputError, match=f"none of the 3 documents .* judges is in the graph.*{message}"):
        evaluate(dataset, never, ["sage"], [2], known=known)


def test_names_in_brackets_are_no_markup_of_the_table(dataset):
    odd = replace(dataset, name="[red]", unjudged=1)
    console = Console(file=StringIO(), width=150)
    console.print(as_table(evaluate(odd, lambda *_: [("a", 1.0)], ["[bold]"], [2], known=["a"])))
    assert "[red]" in console.file.getvalue()
    assert "[bold]" in console.file.getvalue()


def test_a_run_file_keeps_the_order_at_any_depth():
    deep = [f"d{rank}" for rank in range(3000)]
    lines = [line.split(" ") for line in trec_lines({"q": deep}, "t")]
    assert [line[2] for line in lines] == deep
    scores = [float(line[4]) for line in lines]
    assert all(before > after for before, after in pairwise(scores))
    assert scores[-1] == 1


@pytest.mark.parametrize("name", ["a b", "a\tb\n", "a%20b", "100 %", "a\u3000b\x85", "Käse.md"])
def test_an_identifier_with_white_space_is_one_field_of_a_run_file_and_can_be_read_back(name):
    (line,) = trec_lines({name: [name]}, "my recipe")
    question, _, document, *_, tag = fields = line.split()
    assert len(fields) == 6
    assert unquote(question) == unquote(document) == name
    assert tag == "my%20recipe"


def test_the_chart_is_xml_with_a_line_for_each_mode(dataset):
    evaluation = evaluate(dataset, search, ["hybrid", "sage"], [2, 3])
    root = ElementTree.fromstring(chart_svg(evaluation, "recall"))
    space = "{http://www.w3.org/2000/svg}"
    assert len(root.findall(f"{space}polyline")) == 2
    assert [each.text for each in root.iter(f"{space}title")][-1] == "sage @3: 100.0"
    with pytest.raises(InputError, match="success, recall, all"):
        chart_svg(evaluation, "ndcg")


def test_a_chart_of_one_budget_has_no_division_by_zero(dataset):
    assert "<svg" in chart_svg(evaluate(dataset, search, ["sage"], [5]))
