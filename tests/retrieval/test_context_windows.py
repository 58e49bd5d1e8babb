"""Windows around results: which chunks they have, where a document ends, that they cost nothing unasked."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from pyoxigraph import NamedNode, Quad, Store
from service.web import client_of

from sage_ld.foundation import vocabulary as v
from sage_ld.foundation.errors import InputError, LimitError
from sage_ld.foundation.model import ChunkView
from sage_ld.graph import KnowledgeGraph
from sage_ld.retrieval import Retriever, retriever
from sage_ld.retrieval.answers.results import answer_context, answer_jsonld, triples
from sage_ld.retrieval.chunks.context_windows import context_windows

QUESTION = "How many people live in Town23?"


@pytest.fixture(scope="module")
def towns(tmp_path_factory: pytest.TempPathFactory) -> KnowledgeGraph:
    """A table of six chunks of ten rows each."""
    folder = tmp_path_factory.mktemp("windows")
    rows = "".join(f"Town{number:02},River{number % 7},{number}00\n" for number in range(60))
    (folder / "towns.csv").write_text("Town,River,People\n" + rows)
    made = KnowledgeGraph.create(folder / "graph", encoder="jaccard")
    made.ingest([folder / "towns.csv"])
    return made


def first_rows(views: tuple[ChunkView, ...]) -> list[str]:
    return [view.text.split(";")[0].removeprefix("Town: ") for view in views]


def test_a_window_has_the_chunks_around_a_result_in_order(towns: KnowledgeGraph) -> None:
    (found,) = Retriever(towns).retrieve(QUESTION, 1, 0, window=2).results
    assert first_rows((found.view,)) == ["Town20"]
    assert first_rows(found.before) == ["Town00", "Town10"]
    assert first_rows(found.after) == ["Town30", "Town40"]
    (wide,) = Retriever(towns).retrieve(QUESTION, 1, 0, window=5).results
    assert first_rows(wide.before) == ["Town00", "Town10"]
    assert first_rows(wide.after) == ["Town30", "Town40", "Town50"]


def test_results_are_the_same_with_a_window_and_nothing_is_read_without_one(
    towns: KnowledgeGraph, monkeypatch: pytest.MonkeyPatch
) -> None:
    wide = Retriever(towns).retrieve(QUESTION, 4, 2, window=1)
    monkeypatch.setattr(retriever, "context_windows", None)
    plain = Retriever(towns).retrieve(QUESTION, 4, 2)
    bare = tuple(replace(each, before=(), after=()) for each in wide.results)
    assert replace(wide, asked=replace(wide.asked, window=0), results=bare) == plain


def test_windows_are_in_the_linked_answer(towns: KnowledgeGraph) -> None:
    document = answer_jsonld(Retriever(towns).retrieve(QUESTION, 1, 0, window=2))
    assert document["wasGeneratedBy"]["contextWindow"] == 2  # type: ignore[index]
    (result,) = document["itemListElement"]  # type: ignore[misc]
    assert [each["name"] for each in result["contextBefore"]] == ["towns", "towns"]
    said = list(triples(document))
    lists = [each for each in said if each.predicate.value == v.CONTEXT_BEFORE]
    assert len(lists) == 1
    plain = answer_jsonld(Retriever(towns).retrieve(QUESTION, 1, 0))
    assert plain["@context"] == answer_context()
    assert not {"contextBefore", "contextAfter"} & set(plain["itemListElement"][0])  # type: ignore[index]


def test_a_window_over_http(towns: KnowledgeGraph) -> None:
    with client_of(Path(towns.directory.path), max_window=3) as client:
        asked = {"q": QUESTION, "k": 1, "from_graph": 0, "window": 1}
        (result,) = client.post("/v1/retrieve", json=asked).get_json(force=True)["itemListElement"]
        assert [len(result[name]) for name in ("contextBefore", "contextAfter")] == [1, 1]
        refused = client.post("/v1/retrieve", json={**asked, "frame": "chunks"})
        assert (refused.status_code, b"window and frame" in refused.data) == (400, True)
        assert client.post("/v1/retrieve", json={**asked, "window": 4}).status_code == 413
        events = client.post("/v1/retrieve/stream", json={**asked, "from_graph": 1}).get_data(as_text=True)
        seed = json.loads(events.split("data: ", 1)[1].split("\n", 1)[0])
        assert len(seed["contextBefore"]) == 1


@pytest.mark.parametrize(
    ("window", "error", "message"),
    [
        (-1, InputError, "window is -1"),
        (11, LimitError, "max_window"),
        ("1", InputError, "window"),
        (True, InputError, "window"),
    ],
)
def test_a_window_out_of_range_is_refused(
    towns: KnowledgeGraph, window: int, error: type[Exception], message: str
) -> None:
    for ask in (Retriever(towns).retrieve, Retriever(towns).seeds):
        with pytest.raises(error, match=message):
            ask(QUESTION, window=window)


def test_statements_of_users_cannot_make_a_window_endless() -> None:
    """A chunk that follows itself, one that has two after it, and what is no chunk."""
    store, (a, b, c) = Store(), (NamedNode(f"http://example.org/{name}") for name in "abc")
    store.extend(Quad(*each) for each in ((a, NamedNode(v.NEXT), c), (a, NamedNode(v.NEXT), b)))
    store.extend(Quad(*each) for each in ((b, NamedNode(v.NEXT), a), (c, NamedNode(v.NEXT), c)))
    assert context_windows(store, [a.value, c.value], 10) == {a.value: ((), ()), c.value: ((), ())}
