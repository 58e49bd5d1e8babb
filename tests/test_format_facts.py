"""The facts of benchmarks/formats.py: each is found, cited and counted in most formats."""

from __future__ import annotations

import importlib
from pathlib import Path
from types import ModuleType

import pytest

BENCHMARKS = Path(__file__).parents[1] / "benchmarks"
SECTION_ROW = frozenset({"section row"})
"""The kind that is not read where nothing but empty cells marks a row as the head of those below it."""
FAULTS = {
    "html": frozenset[str](),
    "docx": frozenset[str](),
    "pptx": frozenset[str](),
    "jsonl": frozenset[str](),
    "md": SECTION_ROW,
    "rst": SECTION_ROW,
    "tex": frozenset({"tick"}),
    "rtf": SECTION_ROW | {"two levels"},
    "xls": SECTION_ROW,
    "ods": SECTION_ROW,
}
"""The kinds of facts that fail in a format today."""


@pytest.fixture
def checks(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(BENCHMARKS)
    return importlib.import_module("_fact_checks")


@pytest.mark.parametrize("suffix", FAULTS)
def test_a_format_says_each_fact(checks: ModuleType, suffix: str) -> None:
    failed = [each for each in checks.outcomes(suffix) if each.failed]
    assert [each.told for each in failed if each.fact.kind not in FAULTS[suffix]] == []


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
