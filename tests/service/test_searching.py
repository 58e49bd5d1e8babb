"""Search inside SPARQL: results of the Retriever as rows, and clear messages for everything else."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from flask import request
from flask.testing import FlaskClient
from hypothesis import given
from hypothesis import strategies as st
from pyoxigraph import Store
from service.web import client_of, small_graph

from sage_ld.foundation import vocabulary as v
from sage_ld.foundation.channels import Hubs
from sage_ld.foundation.errors import InputError
from sage_ld.foundation.model import ChunkKind, ChunkView, PathStep, Result, Role
from sage_ld.foundation.question import Answer
from sage_ld.graph import KnowledgeGraph
from sage_ld.retrieval.channels.relations import NO_RELATIONS
from sage_ld.service import requests
from sage_ld.service.api.retrieval import RetrievalRequest
from sage_ld.service.http.environ import MODE
from sage_ld.service.sparql.description import GEOMETRY_FUNCTIONS, GEOSPARQL
from sage_ld.service.views.query_examples import query_examples
from sage_ld.service.workers.searches import PROPERTIES, refuse, uses
from sage_ld.service.workers.text_limits import tokens

PREFIXES = "PREFIX sage: <https://w3id.org/sage-ld#> PREFIX schema: <https://schema.org/> "


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[FlaskClient]:
    with client_of(small_graph(tmp_path_factory.mktemp("searched")), max_query_searches=2) as opened:
        yield opened


def rows(client: FlaskClient, query: str) -> list[dict[str, str]]:
    answer = client.post("/sparql", data=PREFIXES + query, content_type="application/sparql-query")
    assert answer.status_code == 200, answer.text
    bindings = answer.get_json(force=True)["results"]["bindings"]
    return [{name: value["value"] for name, value in row.items()} for row in bindings]


def retrieved(client: FlaskClient, **parameters: Any) -> list[dict[str, Any]]:
    results: list[dict[str, Any]] = client.post("/v1/retrieve", json=parameters).get_json(force=True)[
        "itemListElement"
    ]
    return results


@pytest.mark.parametrize("mode", ["hybrid", "dense", "bm25"])
def test_a_search_has_the_scores_of_the_api(client: FlaskClient, mode: str) -> None:
    found = rows(client, f'SELECT * {{ (?chunk ?score) sage:search ("golden heron" 4 "{mode}") }}')
    expected = retrieved(client, q="golden heron", k=4, from_graph=0, mode=mode)
    assert len(expected) == 4
    assert {(row["chunk"], float(row["score"])) for row in found} == {
        (e["item"]["id"], e["score"]) for e in expected
    }


def test_the_searches_that_the_page_shows_run(client: FlaskClient) -> None:
    shown = [each for each in query_examples((), Hubs(20, 20), NO_RELATIONS) if "sage:retrieve" in each.query]
    assert len(shown) == 2
    for example in shown:
        assert rows(client, example.query), example.title


def test_a_retrieval_has_roles_seeds_and_edges(client: FlaskClient) -> None:
    query = 'SELECT * { (?chunk ?score ?role ?seed ?edge) sage:retrieve ("Who won the Golden Heron?" 6 4) }'
    found = {row["chunk"]: row for row in rows(client, query)}
    expected = retrieved(client, q="Who won the Golden Heron?", k=6, from_graph=4)
    assert len(found) == len(expected)
    for result in expected:
        row = found[result["item"]["id"]]
        assert (float(row["score"]), row["role"]) == (result["score"], result["role"])
        steps = result["path"]
        assert row.get("seed") == (steps[-1]["seed"] if steps else None)
        assert row.get("edge") == (steps[-1].get("edge", {}).get("id") if steps else None)
    assert {"seed", "neighbour"} == {row["role"] for row in found.values()}


@pytest.fixture(scope="module")
def related(tmp_path_factory: pytest.TempPathFactory) -> Iterator[FlaskClient]:
    """A client of a graph in which documents are related."""
    folder = small_graph(tmp_path_factory.mktemp("related"))
    graph = KnowledgeGraph.open(folder)
    graph.edges.add("heron.md", "uses", "towns.csv", valid_from="2020-01-01")
    graph.edges.add("heron.md", "part_of", "people/mira-tolland.md", valid_through="2019-12-31")
    graph.close()
    with client_of(folder) as opened:
        yield opened


@pytest.mark.parametrize(
    "said",
    [
        {"channels": ["relation"]},
        {"channels": ["relation"], "relations": ["uses"]},
        {"channels": ["relation"], "relations": ["uses", "part_of"], "as_of": "2018-05-01"},
        {"channels": ["relation"], "as_of": "2026-11-23"},
        {"kinds": ["text", "table"], "metadata": {"lang": "en"}},
        {"documents": ["heron.md", "towns.csv"], "weights": {"bm25_weight": 0.5}, "hops": 1},
    ],
    ids=str,
)
def test_a_search_takes_what_every_search_takes(related: FlaskClient, said: dict[str, Any]) -> None:
    options = " ".join(f'"{each}"' for each in as_in_a_url(said))
    query = f'SELECT * {{ (?chunk ?score) sage:retrieve ("golden heron" 10 9 {options}) }}'
    found = {(row["chunk"], float(row["score"])) for row in rows(related, query)}
    expected = retrieved(related, q="golden heron", k=10, from_graph=9, **said)
    assert found == {(each["item"]["id"], each["score"]) for each in expected}
    assert found


def test_a_flat_search_is_restricted(related: FlaskClient) -> None:
    query = 'SELECT * { (?chunk ?score) sage:search ("golden heron" 20 "bm25" "documents=heron.md") }'
    expected = retrieved(related, q="golden heron", k=20, from_graph=0, mode="bm25", documents=["heron.md"])
    assert (
        {row["chunk"] for row in rows(related, query)} == {each["item"]["id"] for each in expected} != set()
    )


def test_what_is_followed_is_named(related: FlaskClient) -> None:
    """Only the relation that is asked for, and that is valid, leads to anything."""

    def count(options: str) -> int:
        pattern = f'(?chunk ?score ?role) sage:retrieve ("golden heron" 10 9 "channels=relation" {options})'
        return sum(row["role"] == "neighbour" for row in rows(related, f"SELECT * {{ {pattern} }}"))

    assert count("") > count('"relations=uses"') > 0
    assert count('"relations=uses" "as_of=2019-12-31"') == 0
    assert (
        count('"relations=uses" "relations=part_of" "as_of=2019-12-31"') == count('"relations=part_of"') > 0
    )


def as_in_a_url(said: dict[str, Any]) -> Iterator[str]:
    for name, value in said.items():
        if isinstance(value, dict):
            yield from (f"{name}[{key}]={each}" for key, each in value.items())
        elif name in ("kinds", "channels"):
            yield f"{name}={','.join(value)}"
        else:
            yield from (f"{name}={each}" for each in (value if isinstance(value, list) else [value]))


@pytest.mark.parametrize(
    ("option", "reason"),
    [
        ("relations=nonsense", "relations"),
        ("relations=", "relations"),
        ("as_of=yesterday", "as_of"),
        ("as_of=2026-02-30", "as_of"),
        ("channels=magic", "channels"),
        ("k=3", "k"),
        ("mode=dense", "mode"),
        ("frame=chunks", "frame"),
        ("window=1", "window"),
        ("=x", "there is no ''"),
        ("relations[a]=x", "relations"),
    ],
)
def test_an_option_that_there_is_not_is_refused(related: FlaskClient, option: str, reason: str) -> None:
    query = f'{PREFIXES}SELECT * {{ (?c ?s) sage:retrieve ("heron" 4 2 "{option}") }}'
    answer = related.post("/sparql", data=query, content_type="application/sparql-query")
    assert answer.status_code == 400
    assert reason in answer.get_json(force=True)["detail"]


def test_a_search_joins_with_the_rest_of_the_query(client: FlaskClient) -> None:
    found = rows(
        client,
        """SELECT ?identifier ?score {
          ?document a sage:Document ; schema:identifier ?identifier .
          { SELECT ?chunk ?score { (?chunk ?score) sage:search ("ferry song" 3) . FILTER(?score > 0) } }
          ?chunk schema:isPartOf ?document
          OPTIONAL { ?chunk sage:next ?next }
        } ORDER BY DESC(?score) LIMIT 1""",
    )
    assert found[0]["identifier"].startswith("songs.jsonl")


@pytest.mark.parametrize(
    "pattern",
    [
        '?chunk sage:search "heron"',
        "(?chunk) sage:search ('''heron''')",
        '(?chunk) <https://w3id.org/sage-ld#search> ("h\\u0065ron" 10)',
        '($chunk $score) sage:search ("heron" 10) . # (?a ?b) sage:search (?c)\n',
        'FILTER("sage:search" != "}") (?chunk ?score) sage:search ("heron")',
        'GRAPH ?g { ?chunk a sage:Chunk } ?chunk sage:search "heron" .',
    ],
)
def test_a_search_may_be_written_in_several_ways(client: FlaskClient, pattern: str) -> None:
    plain = {
        result["item"]["id"] for result in retrieved(client, q="heron", k=10, from_graph=0, mode="hybrid")
    }
    assert {row["chunk"] for row in rows(client, f"SELECT ?chunk {{ {pattern} }}")} == plain


def test_a_search_and_what_it_joins_see_one_revision(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where another is published after the search and before the query is evaluated."""
    folder = small_graph(tmp_path)
    query = 'SELECT ?chunk { (?chunk ?score) sage:search ("golden heron" 1) . ?chunk schema:text ?text }'
    ask = RetrievalRequest.answer

    def ask_then_publish(*arguments: Any) -> Answer:
        found = ask(*arguments)
        with KnowledgeGraph.open(folder).writer() as writer:
            writer.change().update("CLEAR ALL")
            writer.publish()
        return found

    with client_of(folder) as opened:
        monkeypatch.setattr(RetrievalRequest, "answer", ask_then_publish)
        assert len(rows(opened, query)) == 1
        monkeypatch.setattr(RetrievalRequest, "answer", ask)
        assert rows(opened, "SELECT * { ?s ?p ?o }") == []


