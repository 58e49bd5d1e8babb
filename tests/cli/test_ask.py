"""`sage-ld ask`: sentences with numbered citations, and the forms for programs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from foundation.language_model.scripted_server import scripted_server
from graph.corpus import built, write
from typer.testing import CliRunner, Result

from sage_ld.cli.main import app
from sage_ld.foundation.errors import InputError

QUESTION = "Who wrote the music of Night Bus to Hask?"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    base = tmp_path_factory.mktemp("asking")
    graph = built(base / "graph", write(base / "corpus"))
    graph.close()
    return base / "graph"


def ask(folder: Path, *arguments: str) -> Result:
    result = CliRunner().invoke(app, ["ask", str(folder), *arguments])
    assert result.exit_code == 0, result.output
    return result


def test_sentences_are_numbered_and_their_sources_named(folder: Path) -> None:
    lines = ask(folder, QUESTION, "--sentences", "1").stdout.splitlines()
    assert lines[0] == "Mira Tolland wrote the music. [1]"
    assert lines[1] == ""
    assert lines[2].startswith("[1] Night Bus to Hask (films/night-bus.md, ")
    assert "/chunk/" in lines[2]


def test_a_row_is_shown_as_its_cells(folder: Path) -> None:
    said = ask(folder, "How many people has the town Sennet?", "--kind", "table").stdout
    assert "    Town: Sennet\n    River: Osme\n    People: 12000 [1]\n" in said


def test_what_the_graph_does_not_have_is_said(folder: Path) -> None:
    assert ask(folder, "What is the boiling point of tungsten?").stdout == "The graph does not say.\n"


@pytest.mark.parametrize("form", ["json", "jsonld"])
def test_programs_get_json(folder: Path, form: str) -> None:
    said = json.loads(ask(folder, QUESTION, "--format", form).stdout)
    assert said["answer" if form == "json" else "text"].startswith("Mira Tolland wrote the music.")


def test_a_model_that_fails_is_told_on_standard_error(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with scripted_server("no JSON") as server:
        monkeypatch.setenv("OPENAI_API_KEY", "sk-secret-of-the-test")
        monkeypatch.setenv("SAGE_LD_LANGUAGE_MODEL", "m")
        monkeypatch.setenv("SAGE_LD_LANGUAGE_BASE_URL", server.url)
        result = ask(folder, QUESTION, "--stream")
    assert "Mira Tolland wrote the music." in result.stdout
    assert result.stderr.startswith("note: these sentences are extracted: ")


def test_only_text_streams(folder: Path) -> None:
    result = CliRunner().invoke(app, ["ask", str(folder), QUESTION, "--stream", "--format", "json"])
    assert isinstance(result.exception, InputError)
