"""A part of the benchmark's questions, over a part of its graphs: the tables that are small."""

from __future__ import annotations

import importlib
from pathlib import Path

import pytest

from sage_ld.agents.text_to_sparql import GraphQuestions
from sage_ld.graph import KnowledgeGraph

TABLES = ("cars.json", "penguins.json")


def test_questions_about_real_tables_are_answered(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(Path(__file__).parents[3] / "benchmarks")
    benchmark = importlib.import_module("graph_questions")
    asked = [
        each
        for each in benchmark.questions("open")
        if each.query and any(f"'{name}'" in each.query for name in TABLES)
    ]
    made = KnowledgeGraph.create(tmp_path / "graph", encoder="jaccard")
    made.ingest([data / "documents" / "vega" / "data" / name for name in TABLES])
    with GraphQuestions(made) as asking:
        verdicts = [outcome.verdict for outcome in benchmark.outcomes(asked, asking)]
    made.close()
    assert len(asked) >= 8
    assert verdicts.count("right") >= 0.8 * len(asked)
    assert "wrong" not in verdicts