def test_two_searches_meet_where_both_have_found(client: FlaskClient) -> None:
    query = 'SELECT * { (?chunk ?a) sage:search ("heron" 20) . (?chunk ?b) sage:search ("composer" 2) }'
    assert len(rows(client, query)) == 2


@pytest.mark.parametrize(
    "query",
    [
        "SELECT * { (?chunk ?score) sage:search (?text 20) }",
        'SELECT * { (?chunk ?score) sage:search ("x" ?n) }',
        'SELECT * { (?chunk ?score) sage:search ("x" 2.5) }',
        'SELECT * { (?chunk ?score) sage:search ("x" 20 "hybrid" 1) }',
        'SELECT * { (?chunk ?score) sage:search ("x" 20 "kinds=text" "hybrid") }',
        'SELECT * { (?chunk ?score) sage:search ("x" "kinds=text" 20) }',
        'SELECT * { (?chunk ?score) sage:search ("kinds=text" ?x) }',
        'SELECT * { (?chunk ?score) sage:search ("x"@en 20) }',
        'SELECT * { (?chunk ?score) sage:search "x"@en }',
        "SELECT * { (?chunk ?score) sage:search () }",
        "SELECT * { (?chunk ?score) sage:search <x> }",
        'SELECT * { (?chunk ?score ?more) sage:search ("x") }',
        'SELECT * { (?chunk ?chunk) sage:search ("x") }',
        'SELECT * { <c> sage:search ("x") }',
        'SELECT * { () sage:search ("x") }',
        'SELECT * { [] sage:search ("x") }',
        'SELECT * { ?chunk a sage:Chunk ; sage:search ("x") }',
        'SELECT * { ?chunk sage:search ("x") ; a sage:Chunk }',
        'SELECT * { ?chunk sage:search "x" , "y" }',
        "SELECT * { ?a sage:search|sage:next ?b }",
        "SELECT * { ?a ^sage:search ?b }",
        "SELECT * { ?a ?p sage:search }",
        "SELECT * { ?a ?p ?b FILTER(?p = sage:search) }",
        "SELECT * { VALUES ?p { sage:search } }",
        'CONSTRUCT { ?chunk sage:search "x" } WHERE { ?chunk a sage:Chunk }',
        'SELECT * { (?c ?s) sage:search ("x" 5 "sage") }',
        'SELECT * { (?c ?s) sage:search ("x" 5 "magic") }',
        'SELECT * { (?c ?s) sage:search ("x" 0) }',
        f'SELECT * {{ (?c ?s) sage:search ("x" {"9" * 5000}) }}',
        'SELECT * { (?c ?s) sage:search ("  ") }',
        'SELECT * { (?c ?s) sage:search ("\\uD800") }',
        'SELECT * { ?c sage:search "x',
        'SELECT * { ?c sage:search ("x"',
        "sage:search",
    ],
)
def test_any_other_use_is_refused(client: FlaskClient, query: str) -> None:
    answer = client.post("/sparql", data=PREFIXES + query, content_type="application/sparql-query")
    assert answer.status_code == 400, answer.text
    assert (
        "sage:search" in answer.text
        or "character" in answer.text
        or "question" in answer.text
        or "mode" in answer.text
        or "k is 0" in answer.text
    )


