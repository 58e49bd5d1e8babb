"""Kept retrievals on the command line: shown, counted, exported, deleted."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pyoxigraph as ox
import pytest
from foundation.language_model.scripted_server import scripted_server
from graph.corpus import built, write
from typer.testing import CliRunner

from sage_ld.cli.main import app
from sage_ld.foundation import vocabulary as v
from sage_ld.foundation.language_model import CallBudget
from sage_ld.graph import KnowledgeGraph
from sage_ld.graph.store.directory import Directory
from sage_ld.retrieval import Retriever

QUESTION = "Who won the Golden Heron?"
ODD = "What \x1b[31m[red]is\nthis? " + "x" * 300


@pytest.fixture(scope="module")
def graph(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A graph with three kept retrievals and a judgement."""
    folder = tmp_path_factory.mktemp("cli")
    made = built(folder / "graph", write(folder / "corpus"))
    for question in (QUESTION, QUESTION, ODD):
        iri = made.retrievals.keep(Retriever(made).retrieve(question), 0.05)
    made.retrievals.judge(iri, True, rank=1)
    made.close()
    return folder / "graph"


def sage_ld(*words: str | Path) -> str:
    done = CliRunner().invoke(app, list(map(str, words)), env={"COLUMNS": "300"})
    assert done.exit_code == 0, done.output
    return done.stdout


def test_the_last_ones_are_listed_first(graph: Path) -> None:
    lines = sage_ld("retrievals", "list", graph, "--limit", "2").splitlines()
    assert len(lines) == 3
    assert "What \\x1b[31m[red]is this? xxx" in lines[1]
    assert "…" in lines[1]
    assert QUESTION in lines[2]
    found = json.loads(sage_ld("retrievals", "list", graph, "--json"))
    assert [each["wasGeneratedBy"]["query"] for each in found] == [ODD, QUESTION, QUESTION]


def test_they_are_analysed(graph: Path) -> None:
    printed = sage_ld("retrievals", "analyse", graph, "--poor-below", "2")
    assert "3 retrievals in 30 days; 1 results judged, 1 of them helped" in printed
    assert "p50 50 ms" in printed
    assert printed.count(QUESTION) == 2  # frequent, and by this threshold poor
    assert json.loads(sage_ld("retrievals", "analyse", graph, "--json"))["retrievals"] == 3


def test_an_export_has_them_if_asked(graph: Path, tmp_path: Path) -> None:
    sage_ld("export", graph, "-o", tmp_path / "plain.nq")
    sage_ld("export", graph, "-o", tmp_path / "whole.nq", "--retrievals")
    plain, whole = (
        {str(quad.graph_name) for quad in ox.parse(path=str(tmp_path / f"{name}.nq"))}
        for name in ("plain", "whole")
    )
    assert whole - plain == {"<http://localhost:8000/id/graph/retrievals>"}


def test_they_are_deleted(graph: Path) -> None:
    assert sage_ld("retrievals", "clear", graph, "--older-than", "1") == "0 records deleted\n"
    assert sage_ld("retrievals", "clear", graph) == "3 records deleted\n"
    assert sage_ld("retrievals", "list", graph).count("\n") <= 1


def test_calls_of_the_language_model_are_read_by_sparql_and_exported(graph: Path, tmp_path: Path) -> None:
    copy = tmp_path / "graph"
    shutil.copytree(graph, copy)
    with scripted_server("Astrid") as server:
        settings = server.settings(keep_model_calls=True)
        made = KnowledgeGraph(Directory(copy), settings)
        with made.language_model("a test").task("names", CallBudget(1, 1_000, 60)) as task:
            task.ask([{"role": "user", "content": "Who won?"}])
        made.close()
    query = f"""PREFIX prov: <{v.PROV}> PREFIX sage: <{v.SAGE}>
        SELECT ?task ?asked ?said ?tokens {{ GRAPH <http://localhost:8000/id/graph/retrievals> {{
          ?call a sage:ModelCall ; sage:task ?task ; sage:tokens ?tokens ; prov:used/prov:value ?asked .
          ?answer prov:wasGeneratedBy ?call ; prov:value ?said }} }}"""
    rows = sage_ld("sparql", copy, query, "--format", "csv").splitlines()
    assert rows[1:] == ['names,"[{""role"": ""user"", ""content"": ""Who won?""}]",Astrid,10']
    sage_ld("export", copy, "-o", tmp_path / "kept.nq", "--retrievals")
    kept = ox.Store()
    kept.bulk_load((tmp_path / "kept.nq").read_bytes(), ox.RdfFormat.N_QUADS)
    assert list(kept.quads_for_pattern(None, None, ox.NamedNode(v.MODEL_CALL), None))
