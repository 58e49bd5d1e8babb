"""Inferred statements follow what clients write, and the service description says by which regime."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from flask.testing import FlaskClient
from pyoxigraph import NamedNode, RdfFormat, Store
from service.web import client_of

from sage_ld.foundation import vocabulary as v
from sage_ld.foundation.vocabulary import SD
from sage_ld.graph import KnowledgeGraph
from sage_ld.service.access.tokens import AccessRole, create_token

HEAD = f"PREFIX : <http://e.org/> PREFIX rdfs: <{v.RDFS}> PREFIX owl: <{v.OWL}> "
BASE = "http://localhost:8000/id/graph/"
ONTOLOGY = HEAD + ":p owl:inverseOf :q . :name rdfs:subPropertyOf rdfs:label ."


class Clients:
    """A client that may write, of a service over a graph whose recipe infers."""

    def __init__(self, client: FlaskClient, token: str) -> None:
        self.client, self.sent = client, {"Authorization": f"Bearer {token}"}

    def put(self, graph: str, text: str) -> None:
        path = f"/data?graph=http://e.org/{graph}"
        answer = self.client.put(path, data=text, headers=self.sent, content_type="text/turtle")
        assert answer.status_code in (201, 204), answer.text

    def update(self, text: str) -> list[str]:
        """Carries out an update; returns its warnings."""
        sent = {"Content-Type": "application/sparql-update", **self.sent}
        answer = self.client.post("/update", data=HEAD + text, headers=sent)
        assert answer.status_code == 200, answer.text
        warnings: list[str] = answer.get_json()["warnings"]
        return warnings

    def asks(self, pattern: str, *datasets: str) -> bool:
        named = {
            "query": f"{HEAD} ASK {{ {pattern} }}",
            "default-graph-uri": [BASE + each for each in datasets],
        }
        answer = self.client.post(
            "/sparql", data=named, headers={"Accept": "application/sparql-results+json"}
        )
        assert answer.status_code == 200, answer.text
        return bool(answer.get_json()["boolean"])

    def description(self) -> Store:
        store = Store()
        said = self.client.get("/sparql", headers={"Accept": "application/n-triples"}).data
        store.load(said, RdfFormat.N_TRIPLES)
        return store


@pytest.fixture(params=["owl-rl", "rdfs"])
def reason(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def here(tmp_path: Path, reason: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Clients]:
    monkeypatch.setenv("SAGE_LD_MAX_SAME_RESOURCES", "2")  # which the process that writes reads
    (tmp_path / "recipe.toml").write_text(f'reason = "{reason}"\n', "utf-8")
    graph = KnowledgeGraph.create(tmp_path / "graph", encoder="jaccard", recipe=str(tmp_path / "recipe.toml"))
    with graph.writer() as writer:
        writer.change()
        writer.publish()
    token = create_token(tmp_path / "graph", "writer", AccessRole.WRITE, "2026-01-01")
    with client_of(tmp_path / "graph", queue_timeout=120.0) as client:
        yield Clients(client, token)


def objects(store: Store, property: str) -> set[str]:
    return {
        each.object.value
        for each in store.quads_for_pattern(None, NamedNode(SD + property), None)
        if isinstance(each.object, NamedNode)
    }


def test_it_follows_each_write(here: Clients, reason: str) -> None:
    is_owl = reason == "owl-rl"
    here.put("data", HEAD + ":a :p :b ; :name 'Anna' .")
    assert not here.asks(":b :q :a")
    here.put("ontology", ONTOLOGY)
    assert here.asks(":a rdfs:label 'Anna'")
    assert here.asks(":b :q :a") is is_owl
    assert not here.asks(":a rdfs:label 'Anna'", "own")
    assert here.asks(":a rdfs:label 'Anna' . :a :name 'Anna'", "own", "inferred")
    assert here.update("INSERT DATA { GRAPH :data { :c :p :d ; :name 'Carl' } }") == []
    assert here.asks(":c rdfs:label 'Carl'")
    assert here.asks(":d :q :c") is is_owl
    here.update("DELETE DATA { GRAPH :data { :a :name 'Anna' } }")
    assert not here.asks(":a rdfs:label 'Anna'")
    here.update("DROP GRAPH :ontology")
    assert not here.asks("GRAPH ?g { ?s rdfs:label|:q ?o }")


def test_the_service_description_names_the_regime(here: Clients, reason: str) -> None:
    simple = "http://www.w3.org/ns/entailment/Simple"
    assert objects(here.description(), "defaultEntailmentRegime") == {simple}
    here.put("ontology", ONTOLOGY)
    said, kind = here.description(), "OWL-RDF-Based" if reason == "owl-rl" else "RDFS"
    assert objects(said, "defaultEntailmentRegime") == {f"http://www.w3.org/ns/entailment/{kind}"}
    assert objects(said, "entailmentRegime") == {simple}
    profiles = {"http://www.w3.org/ns/owl-profile/RL"} if reason == "owl-rl" else set()
    assert objects(said, "defaultSupportedEntailmentProfile") == profiles
    assert BASE + "inferred" in objects(said, "name")


@pytest.mark.parametrize("reason", ["owl-rl"])
def test_a_write_warns_of_too_many_names(here: Clients) -> None:
    [warning] = here.update("INSERT DATA { GRAPH :data { :a owl:sameAs :b . :b owl:sameAs :c ; :n 1 } }")
    assert "more than 2 names (owl:sameAs): 1" in warning
    assert not here.asks(":a :n 1")
    assert here.update("DELETE DATA { GRAPH :data { :b owl:sameAs :c } }") == []
    assert here.asks(":a :n 1")


def test_nobody_writes_what_is_inferred(here: Clients) -> None:
    here.put("ontology", ONTOLOGY)
    answer = here.client.put(
        f"/data?graph={BASE}inferred", data=ONTOLOGY, headers=here.sent, content_type="text/turtle"
    )
    assert answer.status_code == 403


@pytest.mark.parametrize("reason", ["owl-rl"])
def test_what_is_deleted_and_inferred_again_is_not_counted(here: Clients) -> None:
    here.put("data", HEAD + ":a :p :b .")
    here.put("ontology", ONTOLOGY)
    [warning] = here.update(f"DELETE DATA {{ GRAPH <{BASE}inferred> {{ :b :q :a }} }}")
    assert "leaves every graph as it was" in warning
    assert here.asks(":b :q :a")