def test_a_mode_that_is_none_is_refused_before_anything_is_asked(client: FlaskClient) -> None:
    """Neither the answer nor a label of the metrics has the client's text at its length."""
    invented = "any text " * 5_000
    query = f'{PREFIXES}SELECT * {{ (?c ?s) sage:search ("x" 1 "{invented}") }}'
    answer = client.post("/sparql", data=query, content_type="application/sparql-query")
    assert answer.status_code == 400
    assert '"hybrid", "dense", "bm25"' in answer.get_json(force=True)["detail"]
    assert len(answer.data) < 500
    assert "any text" not in client.get("/metrics").text


def test_the_metrics_name_a_mode_that_there_is(client: FlaskClient) -> None:
    with client.application.test_request_context():
        with pytest.raises(InputError, match="unknown mode 'invented'"):
            requests.asked({"q": "x", "mode": "invented"})
        assert MODE not in request.environ


def test_limits_of_a_search(client: FlaskClient) -> None:
    many = " . ".join('?c sage:search "x"' for _ in range(3))
    for query in (f"SELECT * {{ {many} }}", 'SELECT * { (?c ?s) sage:search ("x" 5000) }'):
        answer = client.post("/sparql", data=PREFIXES + query, content_type="application/sparql-query")
        assert answer.status_code == 413
        assert json.loads(answer.data)["detail"].endswith(("max_query_searches", "max_results"))


