"""The retrieval and data API: what comes is what the package gives, as the description says."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pyoxigraph as ox
import pytest
from flask.testing import FlaskClient
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from service.web import client_of, fits, small_graph

from sage_ld.foundation.deadline import Check
from sage_ld.foundation.errors import InputError
from sage_ld.foundation.question import Answer, Filter
from sage_ld.foundation.recipes import Ranking, adjusted, load_recipe
from sage_ld.graph import KnowledgeGraph, Snapshot
from sage_ld.graph.exports.jsonld import FRAMES
from sage_ld.graph.store import reading
from sage_ld.lab.evaluation import as_json, evaluate, known_documents, load_dataset, searcher, systems
from sage_ld.retrieval import Mode, Retriever
from sage_ld.retrieval.answers.results import answer_jsonld
from sage_ld.service.access.tokens import AccessRole, create_token
from sage_ld.service.api.retrieval import RetrievalRequest
from sage_ld.service.request_examples import OF

QUESTION = "Who composed the film that won the Golden Heron in 1987?"


@pytest.fixture(scope="module")
def client(folder: Path) -> Iterator[FlaskClient]:
    with client_of(folder, max_framed_results=9, max_results=40) as opened:
        yield opened


def expected(folder: Path, **parameters: Any) -> Answer:
    graph = KnowledgeGraph.open(folder)
    try:
        return Retriever(graph).retrieve(QUESTION, **parameters)
    finally:
        graph.close()


@pytest.mark.parametrize(
    "parameters",
    [
        {},
        {"k": 5, "from_graph": 3},
        {"mode": "bm25", "k": 1},
        {"channels": ["link", "structure"], "from_graph": 8},
    ],
)
def test_an_answer_is_that_of_the_retriever_by_get_and_by_post(
    client: FlaskClient, folder: Path, parameters: dict[str, Any]
) -> None:
    asked, parameters = parameters, {**parameters, "context": "value"}
    posted = client.post("/v1/retrieve", json={"q": QUESTION, **parameters})
    url = {name: ",".join(value) if isinstance(value, list) else value for name, value in parameters.items()}
    got = client.get("/v1/retrieve", query_string={"q": QUESTION, **url})
    assert posted.status_code == got.status_code == 200
    assert posted.data == got.data
    assert posted.get_json(force=True) == json.loads(json.dumps(answer_jsonld(expected(folder, **asked))))
    fits(posted.get_json(force=True), "Answer")


QUERIES: list[dict[str, Any]] = [
    {
        "documents": ["heron.md", "people/mira-tolland.md"],
        "where": ['schema:mentions/skos:prefLabel "Osmere"'],
    },
    {"kinds": ["table", "record"], "keywords": ["river", "a,b"], "offset": 1},
    {"languages": ["en"], "since": "1990", "until": "2030-12-31"},
    {"where": ["sage:firstRow >= 0", 'schema:isPartOf/schema:name "The Golden Heron"'], "channels": ["link"]},
    {"weights": {"bm25_weight": 1, "seed_share": 0.25}, "ranking": "shared", "fusion": "rrf", "k": 1},
    {"weights": {"decay": 0.25}, "hops": 2, "channels": ["link", "entity"], "k": 14, "from_graph": 9},
    {"recipe": "paper", "k": 2},
    {"question_language": "de", "k": 2},
    {"relations": ["part_of", "related_to"], "as_of": "2026-11-23"},
    {"q": "\u0000 \U0001f600", "documents": ["\u0000", "é&="], "keywords": ['"\\']},
]
TERMS = {
    "q": "query", "k": "resultBudget", "channels": "channel", "documents": "onlyDocument",
    "kinds": "onlyKind",
    "languages": "onlyLanguage", "keywords": "onlyKeyword", "since": "onlySince", "until": "onlyUntil",
    "where": "onlyWhere", "from_graph": "neighbourBudget", "bm25_weight": "bm25Weight",
    "relations": "onlyRelation", "as_of": "asOf",
    "seed_share": "seedShare", "question_language": "questionLanguage",
}  # fmt: skip


def url_of(asked: dict[str, Any]) -> str:
    """The parameters as a URL has them."""
    pairs: list[tuple[str, Any]] = []
    for name, value in asked.items():
        if isinstance(value, dict):
            pairs += [(f"{name}[{inner}]", each) for inner, each in value.items()]
        elif isinstance(value, list) and name not in ("channels", "kinds"):
            pairs += [(name, each) for each in value]
        else:
            pairs.append((name, ",".join(value) if isinstance(value, list) else value))
    return "/v1/retrieve?" + urlencode(pairs)


@pytest.mark.parametrize("parameters", QUERIES)
def test_every_parameter_goes_both_ways_and_is_said(client: FlaskClient, parameters: dict[str, Any]) -> None:
    asked = {"q": QUESTION, **parameters}
    posted, got = client.post("/v1/retrieve", json=asked), client.get(url_of(asked))
    assert (posted.status_code, got.data) == (200, posted.data)
    answer = posted.get_json(force=True)
    fits(answer, "Answer")
    flat = {name: value for name, value in asked.items() if name != "weights"} | asked.get("weights", {})
    assert {TERMS.get(name, name): value for name, value in flat.items()}.items() <= answer[
        "wasGeneratedBy"
    ].items()


def test_parameters_are_those_of_the_retriever(client: FlaskClient, folder: Path) -> None:
    weights = {"bm25_weight": 0.125, "seed_share": 0.75}
    only = Filter(kinds=("text",), where=("schema:position <= 1",))
    graph = KnowledgeGraph.open(folder)
    retriever = Retriever(graph, adjusted(load_recipe("paper").retrieval, weights))
    found = retriever.retrieve(QUESTION, 5, 3, offset=1, only=only)
    graph.close()
    sent = {"q": QUESTION, "k": 5, "from_graph": 3, "offset": 1, "recipe": "paper", "weights": weights}
    sent |= {"kinds": ["text"], "where": ["schema:position <= 1"]}
    answer = client.post("/v1/retrieve", json=sent).get_json(force=True)
    expected = json.loads(json.dumps(answer_jsonld(found)))
    assert answer["itemListElement"] == expected["itemListElement"]
    assert len(answer["itemListElement"]) > 2
    assert answer["wasGeneratedBy"] == {**expected["wasGeneratedBy"], "recipe": "paper"}
    assert answer["wasGeneratedBy"]["ranking"] == Ranking.SHARED


def test_metadata_filters_by_get_and_by_post(tmp_path: Path) -> None:
    for team in ("red", "blue"):
        (tmp_path / f"{team}.md").write_text(f"---\nteam: {team}\nyear: 2024\n---\nThe {team} tide.")
    graph = KnowledgeGraph.create(tmp_path / "graph", encoder="jaccard")
    graph.ingest([tmp_path / "red.md", tmp_path / "blue.md"])
    graph.close()
    with client_of(tmp_path / "graph") as client:
        asked = {"q": "tide", "metadata": {"team": "red", "year": [2023, 2024]}}
        answer = client.post("/v1/retrieve", json=asked).get_json(force=True)
        fits(answer, "Answer")
        assert [each["item"]["text"] for each in answer["itemListElement"]] == ["The red tide."]
        assert answer["wasGeneratedBy"]["onlyWhere"] == ['"team" = "red"', '"year" = 2023 | 2024']
        for sent in ({"metadata[team]": "red"}, {"where": "team=red"}):
            got = client.get("/v1/retrieve", query_string={"q": "tide", **sent}).get_json(force=True)
            assert got["itemListElement"] == answer["itemListElement"]
        refused = client.post("/v1/retrieve", json={"q": "tide", "metadata": {"taem": "red"}})
        assert refused.status_code == 400
        assert "its keys are team, title, year" in refused.get_json(force=True)["detail"]
        for wrong, status in (({"team": {}}, 400), ({}, 400), ({"team": "x" * 3000}, 413)):
            assert client.post("/v1/retrieve", json={"q": "tide", "metadata": wrong}).status_code == status


def test_a_walk_is_for_clients_where_the_setting_says_so(folder: Path) -> None:
    asked = {"q": QUESTION, "ranking": "pagerank", "weights": {"walk_share": 1, "restart_power": 0}}
    with client_of(folder, client_rankings="learned,pagerank") as client:
        answer = client.post("/v1/retrieve", json=asked).get_json(force=True)
        fits(answer, "Answer")
        said = answer["wasGeneratedBy"]
        assert (said["ranking"], said["walkShare"], said["restartPower"]) == ("pagerank", 1, 0)
        assert answer["itemListElement"][0]["score"] == 1
        assert client.post("/v1/retrieve", json={**asked, "ranking": "shared"}).status_code == 400


def test_a_service_whose_setting_names_no_ranking_does_not_start(folder: Path) -> None:
    with (
        pytest.raises(InputError, match="client_rankings: 'lerned'"),
        client_of(folder, client_rankings="lerned"),
    ):
        pass


def test_pages_of_an_answer_are_linked(client: FlaskClient) -> None:
    url: str | None = url_of({"q": QUESTION, "mode": "bm25", "k": 3, "from_graph": 1})
    ranks: list[int] = []
    pages = 0
    while url:
        answer = client.get(url)
        ranks += [each["rank"] for each in answer.get_json(force=True)["itemListElement"]]
        links = [link.split("; ") for link in answer.headers.getlist("Link")]
        found = {relation: address[1:-1] for address, relation in links}
        assert ('rel="prev"' in found) == bool(pages)
        pages += 1
        url = found.get('rel="next"')
    assert pages > 2
    assert ranks == list(range(1, len(ranks) + 1))


@pytest.mark.parametrize(
    "query",
    [
        "weights=1",
        "weights[pool]=3",
        "weights[bm25_weight]=x",
        "weights[bm25_weight]=nan",
        "weights=1&weights[bm25_weight]=1",
        "since=1990&since=1991",
        "kinds=text&kinds=table",
        "documents=",
        "K[a]=1",
        "where[0]=a",
    ],
)
def test_what_does_not_fit_in_a_url_is_told(client: FlaskClient, query: str) -> None:
    answer = client.get(f"/v1/retrieve?q=a&{query}")
    assert answer.status_code == 400
    fits(answer.get_json(force=True), "Problem")


@pytest.mark.parametrize(
    ("accept", "media_type"),
    [
        ("", "application/ld+json"),
        ("application/json", "application/json"),
        ("text/turtle, application/json;q=0.5", "text/turtle"),
        ("application/n-triples", "application/n-triples"),
    ],
)
def test_an_answer_comes_as_the_client_likes_it(client: FlaskClient, accept: str, media_type: str) -> None:
    answer = client.get("/v1/retrieve", query_string={"q": QUESTION}, headers={"Accept": accept})
    assert answer.mimetype == media_type
    assert "Accept" in answer.headers["Vary"]


@pytest.mark.parametrize("parameters", [{"k": 2}, *QUERIES])
def test_an_answer_in_turtle_says_what_its_json_ld_says(
    client: FlaskClient, parameters: dict[str, Any]
) -> None:
    def asked(accept: str) -> bytes:
        url = url_of({"q": QUESTION, "context": "value", **parameters})
        return client.get(url, headers={"Accept": accept}).data

    def canonical(quads: Any) -> set[str]:
        dataset = ox.Dataset(quads)
        dataset.canonicalize(ox.CanonicalizationAlgorithm.RDFC_1_0)
        return {str(quad) for quad in dataset}

    turtle = asked("text/turtle")
    assert turtle == asked("text/turtle")
    from_turtle = canonical(ox.parse(turtle, ox.RdfFormat.TURTLE))
    assert from_turtle == canonical(ox.parse(asked("application/ld+json"), ox.RdfFormat.JSON_LD))


@pytest.mark.parametrize("path", ["/v1/documents", "/v1/chunks"])
def test_a_date_that_the_calendar_does_not_have_is_told(client: FlaskClient, path: str) -> None:
    answer = client.get(path, query_string={"until": "2020-99-99"})
    assert answer.status_code == 400
    assert answer.get_json(force=True)["detail"].startswith("until: '2020-99-99' is not a year, month or day")


def test_the_same_revision_needs_no_second_answer(client: FlaskClient) -> None:
    first = client.get("/v1/retrieve", query_string={"q": QUESTION})
    tag = {"If-None-Match": first.headers["ETag"]}
    assert client.get("/v1/retrieve", query_string={"q": QUESTION}, headers=tag).status_code == 304
    assert client.get("/v1/retrieve", query_string={"q": "Who?"}, headers=tag).status_code == 200


@pytest.mark.parametrize(
    ("sent", "status"),
    [
        ({}, 400),
        ({"q": "  "}, 400),
        ({"q": "a", "k": 0}, 400),
        ({"q": "a", "k": "5"}, 400),
        ({"q": "a", "k": True}, 400),
        ({"q": "a", "k": 1.5}, 400),
        ({"q": "a", "from_graph": -1}, 400),
        ({"q": "a", "mode": "magic"}, 400),
        ({"q": "a", "channels": ["telepathy"]}, 400),
        ({"q": "a", "channels": "link"}, 400),
        ({"q": "a", "K": 3}, 400),
        ({"q": "a" * 10_001}, 413),
        ({"q": "a", "k": 41}, 413),
        ({"q": "a", "k": 60, "from_graph": 30}, 413),
        ({"q": "a", "offset": 31}, 413),
        ({"q": "a", "offset": -1}, 400),
        ({"q": "a", "recipe": "recipe.toml"}, 400),
        ({"q": "a", "recipe": "/etc/passwd"}, 400),
        ({"q": "a", "weights": {"bm25_weight": 1.5}}, 400),
        ({"q": "a", "weights": {"pool": 3}}, 400),
        ({"q": "a", "weights": {}}, 400),
        ({"q": "a", "fusion": "sum"}, 400),
        ({"q": "a", "ranking": "pagerank"}, 400),
        ({"q": "a", "hops": 0}, 400),
        ({"q": "a", "hops": 4}, 413),
        ({"q": "a", "documents": []}, 400),
        ({"q": "a", "documents": ["a"] * 101}, 413),
        ({"q": "a", "documents": "heron.md"}, 400),
        ({"q": "a", "kinds": ["chapter"]}, 400),
        ({"q": "a", "languages": ["en_GB"]}, 400),
        ({"q": "a", "since": "yesterday"}, 400),
        ({"q": "a", "since": "1999-02-30"}, 400),
        ({"q": "a", "since": "2020-13-45", "from_graph": 0}, 400),
        ({"q": "a", "where": ["schema:name"]}, 400),
        ({"q": "a", "where": ['schema:name "a" } DROP ALL']}, 400),
        ({"q": "a", "where": ["x" * 2_001]}, 413),
        ({"q": "a", "where": ["a/a/a/a/a/a/a/a/a <x:y>"]}, 413),
        ({"q": "a", "frame": "mine"}, 400),
        ({"q": QUESTION, "frame": "chunks", "k": 10}, 413),
        ([], 400),
    ],
)
@pytest.mark.parametrize("path", ["/v1/retrieve", "/v1/retrieve/stream"])
def test_what_does_not_fit_is_told(client: FlaskClient, sent: Any, status: int, path: str) -> None:
    answer = client.post(path, json=sent)
    framed = path.endswith("stream") and isinstance(sent, dict) and "frame" in sent
    assert answer.status_code == (400 if framed else status)
    assert answer.mimetype == "application/problem+json"
    fits(answer.get_json(force=True), "Problem")


@pytest.mark.parametrize(
    ("body", "media_type", "status"),
    [
        (b"{", "application/json", 400),
        (b'{"q": "a", "k": NaN}', "application/json", 400),
        (b'{"q": "a", "k": 1e999}', "application/json", 400),
        (b'{"q": "\\ud800"}', "application/json", 400),
        (b'{"q": "\xff"}', "application/json", 400),
        (b"[" * 100_000, "application/json", 400),
        (b'{"q": "a", "k": ' + b"9" * 5000 + b"}", "application/json", 400),
        (b'{"q": "a", "q": "b"}', "application/json", 400),
        (b"q=a", "application/x-www-form-urlencoded", 415),
        (b'{"q": "a"}', "application/json; charset=latin-1", 415),
    ],
)
def test_a_body_that_is_none_is_told(client: FlaskClient, body: bytes, media_type: str, status: int) -> None:
    answer = client.post("/v1/retrieve", data=body, content_type=media_type)
    assert answer.status_code == status
    fits(answer.get_json(force=True), "Problem")


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("null", "the request: null is not an object; give one; /docs says what is taken"),
        ("[1]", "the request: a list is not an object; give one; /docs says what is taken"),
        ("{}", "the request: give q or questions; /docs says what is taken"),
        ('{"q": "  "}', "q: it is blank; give some text; /docs says what is taken"),
        ('{"q": 5}', "q: 5 is not a text; give one; /docs says what is taken"),
        ('{"q": "a", "k": 0}', "k: 0, at least 1; /docs says what is taken"),
        (
            '{"q": "a", "mode": "x"}',
            "mode: 'x' is not one of its values; choose from sage, hybrid, dense, bm25;",
        ),
        (
            '{"q": "a", "size": 3}',
            "the request: there is no 'size'; give any of as_of, centrality, channels,",
        ),
        ('{"q": "a", "weights": {"decay": 2}}', "weights/decay: 2, at most 1; /docs says"),
        ('{"q": "a", "languages": ["en_GB"]}', "languages/0: 'en_GB' is not of its form;"),
        ('{"q": "a", "channels": ["link", "link"]}', "channels: an item is given twice; give each once;"),
        ('{"q": "a", "k": 41}', "k: 41 results, the limit is 40; split it or raise the setting max_results"),
        ('{"q": "a", "hops": 4}', "hops: 4 hops, the limit is 3; split it or raise the setting max_hops"),
        (
            json.dumps({"q": "a" * 10_001}),
            "q: 10,001 characters, the limit is 10,000; split it or raise the setting max_question_length",
        ),
        ('{"q": "a", "k": 99999999999999999999999}', "the integer 99999999999999999999999… has 23 digits;"),
        ('{"q": "a", "weights": {"decay": 1e999}}', "1e999 is too large a number; give a smaller one"),
        ('{"q": "a", "q": "b"}', "'q' is given 2 times; give it once"),
        ('{"q": NaN}', "NaN is not a JSON number; give another"),
        ('{"q": "a"', "the body is not JSON: Expecting ',' delimiter at character 10; send one object"),
        ("[" * 100_000, "the body is nested too deeply to be read; send one flat object"),
    ],
)
def test_what_does_not_fit_is_told_in_words(client: FlaskClient, body: str, said: str) -> None:
    answer = client.post("/v1/retrieve", data=body, content_type="application/json").get_json(force=True)
    assert answer["detail"].startswith(said)
    assert answer["type"].endswith("#limit") == ("the limit is" in said)


@pytest.mark.parametrize(
    "url",
    [
        "/v1/documents?limit=201",
        "/v1/entities?limit=201",
        f"/v1/chunks/{'0' * 24}/neighbours?limit=101",
        "/v1/retrieve?q=a&offset=41",
        f"/v1/chunks?keywords={'x' * 2001}",
    ],
)
def test_one_status_for_what_is_over_a_setting(client: FlaskClient, url: str) -> None:
    answer = client.get(url)
    assert answer.status_code == 413
    assert "; split it or raise the setting max_" in answer.get_json(force=True)["detail"]


@given(st.text(min_size=1, max_size=60))
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_question_has_an_answer_or_a_reason(client: FlaskClient, question: str) -> None:
    answer = client.post("/v1/retrieve", json={"q": question, "k": 2})
    assert answer.status_code in (200, 400)
    page = client.get("/", query_string={"q": question})
    assert page.status_code in (200, 400)


def test_the_old_name_of_a_budget_is_taken_and_said_to_be_old(client: FlaskClient) -> None:
    now = client.get("/v1/retrieve", query_string={"q": QUESTION, "k": 3, "from_graph": 1})
    before = client.get("/v1/retrieve", query_string={"q": QUESTION, "k": 2, "neighbours": 1})
    assert before.data == now.data
    assert before.headers["Deprecation"].startswith("@")
    assert "Deprecation" not in now.headers


@pytest.mark.parametrize("frame", FRAMES)
def test_a_frame_keeps_what_it_shows(client: FlaskClient, frame: str) -> None:
    query = {"q": QUESTION, "k": 6, "from_graph": 3, "kinds": ["text", "table"]}
    whole = client.post("/v1/retrieve", json=query).get_json(force=True)
    framed = client.post("/v1/retrieve", json={**query, "frame": frame}).get_json(force=True)
    fits(framed, "Framed")
    items = [result["item"] for result in whole["itemListElement"]]
    shown = framed["@graph"]
    if frame == "chunks":
        assert {each["id"] for each in shown} == {each["id"] for each in items}
    elif frame == "documents":
        assert {each["id"] for each in shown} == {each["isPartOf"][0]["id"] for each in items}
        parts = {part["id"] for each in shown for part in each["hasPart"]}
        assert parts == {each["id"] for each in items}
    elif frame == "entities":
        assert {each["prefLabel"] for each in shown} == {
            e["prefLabel"] for each in items for e in each["mentions"]
        }
        assert all(each["mentionedIn"] for each in shown)
    else:
        assert len(shown) == sum(len(result["path"]) for result in whole["itemListElement"]) > 0


def events(text: str) -> list[tuple[str, Any]]:
    found = []
    for block in text.strip().split("\n\n"):
        fields = dict(line.split(": ", 1) for line in block.split("\n"))
        found.append((fields["event"], json.loads(fields["data"])))
    return found


@pytest.mark.parametrize(
    "more",
    [
        {"k": 5, "from_graph": 3},
        {"k": 6, "from_graph": 3, "recipe": "paper", "kinds": ["text", "table"]},
        {"k": 5, "from_graph": 3, "mode": "hybrid"},
        {"k": 2, "from_graph": 0},
        {"k": 4, "from_graph": 2, "offset": 2},
        {"k": 5, "from_graph": 3, "documents": ["nowhere"]},
    ],
)
def test_a_stream_makes_the_answer_that_comes_whole(client: FlaskClient, more: dict[str, Any]) -> None:
    query = {"q": QUESTION, **more}
    whole = client.post("/v1/retrieve", json=query).get_json(force=True)
    answer = client.post("/v1/retrieve/stream", json=query)
    assert answer.mimetype == "text/event-stream"
    *shown, (last, summary) = events(answer.text)
    assert last == "summary"
    fits(summary, "Summary")
    for name, result in shown:
        fits(result, "Result")
        assert result["role"] == name
    names = [name for name, _ in shown]
    assert names == sorted(names, reverse=True), "seeds before neighbours"
    items = {result["item"]["id"]: result for _, result in shown}
    for ranked, result in zip(summary["itemListElement"], whole["itemListElement"], strict=True):
        identifier = result["item"]["id"]
        assert {**result, "item": {"id": identifier}}.items() >= ranked.items()
        assert items[identifier]["item"] == result["item"]
        assert items[identifier]["path"] == result["path"]
    assert summary["wasGeneratedBy"] == whole["wasGeneratedBy"]


@pytest.mark.parametrize("form", [{}, {"highlight": True, "labels": True}], ids=str)
def test_a_stream_in_flat_json_makes_the_flat_answer(client: FlaskClient, form: dict[str, Any]) -> None:
    query = {"q": QUESTION, "k": 5, "from_graph": 3, **form}
    headers = {"Accept": "application/json"}
    whole = client.post("/v1/retrieve", json=query, headers=headers).get_json()
    fits(whole, "PlainAnswer")
    *shown, (last, summary) = events(client.post("/v1/retrieve/stream", json=query | {"form": "json"}).text)
    assert last == "summary"
    assert summary | {"results": whole["results"]} == whole
    by_chunk = {result["chunk"]: result for _, result in shown}
    for ranked, result in zip(summary["results"], whole["results"], strict=True):
        sent = by_chunk[ranked["chunk"]]
        assert sent | ranked == result
    if form:
        steps = [(each, step) for each in whole["results"] for step in each["path"]]
        assert all(each["labels"][each["chunk"]] == each["name"] for each, _ in steps)
        assert all({step["seed"], step["chunk"]} <= set(each["labels"]) for each, step in steps)


@pytest.mark.parametrize("name", ["highlight", "labels"])
def test_linked_data_has_no_place_for_matches_and_labels(client: FlaskClient, name: str) -> None:
    for path, remedy in (("/v1/retrieve", "Accept: application/json"), ("/v1/retrieve/stream", "form json")):
        answer = client.post(path, json={"q": QUESTION, name: True})
        assert answer.status_code == 400
        assert remedy in answer.get_json(force=True)["detail"]


def test_seeds_are_sent_before_the_graph_is_asked(
    client: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    answer_of = RetrievalRequest.answer

    def answer(self: RetrievalRequest, snapshot: Snapshot, check: Check) -> Answer:
        asked.extend(each.text for each in self.asked)
        return answer_of(self, snapshot, check)

    monkeypatch.setattr(RetrievalRequest, "answer", answer)
    query = {"q": QUESTION, "k": 5, "from_graph": 3}
    sent = client.open("/v1/retrieve/stream", method="POST", json=query, buffered=False)
    pieces = sent.iter_encoded()
    first = [next(pieces).decode(), next(pieces).decode()]
    assert [events(piece)[0][0] for piece in first] == ["seed", "seed"]
    assert asked == []
    rest = "".join(piece.decode() for piece in pieces)
    sent.close()
    assert asked == [QUESTION]
    assert events(rest)[-1][0] == "summary"
    flat = client.post("/v1/retrieve", json={**query, "k": 2, "from_graph": 0}).get_json(force=True)
    assert [events(piece)[0][1] for piece in first] == flat["itemListElement"]


def test_a_late_error_is_an_event_and_no_summary_follows(
    client: FlaskClient, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def answer(self: RetrievalRequest, snapshot: Snapshot, check: Check) -> Answer:
        raise RuntimeError("secret")

    monkeypatch.setattr(RetrievalRequest, "answer", answer)
    text = client.post("/v1/retrieve/stream", json={"q": QUESTION, "k": 1}).text
    (first, _), (last, problem) = events(text)
    assert (first, last) == ("seed", "problem")
    fits(problem, "Problem")
    assert problem["status"] == 500
    assert "secret" not in text
    assert "secret" in caplog.text


def test_a_chunk_and_its_neighbours(client: FlaskClient) -> None:
    item = client.get("/v1/retrieve", query_string={"q": QUESTION}).get_json(force=True)["itemListElement"][
        0
    ]["item"]
    identifier = item["id"].rpartition("/")[2]
    chunk = client.get(f"/v1/chunks/{identifier}").get_json(force=True)
    fits(chunk, "Chunk")
    assert {name: value for name, value in chunk.items() if name != "@context"} == item
    near = client.get(f"/v1/chunks/{identifier}/neighbours").get_json(force=True)
    fits(near, "Neighbours")
    weights = [result["score"] for result in near["itemListElement"]]
    assert weights
    assert weights == sorted(weights, reverse=True)
    assert all(result["path"][0]["seed"] == item["id"] for result in near["itemListElement"])
    linked = client.get(f"/v1/chunks/{identifier}/neighbours?channels=structure&limit=1").get_json(force=True)
    assert [result["path"][0]["channel"] for result in linked["itemListElement"]] == [["structure"]]


@pytest.mark.parametrize("identifier", ["0" * 24, "x", "..%2f..%2fetc", "A" * 24])
def test_no_chunk_is_told(client: FlaskClient, identifier: str) -> None:
    for path in (f"/v1/chunks/{identifier}", f"/v1/chunks/{identifier}/neighbours"):
        assert client.get(path).status_code == 404


@pytest.mark.parametrize(
    ("path", "schema", "name"),
    [("documents", "Documents", "identifier"), ("entities", "Entities", "prefLabel")],
)
def test_lists_come_page_by_page(client: FlaskClient, path: str, schema: str, name: str) -> None:
    whole = client.get(f"/v1/{path}").get_json(force=True)
    fits(whole, schema)
    names = [each[name] for each in whole["itemListElement"]]
    assert names == sorted(names, key=str.casefold)
    assert whole["numberOfItems"] == len(names) > 4
    found: list[str] = []
    url: str | None = f"/v1/{path}?limit=4"
    while url:
        answer = client.get(url)
        found += [each[name] for each in answer.get_json(force=True)["itemListElement"]]
        links = [link for link in answer.headers.getlist("Link") if 'rel="next"' in link]
        url = links[0][1 : links[0].index(">")] if links else None
    assert found == names
    prefixed = client.get(f"/v1/{path}", query_string={"prefix": names[-1][:3].upper()}).get_json(force=True)
    assert names[-1] in [each[name] for each in prefixed["itemListElement"]]
    assert prefixed["numberOfItems"] < len(names)
    assert client.get(f"/v1/{path}?limit=0").status_code == 400
    assert client.get(f"/v1/{path}?offset=1000000").get_json(force=True)["itemListElement"] == []


def listed(client: FlaskClient, path: str, **parameters: Any) -> list[dict[str, Any]]:
    answer = client.get(f"/v1/{path}", query_string=parameters).get_json(force=True)
    fits(answer, path.capitalize())
    assert answer["numberOfItems"] >= len(answer["itemListElement"])
    items: list[dict[str, Any]] = answer["itemListElement"]
    return items


def test_chunks_come_as_they_stand_in_their_documents(client: FlaskClient, folder: Path) -> None:
    whole = listed(client, "chunks")
    graph = KnowledgeGraph.open(folder)
    stored = {each.iri: each for each in reading.chunks(graph.snapshot().store)}
    graph.close()
    ordered = sorted(stored.values(), key=lambda each: (each.chunk.document, each.chunk.position))
    assert [each["id"] for each in whole] == [each.iri for each in ordered]
    assert [stored[each["id"]].chunk.text for each in whole] == [each["text"] for each in whole]
    parts = [each for offset in range(0, 30, 3) for each in listed(client, "chunks", limit=3, offset=offset)]
    assert parts == whole


def test_lists_are_filtered_like_answers(client: FlaskClient) -> None:
    tables = listed(client, "chunks", kinds="table")
    assert {tuple(each["type"]) for each in tables} == {("Chunk", "TableChunk")}
    holders = listed(client, "documents", kinds="table")
    assert [each["identifier"] for each in holders] == ["heron.md", "towns.csv"]
    assert all(len(each["contentHash"]) == 64 for each in holders)
    where = 'schema:mentions/skos:prefLabel "Osmere"'
    found = listed(client, "chunks", where=where, prefix="HERON", limit=1)
    assert {each["isPartOf"][0]["identifier"] for each in found} == {"heron.md"}
    assert [each["identifier"] for each in listed(client, "documents", documents="towns.csv")] == [
        "towns.csv"
    ]
    second = client.get("/v1/documents", query_string={"kinds": "table", "limit": 1, "offset": 1})
    assert second.get_json(force=True)["numberOfItems"] == 2
    assert second.headers.getlist("Link") == ['</v1/documents?kinds=table&limit=1&offset=0>; rel="prev"']
    assert client.get("/v1/documents", query_string={"where": "schema:name"}).status_code == 400
    assert client.get("/v1/chunks", query_string={"where": "a/a/a/a/a/a/a/a/a <x:y>"}).status_code == 413
    assert client.get("/v1/entities", query_string={"kinds": "table"}).status_code == 400


def test_stats_count_the_graph(client: FlaskClient) -> None:
    said = client.get("/v1/stats").get_json(force=True)
    fits(said, "Stats")
    assert (said["documents"], said["revision"], said["encoder"]) == (7, 1, "jaccard")


def test_evaluation_needs_a_token_and_a_data_set_of_the_folder(tmp_path: Path) -> None:
    folder = small_graph(tmp_path)
    token = create_token(folder, "reader", AccessRole.READ, "2026-11-21")
    data = tmp_path / "data" / "heron"
    (data / "qrels").mkdir(parents=True)
    (data / "queries.jsonl").write_text(json.dumps({"_id": "1", "text": QUESTION}) + "\n")
    (data / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\n1\theron.md\t1\n")
    head = {"Authorization": f"Bearer {token}"}
    with client_of(folder, evaluation_dir=str(tmp_path / "data")) as client:
        assert client.post("/v1/evaluate", json={"dataset": "heron"}).status_code == 401
        answer = client.post("/v1/evaluate", json={"dataset": "heron", "budgets": [4]}, headers=head)
        fits(answer.get_json(force=True), "Evaluation")
        assert answer.get_json(force=True)["modes"]["sage"]["recall@4"] == 1.0
        recipes = {"modes": ["sage"], "recipes": ["default", "paper"], "budgets": [2, 4]}
        compared = client.post("/v1/evaluate", json={"dataset": "heron", **recipes}, headers=head)
        fits(compared.get_json(force=True), "Evaluation")
        graph = KnowledgeGraph.open(folder)
        named = systems(graph, [Mode.SAGE], recipes["recipes"])
        known = known_documents(named)
        assert "heron.md" in known
        same = evaluate(
            load_dataset(data), searcher(named), list(named), [2, 4], per_budget=["paper"], known=known
        )
        assert compared.get_json(force=True) == json.loads(json.dumps(as_json(same)))
        graph.close()
        judged = data / "qrels" / "test.tsv"
        judged.write_text(judged.read_text() + "1\tswan.md\t1\n")
        found = client.post("/v1/evaluate", json={"dataset": "heron"}, headers=head).get_json(force=True)
        fits(found, "Evaluation")
        assert (found["unknown_documents"], found["unknown_example"]) == (1, "swan.md")
        judged.write_text("query-id\tcorpus-id\tscore\n1\tswan.md\t1\n")
        foreign = client.post("/v1/evaluate", json={"dataset": "heron"}, headers=head)
        assert foreign.status_code == 400
        assert "none of the 1 documents that heron judges" in foreign.text
        mine = {"dataset": "heron", "recipes": ["recipe.toml"]}
        assert client.post("/v1/evaluate", json=mine, headers=head).status_code == 400
        for name, status in (("none", 404), ("..", 400), ("../data/heron", 400), ("/etc", 400)):
            assert client.post("/v1/evaluate", json={"dataset": name}, headers=head).status_code == status
    with client_of(folder) as client:
        assert client.post("/v1/evaluate", json={"dataset": "heron"}, headers=head).status_code == 404


def test_the_description_names_every_route_of_the_api(client: FlaskClient) -> None:
    described = client.get("/openapi.json").get_json()
    routes = {
        re.sub(r"<(?:\w+:)?(\w+)>", r"{\1}", rule.rule)
        for rule in client.application.url_map.iter_rules()
        if rule.rule.startswith("/v1/")
    }
    assert {path for path in described["paths"] if path.startswith("/v1/")} == routes
    page = client.get("/docs").text
    for path, methods in described["paths"].items():
        for operation in methods.values():
            assert f'id="{operation["operationId"]}"' in page
        assert path in page
    assert re.findall(r"<script(?![^>]* src=)|<script[^>]*>[^<]", page) == []


@pytest.mark.parametrize("name", OF)
def test_examples_of_answers_fit_their_schemas(name: str) -> None:
    fits(OF[name], name)


def test_examples_of_requests_are_answered(client: FlaskClient) -> None:
    described = client.get("/openapi.json").get_json()["paths"]
    for path in ("/v1/retrieve", "/v1/retrieve/stream"):
        content = described[path]["post"]["requestBody"]["content"]["application/json"]
        assert len(content["examples"]) > 2
        for example in content["examples"].values():
            assert client.post(path, json=example["value"]).status_code == 200
    shown = described["/v1/retrieve/stream"]["post"]["responses"]["200"]["content"]["text/event-stream"]
    whole = shown["examples"]["a whole stream"]["value"]
    assert [name for name, _ in events(whole)] == ["seed", "neighbour", "summary"]


def test_the_search_page_shows_results_and_their_paths(client: FlaskClient, folder: Path) -> None:
    page = client.get("/", query_string={"q": QUESTION, "k": 6, "from_graph": 4}).text
    assert f"{len(expected(folder, k=6, from_graph=4).results)} results" in page
    assert 'Reached from <a href="#result-' in page
    assert client.get("/", query_string={"q": "x", "k": "many"}).status_code == 400
    assert 'role="alert"' in client.get("/", query_string={"q": " "}).text
    assert "7 documents" in client.get("/").text


def test_an_empty_graph_says_so(tmp_path: Path) -> None:
    KnowledgeGraph.create(tmp_path / "graph", encoder="jaccard").close()
    with client_of(tmp_path / "graph") as client:
        for path in ("/v1/stats", "/v1/retrieve?q=a", "/export", "/.well-known/void", "/id/x", "/"):
            answer = client.get(path)
            assert answer.status_code == 404
            assert "is an empty graph" in answer.text
