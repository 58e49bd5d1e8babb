"""The facts of benchmarks/formats.py: each is found, cited and counted in most formats."""

from __future__ import annotations

import importlib
from pathlib import Path
from types import ModuleType

import pytest

BENCHMARKS = Path(__file__).parents[1] / "benchmarks"
FORMATS = (
    "html",
    "docx",
    "pptx",
    "jsonl",
    "md",
    "rst",
    "tex",
    "rtf",
    "odt",
    "xlsx",
    "xls",
    "ods",
    "csv",
    "ipynb",
)
"""The formats that say all facts: the text has no tables, and a PDF no boxes."""


@pytest.fixture
def checks(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(BENCHMARKS)
    return importlib.import_module("_fact_checks")


@pytest.mark.parametrize("suffix", FORMATS)
def test_a_format_says_each_fact(checks: ModuleType, suffix: str) -> None:
    assert [each.told for each in checks.outcomes(suffix) if each.failed] == []


def test_there_are_sixty_facts_in_eighteen_formats(checks: ModuleType) -> None:
    facts, files = importlib.import_module("_facts"), importlib.import_module("_fact_files")
    assert len(facts.FACTS) == 60
    assert len(files.WRITERS) == len(files.SHAPED) == 18
    assert {kind for shaped in files.SHAPED.values() for kind in shaped} == set(facts.KINDS)


def test_a_false_reading_fails(checks: ModuleType) -> None:
    """The check itself: a passage that states the number with its note's mark has not the fact."""
    facts = importlib.import_module("_facts")
    fact = next(each for each in facts.FACTS if each.kind == "note")
    right, wrong = fact.sentence.replace("{note:2}", " [2]"), fact.sentence.replace("{note:2}", "2")
    assert checks.says(right, fact)
    assert not checks.says(wrong, fact)
