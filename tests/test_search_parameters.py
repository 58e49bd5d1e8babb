"""Whoever searches, in whatever way, can say the same: what is searched, and what is followed."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path
from typing import Any, get_type_hints

import pytest
import typer.main

from sage_ld.cli.main import app
from sage_ld.foundation.question import Filter
from sage_ld.foundation.settings import Settings
from sage_ld.lab.http import evaluation_schemas
from sage_ld.retrieval import Retriever
from sage_ld.retrieval.retriever import RetrievalOptions
from sage_ld.service.api import retrieval, schemas

FILTER = {each.name for each in fields(Filter)}
FOLLOWED = {"channels", "relations", "as_of"}
QUESTION = FOLLOWED | {"mode", "offset", "question_language"}
ON_THE_COMMAND_LINE = {
    "relations": "relation",
    "documents": "document",
    "kinds": "kind",
    "languages": "language",
    "keywords": "keyword",
}
"""Options that may be repeated have the name of one value."""
BY_PLACE = {"mode"}
"""What a search inside SPARQL has by its place."""


@pytest.mark.parametrize(
    ("schema", "left_out"),
    [
        (retrieval.schema, set()),
        (retrieval.post_schema, set()),
        (retrieval.stream_schema, set()),
        (retrieval.explain_schema, set()),
        (retrieval.sparql_schema, BY_PLACE),
    ],
)
def test_every_search_over_http_has_them(
    schema: Callable[[Settings], schemas.Schema], left_out: set[str]
) -> None:
    names = set(schema(Settings())["properties"])
    assert (QUESTION | FILTER | {"metadata", "recipe", "weights"}) - left_out <= names


@pytest.mark.parametrize(
    "name", ["retrieve", "retrieve_many", "aretrieve", "aretrieve_many", "explain", "seeds"]
)
def test_every_search_in_python_has_them(name: str) -> None:
    parameters = inspect.signature(getattr(Retriever, name)).parameters
    names = set(get_type_hints(RetrievalOptions)) if "options" in parameters else set(parameters)
    assert QUESTION | {"only", "at", "check"} <= names


@pytest.mark.parametrize("command", ["search", "explain"])
def test_every_search_on_the_command_line_has_them(command: str) -> None:
    names = {each.name for each in typer.main.get_command(app).commands[command].params}  # type: ignore[attr-defined]
    wanted = {ON_THE_COMMAND_LINE.get(each, each) for each in QUESTION | FILTER}
    assert wanted <= names


def test_an_evaluation_follows_what_a_search_can() -> None:
    command = typer.main.get_command(app).commands["eval"]  # type: ignore[attr-defined]
    assert {"relation", "as_of"} <= {each.name for each in command.params}
    assert {"relations", "as_of"} <= set(evaluation_schemas.parameters(Settings())["properties"])


PAGE = Path(__file__).parents[1] / "docs" / "http-api.md"
BEGIN, END = "<!-- parameters -->\n", "<!-- end of parameters -->\n"


def test_the_page_of_the_api_is_what_the_schema_says() -> None:
    assert PAGE.read_text("utf-8").partition(BEGIN)[2].partition(END)[0] == table()


def table() -> str:
    """The table of docs/http-api.md; to rewrite it: PYTHONPATH=. python tests/test_search_parameters.py."""
    rows = [
        (f"`{name}`", values(each), shown(each.get("default")), each["description"])
        for name, each in retrieval.schema(Settings())["properties"].items()
    ]
    head = "| parameter | values | default | meaning |\n|---|---|---|---|\n"
    return head + "".join(f"| {' | '.join(row)} |\n" for row in rows)


def values(schema: dict[str, Any]) -> str:
    """The values that a schema allows, in words."""
    if chosen := schema.get("enum"):
        return ", ".join(f"`{each}`" for each in chosen)
    if members := schema.get("properties"):
        return "an object of numbers: " + ", ".join(f"`{name}`" for name in members)
    if schema["type"] == "array":
        inner = values(schema["items"])
        return f"any of {inner}" if "enum" in schema["items"] else f"a list of {inner}s"
    if "minimum" in schema:
        return f"{schema['minimum']:,}..{schema['maximum']:,}"
    return {"boolean": "`true`, `false`", "object": "an object", "string": "text"}[schema["type"]]


def shown(default: object) -> str:
    return "" if default is None else f"`{default if isinstance(default, str) else json.dumps(default)}`"


if __name__ == "__main__":
    before, _, rest = PAGE.read_text("utf-8").partition(BEGIN)
    PAGE.write_text(before + BEGIN + table() + END + rest.partition(END)[2], encoding="utf-8")
