"""What the answer to a write says of whether it was done, where its process ends before it has answered."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from flask.testing import FlaskClient
from service.serving import UPDATE, empty_graph
from service.web import client_of

from sage_ld.graph.store.directory import Directory
from sage_ld.graph.store.pins import MARK, pin
from sage_ld.service import context
from sage_ld.service.access.tokens import AccessRole, create_token


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return empty_graph(tmp_path / "graph")


@pytest.fixture
def crashing(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[FlaskClient]:
    """A client of a graph whose writer crashes as soon as it has published."""
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[1]), prepend=os.pathsep)
    monkeypatch.setattr(context, "WRITE_WORKER", "service.crashing_writer")
    with client_of(folder) as client:
        yield client


@pytest.fixture
def headers(folder: Path) -> dict[str, str]:
    token = create_token(folder, "writer", AccessRole.WRITE, "2026-01-01")
    return {"Authorization": f"Bearer {token}", "Content-Type": UPDATE}


def test_a_write_whose_process_crashes_once_it_has_published_is_said_to_be_there(
    crashing: FlaskClient, headers: dict[str, str], folder: Path
) -> None:
    directory = Directory(folder)
    published = directory.current() + 2
    leftover = directory.revision(published - 1)  # of a graph whose `current` was set back
    leftover.mkdir()
    (leftover / MARK).touch()
    handle = pin(leftover)
    assert handle is not None
    with handle:
        answer = crashing.post("/update", data="INSERT DATA { <x:s> <x:p> 1 }", headers=headers)
    assert answer.status_code == 422
    assert answer.get_json(force=True)["detail"].endswith(
        f"revision {published} was being published and is there: see whether it shows the change"
    )
    assert b"true" in crashing.get("/sparql?query=ASK{<x:s><x:p>1}").data
