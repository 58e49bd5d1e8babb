"""`/reconcile` as the Reconciliation Service API 0.2 has it, asked as its validator and OpenRefine ask.

The validator (reconciliation-api/testbench) fetches the manifest, then what that names; OpenRefine sends
batches and extensions by POST from its own process, and has the browser fetch suggestions and previews.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

import numpy as np
import pytest
from flask.testing import FlaskClient
from pyoxigraph import Store
from rows import Rows
from service import reconciliation_schemas as schemas
from service.reconciliation_schemas import check
from service.serving import FORM, Answer, Server, empty_graph, serving
from service.web import client_of

from sage_ld.foundation.deadline import unchecked
from sage_ld.graph import KnowledgeGraph
from sage_ld.retrieval.reconciliation.candidates import ReconciliationQuery, candidates
from sage_ld.retrieval.reconciliation.names import EntityNames, NamedEntity
from sage_ld.retrieval.reconciliation.values import ValueReader

EX = "http://museum.example/"
OPENREFINE = "http://127.0.0.1:3333"
RECORDS = """@prefix ex: <http://museum.example/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
ex:Painter rdfs:subClassOf ex:Person ; rdfs:label "painter"@en , "Maler"@de .
ex:Person a rdfs:Class ; rdfs:label "person" ; rdfs:comment "Whoever made a thing." .
ex:born a <http://www.w3.org/1999/02/22-rdf-syntax-ns#Property> ; rdfs:label "year of birth" .
ex:p1 a ex:Painter ; rdfs:label "Ilse Varga" ; skos:altLabel "I. Varga-Holm" ; ex:born 1871 ; ex:from ex:t1 ;
  rdfs:comment "A painter of lighthouses." .
ex:p2 a ex:Painter ; rdfs:label "Jonas Brandt" ; ex:born 1902 ; ex:from ex:t1 .
ex:p3 a ex:Person ; rdfs:label "Jonas Brandt" ; ex:born 1933 ; ex:from ex:t2 .
ex:p4 a ex:Person ; rdfs:label "Émile Queffélec"@fr , "Emile Queffelec"@en .
ex:t1 a ex:Town ; rdfs:label "Sundhafen" ; ex:people 12000 ; ex:area "12.5"^^xsd:decimal ;
  ex:founded "1302-05-01"^^xsd:date ; ex:measured "2020-01-02T03:04:05Z"^^xsd:dateTime ; ex:port true ;
  ex:closed "1302-13-01"^^xsd:date ;
  ex:site <https://sundhafen.example/> ; ex:twin ex:t2 ; ex:motto "Zum Meer"@de .
