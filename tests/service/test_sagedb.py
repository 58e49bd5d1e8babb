"""docs/sagedb.md has all that SageDB lists, and what it names of ours is there.

That each call and parameter of the page works is in `test_sagedb_calls.py`.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import fields
from functools import reduce
from importlib import import_module
from pathlib import Path
from typing import Any

import typer.main
from rows import Rows
from service import sagedb_page as page

from sage_ld import KnowledgeGraph, Retriever
from sage_ld.build.readers.registry import READERS
from sage_ld.cli.main import app
from sage_ld.foundation import vocabulary
from sage_ld.foundation.recipes import Ranking, Retrieval
from sage_ld.foundation.relation_types import builtin_types
from sage_ld.foundation.settings import Settings
from sage_ld.graph.exports.jsonld_context import terms
from sage_ld.service.api import retrieval


def test_the_page_has_all_that_sagedb_lists() -> None:
    assert {row.section for row in page.ROWS} == page.LISTED.keys()
    for section, names in page.LISTED.items():
        assert Counter(name for row in page.section(section) for name in row.names) == Counter(names)


def test_a_row_says_what_is_ours_or_why_it_is_not_there() -> None:
    texts = [" ".join(row.cells) for row in page.ROWS]
    assert all(text.strip() for text in texts)
    refused = [text for text in texts if "not taken" in text]
    assert [text for text in refused if not re.search(r"not taken[^,.]*, because \S+ \S+", text)] == []


def test_each_command_exists(rows: Rows) -> None:
    makefile = (page.ROOT / "Makefile").read_text("utf-8")
    for span in page.COMMANDS:
        program, *words = span.split()
        with rows.row(span):
            if program == "make":
                assert re.search(rf"^{words[0]}:", makefile, re.M)
            else:
                command: Any = typer.main.get_command(app)
                for word in words:
                    if word.startswith("--"):
                        assert word in {name for each in command.params for name in each.opts}
                    else:
                        command = command.commands[word]


def test_each_python_name_exists(tmp_path: Path, rows: Rows) -> None:
    graph = KnowledgeGraph.create(tmp_path / "graph", encoder="jaccard")
    starts = {"graph": graph, "retriever": Retriever(graph)}
    for span in page.CALLS:
        begin, *names = span.split(".")
        with rows.row(span):
            if begin == "sage_ld":
                assert hasattr(import_module(".".join([begin, *names[:-1]])), names[-1])
            else:
                assert reduce(getattr, names, starts[begin]) is not None


def test_each_other_name_exists(rows: Rows) -> None:
    """A parameter of a search, a key of a recipe, a setting, a ranking, a relation, a term of an answer."""
    parameters = retrieval.post_schema(page.ALL_RANKINGS)["properties"]
    settings = {each.name for table in (Retrieval, Settings) for each in fields(table)}
    names = {*parameters, *settings, *Ranking, *relations(), *answer_terms(), *page.EXPLAINED}
    for span in sorted({*page.SPANS} - {*page.ROUTES, *page.COMMANDS, *page.CALLS, *page.METRICS}):
        name, _, value = re.sub(r"(\w)\[(\w+)\]", r"\1=\2", span).partition("=")
        with rows.row(span):
            if value:
                described = parameters[name]
                values = {*described.get("enum", ()), *described.get("items", {}).get("enum", ())}
                values |= described.get("properties", {}).keys()
                assert value in values or described["type"] in ("integer", "boolean")
            else:
                assert name in names


def relations() -> set[str]:
    return {name for each in builtin_types().types.values() for name in each.names}


def answer_terms() -> set[str]:
    """The terms of the JSON-LD context, and those of the ontology with their prefix."""
    iris = [each for each in vars(vocabulary).values() if isinstance(each, str)]
    own = {f"sage:{each.removeprefix(vocabulary.SAGE)}" for each in iris if each.startswith(vocabulary.SAGE)}
    return own | {each.name for each in terms().values()}


def test_the_numbers_of_a_search_are_those_of_sagedb() -> None:
    keys = [row for row in page.section("Numbers") if re.fullmatch(r"`\w+`", row.cells[1])]
    assert len(keys) == 11
    for row in keys:
        assert getattr(Retrieval(), row.cells[1].strip("`")) == float(row.cells[0]), row


def test_the_weights_of_relations_are_those_of_sagedb() -> None:
    rows = [row for row in page.section("Relation types") if row.cells[1] == f"`{row.names[0]}`"]
    assert len(rows) == 9
    for row in rows:
        assert builtin_types().named(row.names[0]).weight == float(row.cells[0].split(",")[0]), row


def test_each_format_is_read() -> None:
    suffixes = {suffix for reader in READERS for suffix in reader.media_types}
    assert {name for row in page.section("Formats") for name in row.names} <= suffixes
