"""A served graph that gets another base IRI or encoder, and the address at which a graph is served."""

from __future__ import annotations

import re
import time
from pathlib import Path

import pytest
from graph.corpus import built, write
from service.serving import serving

from sage_ld.foundation.errors import InputError
from sage_ld.graph.store.iris import Iris
from sage_ld.service.access.hosts import check_base

MINE = "http://localhost:8000/id/"


@pytest.mark.servers
@pytest.mark.usefixtures("static_table")
def test_a_served_graph_changes_its_encoder_and_its_base(tmp_path: Path) -> None:
    """Each answer is that of one revision, by its own encoder; pages are found below the new base."""
    graph = built(tmp_path / "graph", write(tmp_path / "corpus"))
    with serving(tmp_path / "graph") as server:
        assert "sage-ld rebase" in server.log.read_text()  # it listens on another port than 8000

        def answer() -> list[str]:
            found = server.send("GET", "/v1/retrieve?q=Who+plays+the+theremin")
            assert found.status == 200
            return re.findall(r"[^\"]*/chunk/[0-9a-f]{24}", found.content.decode())

        assert len(answer()) > 0
        graph.reencode("static")
        assert len(answer()) > 0
        base = f"http://127.0.0.1:{server.port}/films/"
        graph.rebase(base)
        assert all(each.startswith(base) for each in answer())
        document = Iris(base).document("heron.md")
        deadline = time.monotonic() + 120
        while server.send("GET", document).status != 200:
            assert time.monotonic() < deadline, server.log.read_text()
            time.sleep(0.2)
        described = server.send("GET", "/v1/stats").json
        assert (described["baseIri"], described["encoder"]) == (base, "static")


@pytest.mark.parametrize(
    ("base", "host", "confirmed", "complaint"),
    [
        (MINE, "0.0.0.0", None, "sage-ld rebase films http://NAME:80/id/"),
        (MINE, "0.0.0.0", MINE, ""),
        (MINE, "127.0.0.1", None, ""),
        ("https://films.example.org/id/", "0.0.0.0", None, ""),
        (MINE, "0.0.0.0", "http://films.example.org/", "sage-ld rebase films http://films.example.org/"),
    ],
)
def test_iris_on_localhost_are_not_served_to_others_unseen(
    base: str, host: str, confirmed: str | None, complaint: str
) -> None:
    if complaint:
        with pytest.raises(InputError, match=complaint):
            check_base("films", base, host, 80, confirmed=confirmed)
    else:
        check_base("films", base, host, 80, confirmed=confirmed)
