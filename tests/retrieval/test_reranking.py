"""The first candidates in the order of a reranker: a server of our own that speaks the protocol."""

import json
import threading

import pytest
from embedding_server import Handler, Server

from sage_ld import Retriever
from sage_ld.foundation.errors import InputError, SageError, UnavailableError
from sage_ld.graph import KnowledgeGraph
from sage_ld.retrieval.answers.results import answer_jsonld

KEY = "key-of-the-reranker"
QUESTION = "Where is the mill?"


class RerankHandler(Handler):
    """The shorter a text, the more relevant; the least relevant first."""

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.requests.append((self.path, self.headers["Authorization"], body))
        if self.server.failures:
            return self.answer(self.server.failures.pop(0), {"error": self.headers["Authorization"]})
        results = [
            {"index": index, "relevance_score": -len(text)} for index, text in enumerate(body["documents"])
        ]
        return self.answer(
            200, {"results": self.server.alter(sorted(results, key=lambda each: each["index"]))}
        )


@pytest.fixture
def server(monkeypatch):
    with Server() as server:
        server.RequestHandlerClass = RerankHandler
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        monkeypatch.setenv("SAGE_LD_RERANK_BASE_URL", server.url)
        monkeypatch.setenv("SAGE_LD_RERANK_MODEL", "m")
        monkeypatch.setenv("SAGE_LD_RERANK_RETRIES", "0")
        monkeypatch.setenv("RERANK_API_KEY", KEY)
        monkeypatch.setenv("OPENAI_API_KEY", "of somebody else")
        yield server
        server.shutdown()


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    folder = tmp_path_factory.mktemp("reranking")
    for number in range(8):
        (folder / f"{number}.txt").write_text(f"The mill {'is old ' * (8 - number)}.", encoding="utf-8")
    graph = KnowledgeGraph.create(folder / "graph", encoder="jaccard")
    graph.ingest(sorted(folder.glob("*.txt")))
    graph.close()
    return folder / "graph"


def search(path, k=3, **options):
    graph = KnowledgeGraph.open(path)
    try:
        return Retriever(graph).retrieve(QUESTION, k, **options)
    finally:
        graph.close()


def names(answer):
    return [each.view.identifier for each in answer.results]


@pytest.mark.parametrize("mode", ["sage", "hybrid", "bm25"])
def test_results_are_in_the_order_of_the_reranker(path, server, mode):
    found = search(path, mode=mode)
    assert names(found) == ["7.txt", "6.txt", "5.txt"]
    assert [each.score for each in found.results] == [each.parts["rerank"] for each in found.results]
    (asked,) = server.requests
    assert asked[:2] == ("/v1/rerank", f"Bearer {KEY}")
    assert {**asked[2], "documents": len(asked[2]["documents"])} == {
        **{"model": "m", "query": QUESTION, "documents": 8, "top_n": 8}
    }
    assert '"rerankScore": ' in json.dumps(answer_jsonld(found))


def test_candidates_that_are_not_asked_about_stay_behind_in_their_order(path, server, monkeypatch):
    monkeypatch.delenv("SAGE_LD_RERANK_BASE_URL")
    plain = names(search(path, 8, mode="bm25"))
    assert server.requests == []
    monkeypatch.setenv("SAGE_LD_RERANK_BASE_URL", server.url)
    monkeypatch.setenv("SAGE_LD_RERANK_CANDIDATES", "4")
    found = search(path, 8, mode="bm25")
    assert names(found) == [*sorted(plain[:4], reverse=True), *plain[4:]]
    scores = [each.score for each in found.results]
    assert scores == sorted(scores, reverse=True)


def test_pages_of_an_answer_fit_together(path, server):
    assert names(search(path, 2)) + names(search(path, 2, offset=2)) == names(search(path, 4))


def test_seeds_that_are_shown_first_are_not_reranked(path, server):
    graph = KnowledgeGraph.open(path)
    assert Retriever(graph).seeds(QUESTION)
    assert server.requests == []
    graph.close()


@pytest.mark.parametrize(
    ("failure", "kind", "message"),
    [
        (401, UnavailableError, "answered HTTP 401 .*check RERANK_API_KEY"),
        (413, InputError, "lower rerank_candidates"),
        (503, UnavailableError, "answered HTTP 503"),
        (lambda results: results[1:], UnavailableError, "7 scores for 8 texts"),
        (lambda results: [{"index": 0}], UnavailableError, "does not follow the format"),
        (
            lambda results: [{**each, "relevance_score": "NaN"} for each in results],
            UnavailableError,
            "8 scores",
        ),
    ],
)
def test_a_reranker_that_fails_is_an_error_that_names_it(path, server, failure, kind, message):
    if isinstance(failure, int):
        server.failures = [failure]
    else:
        server.alter = failure
    with pytest.raises(SageError, match=rf"reranking by 'm' at {server.url}.*{message}") as caught:
        search(path)
    assert type(caught.value) is kind
    assert KEY not in str(caught.value)
