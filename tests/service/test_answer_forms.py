"""The forms of answers over HTTP: flat JSON, linked data with its context by address, several at once."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pyoxigraph as ox
import pytest
from flask.testing import FlaskClient
from pyld import jsonld
from service.web import client_of, fits
from typer.testing import CliRunner

from sage_ld.cli.main import app
from sage_ld.graph import KnowledgeGraph
from sage_ld.graph.exports.jsonld import FRAMES
from sage_ld.graph.exports.jsonld_context import by_address, inline
from sage_ld.retrieval.answers.results import answer_context

QUESTION = "Who composed the film that won the Golden Heron in 1987?"
QUESTIONS = [QUESTION, "What is the Golden Heron?", QUESTION]


@pytest.fixture(scope="module")
def client(folder: Path) -> Iterator[FlaskClient]:
    with client_of(folder, max_results=60, max_batch_questions=5) as opened:
        yield opened


def ask(client: FlaskClient, accept: str = "application/json", **parameters: Any) -> Any:
    answer = client.post("/v1/retrieve", json=parameters, headers={"Accept": accept})
    assert answer.status_code == 200, answer.text
    assert answer.mimetype == accept
    return answer.get_json(force=True)


def rdf(client: FlaskClient, document: dict[str, Any]) -> set[str]:
    """What a JSON-LD processor makes of a document; it loads contexts from the service alone."""

    def load(url: str, _options: object) -> dict[str, Any]:
        sent = client.get(
            urlsplit(url).path, headers={"Accept": "application/ld+json, application/json;q=0.9"}
        )
        assert sent.mimetype == "application/ld+json"
        return {"contextUrl": None, "documentUrl": url, "document": sent.get_json(force=True)}

    nquads = jsonld.to_rdf(document, {"documentLoader": load, "format": "application/n-quads"})
    dataset = ox.Dataset(ox.parse(nquads.encode(), ox.RdfFormat.N_QUADS))
    dataset.canonicalize(ox.CanonicalizationAlgorithm.RDFC_1_0)
    return set(map(str, dataset))


def test_plain_json_is_what_the_command_line_prints(client: FlaskClient, folder: Path) -> None:
    answer = ask(client, q=QUESTION, highlight=True)
    fits(answer, "PlainAnswer")
    printed = CliRunner().invoke(app, ["search", str(folder), QUESTION, "--format", "json"])
    assert answer == {
        "question": QUESTION,
        "revision": 1,
        "matched": True,
        "results": json.loads(printed.stdout),
    }
    got = client.get("/v1/retrieve", query_string={"q": QUESTION}, headers={"Accept": "application/json"})
    for each in answer["results"]:
        del each["matches"]
    assert got.get_json() == answer
    whole = client.get("/v1/retrieve", query_string={"q": QUESTION, "context": "value"})
    assert 2 * len(got.data) < len(whole.data)


def test_any_other_client_gets_linked_data(client: FlaskClient) -> None:
    for accept in ("", "*/*", 'application/ld+json;profile="http://www.w3.org/ns/json-ld#compacted"'):
        headers = {"Accept": accept} if accept else {}
        answer = client.get("/v1/retrieve", query_string={"q": QUESTION}, headers=headers)
        assert answer.mimetype == "application/ld+json"
        assert answer.get_json(force=True)["@context"] == "http://localhost/context.jsonld"


@pytest.mark.parametrize("parameters", [{}, {"k": 1}, *({"frame": name} for name in FRAMES)], ids=str)
def test_the_context_says_the_same_by_address_and_by_value(
    client: FlaskClient, parameters: dict[str, Any]
) -> None:
    by_value = ask(client, "application/ld+json", q=QUESTION, context="value", **parameters)
    addressed = ask(client, "application/ld+json", q=QUESTION, **parameters)
    assert answer_context().items() <= by_value["@context"].items()
    assert len(json.dumps(addressed)) + 5_000 < len(json.dumps(by_value))
    assert len(rdf(client, by_value)) > 5
    assert rdf(client, addressed) == rdf(client, by_value)


def test_what_looks_like_a_shortened_iri_keeps_the_context_inside() -> None:
    """`schema:a/b` is an IRI of a scheme of its own; by the prefixes of the published context, another."""
    address = "http://localhost:8000/context.jsonld"
    document = {"@context": inline(["mentions"]), "mentions": [{"id": "schema:a/b"}]}
    assert by_address(document, address) == document
    for other in ("schema://a/b", "urn:schema:a", "schema"):
        assert by_address(document | {"mentions": [{"id": other}]}, address)["@context"] == address


def test_entity_tags_tell_the_two_contexts_and_the_addresses_apart(client: FlaskClient) -> None:
    def tag(host: str, **more: str) -> str | None:
        sent = {"q": QUESTION, **more}
        return client.get("/v1/retrieve", query_string=sent, headers={"Host": host}).headers["ETag"]

    tags = [tag("localhost"), tag("localhost:8000"), tag("localhost", context="value")]
    assert len(set(tags)) == 3
    assert tag("localhost") == tags[0]


def test_several_questions_are_answered_in_their_order(client: FlaskClient) -> None:
    answers = ask(client, questions=QUESTIONS, k=5, from_graph=3)
    fits(answers, "PlainAnswers")
    alone = [ask(client, q=question, k=5, from_graph=3) for question in QUESTIONS]
    assert answers == {"answers": alone}
    marked = ask(client, questions=QUESTIONS, k=5, from_graph=3, highlight=True)["answers"]
    assert marked[1] == ask(client, q=QUESTIONS[1], k=5, from_graph=3, highlight=True)
    spans = [(each["text"], span) for each in marked[0]["results"] for span in each["matches"]["text"]]
    assert ("1987", "1987") in {(text[span["begin"] : span["end"]], span["term"]) for text, span in spans}
    linked = ask(client, "application/ld+json", questions=QUESTIONS, k=2)
    fits(linked, "Answers")
    assert [each["wasGeneratedBy"]["query"] for each in linked["@graph"]] == QUESTIONS
    whole = ask(client, "application/ld+json", questions=QUESTIONS[:2], k=2, context="value")
    turtle = client.post(
        "/v1/retrieve", json={"questions": QUESTIONS[:2], "k": 2}, headers={"Accept": "text/turtle"}
    )
    said = ox.Dataset(ox.parse(turtle.data, ox.RdfFormat.TURTLE))
    assert len(said) == len(ox.Dataset(ox.parse(json.dumps(whole).encode(), ox.RdfFormat.JSON_LD)))


@pytest.mark.parametrize(
    ("parameters", "status", "detail"),
    [
        ({}, 400, "give q or questions"),
        ({"q": "a", "questions": ["b"]}, 400, "give q or questions"),
        ({"questions": []}, 400, "at least 1"),
        ({"questions": ["a", " "]}, 400, "questions/1: it is blank"),
        ({"questions": "a"}, 400, "is not a list"),
        ({"questions": ["a"] * 6}, 413, "max_batch_questions"),
        ({"questions": ["a", "b" * 10_001]}, 413, "max_question_length"),
        ({"questions": ["a"] * 4, "k": 25}, 413, "100 results, the limit is 60"),
        ({"questions": ["a"], "frame": "chunks"}, 400, "frame"),
        ({"q": "a", "highlight": True}, 400, "send Accept: application/json"),
    ],
    ids=str,
)
def test_a_batch_that_cannot_be_answered_is_refused_as_a_whole(
    client: FlaskClient, parameters: dict[str, Any], status: int, detail: str
) -> None:
    answer = client.post("/v1/retrieve", json=parameters)
    assert answer.status_code == status
    assert detail in answer.get_json(force=True)["detail"]
    if isinstance(parameters.get("questions"), list):
        stream = client.post("/v1/retrieve/stream", json=parameters)
        assert "there is no 'questions'" in stream.get_json(force=True)["detail"] or stream.status_code == 400


def test_a_batch_is_from_one_revision(folder: Path) -> None:
    graph = KnowledgeGraph.open(folder)
    number = graph.snapshot().number
    graph.close()
    with client_of(folder) as client:
        assert {each["revision"] for each in ask(client, questions=QUESTIONS)["answers"]} == {number}


LISTS = [("documents", "Documents"), ("chunks", "Chunks"), ("entities", "Entities")]


@pytest.mark.parametrize(("name", "schema"), LISTS)
def test_lists_are_flat_for_clients_that_take_json(client: FlaskClient, name: str, schema: str) -> None:
    path = f"/v1/{name}?limit=2"
    plain = client.get(path, headers={"Accept": "application/json"})
    linked = client.get(path)
    assert (plain.mimetype, linked.mimetype) == ("application/json", "application/ld+json")
    assert plain.headers["ETag"] != linked.headers["ETag"]
    assert plain.headers.getlist("Link") == linked.headers.getlist("Link")
    flat, full = plain.get_json(), linked.get_json(force=True)
    fits(flat, f"Plain{schema}")
    fits(full, schema)
    iris = [each.get("chunk", each.get("id")) for each in flat[name]]
    assert iris == [each["id"] for each in full["itemListElement"]]
    assert flat["numberOfItems"] == full["numberOfItems"]
    assert flat.get("nextCursor") == full.get("nextCursor")
    assert not {"@context", "type"} & (flat.keys() | flat[name][0].keys())


def test_a_chunk_and_its_neighbours_are_flat_for_clients_that_take_json(client: FlaskClient) -> None:
    accept = {"Accept": "application/json"}
    listed = client.get("/v1/chunks?documents=films/night-bus.md", headers=accept).get_json()["chunks"][0]
    path = "/v1/chunks/" + listed["chunk"].rpartition("/")[2]
    one = client.get(path, headers=accept).get_json()
    fits(one, "PlainChunk")
    assert one == listed
    assert one["entities"]
    near = client.get(path + "/neighbours", headers=accept).get_json()
    fits(near, "PlainNeighbours")
    assert (near["numberOfItems"], near["limit"]) == (len(near["neighbours"]), 20)
    linked = client.get(path + "/neighbours").get_json(force=True)
    assert [each["chunk"] for each in near["neighbours"]] == [
        each["item"]["id"] for each in linked["itemListElement"]
    ]


@pytest.mark.parametrize("mode", ["sage", "hybrid", "dense", "bm25"])
def test_an_answer_says_where_nothing_matches(client: FlaskClient, mode: str) -> None:
    nothing = ask(client, q="zzqx wvvk", mode=mode)
    fits(nothing, "PlainAnswer")
    assert (nothing["matched"], len(nothing["results"])) == (False, 10)
    assert ask(client, q="zzqx heron", mode=mode)["matched"]
