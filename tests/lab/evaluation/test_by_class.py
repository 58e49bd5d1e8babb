"""Measures by the difficulty of questions: the means of each class, and what is asked of the graph for it."""

from __future__ import annotations

import json

import numpy as np
import pytest
from rich.console import Console

from sage_ld.lab.evaluation import Dataset, by_class, by_class_json, by_class_table, compare
from sage_ld.lab.evaluation.by_class import mean_intervals
from sage_ld.retrieval.questions.difficulty import Difficulty

QUESTIONS = {"a": "A?", "b": "B?", "c": "C?"}
CLASSES = {"a": Difficulty.EASY, "b": Difficulty.HARD, "c": Difficulty.HARD}


def test_each_class_has_the_mean_of_its_questions() -> None:
    dataset = Dataset("small", "all", QUESTIONS, {each: {f"{each}.md": 1} for each in QUESTIONS})
    found = compare(dataset, {"sage": {"a": ["a.md"], "b": ["b.md"], "c": ["a.md"]}}, [1])
    means = {each: one["success@1"].difference for each, one in by_class(found, CLASSES)["sage"].items()}
    assert means == {Difficulty.EASY: 1.0, Difficulty.HARD: 0.5}
    told = json.loads(json.dumps(by_class_json(found, CLASSES)))["sage"]
    assert list(told) == ["EASY", "HARD"]
    assert told["HARD"]["questions"] == 2
    assert told["HARD"]["success@1"] == {"mean": 0.5, "low": 0.0, "high": 1.0}
    console = Console(record=True, width=120)
    console.print(by_class_table(found, CLASSES))
    text = console.export_text()
    assert "HARD (2)" in text
    assert "50.0 [0.0, 100.0]" in text


def test_the_interval_is_that_of_the_mean() -> None:
    """Of n draws of 0 and 1 alike the mean has the deviation 1 / (2 √n)."""
    values = np.tile([0.0, 1.0], 200)[:, np.newaxis]
    (found,) = mean_intervals(values)
    assert found.difference == 0.5
    assert found.high - found.low == pytest.approx(2 * 1.96 * 0.5 / np.sqrt(400), rel=0.1)