ex:t2 a ex:Town ; rdfs:label "Brandt" .
"""
PROSE = (
    "# Ferry of Osmere\n\nMarit Solveig built the ferry. Marit Solveig came from Osmere.\n\n"
    "# Harbour\n\nMarit Solveig drew the harbour of Osmere, and Ilse Varga painted it.\n"
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("reconcile")
    graph = KnowledgeGraph.create(place / "museum", encoder="jaccard")
    for name, text in {"records.ttl": RECORDS, "ferry.md": PROSE, "boat.md": PROSE}.items():
        (place / "files" / name).parent.mkdir(exist_ok=True)
        (place / "files" / name).write_text(text)
    graph.ingest([place / "files"])
    graph.close()
    return place / "museum"


@pytest.fixture(scope="module")
def served(folder: Path) -> Iterator[Server]:
    with serving(folder, cors_origins=OPENREFINE) as server:
        yield server


def ask(served: Server, path: str = "/reconcile", **parameters: Any) -> Answer:
    return served.send("GET", f"{path}?{urlencode(parameters)}" if parameters else path)


def post(served: Server, **form: Any) -> Answer:
    sent = urlencode({name: json.dumps(value) for name, value in form.items()})
    return served.send("POST", "/reconcile", sent, Content_Type=FORM)


def reconcile(served: Server, queries: dict[str, Any]) -> dict[str, list[dict[str, Any]]]:
    answer = post(served, queries=queries)
    assert answer.status == 200, answer.content
    results = check(answer.json, schemas.RESULTS)
    assert results.keys() == queries.keys()
    return {name: each["result"] for name, each in results.items()}


@pytest.fixture(scope="module")
def manifest(served: Server) -> dict[str, Any]:
    return dict(check(ask(served).json, schemas.MANIFEST))


def test_the_manifest_leads_to_everything(served: Server, manifest: dict[str, Any]) -> None:
    """As the validator follows it: 3.1, 5.1, 6.1, 7.1."""
    root = f"http://127.0.0.1:{served.port}"
    assert manifest["identifierSpace"] == "http://localhost:8000/id/"
    assert [each["name"] for each in manifest["defaultTypes"]] != []
    mira = quote(EX + "p1", safe="")
    for kind, shown in {"entity": EX + "p1", "type": EX + "Painter", "property": EX + "born"}.items():
        found = manifest["suggest"][kind]
        assert found["service_url"] == root
        suggested = ask(served, found["service_path"], prefix="")
        assert check(suggested.json, schemas.SUGGESTIONS[kind])["result"]
        flyout = served.send("GET", found["flyout_service_path"].replace("${id}", quote(shown, safe="")))
        assert check(flyout.json, schemas.FLYOUT)["id"] == shown
    preview = served.send("GET", manifest["preview"]["url"].removeprefix(root).replace("{{id}}", mira))
    assert preview.headers["content-type"] == "text/html; charset=utf-8"
    assert b">Ilse Varga</a>" in preview.content
    assert b"A painter of lighthouses." in preview.content
    proposed = manifest["extend"]["propose_properties"]
    assert check(ask(served, proposed["service_path"], type=EX + "Town").json, schemas.PROPOSAL)["properties"]
    view = manifest["view"]["url"].removeprefix(root).replace("{{id}}", mira)
    described = served.send("GET", view, Accept="text/turtle")
    assert f"<{EX}p1>".encode() in described.content


FROM = EX + "from"
NAMES: tuple[tuple[dict[str, Any], str, bool], ...] = (
    ({"query": "Ilse Varga"}, EX + "p1", True),
    ({"query": "  ilse  VARGA "}, EX + "p1", True),
    ({"query": "I. Varga-Holm"}, EX + "p1", True),
    ({"query": "Varga, Ilse"}, EX + "p1", False),
    ({"query": "Ilse Vargo"}, EX + "p1", False),
    ({"query": "Emile Queffelec"}, EX + "p4", True),
    ({"query": "Émile Queffélec"}, EX + "p4", True),
    ({"query": "Emile Queffélec"}, EX + "p4", False),
    ({"query": EX + "p2"}, EX + "p2", True),
    ({"query": "Jonas Brandt"}, EX + "p2", False),
    ({"query": "Jonas Brandt", "type": EX + "Painter"}, EX + "p2", True),
    ({"query": "Jonas Brandt", "type": [EX + "Painter"], "type_strict": "any"}, EX + "p2", True),
    ({"query": "Jonas Brandt", "type": EX + "Person"}, EX + "p2", False),
    ({"query": "Jonas Brandt", "properties": [{"pid": EX + "born", "v": 1933}]}, EX + "p3", True),
    ({"query": "Jonas Brandt", "properties": [{"pid": "year of birth", "v": "1933"}]}, EX + "p3", True),
    (
        {"query": "Jonas Brandt", "properties": [{"pid": EX + "from", "v": {"id": EX + "t2"}}]},
        EX + "p3",
        True,
    ),
    ({"query": "Jonas Brandt", "properties": [{"pid": EX + "from", "v": ["x", "Brandt"]}]}, EX + "p3", True),
    ({"query": "Jonas Brandt", "properties": [{"pid": EX + "born", "v": 1800}]}, EX + "p2", False),
    ({"query": "Ilse Varga", "type": EX + "Town"}, EX + "p1", False),
    ({"query": "Ilse Varga", "type": EX + "Person"}, EX + "p1", True),
    ({"properties": [{"pid": EX + "born", "v": 1902}]}, EX + "p2", False),
    ({"query": "", "properties": [{"pid": EX + "port", "v": True}]}, EX + "t1", False),
    ({"query": "Sundhaven", "properties": [{"pid": EX + "people", "v": "12000.0"}]}, EX + "t1", False),
)
"""A query, the best candidate, and whether it is sure."""


def test_names_find_entities(served: Server, rows: Rows) -> None:
    results = reconcile(served, {f"q{number}": query for number, (query, *_) in enumerate(NAMES)})
    for number, (query, iri, match) in enumerate(NAMES):
        found = results[f"q{number}"]
        with rows.row(query):
            assert found[0]["id"] == iri
            assert [each["id"] for each in found if each["match"]] == ([iri] if match else [])
            scores = [each["score"] for each in found]
            assert scores == sorted(scores, reverse=True)
            assert 0 < scores[-1] <= scores[0] <= 100


def test_a_query_is_answered_as_alone_and_by_get(served: Server) -> None:
    """4.3, 4.4"""
    queries = {"a": NAMES[0][0], "b": NAMES[9][0]}
    both = reconcile(served, queries)
    for name, query in queries.items():
        got = ask(served, queries=json.dumps({name: query}))
        assert got.json == {name: {"result": both[name]}}


def test_prose_is_reconciled(served: Server) -> None:
    """An entity that only texts mention is found, with the number of passages that mention it."""
    [best, *_] = reconcile(served, {"q": {"query": "marit solveig"}})["q"]
    assert (best["match"], best["name"]) == (True, "Marit Solveig")
    assert best["id"].startswith("http://localhost:8000/id/entity/")
    assert {"id": "mentions", "value": 4} in best["features"]
    assert best["description"] == "mentioned in 4 passages"


def test_strict_types_leave_others_out(served: Server) -> None:
    query = {"query": "Brandt", "type": [EX + "Town", EX + "Person"]}
    found = reconcile(
        served,
        {
            "any": {**query, "type_strict": "any"},
            "all": {**query, "type_strict": "all"},
            "should": {**query, "type": EX + "Town"},
            "one": {**query, "limit": 1},
        },
    )
    assert {each["id"] for each in found["any"]} == {EX + "t2", EX + "p2", EX + "p3"}
    assert found["all"] == []
    assert found["should"][0]["id"] == EX + "t2"
    assert {each["id"] for each in found["should"]} == {EX + "t2", EX + "p2", EX + "p3"}
    assert len(found["one"]) == 1


def test_names_of_types_are_those_of_their_classes(served: Server) -> None:
    [best, *_] = reconcile(served, {"q": {"query": "Ilse Varga"}})["q"]
    assert best["type"][0] == {"id": EX + "Painter", "name": "painter"}
    assert best["description"] == "A painter of lighthouses."


SUGGESTED = (
    ("entity", {"prefix": "jona"}, [EX + "p2", EX + "p3"]),
    ("entity", {"prefix": "Jonas Brandt"}, [EX + "p2", EX + "p3"]),
    ("entity", {"prefix": "varga-h"}, []),
    ("entity", {"prefix": "I. Var"}, [EX + "p1"]),
    ("entity", {"prefix": EX + "p4"}, [EX + "p4"]),
    ("entity", {"prefix": "brandt", "type": EX + "Town"}, [EX + "t2"]),
    ("type", {"prefix": "pai"}, [EX + "Painter"]),
    ("type", {"prefix": EX + "Painter"}, [EX + "Painter"]),
    ("property", {"prefix": "year"}, [EX + "born"]),
    ("property", {"prefix": "birth"}, [EX + "born"]),
    ("property", {"prefix": EX + "born"}, [EX + "born"]),
    ("property", {"prefix": "no such"}, []),
)


def test_what_is_typed_is_completed(served: Server, rows: Rows) -> None:
    """6.2 to 6.4, with the parameters that OpenRefine's widget adds."""
    for kind, parameters, expected in SUGGESTED:
        with rows.row(f"{kind} {parameters}"):
            answer = ask(served, f"/reconcile/suggest/{kind}", **parameters, _="1732", spell="always")
            found = check(answer.json, schemas.SUGGESTIONS[kind])["result"]
            assert [each["id"] for each in found][: len(expected)] == expected
            if not expected:
                assert not {each["id"] for each in found} & {EX + "p2", EX + "born"}


