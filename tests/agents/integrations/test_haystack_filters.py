"""Haystack's filters, translated: what each lets through, and what is refused."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from graph.corpus import built, write_files

from sage_ld import Filter, InputError, KnowledgeGraph, Retriever
from sage_ld.agents.integrations.haystack_filters import filter_of

FILES = {
    f"{team}-{year}.md": f"---\nteam: {team}\nyear: {year}\ndate: {year}-05-17\n---\nA note of {team}.\n"
    for team, year in [("red", 2019), ("red", 2021), ("blue", 2020), ("green sea", 2022)]
} | {"bare.md": "A note of nobody, which meets no condition on metadata.\n"}


@pytest.fixture(scope="module")
def notes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KnowledgeGraph]:
    folder: Path = tmp_path_factory.mktemp("notes")
    graph = built(folder / "graph", write_files(folder / "files", FILES))
    yield graph
    graph.close()


def compare(field: str, operator: str, value: Any) -> dict[str, Any]:
    return {"field": field, "operator": operator, "value": value}


def joined(operator: str, *conditions: dict[str, Any]) -> dict[str, Any]:
    return {"operator": operator, "conditions": list(conditions)}


RED = compare("meta.team", "==", "red")
LATE = compare("meta.year", ">=", 2021)


@pytest.mark.parametrize(
    ("filters", "documents"),
    [
        (RED, {"red-2019", "red-2021"}),
        (compare("team", "==", "red"), {"red-2019", "red-2021"}),
        (compare("meta.team", "==", "green sea"), {"green sea-2022"}),
        (compare("meta.team", "!=", "red"), {"blue-2020", "green sea-2022"}),
        (compare("meta.team", "in", ["blue", "green sea"]), {"blue-2020", "green sea-2022"}),
        (compare("meta.team", "not in", ["blue", "green sea"]), {"red-2019", "red-2021"}),
        (compare("meta.year", "==", 2020), {"blue-2020"}),
        (LATE, {"red-2021", "green sea-2022"}),
        (compare("meta.year", "<", 2020), {"red-2019"}),
        (compare("meta.date", ">", "2021-01-01"), {"red-2021", "green sea-2022"}),
        (compare("meta.date", "<=", date(2020, 5, 17)), {"red-2019", "blue-2020"}),
        (compare("meta.document", "in", ["blue-2020.md"]), {"blue-2020"}),
        (joined("AND", RED, LATE), {"red-2021"}),
        (joined("AND", joined("AND", RED), compare("meta.kind", "==", "text"), LATE), {"red-2021"}),
        (joined("OR", RED, compare("team", "in", ["blue"])), {"red-2019", "red-2021", "blue-2020"}),
        (joined("NOT", RED), {"blue-2020", "green sea-2022"}),
        (joined("NOT", LATE), {"red-2019", "blue-2020"}),
    ],
)
def test_a_filter_lets_through(notes: KnowledgeGraph, filters: dict[str, Any], documents: set[str]) -> None:
    answer = Retriever(notes).retrieve("a note", 10, 0, only=filter_of(filters))
    assert {each.view.identifier.removesuffix(".md") for each in answer.results} == documents


def test_no_filter_lets_everything_through() -> None:
    assert filter_of(None) == filter_of({}) == Filter()


@pytest.mark.parametrize(
    ("filters", "message"),
    [
        (joined("OR", RED, LATE), "OR over different fields"),
        (joined("OR", RED, compare("team", "!=", "blue")), "OR over different fields, or over more than =="),
        (joined("OR", joined("AND", RED), RED), "OR over different fields"),
        (joined("OR"), "OR over different fields"),
        (joined("NOT", RED, LATE), "NOT over more than one comparison"),
        (joined("NOT", joined("AND", RED)), "NOT over more than one comparison"),
        (joined("XOR", RED), "'XOR' is not one of AND, OR, NOT"),
        (compare("meta.team", "~", "red"), "'~' is not one of =="),
        (compare("meta.team", "==", None), "one value, which is not None"),
        (compare("meta.team", "==", ["red"]), "one value"),
        (compare("meta.team", "in", "red"), "a list of values to in"),
        (compare("meta.team", "in", []), "a list of values to in"),
        (compare("meta.year", ">", '1 | "x"'), "give a number or a date"),
        (compare("meta.kind", ">", "text"), "'>' of meta.kind has no counterpart"),
        (joined("AND", *2 * [compare("meta.kind", "==", "text")]), "meta.kind is compared twice"),
        ({"operator": "AND"}, "has no 'conditions'"),
        ({"operator": "OR", "conditions": [1]}, "are not a list of dictionaries"),
        ({"operator": "AND", "conditions": RED}, "are not a list of dictionaries"),
        ({"field": "team", "value": 1}, "has no 'operator'"),
        (joined("AND", *1001 * [RED]), "more than 1,000 comparisons"),
    ],
)
def test_what_has_no_counterpart_is_refused(filters: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        filter_of(filters)


def test_a_value_cannot_add_a_condition() -> None:
    found = filter_of(compare('a" = "b', "==", 'x" | "y'))
    assert found.where == (r'"a\" = \"b" = "x\" | \"y"',)
