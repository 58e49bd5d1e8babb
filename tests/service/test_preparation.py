"""What pages show first is made in the background once somebody looks at a page."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from flask import Flask

from sage_ld.foundation.settings import Settings
from sage_ld.graph import KnowledgeGraph, Snapshot
from sage_ld.service.app import create_app
from sage_ld.service.context import detach, service_of
from sage_ld.service.views.preparation import preparation


@pytest.fixture
def app(tmp_path: Path) -> Iterator[Flask]:
    graph = KnowledgeGraph.create(tmp_path / "graph", encoder="jaccard")
    graph.add("The ferry of Hask was late.", identifier="a.txt", metadata={"team": "red"})
    graph.add("The Ferry of Hask was early.", identifier="b.txt", metadata={"team": "red"})
    graph.close()
    made = create_app(tmp_path / "graph", Settings(web_searches=1))
    yield made
    detach(made)


def _not_kept(_: Snapshot) -> object:
    pytest.fail("it would have to be made now")


@pytest.mark.parametrize("path", ["/", "/documents"])
def test_after_a_page_has_been_asked_for_the_others_have_what_they_need(app: Flask, path: str) -> None:
    assert app.test_client().get(path).status_code == 200
    here = service_of(app)
    with here.snapshots.use() as snapshot:
        with app.app_context():
            assert preparation().of(snapshot.number, patience=60) == (snapshot.number, None)
        for kept in ("facets", "document shelf", "all documents counted"):
            snapshot.derived(_not_kept, kept)


def test_a_client_without_pages_has_nothing_made(app: Flask) -> None:
    assert app.test_client().get("/v1/retrieve?q=ferry").status_code == 200
    here = service_of(app)
    with here.snapshots.use() as snapshot:
        assert snapshot.derived(lambda _: "made now", "facets") == "made now"


def test_the_counts_of_the_page_are_those_of_the_store(app: Flask) -> None:
    page = re.sub("<.*?>", "", app.test_client().get("/").text)
    with service_of(app).snapshots.use() as snapshot:
        counted = snapshot.store.query(
            "SELECT DISTINCT ?entity { ?entity <https://w3id.org/sage-ld#chunkFrequency> ?count }",
            use_default_graph_as_union=True,
        )
        entities = len(list(counted))  # type: ignore[arg-type]
    assert entities > 0
    assert f"2 documents, 2 chunks, {entities} entities" in page
