"""A graph put by the Graph Store Protocol, whose resources retrieval finds as long as they are in it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from graph.canonical import canonical
from pyoxigraph import NamedNode
from service.serving import UPDATE, empty_graph
from service.web import client_of
from werkzeug.test import TestResponse

from sage_ld.foundation import vocabulary as v
from sage_ld.foundation.errors import InputError, NotFoundError
from sage_ld.graph import KnowledgeGraph
from sage_ld.graph.shapes.shacl import validate
from sage_ld.retrieval import Retriever
from sage_ld.service.access.tokens import AccessRole, create_token

BASE = "http://localhost:8000/id/"
GRAPH = "http://example.org/birds"
DATA = f"/data?graph={GRAPH}"
PREFIXES = "@prefix ex: <http://example.org/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . "
WREN = PREFIXES + 'ex:wren rdfs:label "Wren" ; ex:song "a loud trill" ; ex:nest [ ex:form "dome" ] .'
HERON = PREFIXES + 'ex:heron rdfs:label "Heron" ; ex:song "a harsh croak" .'

Send = Callable[..., TestResponse]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return empty_graph(tmp_path / "graph")


@pytest.fixture
def send(folder: Path) -> Iterator[Send]:
    token = create_token(folder, "writer", AccessRole.WRITE, "2026-01-01")
    headers = {"Authorization": f"Bearer {token}"}

    with client_of(folder) as client:

        def send(
            method: str, path: str, body: str = "", kind: str = "text/turtle", code: int = 204
        ) -> TestResponse:
            answer = client.open(path, method=method, data=body, headers=headers, content_type=kind)
            assert answer.status_code == code, answer.text
            return answer

        yield send


def named(folder: Path) -> list[str]:
    """The names of what retrieval finds for a question about both birds."""
    graph = KnowledgeGraph.open(folder)
    try:
        answer = Retriever(graph).retrieve("trill croak dome", mode="bm25", k=9)
        return sorted(each.view.name for each in answer.results)
    finally:
        graph.close()


def test_its_resources_are_found_and_follow_what_is_written_later(send: Send, folder: Path) -> None:
    send("PUT", DATA, WREN, code=201)
    assert named(folder) == []
    send("PUT", f"{DATA}&retrievable=true", WREN)
    assert named(folder) == ["Wren"]
    send("POST", DATA, HERON)
    assert named(folder) == ["Heron", "Wren"]
    send("PUT", DATA, HERON)
    assert named(folder) == ["Heron"]
    insert = f'INSERT DATA {{ GRAPH <{GRAPH}> {{ <x:rail> <x:name> "Rail" ; <x:song> "croak" }} }}'
    send("POST", "/update", insert, UPDATE, code=200)
    assert named(folder) == ["Heron", "Rail"]
    send("POST", "/update", f"CLEAR GRAPH <{GRAPH}>", UPDATE, code=200)
    assert named(folder) == []
    send("PUT", DATA, WREN)
    assert named(folder) == ["Wren"]
    send("DELETE", DATA)
    assert named(folder) == []
    send("PUT", DATA, WREN, code=201)
    assert named(folder) == []


def test_nothing_is_left_of_it_once_it_is_retrievable_no_more(send: Send, folder: Path) -> None:
    send("PUT", DATA, WREN, code=201)
    with_graph = KnowledgeGraph.open(folder)
    with_graph.relink()  # what users' statements are is not derived before there is anything to join
    before = canonical(with_graph)
    revision = with_graph.directory.current()
    send("PUT", f"{DATA}&retrievable=true", WREN)
    assert with_graph.directory.current() == revision + 1
    assert len(canonical(with_graph)) > len(before)
    assert validate(with_graph.snapshot().store).violations == ()
    send("PUT", f"{DATA}&retrievable=false", WREN)
    assert [each for each in canonical(with_graph) if "/build" not in each] == [
        each for each in before if "/build" not in each
    ]
    with_graph.close()


def ingested(folder: Path, files: Path, texts: dict[str, str]) -> KnowledgeGraph:
    """The served graph, with these files and others, so that not all is derived again after each write."""
    files.mkdir()
    for number in range(40):
        (files / f"{number}.md").write_text(f"# Note {number}\n\nA text about river {number * 7}.\n")
    for name, text in texts.items():
        (files / name).write_text(text)
    graph = KnowledgeGraph.open(folder)
    graph.ingest(files)
    return graph


def subjects(graph: KnowledgeGraph, predicate: str, value: str) -> list[str]:
    """Of what a statement is made, as now and after all is derived again."""
    found = []
    for _ in range(2):
        quads = graph.snapshot().store.quads_for_pattern(None, NamedNode(predicate), NamedNode(value), None)
        found.append(sorted(str(each.subject).rpartition("/")[2].strip("<>") for each in quads))
        graph.relink()
    assert found[0] == found[1]
    return found[0]


def followed(graph: KnowledgeGraph) -> list[str]:
    """The properties whose statements are edges."""
    return subjects(graph, v.TYPE, v.STATEMENT_PROPERTY)


def test_statements_of_a_graph_are_edges_as_long_as_they_are_in_it(
    send: Send, folder: Path, tmp_path: Path
) -> None:
    graph = ingested(folder, tmp_path / "files", {})
    send("PUT", DATA, WREN, code=201)
    assert followed(graph) == ["nest"]
    send("DELETE", DATA)
    assert followed(graph) == []
    send("PUT", f"{DATA}&retrievable=true", WREN, code=201)
    assert followed(graph) == ["nest"]
    send("POST", DATA, PREFIXES + "ex:wren ex:builds ex:home .")
    assert followed(graph) == ["builds", "nest"]
    send("POST", "/update", f"CLEAR GRAPH <{GRAPH}>", UPDATE, code=200)
    assert followed(graph) == []
    insert = f"INSERT DATA {{ GRAPH <{GRAPH}> {{ <x:a> <x:p/near> <x:c> }} <x:a> <x:p/far> <x:c> }}"
    send("POST", "/update", insert, UPDATE, code=200)
    assert followed(graph) == ["far", "near"]  # what stands in the default graph is stated, too
    graph.close()


def test_labels_of_a_graph_name_resources_while_it_is_retrievable(
    send: Send, folder: Path, tmp_path: Path
) -> None:
    texts = {"bird.ttl": WREN, "note.md": "# Birds\n\nWe heard the Troglodyte King in the hedge.\n"}
    graph = ingested(folder, tmp_path / "files", texts)
    label = PREFIXES + 'ex:wren <http://www.w3.org/2004/02/skos/core#altLabel> "Troglodyte King" .'

    def mentioning() -> int:
        return len(subjects(graph, v.MENTIONS, "http://example.org/wren"))

    before = mentioning()
    send("PUT", DATA, label, code=201)
    assert mentioning() == before
    send("PUT", f"{DATA}&retrievable=true", label)
    assert mentioning() > before
    send("PUT", f"{DATA}&retrievable=false", label)
    assert mentioning() == before
    graph.close()


def test_the_users_triples_stay_in_their_own_graph(send: Send, folder: Path) -> None:
    send("PUT", f"{DATA}&retrievable=true", WREN, code=201)
    graph = KnowledgeGraph.open(folder)
    quads = graph.snapshot().stores.named.quads_for_pattern(
        NamedNode("http://example.org/wren"), None, None, None
    )
    assert {quad.graph_name.value for quad in quads} == {GRAPH, graph.iris.entities_graph}
    graph.close()


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        (f"{DATA}&retrievable=yes", "neither true nor false"),
        ("/data?default&retrievable=true", "default graph"),
        (f"/data?graph={BASE}graph/mine&retrievable=true", "own"),
    ],
)
def test_what_cannot_be_made_retrievable_is_refused_and_nothing_is_written(
    send: Send, folder: Path, path: str, reason: str
) -> None:
    graph = KnowledgeGraph.open(folder)
    revision = graph.directory.current()
    assert reason in send("POST", path, WREN, code=400).text
    assert graph.directory.current() == revision


def test_a_record_does_not_take_the_place_of_a_graph(send: Send, folder: Path, tmp_path: Path) -> None:
    send("PUT", f"{DATA}&retrievable=true", WREN, code=201)
    (tmp_path / "a.jsonl").write_text(f'{{"_id": "{GRAPH}", "text": "A wren sings."}}\n')
    graph = KnowledgeGraph.open(folder)
    summary = graph.ingest(tmp_path / "a.jsonl")
    assert (summary.added, summary.replaced) == (0, 0)
    assert "a named graph of that name" in summary.failed[0][1]
    assert graph.ingest(tmp_path / "a.jsonl", replace=True).replaced == 1
    graph.close()


def test_a_graph_and_a_file_are_never_one_document(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text(f'{{"_id": "{GRAPH}", "text": "A wren sings."}}\n')
    graph = KnowledgeGraph.create(tmp_path / "graph", encoder="jaccard")
    graph.ingest(tmp_path / "a.jsonl")
    with pytest.raises(NotFoundError, match="write it first"):
        graph.make_retrievable(GRAPH)
    with pytest.raises(InputError, match="not an absolute IRI"):
        graph.make_retrievable("birds")
    with graph.writer() as writer:
        writer.change().add_graph(NamedNode(GRAPH))
        writer.publish()
    with pytest.raises(InputError, match="read from a file"):
        graph.make_retrievable(GRAPH)
    graph.close()
