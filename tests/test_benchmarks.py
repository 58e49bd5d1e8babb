"""What benchmarks write: the figures, and what they were measured on."""

from __future__ import annotations

import importlib
import importlib.util
import json
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from sage_ld.retrieval.questions.difficulty import FEATURES, points

ROOT = Path(__file__).parents[1]


@pytest.fixture
def report(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    spec = importlib.util.spec_from_file_location("_report", ROOT / "benchmarks" / "_report.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    monkeypatch.setattr(module, "ROOT", tmp_path)
    monkeypatch.setattr(module, "RESULTS", tmp_path / "bench-results")
    return module


def test_figures_are_written_with_their_conditions(report: ModuleType, tmp_path: Path) -> None:
    report.write("speed", {"texts_per_s": 100.5})
    told = json.loads((tmp_path / "bench-results" / "speed.json").read_text(encoding="utf-8"))
    assert (told["benchmark"], told["figures"]) == ("speed", {"texts_per_s": 100.5})
    assert told["commit"] is None  # the temporary folder is no checkout
    assert told["machine"]["cores"] >= 1
    assert {"sage-ld", "pyoxigraph", "numpy", "lightgbm"} <= told["packages"].keys()


@pytest.mark.parametrize("script", sorted(ROOT.glob("benchmarks/[!_]*.py")), ids=lambda path: path.name)
def test_a_benchmark_starts(script: Path) -> None:
    said = subprocess.run([sys.executable, script, "--help"], check=True, capture_output=True, text=True)
    assert said.stdout.startswith("usage: ")


def test_the_cuts_of_difficulty_follow_recall(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of two sets of questions, those with more rivals are found less; all other features are noise."""
    monkeypatch.syspath_prepend(ROOT / "benchmarks")
    difficulty = importlib.import_module("difficulty")
    assert sorted(name for names in difficulty.CHOICES.values() for name in names) == sorted(FEATURES)
    draws = np.random.default_rng(7)
    sets = []
    for level in (0.9, 0.5):
        features = {name: draws.integers(0, 20, 300).astype(float) for name in FEATURES}
        recall = level - features["lexical_rivals"] / 50
        sets.append(difficulty.Asked(features, recall))
    model = difficulty.fit(sets)
    feature, (first, second) = model.dimensions["subgraph_size"]
    assert feature == "lexical_rivals"
    assert first < second
    for each in sets:
        classes = points(difficulty.totals(each, model.dimensions), model.cuts)
        means = [each.recall[classes == number].mean() for number in range(3)]
        assert means[0] > means[1] > means[2]
