"""Kept retrievals over HTTP: cited by the answer, read by those who may, judged, counted and deleted."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyoxigraph as ox
import pytest
from flask.testing import FlaskClient
from service.web import BASE, client_of, fits, path_of

from sage_ld.foundation.settings import Settings
from sage_ld.graph import KnowledgeGraph
from sage_ld.graph.provenance import RetrievalLog
from sage_ld.service.access.tokens import AccessRole, create_token
from sage_ld.service.context import service_of

QUESTION = "Who composed the film that won the Golden Heron in 1987?"
PROVENANCE = 'rel="http://www.w3.org/ns/prov#has_provenance"'


@dataclass(frozen=True)
class Kept:
    """A service that keeps all retrievals, with the header of each role."""

    client: FlaskClient
    folder: Path
    heads: dict[str, dict[str, str]]

    @property
    def log(self) -> RetrievalLog:
        service_of(self.client.application).keeper.flush()
        return RetrievalLog(self.folder, BASE, Settings())

    def ask(self, question: str = QUESTION, **parameters: Any) -> dict[str, Any]:
        answer = self.client.get("/v1/retrieve", query_string={"q": question, **parameters})
        assert answer.status_code == 200
        found: dict[str, Any] = json.loads(answer.get_data())
        return found

    def get(self, path: str, role: str = "admin", **more: Any) -> Any:
        return self.client.get(path, headers={**self.heads[role], **more.pop("headers", {})}, **more)


@pytest.fixture
def kept(folder: Path) -> Iterator[Kept]:
    heads = {role: {"Authorization": f"Bearer {token}"} for role, token in tokens(folder).items()}
    with client_of(folder, keep_retrievals="on") as client:
        yield Kept(client, folder, {**heads, "none": {}})
    RetrievalLog(folder, BASE, Settings()).clear()


def tokens(folder: Path) -> dict[str, str]:
    (folder / "tokens.toml").unlink(missing_ok=True)
    return {
        role.name.lower(): create_token(folder, role.name, role, "2026-11-21") for role in AccessRole if role
    }


def test_nothing_is_kept_unless_a_setting_says_so(folder: Path) -> None:
    with client_of(folder) as client:
        answer = client.get("/v1/retrieve", query_string={"q": QUESTION})
        assert "id" not in json.loads(answer.get_data())["wasGeneratedBy"]
        assert "Link" not in answer.headers or PROVENANCE not in answer.headers["Link"]
    assert not (folder / "retrievals.sqlite").exists()


def test_an_answer_cites_its_retrieval(kept: Kept) -> None:
    answer = kept.client.get("/v1/retrieve", query_string={"q": QUESTION})
    said = json.loads(answer.get_data())
    fits(said, "Answer")
    iri = said["wasGeneratedBy"]["id"]
    assert f"<{iri}>; {PROVENANCE}" in ", ".join(answer.headers.getlist("Link"))
    assert answer.headers["ETag"].startswith("W/")
    found = kept.log.get(iri)
    assert found.question == QUESTION
    assert found.revision == said["wasGeneratedBy"]["revision"]
    shown = [
        (each["rank"], each["role"], each["score"], each["item"]["id"]) for each in said["itemListElement"]
    ]
    assert [(each.rank, each.role, each.score, each.chunk) for each in found.results] == shown
    assert 0 < found.seconds < 60


def test_keeping_makes_no_revision(kept: Kept) -> None:
    before = KnowledgeGraph.open(kept.folder).directory.current()
    kept.ask()
    assert len(kept.log.newest()) == 1
    assert KnowledgeGraph.open(kept.folder).directory.current() == before


def test_what_was_kept_says_what_the_answer_said(kept: Kept) -> None:
    said = kept.ask(kinds="text", since="1980")["wasGeneratedBy"]
    identifier = said["id"].rsplit("/", 1)[-1]
    answer = kept.get(f"/v1/retrievals/{identifier}")
    assert answer.headers["Cache-Control"] == "no-store"
    found = json.loads(answer.get_data())
    fits(found, "KeptRetrieval")
    generated = found["wasGeneratedBy"]
    assert generated.pop("startedAtTime") <= generated.pop("endedAtTime")
    assert generated == said


def test_every_way_of_asking_is_kept_once(kept: Kept) -> None:
    kept.ask()
    kept.client.post("/v1/retrieve", json={"q": QUESTION, "frame": "chunks"})
    stream = kept.client.post("/v1/retrieve/stream", json={"q": QUESTION}).get_data(as_text=True)
    summary = json.loads(stream.rpartition("event: summary\ndata: ")[2])
    kept.client.get("/", query_string={"q": QUESTION})
    kept.client.head("/v1/retrieve", query_string={"q": QUESTION})  # takes no answer
    kept.client.get("/v1/retrieve", query_string={"q": ""})  # is refused
    found = kept.log.newest()
    assert len(found) == 4
    assert summary["wasGeneratedBy"]["id"] in {each.iri for each in found}


def test_turtle_names_the_retrieval(kept: Kept) -> None:
    answer = kept.client.get("/v1/retrieve", query_string={"q": QUESTION}, headers={"Accept": "text/turtle"})
    (found,) = kept.log.newest()
    assert f"<{found.iri}> a sage:Retrieval" in answer.get_data(as_text=True)


def test_a_share_is_kept(folder: Path) -> None:
    with client_of(folder, keep_retrievals="sampled", retrievals_share=0.5) as client:
        for _ in range(40):
            client.get("/v1/retrieve", query_string={"q": "heron", "mode": "bm25"})
        service_of(client.application).keeper.flush()
        log = RetrievalLog(folder, BASE, Settings())
        assert 0 < log.clear() < 40


# --- lists, rights, formats ---


def test_the_list_goes_on_by_its_cursor(kept: Kept) -> None:
    iris = [kept.ask(f"heron {number}", mode="bm25")["wasGeneratedBy"]["id"] for number in range(5)]
    answer = kept.get("/v1/retrievals?limit=2")
    page = json.loads(answer.get_data())
    fits(page, "KeptRetrievals")
    assert page["numberOfItems"] == kept.log.count() > 2
    found = [each["id"] for each in page["itemListElement"]]
    while "nextCursor" in page:
        link = answer.headers["Link"]
        assert link.endswith('>; rel="next"')
        answer = kept.get(link[1:].partition(">")[0])
        page = json.loads(answer.get_data())
        found += [each["id"] for each in page["itemListElement"]]
    assert found == iris[::-1]
    assert kept.get("/v1/retrievals?cursor=bm9uZQ").status_code == 400
    assert kept.get("/v1/retrievals?cursor=%20").status_code == 400


@pytest.mark.parametrize("path", ["/v1/retrievals", "/v1/retrievals/{}", "/v1/analytics", "/id/retrieval/{}"])
def test_only_readers_of_retrievals_read_them(kept: Kept, path: str) -> None:
    where = path.format(kept.ask()["wasGeneratedBy"]["id"].rsplit("/", 1)[-1])
    assert [kept.get(where, role).status_code for role in kept.heads] == [403, 403, 200, 401]


def test_a_setting_names_the_role_of_readers(folder: Path) -> None:
    head = {"Authorization": f"Bearer {tokens(folder)['read']}"}
    with client_of(folder, retrieval_readers="read") as client:
        assert client.get("/v1/retrievals", headers=head).status_code == 200
        assert client.get("/v1/retrievals").status_code == 401
        assert client.delete("/v1/retrievals", headers=head).status_code == 403


@pytest.mark.parametrize("name", ["keep_retrievals", "retrieval_readers"])
def test_an_unknown_choice_is_refused_at_the_start(folder: Path, name: str) -> None:
    with pytest.raises(Exception, match=f"setting {name}: "), client_of(folder, **{name: "nobody"}):
        pass


def test_one_that_is_not_kept_is_not_found(kept: Kept) -> None:
    for path in ("/v1/retrievals/", "/id/retrieval/"):
        assert kept.get(path + "0" * 24).status_code == 404
    assert kept.get("/v1/retrievals/x%2Fy").status_code in (400, 404)


# --- linked data ---


def test_the_iri_of_a_retrieval_can_be_looked_up(kept: Kept) -> None:
    iri = kept.ask()["wasGeneratedBy"]["id"]
    kept.log.judge(iri, True, rank=1, comment="<b>it is</b>")
    page = kept.get(path_of(iri), headers={"Accept": "text/html"})
    assert page.status_code == 200
    assert QUESTION in page.get_data(as_text=True)
    assert page.headers["Cache-Control"] == "no-store"
    turtle = kept.get(path_of(iri), headers={"Accept": "text/turtle"}).get_data()
    listed = kept.get("/v1/retrievals/" + iri.rpartition("/")[2], headers={"Accept": "text/turtle"})
    here, there = (list(ox.parse(text, ox.RdfFormat.TURTLE)) for text in (turtle, listed.get_data()))
    said = [Counter((quad.subject, quad.predicate) for quad in quads) for quads in (here, there)]
    assert said[0] == said[1]
    assert {ox.NamedNode(iri), ox.NamedNode(f"{iri}/1")} < {quad.subject for quad in here}
    review = kept.get(path_of(iri) + "/feedback/1", headers={"Accept": "text/html"}).get_data(as_text=True)
    assert "&lt;b&gt;it is&lt;/b&gt;" in review
    assert kept.get(path_of(iri) + "/1", headers={"Accept": "text/turtle"}).status_code == 200
    assert kept.get(path_of(iri) + "/999").status_code == 404


def test_formats_of_one_retrieval_say_the_same(kept: Kept) -> None:
    where = "/v1/retrievals/" + kept.ask()["wasGeneratedBy"]["id"].rsplit("/", 1)[-1]
    sets = []
    for media_type, form in (
        ("application/ld+json", ox.RdfFormat.JSON_LD),
        ("text/turtle", ox.RdfFormat.TURTLE),
        ("application/n-triples", ox.RdfFormat.N_TRIPLES),
    ):
        answer = kept.get(where, headers={"Accept": media_type})
        sets.append(set(ox.parse(answer.get_data(), form)))
    assert sets[0] == sets[1] == sets[2]
    assert kept.get(where, headers={"Accept": "text/csv"}).status_code == 406


def test_a_retrieval_is_flat_for_clients_that_take_json(kept: Kept) -> None:
    said, accept = kept.ask(), {"Accept": "application/json"}
    where = "/v1/retrievals/" + said["wasGeneratedBy"]["id"].rsplit("/", 1)[-1]
    judged = kept.client.post(
        f"{where}/feedback", json={"rank": 1, "helped": True}, headers={**kept.heads["read"], **accept}
    ).get_json()
    fits(judged, "PlainFeedback")
    listed = kept.get("/v1/retrievals", headers=accept).get_json()
    fits(listed, "PlainKeptRetrievals")
    assert (listed["numberOfItems"], listed["limit"]) == (kept.log.count(), 50)
    one = kept.get(where, headers=accept).get_json()
    fits(one, "PlainKeptRetrieval")
    results = one.pop("results")
    assert one == listed["retrievals"][0]
    assert (one["retrieval"], one["question"]) == (said["wasGeneratedBy"]["id"], QUESTION)
    assert [each["chunk"] for each in results] == [each["item"]["id"] for each in said["itemListElement"]]
    assert [each["feedback"] for each in results[:2]] == [[judged], []]
    assert "@context" not in listed


# --- feedback ---


def test_a_client_says_what_helped_and_changes_it(kept: Kept) -> None:
    said = kept.ask()
    where = "/v1/retrievals/" + said["wasGeneratedBy"]["id"].rsplit("/", 1)[-1]
    chunk = said["itemListElement"][0]["item"]["id"]
    answer = kept.client.post(
        f"{where}/feedback",
        json={"chunk": chunk, "helped": True, "comment": "yes"},
        headers=kept.heads["read"],
    )
    fits(answer.get_json(force=True), "Feedback")
    for body in ({"rank": 1, "helped": False}, {"rank": 2, "helped": True}):
        assert kept.client.post(f"{where}/feedback", json=body, headers=kept.heads["read"]).status_code == 200
    other = kept.client.post(
        f"{where}/feedback", json={"rank": 1, "helped": True}, headers=kept.heads["write"]
    )
    assert other.get_json(force=True)["id"].endswith("/feedback/3")
    found = json.loads(kept.get(where).get_data())
    fits(found, "KeptRetrieval")
    first, second = (each["feedback"] for each in found["itemListElement"][:2])
    assert [each["reviewRating"]["ratingValue"] for each in first] == [0, 1]
    assert [each["reviewRating"]["ratingValue"] for each in second] == [1]
    assert "reviewBody" not in first[0]


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"helped": True}, 400),
        ({"helped": True, "rank": 1, "chunk": "urn:x"}, 400),
        ({"helped": 1, "rank": 1}, 400),
        ({"rank": 1}, 400),
        ({"helped": True, "rank": 0}, 400),
        ({"helped": True, "rank": 900}, 404),
        ({"helped": True, "chunk": "urn:x"}, 404),
        ({"helped": True, "rank": 1, "comment": "x" * 1001}, 413),
        ({"helped": True, "rank": 1, "client": "me"}, 400),
    ],
)
def test_feedback_that_cannot_be_meant_is_refused(kept: Kept, body: dict[str, Any], status: int) -> None:
    where = "/v1/retrievals/" + kept.ask()["wasGeneratedBy"]["id"].rsplit("/", 1)[-1]
    answer = kept.client.post(f"{where}/feedback", json=body, headers=kept.heads["read"])
    assert answer.status_code == status, answer.get_data()
    assert kept.client.post(f"{where}/feedback", json={"helped": True, "rank": 1}).status_code == 401


def test_feedback_on_what_is_not_kept_is_not_found(kept: Kept) -> None:
    where = f"/v1/retrievals/{'0' * 24}/feedback"
    answer = kept.client.post(where, json={"helped": True, "rank": 1}, headers=kept.heads["read"])
    assert answer.status_code == 404


# --- deleting, counting ---


def test_one_and_all_can_be_deleted(kept: Kept) -> None:
    first, *_ = (kept.ask()["wasGeneratedBy"]["id"].rsplit("/", 1)[-1] for _ in range(1))
    kept.ask(), kept.ask()
    head = kept.heads["admin"]
    assert kept.client.delete(f"/v1/retrievals/{first}", headers=head).status_code == 204
    assert kept.client.delete(f"/v1/retrievals/{first}", headers=head).status_code == 404
    assert kept.client.delete("/v1/retrievals", headers=kept.heads["write"]).status_code == 403
    assert kept.client.delete("/v1/retrievals", headers=head).get_json(force=True) == {"removed": 2}
    assert json.loads(kept.get("/v1/retrievals").get_data())["itemListElement"] == []


def test_analytics_are_of_what_was_kept(kept: Kept) -> None:
    for _ in range(3):
        kept.ask()
    kept.ask("zyzzyva", mode="bm25")
    found = kept.get("/v1/analytics?limit=3").get_json(force=True)
    fits(found, "Analytics")
    assert found["retrievals"] == 4
    assert len(found["popularChunks"]) == 3
    assert found["popularChunks"][0]["count"] >= 3
    assert all(each["name"] for each in found["popularChunks"])
    assert found["frequentQuestions"][0]["question"] == QUESTION
    assert found["poorQuestions"][0]["question"] == "zyzzyva"
    assert set(found["latency"]) == {"p50", "p90", "p95", "p99"}


# --- what goes wrong ---


def test_searching_goes_on_where_nothing_can_be_kept(kept: Kept, caplog: pytest.LogCaptureFixture) -> None:
    kept.ask()
    file = kept.log.file
    for each in file.parent.glob("retrievals.sqlite*"):
        each.unlink()
    file.mkdir()  # what no process can open as a file, root included
    try:
        assert kept.ask()["itemListElement"]
        service_of(kept.client.application).keeper.flush()
        assert "retrievals are not kept" in caplog.text
        figures = kept.client.get("/metrics").get_data(as_text=True)
        assert float(figures.partition("\nsage_ld_retrievals_lost_total ")[2].partition("\n")[0]) >= 1
        assert kept.get("/v1/retrievals").status_code == 503
    finally:
        file.rmdir()
    iri = kept.ask()["wasGeneratedBy"]["id"]
    assert kept.log.get(iri).question == QUESTION
