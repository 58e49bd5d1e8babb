"""Shapes of a user's own guard writes, and what is refused gets its validation report as the client asks."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from flask.testing import FlaskClient
from pyoxigraph import RdfFormat, Store
from service.serving import UPDATE, empty_graph
from service.web import client_of

from sage_ld.foundation import vocabulary as v
from sage_ld.foundation.errors import InputError, ShapeError
from sage_ld.graph import KnowledgeGraph
from sage_ld.service.access.tokens import AccessRole, create_token

SHAPES = """
@prefix sh: <http://www.w3.org/ns/shacl#> . @prefix e: <http://e.x/> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
e:Ring a sh:NodeShape ; sh:targetSubjectsOf e:ring ;
    sh:property [ sh:path e:ring ; sh:pattern "^[0-9]{3}$" ] .
e:Weight a sh:NodeShape ; sh:targetObjectsOf e:weight ; sh:datatype xsd:byte .
e:Sex a sh:NodeShape ; sh:targetSubjectsOf e:female ;
    sh:property [ sh:path e:female ; sh:hasValue "1"^^xsd:boolean ] .
e:Bird a sh:NodeShape ; sh:targetClass e:Bird ;
    sh:property [ sh:path e:name ; sh:minCount 1 ; sh:message "a bird has a name" ] ;
    sh:property [ sh:path e:eats ; sh:class e:Food ; sh:severity sh:Warning ; sh:message "birds eat food" ] .
