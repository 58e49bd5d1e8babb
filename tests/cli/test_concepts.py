"""The command concepts: its table, an explanation, a file, and what it says of a graph without any."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from sage_ld.cli.main import app
from sage_ld.graph import KnowledgeGraph

TEXTS = ("The Osmere Film-Festival is in June.", "Ruth Calloway opened the Osmere Film Festival.")


def run(*words: str) -> str:
    done = CliRunner().invoke(app, ["concepts", *words])
    assert done.exit_code == 0, done.output
    return done.output


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("concepts")
    (folder / "recipe.toml").write_text("[concepts]\nderive = true\n", encoding="utf-8")
    for name, recipe in (("graph", str(folder / "recipe.toml")), ("plain", "default")):
        made = KnowledgeGraph.create(folder / name, encoder="jaccard", recipe=recipe)
        for number, text in enumerate(TEXTS):
            made.add(text, identifier=str(number))
        made.close()
    return folder


def test_it_prints_a_line_for_each_concept(folder: Path) -> None:
    assert run(str(folder / "graph")) == "      2  Osmere Film Festival  Osmere Film-Festival\n"
    assert (
        run(str(folder / "graph"), "--matching", "opera") == "none: no term of a concept contains 'opera'\n"
    )
    assert "derive = true" in run(str(folder / "plain"))


def test_it_explains_a_term(folder: Path) -> None:
    printed = run(str(folder / "graph"), "--explain", "osmere film festival")
    assert "Osmere Film Festival is in the concept Osmere Film Festival, of 2 chunks:" in printed
    assert "Osmere Film Festival = Osmere Film-Festival: spelling, cosine 1.000" in printed
    assert "neither the name of an entity" in run(str(folder / "graph"), "--explain", "Hask")
    assert "has no alias" in run(str(folder / "graph"), "--explain", "ruth calloway")
    assert json.loads(run(str(folder / "graph"), "--explain", "Hask", "--format", "json"))["known"] is False


def test_it_writes_a_file(folder: Path) -> None:
    file = folder / "synonyms.json"
    assert run(str(folder / "graph"), "--format", "synonyms", "-o", str(file)) == ""
    names = ("Osmere Film Festival", "Osmere Film-Festival")
    assert json.loads(file.read_text("utf-8")) == dict.fromkeys(names, names[0])
    run(str(folder / "graph"), "-o", str(folder / "concepts.csv"))
    assert (folder / "concepts.csv").read_text("utf-8").startswith("label,chunks,aliases,iri\n")
