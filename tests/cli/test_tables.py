"""The command tables: its list, and answers in each format."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from sage_ld.cli.main import app
from sage_ld.graph import KnowledgeGraph
from tests.agents.tables.corpus import tables_graph

SQL = "SELECT film, year FROM data_films ORDER BY year"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    made = tables_graph(tmp_path_factory.mktemp("tables"))
    yield str(made.directory.path)
    made.close()


def run(*words: str) -> str:
    done = CliRunner().invoke(app, ["tables", *words])
    assert done.exit_code == 0, done.output
    return done.output


def test_it_lists_tables_with_types_and_examples(folder: str) -> None:
    listed = run(folder, "--matching", "songs")
    assert listed.splitlines()[0] == "songs  (2 rows, songs.jsonl)"
    assert "minutes  BIGINT     3, 5" in listed
    assert "1 of 6 tables" in run(folder, "--limit", "1")
    assert run(folder, "--matching", "opera") == "0 of 6 tables; --matching and --limit choose others\n"
    (songs,) = json.loads(run(folder, "--matching", "songs", "--format", "json"))
    assert (songs["name"], songs["kind"], songs["rows"]) == ("songs", "records", 2)


def test_it_prints_an_answer_in_each_format(folder: str) -> None:
    assert run(folder, "--sql", SQL).splitlines()[1] == "Salt Over Sennet   1986"
    assert run(folder, "--sql", SQL, "--format", "csv").splitlines()[:2] == [
        "film,year",
        "Salt Over Sennet,1986",
    ]
    said = json.loads(run(folder, "--sql", f"SELECT _chunk, {SQL[7:]}", "--format", "json"))
    assert said["rows"][2] == ["The Lamplighter", 1988]
    assert [len(each) for each in said["chunks"]] == [1, 1, 1]
    assert "the first 2 rows, as --limit says" in run(folder, "--sql", SQL, "--limit", "2")


@pytest.mark.parametrize("words", [["--format", "csv"], ["--sql", "DROP TABLE towns"]])
def test_what_it_does_not_do_is_an_error(folder: str, words: list[str]) -> None:
    assert CliRunner().invoke(app, ["tables", folder, *words]).exit_code == 1


def test_a_graph_without_tables_says_so(tmp_path: Path) -> None:
    made = KnowledgeGraph.create(tmp_path / "graph", encoder="jaccard")
    made.add("A text.", identifier="a")
    made.close()
    assert run(str(tmp_path / "graph")).startswith("0 of 0 tables")
