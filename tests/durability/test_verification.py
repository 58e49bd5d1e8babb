"""Damage that opening a revision does not show: the service finds it by the digests, and goes on."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from durability.test_damaged_indexes import QUESTION, arrays, graph, replaced, rewritten, undamaged
from flask.testing import FlaskClient
from service.web import client_of
from waiting import PATIENCE, waited_for

from sage_ld.foundation.errors import InputError
from sage_ld.graph import KnowledgeGraph
from sage_ld.graph.store.digests import DIGESTS_FILE, DamagedFile, damaged_files, read_digests
from sage_ld.graph.store.directory import PARTS
from sage_ld.service import verification

__all__ = ["graph", "undamaged"]
QUERY = {"q": QUESTION, "k": 6, "from_graph": 3}


def newest(graph: KnowledgeGraph) -> Path:
    return graph.directory.revision(graph.directory.current())


def disturb(revision: Path) -> None:
    """Changes the vectors, without changing what can be read of the files."""
    index = revision / "vectors"  # the writer has a link to the same file
    rewritten(index, {"vectors": arrays(index)["vectors"][::-1]})


def damage_of(graph: KnowledgeGraph) -> list[str]:
    digests = read_digests(newest(graph))
    assert digests
    return [each.path for each in damaged_files(newest(graph), digests)]


def test_a_published_revision_is_as_its_digests_say(graph: KnowledgeGraph) -> None:
    assert damage_of(graph) == []
    graph.snapshot()
    graph.delete(["heron.md"])
    assert damage_of(graph) == []
    digests = read_digests(newest(graph))
    assert digests
    assert {name.partition("/")[0] for name in digests} >= set(PARTS)


@pytest.mark.parametrize("part", PARTS)
def test_each_change_of_a_file_is_seen(graph: KnowledgeGraph, part: str) -> None:
    file = max((newest(graph) / part).iterdir(), key=lambda each: (each.stat().st_size, each.name))
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 1
    replaced(file, bytes(content))
    assert damage_of(graph) == [f"{part}/{file.name}"]


def test_digests_that_cannot_be_read_are_named(graph: KnowledgeGraph) -> None:
    replaced(newest(graph) / DIGESTS_FILE, b"{")
    with pytest.raises(InputError, match="damaged"):
        read_digests(newest(graph))


def test_a_file_that_was_verified_is_not_read_again(graph: KnowledgeGraph) -> None:
    verified: dict[str, tuple[int, int, int, str]] = {}
    digests = read_digests(newest(graph)) or {}
    assert not list(damaged_files(newest(graph), digests, verified))
    graph.delete(["heron.md"])
    unchanged = {
        name for name, digest in (read_digests(newest(graph)) or {}).items() if digest == digests.get(name)
    }
    assert {"links/000001.arrays"} <= unchanged


def results(client: FlaskClient) -> object:
    answer = client.get("/v1/retrieve", query_string=QUERY, headers={"Accept": "application/ld+json"})
    return answer.json["itemListElement"]


def test_the_service_rebuilds_what_can_be_read_but_is_wrong(graph: KnowledgeGraph, undamaged: Path) -> None:
    with client_of(undamaged) as client:
        expected = results(client)
    disturb(newest(graph))
    with client_of(graph.directory.path) as client:
        assert waited_for(lambda: client.get("/health").json["status"] == "degraded")
        assert client.get("/health").status_code == 200
        assert client.get("/health").json["damage"].keys() == {"vectors"}
        assert 'sage_ld_damaged{part="vectors"} 1.0' in client.get("/metrics").text
        assert waited_for(lambda: results(client) == expected)


def test_no_answer_of_a_damaged_index_outlives_it(
    graph: KnowledgeGraph, undamaged: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = threading.Event()

    def verified(*given: Any) -> Iterator[DamagedFile]:
        asked.wait(PATIENCE)
        return damaged_files(*given)

    with client_of(undamaged) as client:
        expected = results(client)
    disturb(newest(graph))
    monkeypatch.setattr(verification, "damaged_files", verified)
    with client_of(graph.directory.path) as client:
        before = client.get("/v1/retrieve", query_string=QUERY)
        assert results(client) != expected  # and it is cached
        asked.set()
        assert waited_for(lambda: results(client) == expected)
        headers = {"If-None-Match": before.headers["ETag"]}
        assert client.get("/v1/retrieve", query_string=QUERY, headers=headers).status_code == 200


def test_the_next_write_ends_the_state(graph: KnowledgeGraph) -> None:
    shutil.rmtree(newest(graph) / "links")
    with client_of(graph.directory.path) as client:
        client.get("/v1/retrieve", query_string={"q": QUESTION})
        assert client.get("/health").json["damage"].keys() == {"links"}
        graph.relink()
        client.get("/v1/retrieve", query_string={"q": QUESTION})
        assert client.get("/health").json == {"status": "ok", "revision": graph.directory.current()}
        assert 'sage_ld_damaged{part="links"} 0.0' in client.get("/metrics").text