def test_a_cursor_skips_suggestions(served: Server) -> None:
    def page(cursor: int, limit: int) -> list[str]:
        answer = ask(served, "/reconcile/suggest/entity", prefix="", cursor=cursor, limit=limit)
        return [each["id"] for each in answer.json["result"]]

    every = page(0, 100)
    assert len(every) == len(set(every)) >= 8
    assert [*page(0, 3), *page(3, 3)] == every[:6]
    assert page(1000, 3) == []


CELLS = {
    "people": [{"int": 12000}],
    "area": [{"float": 12.5}],
    "founded": [{"date": "1302-05-01T00:00:00"}],
    "measured": [{"date": "2020-01-02T03:04:05Z"}],
    "closed": [{"str": "1302-13-01"}],
    "port": [{"str": "true"}],
    "site": [{"str": "https://sundhafen.example/"}],
    "twin": [{"id": EX + "t2", "name": "Brandt"}],
    "motto": [{"str": "Zum Meer"}],
    "none": [],
}


def test_values_are_fetched(served: Server, rows: Rows) -> None:
    """7.3, 7.4; a setting of a property comes as a text from OpenRefine's form."""
    properties = [{"id": EX + name, "settings": {"limit": "0"}} for name in CELLS]
    query = {"ids": [EX + "t1", "http://museum.example/none", "no IRI"], "properties": properties}
    answer = check(post(served, extend=query).json, schemas.EXTENSION)
    assert answer == check(ask(served, extend=json.dumps(query)).json, schemas.EXTENSION)
    assert [each["id"] for each in answer["meta"]] == [EX + name for name in CELLS]
    assert list(answer["rows"]) == query["ids"]
    for name, cells in CELLS.items():
        with rows.row(name):
            assert answer["rows"][EX + "t1"][EX + name] == cells
            assert answer["rows"]["no IRI"][EX + name] == []
    label = "http://www.w3.org/2000/01/rdf-schema#label"
    limited = {"ids": [EX + "p4"], "properties": [{"id": label, "settings": {"limit": 1}}]}
    assert len(post(served, extend=limited).json["rows"][EX + "p4"][label]) == 1


