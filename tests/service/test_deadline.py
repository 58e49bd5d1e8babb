"""Work on a retrieval ends at its deadline, and when nobody waits for it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient
from service.web import client_of

from sage_ld.foundation.deadline import deadline, each_checked
from sage_ld.foundation.errors import AbandonedError, TimeLimitError
from sage_ld.foundation.question import Filter
from sage_ld.foundation.recipes import adjusted
from sage_ld.graph import KnowledgeGraph
from sage_ld.retrieval import Retriever
from sage_ld.service.access.tokens import AccessRole, create_token
from sage_ld.service.http.environ import CLIENT_GONE

QUESTION = "Who composed the film that won the Golden Heron in 1987?"
SEARCH = """PREFIX sage: <https://w3id.org/sage-ld#>
SELECT ?chunk WHERE { ?chunk sage:search ("the river" 3) }"""
ASKED: list[dict[str, Any]] = [
    {"path": "/v1/retrieve", "query_string": {"q": QUESTION}},
    {"path": "/v1/retrieve", "method": "POST", "json": {"q": QUESTION, "ranking": "shared"}},
    {"path": "/v1/retrieve", "method": "POST", "json": {"q": QUESTION, "ranking": "pagerank"}},
    {"path": "/v1/retrieve/stream", "method": "POST", "json": {"q": QUESTION}},
    {"path": "/v1/chunks", "query_string": {"kinds": "table"}},
    {"path": "/v1/documents", "query_string": {"keywords": "river"}},
    {"path": "/sparql", "query_string": {"query": SEARCH}},
]


@pytest.fixture(scope="module")
def client(folder: Path) -> Iterator[FlaskClient]:
    with client_of(folder, client_rankings="learned,shared,pagerank") as opened:
        yield opened


@pytest.mark.parametrize(
    "sent", ASKED, ids=lambda sent: f"{sent['path']} {sent.get('json', {}).get('ranking')}"
)
def test_work_on_a_request_has_an_end(folder: Path, client: FlaskClient, sent: dict[str, Any]) -> None:
    with client_of(folder, client_rankings="learned,shared,pagerank", retrieve_timeout=1e-9) as hurried:
        answer = hurried.open(**sent)
        assert answer.status_code == 504
        assert "retrieve_timeout" in answer.get_json(force=True)["detail"]
    assert client.open(**sent, environ_overrides={CLIENT_GONE: lambda: True}).status_code == 499
    assert client.open(**sent, environ_overrides={CLIENT_GONE: lambda: False}).status_code == 200


def test_the_search_page_tells_of_the_time_limit(folder: Path) -> None:
    with client_of(folder, retrieve_timeout=1e-9) as client:
        page = client.get("/", query_string={"q": QUESTION})
        assert page.status_code == 504
        assert "retrieve_timeout" in page.text


def test_a_stream_ends_with_its_client(client: FlaskClient) -> None:
    gone = False
    sent = {"json": {"q": QUESTION, "k": 4}, "environ_overrides": {CLIENT_GONE: lambda: gone}}
    answer = client.open("/v1/retrieve/stream", method="POST", buffered=False, **sent)
    pieces = (piece.decode().partition("\n")[0] for piece in answer.iter_encoded())
    assert [next(pieces), next(pieces)] == ["event: seed", "event: seed"]
    gone = True
    assert list(pieces) == ["event: problem"]
    answer.close()


def test_an_evaluation_ends_with_its_client(folder: Path, tmp_path: Path) -> None:
    token = create_token(folder, "reader", AccessRole.READ, "2026-11-21")
    data = tmp_path / "data" / "heron"
    (data / "qrels").mkdir(parents=True)
    (data / "queries.jsonl").write_text(json.dumps({"_id": "1", "text": QUESTION}) + "\n")
    (data / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\n1\theron.md\t1\n")
    sent = {"json": {"dataset": "heron"}, "headers": {"Authorization": f"Bearer {token}"}}
    with client_of(folder, evaluation_dir=str(tmp_path / "data"), retrieve_timeout=1e-9) as client:
        gone = {CLIENT_GONE: lambda: True}
        assert client.post("/v1/evaluate", **sent, environ_overrides=gone).status_code == 499
        assert client.post("/v1/evaluate", **sent).status_code == 200


# --- steps -------------------------------------------------------------------------------------------


class StopError(Exception):
    """What a check of a test raises."""


def stopping(after: int) -> Callable[[], None]:
    """A check that lets so many steps pass."""
    left = after

    def check() -> None:
        nonlocal left
        if left == 0:
            raise StopError
        left -= 1

    return check


@pytest.mark.parametrize(
    ("changes", "arguments"),
    [
        ({"ranking": "learned", "hops": 2}, {}),
        ({"ranking": "shared", "hops": 2}, {}),
        ({"ranking": "pagerank"}, {}),
        ({"ranking": "learned"}, {"mode": "bm25"}),
        ({"ranking": "learned"}, {"only": Filter(kinds=("text",), where=("schema:position >= 0",))}),
    ],
    ids=str,
)
def test_work_may_end_at_any_step(folder: Path, changes: dict[str, Any], arguments: dict[str, Any]) -> None:
    graph = KnowledgeGraph.open(folder)
    retriever = Retriever(graph, adjusted(graph.recipe.retrieval, changes))
    expected = retriever.retrieve(QUESTION, **arguments)
    steps = 0
    while True:
        try:
            assert retriever.retrieve(QUESTION, **arguments, check=stopping(steps)) == expected
            break
        except StopError:
            steps += 1
    graph.close()
    assert steps >= (4 if "mode" in arguments else 6)


def test_a_deadline_is_noticed_at_the_next_check() -> None:
    deadline(60, "some")()
    with pytest.raises(TimeLimitError, match=r"after 0 s; .* setting some"):
        deadline(0, "some")()
    with pytest.raises(AbandonedError):
        deadline(60, "some", lambda: True)()


def test_rows_are_checked_now_and_then() -> None:
    rows = each_checked(iter(range(10_000)), stopping(3))
    with pytest.raises(StopError):
        list(rows)
    assert next(rows, None) is None
    taken = each_checked(iter(range(10_000)), stopping(100))
    assert list(taken) == list(range(10_000))
