"""Relinking by another recipe: what is derived is that of a graph that was built with it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from graph.canonical import canonical
from graph.corpus import FILES, write_files

from sage_ld.foundation.errors import InputError, NotFoundError
from sage_ld.foundation.model import EdgeKind
from sage_ld.foundation.recipes import load_recipe
from sage_ld.graph import KnowledgeGraph
from sage_ld.graph.store.directory import Directory

RECIPE = """
[concepts]
derive = true
least_chunks = 1
[edges.DocumentDocument]
percentile = 50.0
[retrieval]
channels = ["similarity", "concept"]
"""
HERONS = {"herons.md": "# Golden Herons\n\nThe prize of the Golden-Heron. Golden Herons are rare."}


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    return write_files(tmp_path / "corpus", FILES | HERONS)


def recipe(folder: Path, name: str, text: str) -> Path:
    (folder / name).write_text(text, encoding="utf-8")
    return folder / name


def test_it_gives_what_a_build_gives_and_takes_it_back(corpus: Path, tmp_path: Path) -> None:
    file = recipe(tmp_path, "own.toml", RECIPE)
    graph = KnowledgeGraph.create(tmp_path / "graph", encoder="jaccard")
    graph.ingest([corpus])
    plain = canonical(graph)
    other = KnowledgeGraph.open(tmp_path / "graph")
    graph.relink(recipe=file)
    built = KnowledgeGraph.create(tmp_path / "built", encoder="jaccard", recipe=str(file))
    built.ingest([corpus])
    assert graph.concepts()
    assert canonical(graph) == canonical(built) != plain
    assert graph.recipe.retrieval.channels == ("similarity", "concept")
    other.delete(["herons.md"])  # by an object that was opened before
    built.delete(["herons.md"])
    assert canonical(graph) == canonical(built)
    opened = KnowledgeGraph.open(tmp_path / "graph")
    assert opened.recipe == graph.recipe
    opened.ingest([corpus])
    before = load_recipe("default").edges.rules[EdgeKind.DOCUMENT_DOCUMENT].percentile
    back = RECIPE.replace("true", "false").replace("50.0", str(before))
    opened.relink(recipe=recipe(tmp_path, "default.toml", back))
    assert canonical(opened) == plain
    assert opened.check().clean
    assert not (opened.directory.live / "terms").exists()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[chunking]\nrows = 3\n", "[chunking]"),
        ("[summaries]\nderive = true\n", "[summaries]"),
        ("[analogies]\nderive = true\n", "[analogies] derive"),
        ("[concepts]\nderive = 3\n", "concepts.derive"),
        ('base = "paper"\n', "base"),
        ("[concepts\n", "not valid TOML"),
    ],
)
def test_what_a_relink_cannot_change_is_refused(text: str, message: str, tmp_path: Path) -> None:
    graph = KnowledgeGraph.create(tmp_path / "graph", encoder="jaccard")
    with pytest.raises(InputError) as raised:
        graph.relink(recipe=recipe(tmp_path, "wrong.toml", text))
    assert message in str(raised.value)
    with pytest.raises(NotFoundError, match="is not a readable file"):
        graph.relink(recipe=tmp_path / "none.toml")
    assert graph.recipe == load_recipe("default")


def test_it_keeps_what_another_process_changed(tmp_path: Path) -> None:
    graph = KnowledgeGraph.create(tmp_path / "graph", encoder="jaccard")
    other = KnowledgeGraph.open(tmp_path / "graph")
    assert other.recipe.retrieval.channels != ("similarity",)
    graph.relink(recipe=recipe(tmp_path, "one.toml", '[retrieval]\nchannels = ["similarity"]\n'))
    other.relink(recipe=recipe(tmp_path, "two.toml", "[concepts]\nderive = true\n"))
    assert other.recipe.retrieval.channels == ("similarity",)
    assert other.recipe.concepts.derive


def test_a_recipe_that_was_not_written_is_that_of_its_revision(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    graph = KnowledgeGraph.create(tmp_path / "graph", encoder="jaccard")
    graph.settings = replace(graph.settings, relink_share=9.0)
    graph.add("The Osmere Film Festival is the Osmere Film-Festival.", identifier="one")
    with monkeypatch.context() as killed:
        killed.setattr(Directory, "configure", interrupted)
        with pytest.raises(KeyboardInterrupt):
            graph.relink(recipe=recipe(tmp_path, "own.toml", RECIPE))
    opened = KnowledgeGraph.open(tmp_path / "graph")
    assert opened.recipe.retrieval.channels == ("similarity", "concept")
    assert [each.where for each in opened.check().findings] == ["recipe.toml"]
    opened.settings = graph.settings
    opened.add("Nils Garrow opened a window.", identifier="two")
    assert opened.concepts()
    assert load_recipe(tmp_path / "graph" / "recipe.toml") == opened.recipe
    assert opened.check().clean


def interrupted(*_: object) -> None:
    raise KeyboardInterrupt
