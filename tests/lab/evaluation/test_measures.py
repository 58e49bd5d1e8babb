from __future__ import annotations

import math
import sys

import numpy as np
import pytest

from sage_ld.foundation.errors import UnavailableError
from sage_ld.lab.evaluation import Dataset, documents, evaluate, measure, measure_names

JUDGED = {"q1": {"a": 1, "b": 1}, "q2": {"c": 1}, "q3": {"d": 2, "e": 1}}
RUN = {"q1": ["x", "a", "y", "b"], "q2": ["y", "x"], "q3": ["e", "d"]}


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("success@1", [0, 0, 1]),
        ("success@2", [1, 0, 1]),
        ("recall@2", [0.5, 0, 1]),
        ("recall@4", [1, 0, 1]),
        ("all@2", [0, 0, 1]),
        ("all@4", [1, 0, 1]),
        ("mrr", [0.5, 0, 1]),
    ],
)
def test_values_by_hand(name, expected):
    assert measure(RUN, JUDGED, [name])[name].tolist() == expected


def test_ndcg_by_hand():
    discount = [1 / math.log2(rank + 1) for rank in range(1, 5)]
    first = (discount[1] + discount[3]) / (discount[0] + discount[1])
    third = (1 * discount[0] + 2 * discount[1]) / (2 * discount[0] + 1 * discount[1])
    assert measure(RUN, JUDGED, ["ndcg@10"])["ndcg@10"] == pytest.approx([first, 0, third])


def test_all_needs_every_one_of_three():
    judged = {"q": {"a": 1, "b": 1, "c": 1}}
    values = measure({"q": ["a", "b", "x", "c"]}, judged, ["all@3", "all@4"])
    assert [values["all@3"][0], values["all@4"][0]] == [0, 1]


def test_rank_decides_and_not_the_identifier():
    """trec_eval breaks ties of score by identifier; a run of ours has none."""
    judged = {"q": {"m": 1}}
    for ranking in (["m", "a", "z"], ["m", "z", "a"]):
        assert measure({"q": ranking}, judged, ["success@1"])["success@1"].tolist() == [1]


def test_a_question_without_results_counts_as_zero():
    values = measure({}, JUDGED, measure_names([2]))
    assert all(np.array_equal(each, np.zeros(3)) for each in values.values())


def test_documents_count_once_in_the_order_given():
    assert documents([("b", 0.5), ("a", 0.9), ("b", 0.4), ("c", 0.1)]) == ["b", "a", "c"]


def test_without_ir_measures_the_extra_is_named_before_a_question_is_asked(monkeypatch):
    monkeypatch.setitem(sys.modules, "ir_measures", None)
    dataset = Dataset("d", "q", {"q": "who?"}, {"q": {"a": 1}})
    asked = []
    with pytest.raises(UnavailableError, match=r"ir_measures is not installed.*'sage-ld\[evaluation\]'"):
        evaluate(dataset, lambda text, k, mode: asked.append(text) or [], ["hybrid"])
    assert asked == []
