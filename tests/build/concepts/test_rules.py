"""The rules: what they tell apart, what they join, and that candidates are all that they may join."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

from sage_ld.build.concepts.candidates import keys, sharing
from sage_ld.build.concepts.grouping import LEAST
from sage_ld.build.concepts.rules import Decision, alias_rule, compare
from sage_ld.build.concepts.terms import term_form

FILE = Path(__file__).parents[3] / "benchmarks" / "concepts.py"


def loaded(file: Path) -> ModuleType:
    """A benchmark as a module, whose folder no test may import from."""
    spec = importlib.util.spec_from_file_location(f"benchmark_{file.stem}", file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


benchmark = loaded(FILE)
PAIRS = benchmark.labelled_pairs()


@pytest.mark.parametrize(
    ("left", "right", "decision", "reason"),
    [
        ("2008 Summer Olympics", "2012 Summer Olympics", "different", "numbers"),
        ("World War I", "World War II", "different", "numbers"),
        ("LM317", "LM337", "different", "numbers"),
        ("hepatitis B", "hepatitis C", "different", "numbers"),
        ("not guilty plea", "guilty plea", "different", "negation"),
        ("steady flow", "unsteady flow", "different", "negation"),
        ("North Korea", "South Korea", "different", "opposites"),
        ("employer", "employee", "different", "opposites"),
        ("nitrate", "nitrite", "different", "opposites"),
        ("e-mail", "Email", "same", "spelling"),
        ("Düsseldorf", "Duesseldorf", "same", "spelling"),
        ("two-stroke engine", "2-stroke engine", "same", "spelling"),
        ("organisation", "organization", "same", "spelling"),
        ("Apple Inc.", "Apple", "same", "spelling"),
        ("lung cancer", "cancers of the lung", "same", "inflection"),
        ("John F. Kennedy", "John Fitzgerald Kennedy", "same", "abbreviation"),
        ("WHO", "World Health Organization", "same", "acronym"),
        ("U.S.", "United States", "same", "acronym"),
        ("Philadelphia", "Philadelpia", "same", "one edit"),
        ("CM", "Christopher Moltisanti", "open", ""),
        ("Tony M.", "Tony Mullins", "open", ""),
        ("two years", "second year", "different", "numbers"),
        ("Bulgaria", "Bulgarian", "open", ""),
        ("car", "automobile", "open", ""),
    ],
)
def test_a_rule_decides_in_both_directions(left: str, right: str, decision: str, reason: str) -> None:
    one, other = term_form(left), term_form(right)
    assert compare(one, other) == compare(other, one) == (Decision(decision), reason)


def test_what_a_rule_joins_is_among_the_candidates() -> None:
    joined = 0
    for pair in PAIRS:
        one, other = term_form(pair.left), term_form(pair.right)
        if compare(one, other).decision is Decision.SAME:
            joined += 1
            assert sharing([one, other]) == {(0, 1)}, pair
    assert joined > 200


def test_words_around_a_slip_may_stand_in_another_order() -> None:
    one, other = term_form("great Philadelphia orchestra"), term_form("orchestra great Philadelpia")
    assert compare(one, other).reason == "one edit"
    assert sharing([one, other]) == {(0, 1)}


def test_who_only_has_the_initials_of_an_acronym_is_no_candidate_for_another() -> None:
    names = ["Christopher Moltisanti", "Central Midlands", "CM"]
    assert sharing([term_form(name) for name in names]) == {(0, 2), (1, 2)}
    assert any(asks for _, asks in keys(term_form("CM")))


def test_the_thresholds_of_the_package_are_those_that_one_half_of_the_labelled_pairs_gives() -> None:
    assert len(PAIRS) >= 300
    assert benchmark.fitted(benchmark.halves(PAIRS)[0]) == LEAST


def test_on_the_other_half_one_of_twenty_pairs_that_are_joined_is_wrong_at_most() -> None:
    rest = benchmark.halves(PAIRS)[1]
    result = benchmark.quality(rest, benchmark.by_rules(rest, LEAST))
    assert result.precision >= 0.95
    assert result.recall >= 0.7
    cut, _ = benchmark.by_cosine(benchmark.halves(PAIRS)[0])
    assert benchmark.quality(rest, [pair.cosine >= cut for pair in rest]).recall < 0.3


def test_the_rule_that_joins_two_terms_is_that_of_their_comparison() -> None:
    joined = 0
    for pair in PAIRS:
        left, right = term_form(pair.left), term_form(pair.right)
        verdict = compare(left, right)
        rule = verdict.reason if verdict.decision is Decision.SAME else ""
        assert alias_rule(left, right) == rule
        joined += bool(rule)
    assert 0 < joined < len(PAIRS)
