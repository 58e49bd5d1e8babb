"""The types that the scripts of the pages give to answers of the API are those that it describes."""

from __future__ import annotations

import re
from dataclasses import fields
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from sage_ld.foundation.question import Filter
from sage_ld.foundation.settings import Settings
from sage_ld.service.openapi import document

SOURCES = Path(__file__).parents[2] / "web" / "src"
Schema = dict[str, Any]
TYPES = [
    ("search/types.ts", "Answer", "PlainAnswer"),
    ("search/types.ts", "Result", "PlainAnswer.results"),
    ("search/types.ts", "Step", "PlainAnswer.results.path"),
    ("search/types.ts", "Around", "PlainAnswer.results.before"),
    ("search/types.ts", "Span", "Explanation.matches.text"),
    ("search/types.ts", "Explanation", "Explanation"),
    ("search/types.ts", "Remedy", "Explanation.remedies"),
    ("search/types.ts", "Facets", "Facets"),
    ("search/types.ts", "Facet", "Facets.facets"),
    ("search/types.ts", "FacetValue", "Facets.facets.values"),
    ("graph/data.ts", "NodeData", "Neighbourhood.nodes"),
    ("graph/data.ts", "EdgeData", "Neighbourhood.edges"),
    ("graph/data.ts", "Community", "Community"),
    ("ask/asking.ts", "Queried", "GraphAnswer"),
    ("ask/asking.ts", "Step", "ReasoningStep"),
    ("ask/asking.ts", "Reasoned", "ReasonedAnswer"),
    ("ask/asking.ts", "Answered", "CitedAnswer"),
    ("ask/asking.ts", "Approval", "Approval"),
    ("manage/analytics.tsx", "Kept", "Analytics"),
    ("manage/analytics.tsx", "Question", "Analytics.poorQuestions"),
    ("manage/documents.tsx", "Listed", "PlainDocuments"),
    ("manage/documents.tsx", "Described", "DescribedDocument"),
    ("manage/evaluation.tsx", "Report", "Evaluation"),
    ("manage/job.tsx", "Job", "Job"),
    ("manage/job.tsx", "Report", "Job.report"),
    ("manage/operation.tsx", "State", "State"),
    ("manage/operation.tsx", "Snapshot", "Snapshot"),
    ("manage/relations.tsx", "Edge", "CuratedEdge"),
    ("manage/relations.tsx", "Types", "RelationTypes"),
    ("manage/settings.tsx", "Setting", "Settings.settings"),
    ("manage/tokens.tsx", "Token", "Tokens.tokens"),
]
OF_THE_PAGE = {"NodeData": {"size", "note"}, "EdgeData": {"note"}}
"""Members that the scripts themselves add."""
AS_ASKED = {"Listed.numberOfItems"}
"""Members that the API leaves out for requests that no page sends: here, for one with a cursor."""


class Member(NamedTuple):
    """A member of an interface in TypeScript."""

    name: str
    is_optional: bool
    inner: str
    """What stands between its braces, where its type is an object or a list of them."""


@cache
def components() -> dict[str, Schema]:
    found: dict[str, Schema] = document(Settings())["components"]["schemas"]
    return found


def resolved(schema: Schema) -> Schema:
    """The properties of an object, or of the items of a list; of alternatives, all that any has."""
    if "$ref" in schema:
        return resolved(components()[schema["$ref"].rpartition("/")[2]])
    if "items" in schema:
        return resolved(schema["items"])
    choices = [resolved(each) for each in schema.get("anyOf") or schema.get("oneOf") or ()]
    if not choices:
        return schema
    return {
        "properties": {
            name: each for choice in choices for name, each in choice.get("properties", {}).items()
        },
        "required": sorted(set.intersection(*(set(each.get("required", ())) for each in choices))),
    }


def described(path: str) -> Schema:
    """The schema at a path of names, from a component on."""
    first, *rest = path.split(".")
    schema = resolved(components()[first])
    for name in rest:
        schema = resolved(schema["properties"][name])
    return schema


def members(body: str) -> list[Member]:
    """The members that stand between the braces of an interface or an object type."""
    text = re.sub(r"/\*.*?\*/|//[^\n]*", "", body, flags=re.DOTALL)
    found, depth, begin = [], 0, 0
    for place, sign in enumerate(text + ";"):
        depth += {"{": 1, "<": 1, "}": -1, ">": -1}.get(sign, 0)
        if sign == ";" and depth == 0:
            if match := re.fullmatch(r"\s*(\w+)(\??):\s*(.+)", text[begin:place], flags=re.DOTALL):
                inner = re.fullmatch(r"\{(.*)\}(?:\[\])*", match[3].strip(), flags=re.DOTALL)
                found.append(Member(match[1], bool(match[2]), inner[1] if inner else ""))
            begin = place + 1
    return found


def faults(body: str, schema: Schema, where: str, own: set[str]) -> list[str]:
    """What an interface has that the description has not, or does not promise."""
    there = schema.get("properties", {})
    found = []
    for each in members(body):
        if each.name not in there:
            found += [] if each.name in own else [f"{where}.{each.name}: the API has no such member"]
            continue
        promised = each.is_optional or each.name in schema.get("required", ())
        if not promised and f"{where}.{each.name}" not in AS_ASKED:
            found.append(f"{where}.{each.name}: the API may leave it out, so it ends in `?`")
        if each.inner:
            found += faults(each.inner, resolved(there[each.name]), f"{where}.{each.name}", own)
    return found


@pytest.mark.parametrize(("file", "name", "path"), TYPES, ids=lambda each: str(each))
def test_a_type_is_as_the_api_describes_it(file: str, name: str, path: str) -> None:
    source = (SOURCES / file).read_text("utf-8")
    match = re.search(rf"interface {name} (?:extends [^{{]+)?\{{\n(.*?)\n\}}", source, flags=re.DOTALL)
    assert match, f"{file} has no interface {name}"
    assert members(match[1])
    assert faults(match[1], described(path), name, OF_THE_PAGE.get(name, set())) == []


def test_the_parameters_of_a_filter_are_those_of_the_api() -> None:
    listed = re.search(r"FILTERS = (\[.*?\])", (SOURCES / "search" / "choices.ts").read_text("utf-8"))
    assert listed is not None
    assert set(re.findall(r'"(\w+)"', listed[1])) == {*(each.name for each in fields(Filter)), "metadata"}
