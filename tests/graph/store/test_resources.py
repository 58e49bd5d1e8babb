"""The resource that is mentioned where several match, or replace one another."""

from __future__ import annotations

import pytest
from pyoxigraph import NamedNode, Quad, Store

from sage_ld.foundation import vocabulary as v
from sage_ld.graph.store.resources import target

D = "http://example.org/d/"


class CountingStore:
    """A store that counts the patterns that it is asked for."""

    def __init__(self):
        self.store, self.asked = Store(), 0

    def quads_for_pattern(self, *pattern):
        self.asked += 1
        return self.store.quads_for_pattern(*pattern)


def described(*statements: tuple[str, str, str]) -> CountingStore:
    """Statements of resources that all have a record."""
    counting = CountingStore()
    store = counting.store
    for subject, predicate, value in statements:
        store.add(Quad(NamedNode(D + subject), NamedNode(predicate), NamedNode(D + value)))
        for name in (subject, value):
            store.add(Quad(NamedNode(f"x:{name}"), NamedNode(v.MAIN_ENTITY), NamedNode(D + name)))
    return counting


def test_the_last_successor_is_meant_and_its_first_match() -> None:
    store = described(
        ("c", v.IS_REPLACED_BY, "b"), ("b", v.IS_REPLACED_BY, "d"), ("d", v.EXACT_MATCH, "a"),
    )  # fmt: skip
    assert [target(store, D + name) for name in "abcd"] == [D + "a"] * 4


def test_those_that_replace_each_other_stay_what_they_are() -> None:
    store = described(
        ("a", v.IS_REPLACED_BY, "b"), ("b", v.IS_REPLACED_BY, "a"), ("c", v.IS_REPLACED_BY, "a")
    )
    assert [target(store, D + name) for name in "abc"] == [D + "a", D + "b", D + "c"]


@pytest.mark.parametrize("shape", ["hub", "late hub", "chain", "chain of matches"])
def test_the_work_does_not_grow_with_those_that_are_joined(shape: str) -> None:
    def asked(count: int) -> int:
        names = [str(number) for number in range(count)]
        store = described(
            *{
                "hub": [(name, v.EXACT_MATCH, "hub") for name in names],
                "late hub": [
                    each
                    for name in names
                    for each in ((name, v.EXACT_MATCH, "hub"), (name, v.IS_REPLACED_BY, "hub"))
                ],
                "chain": [(one, v.IS_REPLACED_BY, f"{int(one) + 1}") for one in names],
                "chain of matches": [(one, v.EXACT_MATCH, f"{int(one) + 1}") for one in names],
            }[shape]
        )
        assert target(store, D + "0") in (D + "0", D + "hub")
        return store.asked

    assert asked(400) == asked(100)