def test_the_prefix_may_have_any_name_and_a_query_without_a_search_is_left_alone() -> None:
    query = 'PREFIX p: <https://w3id.org/sage-ld#> SELECT * { ?c p:search "x" }'
    assert [use.variables for use in uses(list(tokens(query)))] == [("?c",)]
    other = 'PREFIX sage: <http://example.org/> SELECT * { ?c sage:search "x" }'
    assert uses(list(tokens(other))) == []


@pytest.mark.parametrize(
    "query",
    [
        'BASE <https://w3id.org/> PREFIX s: <sage-ld#> SELECT * { ?c s:search "x" }',
        'BASE <https://w3id.org/sage-ld> SELECT * { ?c <#search> "x" }',
        'BASE <https://w3id.org/a/> BASE <../> SELECT * { ?c <sage-ld#search> "x" }',
        'SELECT * { ?c <https://w3id.org/sage-ld\\u0023search> "x" }',
    ],
)
def test_the_iri_may_be_relative_or_escaped(query: str) -> None:
    assert [use.variables for use in uses(list(tokens(query)))] == [("?c",)]
    with pytest.raises(InputError, match="sage:search is for queries"):
        refuse(tokens(query))


def test_a_seed_is_where_the_last_step_starts() -> None:
    steps = tuple(
        PathStep(a, b, "link", "links to", 1.0, (f"e:{a}",)) for a, b in (("c:1", "c:2"), ("c:2", "c:3"))
    )
    view = ChunkView("c:3", ChunkKind.TEXT, "", "", "d:1", "d", "D")
    columns = PROPERTIES[f"{v.SAGE}retrieve"].columns
    said = [column(Result(1, Role.NEIGHBOUR, 0.5, {}, steps, view)) for column in columns]
    assert said == ["<c:3>", "0.5e0", '"neighbour"', "<c:2>", "<e:c:2>"]


def test_the_service_description_names_the_properties(client: FlaskClient) -> None:
    said = client.get("/sparql", headers={"Accept": "application/n-triples"}).text
    assert "propertyFeature> <https://w3id.org/sage-ld#search>" in said
    assert "defaultEntailmentRegime> <http://www.w3.org/ns/entailment/Simple>" in said
    assert "sparql-service-description#name> <http://localhost/id/graph/edges>" in said.replace(":8000", "")
    assert "graph/document/" not in said


@pytest.mark.parametrize("name", GEOMETRY_FUNCTIONS)
def test_each_function_of_geometry_that_the_service_description_names_is_there(name: str) -> None:
    wkt = "http://www.opengis.net/ont/geosparql#wktLiteral"
    one, two = f'"POINT(1 2)"^^<{wkt}>', f'"POLYGON((0 0,0 4,4 4,4 0,0 0))"^^<{wkt}>'
    metre, square_metre = (
        f"<http://www.opengis.net/def/uom/OGC/1.0/{unit}>" for unit in ("metre", "square_metre")
    )
    given = (
        one,
        two,
        f"{one}, {two}",
        f"{one}, {one}, {metre}",
        f"{two}, {metre}",
        f"{two}, {square_metre}",
        f"{two}, {two}",
        f'{one}, {two}, "T********"',
    )
    texts = (f"SELECT (<{GEOSPARQL}{name}>({each}) AS ?value) {{}}" for each in given)
    values = (row["value"] for text in texts for row in Store().query(text))
    assert any(value is not None for value in values)


@given(st.text(alphabet='{}()[];,.?$ab:"\\<>#\n sage:search 12@^', max_size=80))
def test_no_text_breaks_the_reading(text: str) -> None:
    query = PREFIXES + "SELECT * { " + text + ' sage:search ("x") }'
    try:
        found = uses(list(tokens(query)))
    except InputError:
        return
    assert all(0 < use.begin < use.end <= len(query) for use in found)