def test_properties_are_proposed(served: Server) -> None:
    """7.2"""
    answer = check(ask(served, "/reconcile/properties", type=EX + "Painter", limit=50).json, schemas.PROPOSAL)
    assert {"id": EX + "born", "name": "year of birth"} in answer["properties"]
    assert EX + "people" not in {each["id"] for each in answer["properties"]}
    assert (answer["type"], answer["limit"]) == (EX + "Painter", 50)
    assert ask(served, "/reconcile/properties", type="x:none").json["properties"] == []
    assert len(ask(served, "/reconcile/properties", limit=2).json["properties"]) == 2


WRONG: tuple[tuple[dict[str, str], int, str], ...] = (
    ({"queries": "{"}, 400, "queries is not JSON"),
    ({"queries": "[]"}, 400, "not an object"),
    ({"queries": '{"q": {}}'}, 400, "give query or properties"),
    ({"queries": '{"q": {"query": ""}}'}, 400, "give query or properties"),
    ({"queries": '{"q": {"query": 1}}'}, 400, "not a text"),
    ({"queries": '{"q": {"query": "a", "limit": 0}}'}, 400, "at least 1"),
    ({"queries": '{"q": {"query": "a", "limit": 101}}'}, 413, "max_reconciliation_candidates"),
    ({"queries": '{"q": {"query": "a", "type_strict": "some"}}'}, 400, "choose from should, any, all"),
    ({"queries": '{"q": {"query": "a", "kind": "b"}}'}, 400, "there is no 'kind'"),
    ({"queries": '{"q": {"query": "a", "properties": [{"pid": "x:a"}]}}'}, 400, "v is missing"),
    (
        {"queries": '{"q": {"query": "a", "properties": [{"pid": "nothing", "v": 1}]}}'},
        400,
        "suggest/property",
    ),
    ({"queries": '{"q": {"query": "a", "properties": [{"pid": "x:a", "v": {}}]}}'}, 400, "give its id"),
    (
        {"queries": json.dumps({str(each): {"query": "a"} for each in range(101)})},
        413,
        "max_reconciliation_batch",
    ),
    ({"extend": '{"ids": []}'}, 400, "properties is missing"),
    ({"extend": json.dumps({"ids": ["x:a"] * 101, "properties": []})}, 413, "max_reconciliation_batch"),
    (
        {"extend": '{"ids": [], "properties": [{"id": "x:a", "settings": {"limit": "few"}}]}'},
        400,
        "not a number of values",
    ),
    ({"queries": "{}", "extend": "{}"}, 400, "leave one out"),
    ({"query": "a"}, 400, "neither queries nor extend"),
)
"""A form, the status of its answer (3.4), and what the message says."""


