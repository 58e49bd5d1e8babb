"""The routes and parameters that docs/sagedb.md names work: each is called over one small graph."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from flask.testing import FlaskClient
from service import sagedb_page as page
from service.web import client_of, small_graph
from werkzeug.test import TestResponse

from sage_ld import KnowledgeGraph
from sage_ld.foundation.recipes import Ranking
from sage_ld.foundation.relation_types import builtin_types
from sage_ld.service.access.tokens import AccessRole, create_token
from sage_ld.service.api import retrieval

QUESTION = "Who wrote the music of Night Bus to Hask?"
NOTE, SPARE = "notes/tide.md", "notes/spare"
TIDES = "# Tides\n\nThe tide at Osmere is high.\n\n| Day | Tide |\n|---|---|\n| Monday | high |\n"
COPY = "The ferry to Osmere was late."
Said = dict[str, Any]
Predicate = Callable[[Said], bool]


@dataclass(frozen=True)
class Service:
    """The application over a small graph, and a client that may do everything."""

    client: FlaskClient
    graph: KnowledgeGraph
    token: str

    def send(self, method: str, path: str, **more: Any) -> TestResponse:
        head = {"Authorization": f"Bearer {self.token}"}
        return self.client.open(path, method=method, headers=head, **more)

    def ask(self, accept: str = "application/ld+json", **parameters: Any) -> Said:
        """The answer to a question, or to several."""
        question = {} if "questions" in parameters else {"q": QUESTION}
        answer = self.client.post("/v1/retrieve", json=question | parameters, headers={"Accept": accept})
        assert answer.status_code == 200, answer.text
        said: Said = json.loads(answer.get_data())
        return said

    def chunk(self) -> str:
        return str(results(self.ask())[0]["item"]["id"]).rpartition("/")[2]

    def document(self) -> str:
        """One that a test may change or delete."""
        self.graph.add("Spare notes.", identifier=SPARE)
        return quote(SPARE, safe="")

    def edge(self) -> str:
        """Likewise."""
        for each in list(self.graph.edges.find(source=NOTE)):
            self.graph.edges.remove(each.iri)
        return self.graph.edges.add(NOTE, "extends", "heron.md", weight=0.5).iri.rpartition("/")[2]

    def job(self) -> str:
        head = {"Authorization": f"Bearer {self.token}", "Prefer": "respond-async"}
        answer = self.client.post("/v1/documents", json={"text": "What a job adds."}, headers=head)
        assert answer.status_code == 202
        return answer.headers["Location"].rpartition("/")[2]

    def kept(self) -> str:
        """What an answer is cited by."""
        return str(self.ask()["wasGeneratedBy"]["id"]).rpartition("/")[2]


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    place = tmp_path_factory.mktemp("sagedb")
    folder = small_graph(place)
    token = create_token(folder, "admin", AccessRole.ADMIN, "2026-11-21")
    graph = KnowledgeGraph.open(folder)
    metadata = {"team": "red", "date": "2024-05-17", "tags": ["tides"], "language": "nl"}
    graph.add(TIDES, identifier=NOTE, media_type="text/markdown", metadata=metadata)
    for name in ("one", "two"):
        graph.add(COPY, identifier=f"copies/{name}", duplicates="keep")
    judge(place / "data" / "heron")
    folders = {"evaluation_dir": str(place / "data"), "snapshot_dir": str(place / "snapshots")}
    rankings = page.ALL_RANKINGS.client_rankings
    with client_of(folder, keep_retrievals="on", client_rankings=rankings, **folders) as client:
        yield Service(client, graph, token)
    graph.close()


def judge(folder: Path) -> None:
    """A data set of one question."""
    (folder / "qrels").mkdir(parents=True)
    (folder / "queries.jsonl").write_text(json.dumps({"_id": "1", "text": QUESTION}) + "\n", "utf-8")
    (folder / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\n1\theron.md\t1\n", "utf-8")


# --- routes -------------------------------------------------------------------------------------------

PLACES: dict[str, Callable[[Service], str]] = {
    "/v1/chunks/{id}": Service.chunk,
    "/v1/documents/{identifier}": Service.document,
    "/v1/edges/{id}": Service.edge,
    "/v1/jobs/{id}": Service.job,
    "/v1/retrievals/{id}": Service.kept,
}
"""The beginning of a path -> what stands in its braces."""
SAMPLES: Said = {"limit": 1, "offset": 1, "iri": "heron.md", "hops": 2}
"""Values for parameters that the page names in a route."""
QUERIES: dict[str, Callable[[Service], Said]] = {
    "GET /v1/retrieve": lambda _: {"q": QUESTION},
    "GET /v1/explain": lambda service: {"question": QUESTION, "chunk": service.chunk()},
    "GET /v1/graph": lambda _: {"iri": "heron.md"},
    "GET /sparql": lambda _: {"query": "ASK {}"},
}
TEXT = {"text": "The Lirr flows through Hask."}
BODIES: dict[str, Said] = {
    "POST /v1/documents": TEXT,
    "PUT /v1/documents/{identifier}": {**TEXT, "metadata": {"year": 1930}},
    "PATCH /v1/documents/{identifier}": {"metadata": {"year": 1931}},
    "POST /v1/edges": {"source": NOTE, "target": "heron.md", "relation": "part_of", "weight": 0.5},
    "PUT /v1/edges/{id}": {"relation": "uses", "weight": 0.25},
    "POST /v1/retrieve": {"q": QUESTION},
    "POST /v1/retrieve/stream": {"q": QUESTION},
    "POST /v1/retrievals/{id}/feedback": {"rank": 1, "helped": True},
    "POST /v1/evaluate": {"dataset": "heron", "budgets": [2]},
}


@pytest.mark.parametrize("span", page.ROUTES)
def test_a_route_answers(service: Service, span: str) -> None:
    route, _, named = span.partition("?")
    method, path = route.split(" ")
    for begin, filler in PLACES.items():
        if path.startswith(begin):
            path = path.replace(begin, re.sub("{.*}", filler(service), begin))
    query = QUERIES[route](service) if route in QUERIES else {}
    query |= {name: SAMPLES[name] for name in re.split("[=&]+", named) if name}
    answer = service.send(method, path, query_string=query, json=BODIES.get(route))
    assert answer.status_code // 100 == 2, f"{path}: {answer.text}"


def test_the_metrics_of_the_page_are_measured(service: Service) -> None:
    service.ask()
    measured = service.send("GET", "/metrics").text
    assert [name for name in page.METRICS if name not in measured] == []


FILES = [(b"# One\n\nA file.", "one.md"), (b"A second file.", "two.txt"), (b"A third file.", "three.txt")]
TEXTS = [{"text": "A text alone."}, {"text": "A first text."}, {"text": "A second text."}]


def test_documents_are_sent_in_all_ways_of_the_page(service: Service) -> None:
    """A file, several files, a text, several texts."""
    files = [(io.BytesIO(content), name) for content, name in FILES]
    added(service, 1, data={"file": files[0]})
    added(service, 2, data={"file": files[1:]})
    added(service, 1, json=TEXTS[0])
    added(service, 2, json={"documents": TEXTS[1:]})


def added(service: Service, count: int, **sent: Any) -> None:
    answer = service.send("POST", "/v1/documents", **sent)
    assert answer.status_code // 100 == 2, answer.text
    stored = answer.get_json(force=True)
    assert ([each["status"] for each in stored["documents"]], stored["failed"]) == (["added"] * count, [])


# --- parameters ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Effect:
    """What a parameter of a search does."""

    value: object
    shows: Predicate
    """Holds of an answer with the parameter, and not of one without it."""
    beside: Said = field(default_factory=dict)
    """What is sent both times."""
    instead: object = None
    """The other value, where the one that is tried is the default."""


def results(answer: Said) -> list[Said]:
    return list(answer["itemListElement"])


def document_of(result: Said) -> str:
    return str(next(each["identifier"] for each in result["item"]["isPartOf"] if "identifier" in each))


def texts(answer: Said) -> list[str]:
    return [each["item"]["text"] for each in results(answer)]


def each_result(holds: Predicate) -> Predicate:
    return lambda answer: all(holds(each) for each in results(answer))


def says(name: str, value: object) -> Predicate:
    """Whether the answer says that it was made so."""
    return lambda answer: answer["wasGeneratedBy"].get(name) == value


def scored_by(part: str) -> Predicate:
    return each_result(lambda result: result["score"] == pytest.approx(result[part], abs=1e-5))


ONLY_NOTE = each_result(lambda result: document_of(result) == NOTE)
SAGEDB = {"ranking": "sagedb"}
EFFECTS: dict[str, Effect] = {
    "q": Effect("When is the tide high?", lambda answer: document_of(results(answer)[0]) == NOTE),
    "questions": Effect(
        [QUESTION, "When is the tide high?"], lambda answer: len(answer.get("@graph", ())) == 2
    ),
    "k": Effect(1, lambda answer: len(results(answer)) == 1, {"from_graph": 0}),
    "from_graph": Effect(0, lambda answer: len(results(answer)) == 2, {"k": 2}),
    "offset": Effect(1, lambda answer: results(answer)[0]["rank"] == 2),
    "window": Effect(
        1,
        lambda answer: any("contextAfter" in each for each in results(answer)),
        {"q": "What is the Golden Heron?"},
    ),
    "hops": Effect(2, says("hops", 2)),
    "mode=dense": Effect("dense", says("mode", "dense")),
    "fusion=rrf": Effect("rrf", says("fusion", "rrf")),
    "channels=link": Effect(["link"], says("channel", ["link"])),
    "relations": Effect(["uses"], says("onlyRelation", ["uses"])),
    "as_of": Effect("2024-05-17", says("asOf", "2024-05-17")),
    "highlight": Effect(
        True,
        lambda answer: all("matches" in each for each in answer["results"]),
        {"accept": "application/json"},
    ),
    "labels": Effect(
        True,
        lambda answer: all("labels" in each for each in answer["results"]),
        {"accept": "application/json"},
    ),
    # rankings
    **{f"ranking={each}": Effect(str(each), says("ranking", str(each))) for each in Ranking},
    "weights[vector_weight]": Effect(0, scored_by("graphScore"), SAGEDB),
    "weights[graph_weight]": Effect(0, scored_by("vectorScore"), SAGEDB),
    "weights[global_share]": Effect(1, says("globalShare", 1), {"ranking": "pagerank"}),
    "centrality=personalised": Effect("personalised", says("centrality", "personalised"), SAGEDB),
    "centrality=degree": Effect("degree", says("centrality", "degree"), SAGEDB),
    "centrality=pagerank": Effect("pagerank", says("centrality", "pagerank"), SAGEDB, "degree"),
    # near-duplicates, and the parts of a question
    "deduplicate=true": Effect(
        True, lambda answer: len(set(texts(answer))) == len(texts(answer)), {"q": COPY, "k": 9}
    ),
    "weights[duplicate_threshold]": Effect(
        0, lambda answer: len(results(answer)) == 1, {"deduplicate": True, "from_graph": 0}
    ),
    "decompose=true": Effect(
        True, says("decompose", True), {"q": "Compare Salt Over Sennet with Night Bus to Hask"}
    ),
    # filters
    "metadata": Effect({"team": "red"}, ONLY_NOTE),
    "documents": Effect([NOTE], ONLY_NOTE),
    "kinds": Effect(["table"], each_result(lambda result: "TableChunk" in result["item"]["type"])),
    "languages": Effect(["nl"], ONLY_NOTE),
    "keywords": Effect(["tides"], ONLY_NOTE),
    "since": Effect("2024", ONLY_NOTE),
    "until": Effect("2024-06", ONLY_NOTE),
    "where": Effect(["team=red"], ONLY_NOTE),
}
"""A parameter as the page names it, or without the value -> what it does."""


def named_parameters() -> Iterator[str]:
    """The parameters of a search that the page names."""
    for span in page.SPANS:
        name = re.split(r"[=\[]", span)[0]
        if name in retrieval.post_schema(page.ALL_RANKINGS)["properties"] and span not in page.EXPLAINED:
            yield span


@pytest.mark.parametrize("span", list(named_parameters()))
def test_a_parameter_has_an_effect(service: Service, span: str) -> None:
    effect = EFFECTS.get(span) or EFFECTS[span.partition("=")[0]]
    with_it = service.ask(**effect.beside, **sent(span, effect.value))
    without = service.ask(**effect.beside, **({} if effect.instead is None else sent(span, effect.instead)))
    assert effect.shows(with_it)
    assert not effect.shows(without)


def sent(span: str, value: object) -> Said:
    """`weights[decay]` with a value, as it is sent."""
    name, _, weight = span.partition("=")[0].rstrip("]").partition("[")
    return {name: {weight: value} if weight else value}


def test_an_answer_has_the_members_of_the_page(service: Service) -> None:
    cells = " ".join(row.cells[0] for row in page.section("Members of an answer"))
    members = set(re.findall("`(.+?)`", cells)) - {"id", "wasGeneratedBy"}
    answer = service.ask(ranking="sagedb")
    assert len(members) == 7
    assert all(members <= each.keys() for each in results(answer))
    assert answer["wasGeneratedBy"]["id"].startswith(service.graph.iris.base)


def test_an_edge_of_each_type_of_the_page_can_be_stated(service: Service) -> None:
    names = {row.names[0] for row in page.section("Relation types") if row.cells[1] == f"`{row.names[0]}`"}
    for name in names:
        edge = service.graph.edges.add("heron.md", name, NOTE)
        assert edge.iri in [each.iri for each in service.graph.edges.find(relation=name)]
    assert names <= {name for each in builtin_types().types.values() for name in each.names}