"""
NAMELESS = "<http://e.x/wren> a <http://e.x/Bird> ."
NAMED = '<http://e.x/wren> a <http://e.x/Bird> ; <http://e.x/name> "Wren" .'
HUNGRY = NAMED[:-1] + "; <http://e.x/eats> <http://e.x/stone> ."
GRAPH = "/data?graph=http://e.x/g"
FORMATS = {
    "text/turtle": RdfFormat.TURTLE,
    "application/n-triples": RdfFormat.N_TRIPLES,
    "application/ld+json": RdfFormat.JSON_LD,
    "application/rdf+xml": RdfFormat.RDF_XML,
}


class Client:
    """A client that writes."""

    def __init__(self, client: FlaskClient, folder: Path, token: str) -> None:
        self.client, self.folder, self._token = client, folder, token

    def send(self, method: str, path: str, body: str = "", form: str = "text/turtle", accept: str = "*/*"):
        headers = {"Authorization": f"Bearer {self._token}", "Content-Type": form, "Accept": accept}
        return self.client.open(path, method=method, data=body.encode(), headers=headers)

    def update(self, text: str, accept: str = "*/*"):
        return self.send("POST", "/update", text, UPDATE, accept)


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    folder = empty_graph(tmp_path_factory.mktemp("guarded") / "graph")
    (folder / "shapes.ttl").write_text(SHAPES)
    with (folder / "sage-ld.toml").open("a") as file:
        file.write('shapes = "shapes.ttl"\n')  # in the table of settings, which comes last
    token = create_token(folder, "writer", AccessRole.ADMIN, "2026-01-01")
    with client_of(folder) as client:
        yield Client(client, folder, token)


@pytest.fixture
def client(opened: Client) -> Client:
    """A client of an empty graph that shapes guard."""
    assert opened.update("DROP ALL").status_code == 200
    return opened


def test_what_breaks_the_shapes_is_refused_and_the_rest_is_not(client: Client) -> None:
    assert client.send("PUT", GRAPH, NAMED).status_code == 201
    for refused in (
        client.send("PUT", GRAPH, NAMELESS),
        client.send("POST", "/data?graph=http://e.x/h", "<http://e.x/tit> a <http://e.x/Bird> ."),
        client.send("PATCH", GRAPH, "DELETE WHERE { ?s <http://e.x/name> ?n }", UPDATE),
        client.send("PUT", f"{GRAPH}&dry-run=true", NAMELESS),
        client.update(f"INSERT DATA {{ {NAMELESS.replace('wren', 'tit')} }}"),
        client.update("DELETE WHERE { GRAPH ?g { ?s <http://e.x/name> ?n } }"),
    ):
        assert refused.status_code == 422
        said = refused.get_json(force=True)
        assert said["type"].endswith("#shapes")
        assert "a bird has a name" in said["report"][0]
    assert b"Wren" in client.client.get(GRAPH).data
    assert client.update("DROP GRAPH <http://e.x/g>").status_code == 200


@pytest.mark.parametrize(
    ("named", "right", "wrong"),
    [
        ("ring", "007", "7"),
        ("weight", f'"7"^^<{v.XSD}byte>', "7"),
        ("female", f'"1"^^<{v.XSD}boolean>', "true"),
    ],
)
def test_shapes_see_literals_as_they_were_written(client: Client, named: str, right: str, wrong: str) -> None:
    said = f"<http://e.x/wren> <http://e.x/{named}> "
    assert client.send("PUT", GRAPH, f"{said} {right} .").status_code == 201
    assert client.send("PUT", GRAPH, f"{said} {wrong} .").status_code == 422
    assert client.send("PUT", GRAPH, f"{said} {right} .").status_code == 204


def test_a_milder_result_is_a_warning(client: Client) -> None:
    answer = client.send("PUT", GRAPH, HUNGRY)
    assert answer.status_code == 201
    assert "birds eat food" in answer.headers["Sage-Warning"]
    again = client.update("INSERT DATA { GRAPH <http://e.x/g> { <http://e.x/wren> <http://e.x/age> 1 } }")
    assert again.get_json()["warnings"] == []  # it was there before


@pytest.mark.parametrize("accept", FORMATS)
def test_the_report_comes_in_the_format_of_the_client(client: Client, accept: str) -> None:
    refused = client.send("PUT", GRAPH, NAMELESS, accept=f"{accept}, */*;q=0.1")
    assert (refused.status_code, refused.mimetype) == (422, accept)
    assert "Accept" in refused.headers["Vary"]
    report = Store()
    report.load(refused.data, FORMATS[accept])
    asked = """PREFIX sh: <http://www.w3.org/ns/shacl#> ASK {
        ?report a sh:ValidationReport ; sh:conforms false ; sh:result ?result .
        ?result sh:focusNode <http://e.x/wren> ; sh:resultPath <http://e.x/name> ;
            sh:resultSeverity sh:Violation ;
            sh:sourceConstraintComponent sh:MinCountConstraintComponent }"""
    assert report.query(asked)


def test_our_own_shapes_have_such_reports_too(client: Client) -> None:
    chunk = "INSERT DATA { <http://e.x/c> a <https://w3id.org/sage-ld#Chunk> }"
    refused = client.update(chunk, "text/turtle")
    assert (refused.status_code, refused.mimetype) == (422, "text/turtle")
    assert b"ValidationReport" in refused.data
    assert b"http://e.x/c" in refused.data
    assert client.update(chunk, "application/json").mimetype == "application/problem+json"
    assert client.update(chunk, "text/html").mimetype == "text/html"


def test_files_are_guarded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files, folder = tmp_path / "files", tmp_path / "graph"
    files.mkdir()
    silent = NAMELESS[:-1] + '; <http://e.x/song> "a loud trill" .'
    (files / "bird.ttl").write_text(silent)
    graph = KnowledgeGraph.create(folder, encoder="jaccard")
    (folder / "shapes.ttl").write_text(SHAPES)
    monkeypatch.setenv("SAGE_LD_SHAPES", "shapes.ttl")
    graph = KnowledgeGraph.open(folder)
    with pytest.raises(ShapeError, match="a bird has a name"):
        graph.ingest([files])
    assert graph.directory.current() == 0
    (files / "bird.ttl").write_text(HUNGRY)
    assert any("birds eat food" in each for each in graph.ingest([files]).warnings)
    (files / "bird.ttl").write_text(silent)
    with pytest.raises(ShapeError, match="a bird has a name"):
        graph.ingest([files])
    assert graph.directory.current() == 1
    monkeypatch.setenv("SAGE_LD_SHAPES_REFUSE", "warning")
    graph = KnowledgeGraph.open(folder)
    (files / "bird.ttl").write_text(HUNGRY.replace("wren", "tit"))
    with pytest.raises(ShapeError, match="birds eat food"):
        graph.ingest([files])


@pytest.mark.parametrize(
    ("name", "severity", "message"),
    [
        ("../shapes.ttl", "violation", "outside the graph"),
        ("none.ttl", "violation", "none.ttl"),
        ("shapes.ttl", "fatal", "no severity; choose from info, warning, violation"),
    ],
)
def test_a_setting_that_names_no_shapes_is_refused(
    tmp_path: Path, name: str, severity: str, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = empty_graph(tmp_path / "graph")
    (folder / "shapes.ttl").write_text(SHAPES)
    (tmp_path / "bird.ttl").write_text(NAMED)
    monkeypatch.setenv("SAGE_LD_SHAPES", name)
    monkeypatch.setenv("SAGE_LD_SHAPES_REFUSE", severity)
    with pytest.raises(InputError, match=message):
        KnowledgeGraph.open(folder).ingest([tmp_path / "bird.ttl"])


def test_the_shapes_may_be_a_graph_that_is_written_like_any_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = empty_graph(tmp_path / "graph")
    monkeypatch.setenv("SAGE_LD_SHAPES", "http://e.x/shapes")
    token = create_token(folder, "writer", AccessRole.WRITE, "2026-01-01")
    with client_of(folder) as flask:
        client = Client(flask, folder, token)
        first = client.send("PUT", GRAPH, NAMELESS)
        assert (first.status_code, "is empty" in first.headers["Sage-Warning"]) == (201, True)
        wrong = SHAPES.replace("sh:path e:name ;", "")
        assert client.send("PUT", "/data?graph=http://e.x/shapes", wrong).status_code == 400
        assert client.send("PUT", "/data?graph=http://e.x/shapes", SHAPES).status_code == 201
        still = client.update("INSERT DATA { <http://e.x/wren> <http://e.x/age> 1 }")
        assert still.status_code == 200  # what was broken before may stay so
        assert client.send("PUT", GRAPH, NAMELESS.replace("wren", "tit")).status_code == 422