def test_errors_name_the_remedy(served: Server, rows: Rows) -> None:
    for form, status, said in WRONG:
        with rows.row(form):
            answer = served.send("POST", "/reconcile", urlencode(form), Content_Type=FORM)
            assert (answer.status, said in answer.json["detail"]) == (status, True), answer.content
    as_json = served.send("POST", "/reconcile", "{}", Content_Type="application/json")
    assert as_json.status == 415
    for path in ("suggest/entity", "flyout/entity", "preview"):
        assert ask(served, f"/reconcile/{path}").status == 400
    assert ask(served, "/reconcile/preview", id="\n").status == 400
    for path in ("suggest/word?prefix=a", "flyout/entity?id=x:a", "flyout/type?id=x:a", "preview?id=x:a"):
        assert ask(served, f"/reconcile/{path}").status == 404
    assert ask(served, "/reconcile/suggest/entity", prefix="a", cursor=-1).status == 400


PATHS = (
    "/reconcile",
    "/reconcile?callback=jQuery1&_=2",
    "/reconcile?queries=%7B%22q%22%3A%7B%22query%22%3A%22Brandt%22%7D%7D",
    "/reconcile/suggest/entity?prefix=b",
    "/reconcile/suggest/type?prefix=b",
    "/reconcile/suggest/property?prefix=b",
    f"/reconcile/flyout/entity?id={quote(EX + 'p1')}",
    f"/reconcile/preview?id={quote(EX + 'p1')}",
    "/reconcile/properties",
)


def test_pages_of_listed_origins_may_read_and_frame(served: Server, rows: Rows) -> None:
    """3.3: every address alike; what a client has already is not sent again."""
    for path in PATHS:
        with rows.row(path):
            answer = served.send("GET", path, Origin=OPENREFINE)
            assert answer.status == 200
            assert answer.headers["access-control-allow-origin"] == OPENREFINE
            other = served.send("GET", path, Origin="http://other.example")
            assert "access-control-allow-origin" not in other.headers
            again = served.send("GET", path, If_None_Match=answer.headers["etag"])
            assert (again.status, again.content) == (304, b"")
            frames = f"frame-ancestors {OPENREFINE}" in answer.headers["content-security-policy"]
            assert frames == ("preview" in path) != ("x-frame-options" in answer.headers)
    asked = served.send("OPTIONS", "/reconcile", Origin=OPENREFINE, Access_Control_Request_Method="POST")
    assert "POST" in asked.headers["access-control-allow-methods"]


@pytest.mark.parametrize("setting", ["max_entity_names", "max_reconciliation_statements"])
def test_limits_are_settings(folder: Path, setting: str) -> None:
    queries = {"q": {"properties": [{"pid": EX + "from", "v": "Sundhafen"}]}}
    with client_of(folder, **{setting: 1}) as client:
        answer = client.post("/reconcile", data={"queries": json.dumps(queries)})
        assert answer.status_code == 413
        assert setting in answer.get_json(force=True)["detail"]


def test_what_is_asked_without_a_limit_has_no_more_than_the_setting(folder: Path) -> None:
    with client_of(folder, max_reconciliation_candidates=1) as client:
        query = {"queries": '{"q": {"query": "Varga"}}'}
        assert len(client.get("/reconcile", query_string=query).get_json()["q"]["result"]) == 1
        assert len(client.get("/reconcile/properties").get_json()["properties"]) == 1
        assert len(client.get("/reconcile/suggest/entity?prefix=").get_json()["result"]) == 1


def test_reading_may_need_a_token(folder: Path) -> None:
    with client_of(folder, public_read=False) as client:
        for path in PATHS:
            assert client.get(path).status_code == 401


def test_an_empty_graph_has_a_manifest(tmp_path: Path) -> None:
    with client_of(empty_graph(tmp_path / "empty")) as client:
        assert check(client.get("/reconcile").get_json(), schemas.MANIFEST)["defaultTypes"] == []
        found = client.get("/reconcile", query_string={"queries": '{"q": {"query": "a"}}'}).get_json()
        assert found == {"q": {"result": []}}


def test_a_new_revision_is_asked_at_once(tmp_path: Path) -> None:
    folder = empty_graph(tmp_path / "growing")
    query = {"queries": '{"q": {"query": "Tove Lund"}}'}

    def found(client: FlaskClient) -> tuple[list[dict[str, Any]], str]:
        answer = client.get("/reconcile", query_string=query)
        return answer.get_json()["q"]["result"], answer.headers["ETag"]

    with client_of(folder) as client:
        before = found(client)
        graph = KnowledgeGraph.open(folder)
        graph.add("# Boats\n\nTove Lund made the boat. Tove Lund sold it.\n", identifier="boats.md")
        graph.close()
        after = found(client)
    assert before[0] == []
    assert after[0][0]["name"] == "Tove Lund"
    assert before[1] != after[1]


