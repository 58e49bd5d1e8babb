"""What users write by the Graph Store Protocol comes back as they wrote it, graph by graph and as a whole."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from io import BytesIO
from pathlib import Path

import pytest
from graph.round_trips import canonical
from pyoxigraph import NamedNode, Quad, RdfFormat, parse
from service.serving import UPDATE, empty_graph
from service.web import client_of
from werkzeug.test import TestResponse

from sage_ld.foundation import vocabulary as v
from sage_ld.graph import KnowledgeGraph
from sage_ld.graph.exports import export
from sage_ld.graph.store.iris import Iris
from sage_ld.service.access.tokens import AccessRole, create_token

HEAD = "@prefix : <http://e.org/> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> . "
G = "/data?graph=http://e.org/g"
TRIG, NQUADS, JSONLD, TURTLE = "application/trig", "application/n-quads", "application/ld+json", "text/turtle"

Send = Callable[..., TestResponse]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return empty_graph(tmp_path / "graph")


@pytest.fixture
def send(folder: Path) -> Iterator[Send]:
    token = create_token(folder, "writer", AccessRole.WRITE, "2026-01-01")
    headers = {"Authorization": f"Bearer {token}"}

    with client_of(folder, queue_timeout=120.0) as client:

        def send(
            method: str, path: str, body: str = "", kind: str = TURTLE, code: int = 204, accept: str = TURTLE
        ) -> TestResponse:
            sent = {**headers, "Accept": accept}
            answer = client.open(path, method=method, data=body, headers=sent, content_type=kind)
            assert answer.status_code == code, answer.text
            return answer

        yield send


def got(send: Send, path: str, accept: str = TURTLE) -> set[str]:
    form = RdfFormat.from_media_type(accept.partition(";")[0])
    assert form is not None
    return canonical(parse(send("GET", path, accept=accept, code=200).data, form))


def means(text: str) -> set[str]:
    return canonical(parse(HEAD + text, RdfFormat.TRIG))


def test_a_graph_comes_back_as_it_was_put(send: Send) -> None:
    text = ':a :n 007, 7, "1"^^xsd:boolean, "5"^^xsd:byte, 1.50 ; :l ( 01 [ :n 01 ] ) .'
    send("PUT", G, HEAD + text, code=201)
    for accept in (TURTLE, "application/n-triples", JSONLD, "application/rdf+xml"):
        assert got(send, G, accept) == means(text)
    send("PUT", G, HEAD + ":a :n 7 .")
    assert got(send, G) == means(":a :n 7 .")
    send("POST", G, HEAD + ":a :n 0007 .")
    assert got(send, G) == means(":a :n 7, 0007 .")
    send("POST", G, HEAD + ":a :n 7 ; :m +1 .")
    assert got(send, G) == means(":a :n 7, 0007 ; :m +1 .")


@pytest.mark.parametrize(("path", "form", "kind"), [(G, "{}", TURTLE), ("/data", ":g {{ {} }}", TRIG)])
def test_a_put_of_what_is_there_changes_nothing(
    send: Send, folder: Path, path: str, form: str, kind: str
) -> None:
    """Whatever the blank nodes are called, and by whatever way they came."""

    def state() -> tuple[int | None, set[Quad]]:
        graph = KnowledgeGraph.open(folder)
        named = graph.snapshot().store.quads_for_pattern(None, None, None, NamedNode("http://e.org/g"))
        return graph.directory.current(), set(named)

    nodes = "_:{} :n 007 ; :l ( 01 [ :n 1 ] ) . _:b :knows _:{} . "
    send("POST", G, HEAD + nodes.format("a", "a"), code=201)
    before = state()
    send("PUT", path, HEAD + form.format(nodes.format("z", "z")), kind)
    assert state() == before
    send("PUT", path, HEAD + form.format(nodes.format("y", "y") + ":c :n :d ."), kind)
    assert before[1] < state()[1]
    assert state()[0] != before[0]


def test_a_file_that_changes_doubles_no_blank_node_of_a_graph_that_was_put(send: Send, folder: Path) -> None:
    nodes = ":a :at [ :street 'Quay' ; :no 7 ] . :l :list (1 2 3) ."

    def ingest(more: str) -> None:
        graph = KnowledgeGraph.open(folder)
        graph.add(HEAD + f":g {{ {nodes} }} {more}", identifier="f.trig", media_type=TRIG)
        graph.close()

    ingest("")
    send("PUT", G, HEAD + nodes + ":mine :n 1 .")
    ingest(":b :n 2 .")
    assert got(send, G) == means(nodes + ":mine :n 1 .")


def test_triple_terms_come_back_in_version_1_2(send: Send) -> None:
    text = ":a :n 007 {| :by :b ; :sure 0.50 |} ."
    send("PUT", G, HEAD + text, code=201)
    assert len(got(send, G, "text/turtle;version=1.2")) == 4
    assert got(send, G, "text/turtle;version=1.2") == means(text)


def test_a_form_goes_with_its_statement(send: Send, folder: Path) -> None:
    send("PUT", G, HEAD + ":a :n 007 ; :m 01 .", code=201)
    update = "PREFIX : <http://e.org/> DELETE WHERE { GRAPH :g { :a :n ?n } }"
    send("POST", "/update", update, UPDATE, code=200)
    update = "INSERT DATA { GRAPH <http://e.org/g> { <http://e.org/a> <http://e.org/n> 7 } }"
    send("POST", "/update", update, UPDATE, code=200)
    assert got(send, G) == means(":a :n 7 ; :m 01 .")
    send("DELETE", G)
    store = KnowledgeGraph.open(folder).snapshot().store
    assert not list(store.quads_for_pattern(None, NamedNode(v.FORM_OF), None, None))


def test_the_whole_dataset_is_written_and_read(send: Send) -> None:
    text = ":a :n 007 . :g { :a :n 7 . _:x :n 01 } :h { :b :n '1'^^xsd:boolean . _:x :n 1 }"
    send("PUT", "/data", HEAD + text, TRIG)
    for accept in (TRIG, NQUADS, JSONLD):
        assert got(send, "/data", accept) == means(text)
    assert got(send, G) == means(":a :n 7 . _:x :n 01 .")
    send("POST", "/data", "<http://e.org/c> <http://e.org/n> <http://e.org/d> <http://e.org/h> .", NQUADS)
    assert got(send, "/data", TRIG) == means(text + " :h { :c :n :d }")
    again = send("GET", "/data", accept=NQUADS, code=200).text
    send("PUT", "/data", again, NQUADS)
    assert got(send, "/data", TRIG) == means(text + " :h { :c :n :d }")
    json = (
        '{"@context": {"@vocab": "http://e.org/"}, "@id": "http://e.org/j", '
        '"@graph": [{"@id": "http://e.org/a", "n": "x"}]}'
    )
    send("PUT", "/data", json, JSONLD)
    assert got(send, "/data", NQUADS) == means(":j { :a :n 'x' }")
    send("GET", G, code=404)


def test_a_dataset_has_no_graph_of_ours(send: Send) -> None:
    quad = "<http://e.org/a> <http://e.org/n> 'x' <http://localhost:8000/id/graph/edges> .".replace("'", '"')
    assert "graph/edges" in send("POST", "/data", quad, NQUADS, code=403).text
    named = send("PUT", G, HEAD + ":h { :a :n 1 }", TRIG, code=400)
    assert "TriG" in named.text


@pytest.mark.parametrize(
    ("path", "body", "kind"),
    [
        ("/data?graph=urn:x-arq:DefaultGraph", HEAD + ":a :p 1 .", TURTLE),
        ("/data", HEAD + "<urn:x-arq:DefaultGraph> { :a :p 1 }", TRIG),
        ("/update", "INSERT DATA { GRAPH <urn:x-arq:DefaultGraph> { <urn:a> <urn:p> 1 } }", UPDATE),
    ],
)
def test_no_graph_is_called_as_the_default_graph(send: Send, path: str, body: str, kind: str) -> None:
    before = got(send, "/data", NQUADS)
    assert "stands for the default graph" in send("POST", path, body, kind, 400).text
    assert got(send, "/data", NQUADS) == before


@pytest.mark.parametrize("method", ["PUT", "POST"])
def test_of_a_whole_export_what_users_state_is_written(send: Send, folder: Path, method: str) -> None:
    text = ":a :n 007 . :g { :a :m 1.50 }"
    send("PUT", "/data", HEAD + text, TRIG)
    KnowledgeGraph.open(folder).add("Anna has a crane.", identifier="notes")
    output = BytesIO()
    export(KnowledgeGraph.open(folder).snapshot().stores.named, output, "nquads", "1.2")
    send("PUT", "/data", HEAD + ":a :n 7 .", TRIG)
    answer = send(method, "/data?dry-run=true", output.getvalue().decode(), NQUADS, 200).get_json()
    assert "statements that sage-ld derived were left out" in answer["warnings"][0]
    send(method, "/data", output.getvalue().decode(), NQUADS)
    assert got(send, "/data", TRIG) == means(text if method == "PUT" else text + ":a :n 7 .")


def test_documents_statements_are_in_the_dataset(send: Send, folder: Path) -> None:
    text = ":a :name 'Anna' ; :n 007 . :g { :a :n 007 . :b :n 1 }"
    graph = KnowledgeGraph.open(folder)
    graph.add(HEAD + text, identifier="a", media_type=TRIG)
    assert got(send, "/data", TRIG) == means(text)
    assert got(send, G) == means(":a :n 007 . :b :n 1 .")
    send("PUT", G, HEAD + ":a :n 7 .")
    graph.delete(["a"])
    assert got(send, "/data", TRIG) == means(":g { :a :n 7 }")


def test_an_update_obeys_the_dataset(send: Send, folder: Path) -> None:
    """USING of all that users state is what FROM is in a query: their graphs, the default graph too."""
    KnowledgeGraph.open(folder).add(HEAD + ":a :p 1 . :g { :a :p 1, 2 } _:b { :a :p 4 }", media_type=TRIG)
    using, update = "USING <http://localhost:8000/id/graph/own>", "application/sparql-update"
    text = f"PREFIX : <http://e.org/> INSERT {{ GRAPH :out {{ :a :q ?o }} }} {using} WHERE {{ ?s :p ?o }}"
    assert send("POST", "/update", text, update, 200).get_json()["added"] == 3
    text = f"PREFIX : <http://e.org/> DELETE {{ ?s :p ?o }} {using} WHERE {{ ?s :p ?o }}"
    assert send("POST", "/update", text, update, 200).get_json()["removed"] == 1  # in the default graph
    assert got(send, "/data", TRIG) == means(":g { :a :p 1, 2 } :out { :a :q 1, 2, 4 } _:b { :a :p 4 }")
    where = "WHERE { SELECT (COUNT(*) AS ?n) { ?s :p ?o } }"
    text = f"PREFIX : <http://e.org/> INSERT {{ GRAPH :out {{ :a :n ?n }} }} {using} {where}"
    send("POST", "/update", text, update, 200)
    assert got(send, "/data?graph=http://e.org/out") == means(":a :q 1, 2, 4 ; :n 3 .")


def test_a_search_obeys_the_dataset(send: Send, folder: Path) -> None:
    graph = KnowledgeGraph.open(folder)
    text = ":wren :name 'Wren' ; :song 'a loud trill' . :g { :robin :name 'Robin' ; :song 'a soft trill' }"
    graph.add(HEAD + text, identifier="birds", media_type=TRIG)
    graph.add("A trill is heard.", identifier="notes")
    send("PUT", f"{G}s&retrievable=true", HEAD + ":lark :name 'Lark' ; :song 'a long trill' .", code=201)
    base = "http://localhost:8000/id/graph/"

    def found(dataset: str) -> set[str]:
        query = (
            "PREFIX sage: <https://w3id.org/sage-ld#> SELECT ?chunk "
            f"{dataset} {{ (?chunk ?score) sage:search ('trill' 9 'bm25') }}"
        )
        answer = send("POST", "/sparql", query, "application/sparql-query", 200, "application/json")
        chunks = {row["chunk"]["value"] for row in answer.get_json(force=True)["results"]["bindings"]}
        store, name = graph.snapshot().store, NamedNode(v.HEADING)
        said = [quad for each in chunks for quad in store.quads_for_pattern(NamedNode(each), name, None)]
        return {str(quad.object.value).rpartition(" ")[2] for quad in said}

    assert found("") == {"Wren", "Robin", "Lark", "heard."}
    assert found(f"FROM <{base}own>") == {"Wren", "Robin", "Lark"}
    assert found("FROM <http://e.org/g>") == {"Robin"}
    assert found("FROM NAMED <http://e.org/gs>") == {"Lark"}
    assert found("FROM <urn:x-arq:DefaultGraph>") == {"Wren"}
    assert found("FROM <http://e.org/none>") == set()
    notes = Iris().document_graph(Iris().document("notes"))
    assert found(f"FROM <{notes}>") == {"heard."}
