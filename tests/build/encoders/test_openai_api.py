"""openai:MODEL against a server of our own that speaks the protocol."""

import threading

import numpy as np
import pytest
from embedding_server import KEY, Server

from sage_ld import Retriever
from sage_ld.build.encoders import load_encoder
from sage_ld.foundation.errors import InputError, SageError, UnavailableError
from sage_ld.foundation.settings import Settings
from sage_ld.graph import KnowledgeGraph
from sage_ld.graph.upkeep.backup import copy_graph


@pytest.fixture
def server(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with Server() as server:
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        yield server
        server.shutdown()


def encoder(server, **settings):
    return load_encoder("openai:m", Settings(openai_base_url=server.url, **settings))


def expected(texts):
    rows = np.array([[len(text), 1, 0] for text in texts], dtype=np.float32)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def refusal(server, **settings):
    with pytest.raises(SageError) as caught:
        encoder(server, **settings).encode(["a"])
    assert KEY not in str(caught.value)
    assert caught.value.__cause__ is None
    return caught.value


def test_vectors_come_in_the_order_of_the_texts(server):
    texts = ["a", "bbbb", "cc"]
    np.testing.assert_allclose(encoder(server).encode(texts), expected(texts), rtol=1e-6)
    path, authorization, body = server.requests[0]
    assert (path, authorization) == ("/v1/embeddings", f"Bearer {KEY}")
    assert (body["model"], body["input"], body["encoding_format"]) == ("m", texts, "float")


def test_batches_by_count_and_by_size(server):
    texts = ["a", "b", "c" * 30, "d" * 200, "e"]
    vectors = encoder(server, openai_batch_texts=2, openai_batch_characters=31).encode(texts)
    np.testing.assert_allclose(vectors, expected(texts), rtol=1e-6)
    batches = [body["input"] for _, _, body in server.requests][:-1]
    assert batches == [["a", "b"], ["c" * 30], ["d" * 200], ["e"]]


@pytest.mark.parametrize("failures", [[429], [500, 503], [429, 429, 502]])
def test_a_passing_failure_is_tried_again(server, failures):
    server.failures = list(failures)
    assert encoder(server).encode(["a"]).shape == (1, 3)
    assert len(server.requests) == len(failures) + 2  # the last asks for the dimension


def test_a_lasting_failure_is_reported_without_the_key(server):
    server.failures = [500] * 10
    error = refusal(server, openai_retries=2)
    assert isinstance(error, UnavailableError)
    assert f"embeddings of 'm' at http://127.0.0.1:{server.server_port}/v1 answered HTTP 500" in str(error)
    assert "up to 3 tries" in str(error)


def test_a_wrong_key_is_reported_without_the_key(server):
    server.failures = [401]
    assert "HTTP 401 after up to 6 tries; check OPENAI_API_KEY" in str(refusal(server))
    assert len(server.requests) == 1


def test_refused_texts_are_an_input_error(server):
    server.failures = [400]
    assert isinstance(refusal(server), InputError)


@pytest.mark.parametrize(
    ("alter", "message"),
    [
        (lambda data: [], "has 0 vectors for 1 texts"),
        (lambda data: [{**each, "index": 7} for each in data], "has 1 vectors for 1 texts"),
        (lambda data: [{**each, "embedding": [float("nan")] * 3} for each in data], "not finite"),
        (lambda data: "nothing", "does not follow the format of the API"),
    ],
)
def test_a_malformed_answer_is_reported(server, alter, message):
    server.alter = alter
    assert message in str(refusal(server))


def test_a_changed_dimension_is_reported(server):
    client = encoder(server)
    client.encode(["a"])
    server.alter = lambda data: [{**each, "embedding": [1.0, 2.0]} for each in data]
    with pytest.raises(UnavailableError, match="a vector of 2 numbers, not of 3"):
        client.encode(["a"])


def test_a_password_in_the_address_is_not_shown(server):
    server.failures = [404]
    url = server.url.replace("://", f"://user:{KEY}@")
    client = load_encoder("openai:m", Settings(openai_base_url=url))
    assert KEY not in client.fingerprint
    with pytest.raises(UnavailableError, match="check the model's name") as caught:
        client.encode(["a"])
    assert KEY not in str(caught.value)


def test_no_server(server):
    url = server.url
    server.shutdown()
    server.server_close()
    with pytest.raises(UnavailableError, match="no connection after 1 tries; check the setting openai_base"):
        load_encoder("openai:m", Settings(openai_base_url=url, openai_retries=0)).encode(["a"])


def test_no_key_is_needed_for_a_local_server(server, monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY")
    assert encoder(server).encode_query("abc").shape == (3,)


@pytest.mark.parametrize("restored", [False, True])
def test_a_graph_of_a_stranger_says_not_where_the_key_and_questions_are_sent(
    server, tmp_path, monkeypatch, restored
):
    folder = strangers_graph(server, tmp_path, monkeypatch)
    if restored:
        copy_graph(folder, tmp_path / "restored")
        folder = tmp_path / "restored"
    with pytest.raises(InputError, match=r"openai_base_url.* set SAGE_LD_OPENAI_BASE_URL if you trust"):
        KnowledgeGraph.open(folder)
    assert server.requests == []
    monkeypatch.setenv("SAGE_LD_OPENAI_BASE_URL", server.url)
    assert Retriever(KnowledgeGraph.open(folder)).retrieve("Who?").results


def strangers_graph(server, tmp_path, monkeypatch):
    """A graph whose own file names the server of its vectors."""
    (tmp_path / "note.txt").write_text("A note of a stranger.")
    with monkeypatch.context() as strangers:
        strangers.setenv("SAGE_LD_OPENAI_BASE_URL", server.url)
        graph = KnowledgeGraph.create(tmp_path / "graph", encoder="openai:m")
        graph.ingest([tmp_path / "note.txt"])
        graph.close()
    with (tmp_path / "graph" / "sage-ld.toml").open("a") as file:
        file.write(f'openai_base_url = "{server.url}"\n')
    server.requests.clear()
    return tmp_path / "graph"


def test_no_text_is_sent_to_openai_without_a_key(monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(
        InputError, match=r"at https://api\.openai\.com/v1 needs a key; set OPENAI_API_KEY, or"
    ):
        load_encoder("openai:m", Settings(openai_retries=0, openai_timeout=0.001)).encode_query("Who?")


def test_what_an_encoder_says_of_itself(server):
    client = encoder(server)
    assert client.dimensions == 3
    assert client.max_tokens is None
    assert client.fingerprint == f"openai:m@http://127.0.0.1:{server.server_port}/v1"
    assert client.encode([]).shape == (0, 3)
    assert client.count_tokens(["Who sang it?"]) == [4]
