"""Rooms that may be left out: with any of them deleted, the rest works; without all, it passes its tests."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
LAB, AGENTS, PAGES = "sage_ld/lab", "sage_ld/agents", "sage_ld/service/views"
COMMANDS = {LAB: {"inspect", "eval", "tune"}, AGENTS: {"ask", "mcp", "reason", "tools"}, PAGES: set[str]()}
"""What `sage-ld --help` lists no more, by the room that was deleted."""
ROUTES = {LAB: "/v1/graph/overview", AGENTS: "/v1/tools", PAGES: "/documents"}
"""A route that is missing then."""
TESTS = (
    "tests/graph/store/test_stores.py",
    "tests/retrieval/test_channels.py",
    "tests/retrieval/test_retriever.py",
    "tests/service/test_facets.py",
    "tests/service/test_conditional.py",
)
"""Tests of what is left, a part that takes little time."""
SERVED = """
import json
import sys
from pathlib import Path

import sage_ld
from sage_ld.service.app import create_app
from sage_ld.service.context import detach

app = create_app(Path(sys.argv[1]))
client = app.test_client()
paths = ("/v1/retrieve?q=ferry", "/sparql?query=ASK%20%7B%7D", "/openapi.json", "/ontology", *sys.argv[2:])
found = {path: client.get(path, headers={"Accept": "*/*"}).status_code for path in paths}
found["page of an error"] = client.get("/none", headers={"Accept": "text/html"}).status_code
detach(app)
print(json.dumps({"from": sage_ld.__file__, "status": found}))
"""


def run(folder: Path, *arguments: str) -> str:
    """What Python prints for these arguments, with the package in a folder."""
    environment = os.environ | {"PYTHONPATH": str(folder)}
    done = subprocess.run(
        [sys.executable, *arguments], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def without(folder: Path, *rooms: str) -> None:
    """Makes a copy of the package in which these rooms, with their tests, are missing."""
    for each in ("sage_ld", "tests", "ontology", "shapes", "examples", "docs"):
        shutil.copytree(ROOT / each, folder / each, ignore=shutil.ignore_patterns("__pycache__", "images"))
    shutil.copy(ROOT / "pyproject.toml", folder)
    for room in rooms:
        shutil.rmtree(folder / room)
        shutil.rmtree(folder / "tests" / Path(room).name, ignore_errors=True)


@pytest.mark.slow
@pytest.mark.parametrize("room", [LAB, AGENTS, PAGES])
def test_the_rest_ingests_searches_and_serves(tmp_path: Path, room: str) -> None:
    without(folder := tmp_path, room)
    command = ("-m", "sage_ld.cli")
    lines = run(folder, *command, "--help").splitlines()
    listed = {line.split()[0] for line in lines if line.startswith("  ")}
    assert {"ingest", "search", "serve"} <= listed
    assert not COMMANDS[room] & listed
    run(folder, *command, "ingest", "films", "examples/films", "--encoder", "jaccard")
    assert "Night Bus to Hask" in run(folder, *command, "search", "films", "Night Bus to Hask", "-k", "2")
    said = run(folder, "-c", SERVED, "films", ROUTES[room])
    assert f'"from": "{folder}' in said
    for path, status in (("/v1/retrieve?q=ferry", 200), ("/sparql?query=ASK%20%7B%7D", 200)):
        assert f'"{path}": {status}' in said
    assert f'"{ROUTES[room]}": 404' in said
    assert '"/openapi.json": 200' in said
    assert '"/ontology": 200' in said
    assert '"page of an error": 404' in said


@pytest.mark.slow
def test_the_tests_of_the_rest_pass(tmp_path: Path) -> None:
    without(tmp_path, LAB, AGENTS, PAGES)
    run(tmp_path, "-m", "pytest", "-q", "-p", "no:cacheprovider", *TESTS)
