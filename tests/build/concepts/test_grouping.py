"""Grouping a vocabulary: rules, their least cosines, the judge in batches, and looking terms up."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations

import numpy as np
import pytest

from sage_ld.build.concepts.candidates import sharing
from sage_ld.build.concepts.grouping import (
    GroupingOptions,
    SettledTerms,
    elect,
    group_terms,
    judge_in_batches,
)
from sage_ld.build.concepts.lookup import CanonicalLookup
from sage_ld.build.concepts.terms import term_form

VECTORS = {"car": (1.0, 0.0), "automobile": (0.8, 0.6), "cars": (1.0, 0.0), "opera": (0.0, 1.0)}
ALIKE = {"film festival": 3, "film festivals": 1, "Film-Festival": 1, "1998 film": 1, "1999 film": 1}


def encode(texts: Sequence[str]) -> np.ndarray:
    return np.array([VECTORS.get(text, (1.0, 0.0)) for text in texts], np.float32)


def test_aliases_share_the_most_frequent_term_and_the_rest_stand_alone() -> None:
    grouping = group_terms(ALIKE, encode)
    assert grouping.table() == dict.fromkeys(
        ("film festival", "film festivals", "Film-Festival"), "film festival"
    )
    (group,) = grouping.groups
    assert {(each.left, each.right): each.reason for each in group.evidence} == {
        ("Film-Festival", "film festival"): "spelling",
        ("Film-Festival", "film festivals"): "inflection",
        ("film festival", "film festivals"): "inflection",
    }


def test_the_order_of_terms_does_not_count() -> None:
    assert group_terms(dict(reversed(ALIKE.items())), encode) == group_terms(ALIKE, encode)


def test_a_rule_holds_from_its_least_cosine_on() -> None:
    counts = {"car": 1, "cars": 1}
    assert group_terms(counts, encode).groups
    below = GroupingOptions(least=dict.fromkeys(("inflection", "spelling"), 1.01))
    assert not group_terms(counts, encode, below).groups


def test_only_what_a_rule_joins_is_encoded_without_a_judge() -> None:
    asked: list[str] = []

    def note(texts: Sequence[str]) -> np.ndarray:
        asked.extend(texts)
        return encode(texts)

    group_terms({"car": 1, "cars": 1, "opera": 5}, note)
    assert asked == ["car", "cars"]


def test_a_judge_decides_what_rules_leave_open_and_not_what_they_tell_apart() -> None:
    asked: list[list[str]] = []

    def judge(groups: Sequence[Sequence[str]]) -> list[list[Sequence[str]]]:
        asked.extend(list(group) for group in groups)
        return [[group] for group in groups]

    counts = {"car": 2, "automobile": 1, "opera": 1, "1998 film": 1, "1999 film": 1}
    options = GroupingOptions(threshold=0.8)
    vectors = lambda texts: encode([{"1998 film": "opera", "1999 film": "opera"}.get(t, t) for t in texts])  # noqa: E731
    (group,) = (each for each in group_terms(counts, vectors, options, judge).groups if "car" in each.terms)
    assert group.terms == ("automobile", "car")
    assert group.evidence[0].reason == "judged"
    assert not any({"1998 film", "1999 film"} <= set(terms) for terms in asked)
    assert not group_terms(counts, vectors, options, lambda groups: [[] for _ in groups]).groups


def test_a_thesaurus_keeps_its_terms_together_and_those_of_two_concepts_apart() -> None:
    counts = {"car": 2, "cars": 1, "automobile": 0, "opera": 1, "operas": 1, "aria": 0}
    settled = SettledTerms([("automobile", "car"), ("opera",), ("operas",), ("aria",)])
    (group,) = group_terms(counts, encode, settled=settled).groups
    assert (group.canonical, group.terms) == ("automobile", ("automobile", "car", "cars"))
    assert {each.right: each.reason for each in group.evidence} == {"car": "thesaurus", "cars": "inflection"}


def test_what_a_judge_said_before_holds_unless_a_rule_tells_terms_apart() -> None:
    settled = SettledTerms(judged=[("automobile", "car"), ("1998 film", "1999 film"), ("car", "lorry")])
    counts = dict.fromkeys(("automobile", "car", "1998 film", "1999 film"), 1)
    (group,) = group_terms(counts, encode, settled=settled).groups
    assert group.terms == ("automobile", "car")
    assert group.evidence[0].reason == "judged"


def test_small_groups_go_to_the_judge_together_and_large_ones_alone() -> None:
    groups = [["a", "b"]] * 12 + [list("abcdef")]
    batches: list[int] = []

    def judge(asked: Sequence[Sequence[str]]) -> list[list[Sequence[str]]]:
        batches.append(len(asked))
        return [[each] for each in asked]

    assert judge_in_batches(groups, judge) == [[each] for each in groups]
    assert batches == [10, 2, 1]


def test_near_concepts_that_are_two_are_near_misses() -> None:
    counts = {"lion": 2, "lions": 1, "tiger": 2, "tigers": 1}
    assert group_terms(counts, encode).near_misses == (("lion", "tiger", 1.0),)


@pytest.mark.parametrize(
    ("counts", "canonical"),
    [
        ({"UN": 9, "United Nations": 3}, "UN"),
        ({"films": 1, "Films": 1}, "Films"),
        ({"ab": 1, "abc": 1}, "abc"),
    ],
)
def test_the_most_frequent_then_the_longest_term_is_elected(counts: dict[str, int], canonical: str) -> None:
    assert elect(counts) == canonical


def test_a_lookup_takes_the_table_first_then_the_nearest_concept_then_the_term_itself() -> None:
    lookup = CanonicalLookup(
        {"cars": "car", "car": "car"}, ("car",), encode(["car"]), lambda term: encode([term])[0], 0.8
    )
    assert [lookup.canonical(term) for term in ("CARS", "automobile", "opera")] == ["car", "car", "opera"]
    assert CanonicalLookup(lookup.table).canonical("automobile") == "automobile"


ORDERS = [" ".join(each) for each in permutations(("alpha", "bravo", "carbon", "delta", "engine"))]


def test_what_very_many_terms_share_makes_no_square_of_pairs() -> None:
    """Orders of the same words, acronyms with any dots, and terms without a word."""
    forms = [term_form(each) for each in ORDERS]
    assert len(sharing(forms[:100])) == 100 * 99 / 2
    assert sharing(forms) == set()
    dotted = [term_form(f"W{'.' * (i % 50 + 1)}H{'.' * (i // 50)}O") for i in range(300)]
    assert len(sharing(dotted)) <= 100 * 300
    assert sharing([term_form("!" * each) for each in range(1, 300)]) == set()


def test_a_judge_is_asked_about_what_a_rule_joins_but_the_cosine_does_not() -> None:
    def apart(texts: Sequence[str]) -> np.ndarray:
        return np.eye(3, dtype=np.float32)[: len(texts)]

    counts = {"WHO": 2, "World Health Organization": 2, "opera": 2}
    asked: list[list[str]] = []

    def judge(groups: Sequence[Sequence[str]]) -> Sequence[Sequence[Sequence[str]]]:
        asked.extend(map(list, groups))
        return [[group] for group in groups]

    assert group_terms(counts, apart).groups == ()
    (found,) = group_terms(counts, apart, judge=judge).groups
    assert asked == [["WHO", "World Health Organization"]]
    assert found.terms == ("WHO", "World Health Organization")
    assert found.evidence[0].reason == "judged"


def test_a_text_joins_an_acronym_to_all_that_rules_join_to_what_it_is_short_for() -> None:
    def apart(texts: Sequence[str]) -> np.ndarray:
        return np.array([[1, 0] if each.isupper() else [0, 1] for each in texts], np.float32)

    counts = dict.fromkeys(("WHO", "World Health Organization", "World-Health Organization", "WHP"), 1)
    asked: list[tuple[str, str]] = []

    def introduces(one: str, other: str) -> bool:
        asked.append((one, other))
        return "World Health Organization" in (one, other)

    assert "WHO" not in group_terms(counts, apart).table()
    (found,) = group_terms(counts, apart, introduces=introduces).groups
    assert found.terms == ("WHO", "World Health Organization", "World-Health Organization")
    assert [each.reason for each in found.evidence] == ["introduced in a text"] * 2 + ["spelling"]
    assert asked == [("WHO", "World Health Organization"), ("WHO", "World-Health Organization")]


def test_a_term_that_is_too_long_is_joined_to_none() -> None:
    word = "abcdefghij" * 21
    assert not group_terms({word + "k": 1, word + "ks": 1}, encode).groups
    assert term_form(word * 10_000).words == ()


def test_a_concept_has_the_nearest_near_misses() -> None:
    counts = {f"{name}{ending}": 1 for name in (f"x{i}y kind" for i in range(60)) for ending in ("", "s")}
    found = group_terms(counts, encode)
    assert len(found.groups) == 60
    assert len(found.near_misses) <= 20 * 60