def test_a_resource_that_its_users_replaced_gives_way_to_its_successor(tmp_path: Path) -> None:
    folder = empty_graph(tmp_path / "thesaurus")
    graph = KnowledgeGraph.open(folder)
    (tmp_path / "terms.ttl").write_text(
        "@prefix skos: <http://www.w3.org/2004/02/skos/core#> .\n"
        "@prefix dcterms: <http://purl.org/dc/terms/> .\n"
        '<urn:x:old> a skos:Concept ; skos:prefLabel "Bakelight"@en ; dcterms:isReplacedBy <urn:x:new> .\n'
        '<urn:x:new> a skos:Concept ; skos:prefLabel "Bakelite"@en .\n'
    )
    graph.ingest([tmp_path / "terms.ttl"])
    graph.close()
    with client_of(folder) as client:
        found = client.get("/reconcile", query_string={"queries": '{"q": {"query": "Bakelight"}}'}).get_json()
    assert [(each["id"], each["match"]) for each in found["q"]["result"]] == [("urn:x:new", True)]


def test_entities_that_users_say_are_the_same_are_one_candidate(tmp_path: Path) -> None:
    folder = empty_graph(tmp_path / "mapped")
    graph = KnowledgeGraph.open(folder)
    (tmp_path / "terms.ttl").write_text(
        "@prefix skos: <http://www.w3.org/2004/02/skos/core#> .\n"
        "@prefix owl: <http://www.w3.org/2002/07/owl#> .\n"
        '<urn:x:1> skos:prefLabel "Bakelite"@en ; skos:exactMatch <urn:x:2> .\n'
        '<urn:x:2> skos:prefLabel "Bakelite"@en .\n'
        '<urn:x:3> skos:prefLabel "Bakelite" ; owl:sameAs <urn:x:2> .\n'
        '<urn:x:4> skos:prefLabel "Galalith" . <urn:x:5> skos:prefLabel "Galalith" .\n'
    )
    graph.ingest([tmp_path / "terms.ttl"])
    graph.close()
    queries = {"one": {"query": "bakelite"}, "two": {"query": "galalith"}}
    with client_of(folder) as client:
        found = client.get("/reconcile", query_string={"queries": json.dumps(queries)}).get_json()
    assert [(each["id"], each["match"]) for each in found["one"]["result"]] == [("urn:x:1", True)]
    assert {(each["id"], each["match"]) for each in found["two"]["result"]} == {
        ("urn:x:4", False),
        ("urn:x:5", False),
    }


def test_a_hidden_label_finds_its_resource_and_is_not_shown(tmp_path: Path) -> None:
    folder = empty_graph(tmp_path / "hidden")
    graph = KnowledgeGraph.open(folder)
    (tmp_path / "terms.ttl").write_text(
        "@prefix skos: <http://www.w3.org/2004/02/skos/core#> .\n"
        '<urn:x:1> skos:prefLabel "Grey Plover" ; skos:hiddenLabel "Gray Plouver" .\n'
    )
    graph.ingest([tmp_path / "terms.ttl"])
    graph.add("# Birds\n\nThe Gray Plouver breeds in the north.\n", identifier="birds.md")
    graph.close()
    with client_of(folder) as client:
        found = client.get("/reconcile", query_string={"queries": '{"q": {"query": "gray plouver"}}'})
    [best] = found.get_json()["q"]["result"]
    assert (best["id"], best["name"], best["match"]) == ("urn:x:1", "Grey Plover", True)


def test_a_concept_stands_back_for_its_entity() -> None:
    """A concept of ours has the labels of the entities that it was made of."""
    entities = [NamedEntity("x:entity", "WHO", (), 3), NamedEntity("x:concept", "WHO", (), 0)]
    labels = ["who", "who", "world health"]
    names = EntityNames(entities, labels, np.array([0, 1, 1]), {}, {1: frozenset({0})}, np.arange(2))
    reader = ValueReader(Store(), names, 100, unchecked)

    def found(name: str) -> list[tuple[str, bool]]:
        query = ReconciliationQuery(name=name, limit=5)
        return [(each.entity.iri, each.is_match) for each in candidates(query, reader, 10)]

    assert found("WHO") == [("x:entity", True)]
    assert found("World Health") == [("x:concept", True)]
