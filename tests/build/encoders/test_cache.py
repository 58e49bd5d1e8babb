"""The cache of vectors: each text encoded once, and never a reason to fail."""

import logging
import multiprocessing
import sqlite3

import numpy as np
import pytest

from sage_ld.build.encoders import cache
from sage_ld.build.encoders.cache import CachedEncoder, cached, default_path
from sage_ld.build.encoders.jaccard import Jaccard
from sage_ld.foundation.settings import Settings


class Counting(Jaccard):
    """The lexical encoder, with a record of what it was asked."""

    def __init__(self):
        self.asked = []

    def encode(self, texts):
        self.asked.append(list(texts))
        return super().encode(texts)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "cache" / "vectors.sqlite"


TEXTS = ["red house", "blue tree", "red house", ""]


def test_each_text_is_encoded_once(path):
    encoder = Counting()
    vectors = CachedEncoder(encoder, path).encode(TEXTS)
    assert np.array_equal(vectors, Jaccard().encode(TEXTS))
    assert encoder.asked == [["red house", "blue tree", ""]]
    again = CachedEncoder(encoder, path).encode([*TEXTS[::-1], "new"])
    assert np.array_equal(again, Jaccard().encode([*TEXTS[::-1], "new"]))
    assert encoder.asked[1:] == [["new"]]


def test_encoders_do_not_share_vectors(path):
    first, other = Counting(), Counting()
    other.fingerprint = "other"
    CachedEncoder(first, path).encode(["a"])
    CachedEncoder(other, path).encode(["a"])
    assert other.asked == [["a"]]


def test_what_was_encoded_before_an_interruption_is_kept(path, monkeypatch):
    monkeypatch.setattr(cache, "BATCH_TEXTS", 2)

    class Failing(Counting):
        def encode(self, texts):
            if "c" in texts:
                raise KeyboardInterrupt
            return super().encode(texts)

    with pytest.raises(KeyboardInterrupt):
        CachedEncoder(Failing(), path).encode(["a", "b", "c"])
    encoder = Counting()
    CachedEncoder(encoder, path).encode(["a", "b", "c"])
    assert encoder.asked == [["c"]]


def test_progress_counts_texts(path, monkeypatch):
    monkeypatch.setattr(cache, "BATCH_TEXTS", 2)
    seen = []
    wrapped = CachedEncoder(Jaccard(), path)
    wrapped.encode(["a", "b", "a", "c"], lambda done, total: seen.append((done, total)))
    assert seen == [(1, 4), (3, 4), (4, 4)]


@pytest.mark.parametrize("damage", [b"not a database at all" * 100, None])
def test_a_damaged_file_is_made_anew(path, caplog, damage):
    CachedEncoder(Jaccard(), path).encode([f"text {number}" for number in range(200)])
    content = path.read_bytes()
    path.write_bytes(damage or content[:200] + b"\xff" * (len(content) - 200))
    encoder = Counting()
    with caplog.at_level(logging.WARNING):
        assert np.array_equal(CachedEncoder(encoder, path).encode(["text 1"]), Jaccard().encode(["text 1"]))
    assert "damaged" in caplog.text
    CachedEncoder(encoder, path).encode(["text 1"])
    assert encoder.asked == [["text 1"]]


def test_a_folder_that_cannot_be_written_is_logged(tmp_path, caplog):
    (tmp_path / "file").write_text("")
    with caplog.at_level(logging.WARNING):
        vectors = CachedEncoder(Jaccard(), tmp_path / "file" / "vectors.sqlite").encode(["a"])
    assert np.array_equal(vectors, Jaccard().encode(["a"]))
    assert "check the setting cache_dir" in caplog.text


def test_the_oldest_vectors_go_first(path, monkeypatch):
    monkeypatch.setattr(cache, "BATCH_TEXTS", 10)
    encoder = Counting()
    texts = [f"text {number}" for number in range(100)]
    CachedEncoder(encoder, path, max_bytes=400_000).encode(texts)  # a vector takes 8 kB and some
    with sqlite3.connect(path) as database:
        kept = database.execute("SELECT count(*) FROM vectors").fetchone()[0]
    database.close()
    assert 20 <= kept <= 50
    encoder.asked.clear()
    CachedEncoder(encoder, path, max_bytes=400_000).encode(texts[-kept:])
    assert encoder.asked == []


def test_no_room_means_no_cache(path):
    CachedEncoder(Jaccard(), path, max_bytes=0).encode(["a"])
    assert not path.exists()


def fill(path, first):
    wrapped = CachedEncoder(Jaccard(), path)
    for number in range(first, first + 40):
        wrapped.encode([f"text {number}", "shared"])


def test_several_processes_share_a_file(path, caplog):
    context = multiprocessing.get_context("spawn")
    workers = [context.Process(target=fill, args=(path, 20 * number)) for number in range(3)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert [worker.exitcode for worker in workers] == [0, 0, 0]
    encoder = Counting()
    CachedEncoder(encoder, path).encode([f"text {number}" for number in range(80)])
    assert encoder.asked == []


def test_the_rest_is_the_encoders(path):
    encoder = Jaccard()
    wrapped = CachedEncoder(encoder, path)
    assert (wrapped.name, wrapped.fingerprint) == (encoder.name, encoder.fingerprint)
    assert (wrapped.dimensions, wrapped.max_tokens) == (2048, None)
    assert wrapped.count_tokens(["a b"]) == [2]
    vector = wrapped.encode_query("a b")
    assert wrapped.similarity(vector[None], wrapped.encode(["a"])).tolist() == [[0.5]]
    assert wrapped.encode([]).shape == (0, 2048)


def test_what_computes_here_is_loaded_and_what_is_remote_is_not_asked(path):
    for name, questions in (("counting", [[""]]), ("openai:counting", [])):
        encoder = Counting()
        encoder.name = name
        CachedEncoder(encoder, path).load()
        assert encoder.asked == questions


def test_the_settings_name_the_file(tmp_path, monkeypatch):
    assert default_path(Settings(cache_dir=str(tmp_path))) == tmp_path / "vectors.sqlite"
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "home"))
    wrapped = cached(Jaccard(), Settings(cache_bytes=1234))
    file = tmp_path / "home" / "sage-ld" / "vectors.sqlite"
    assert (wrapped.cache.path, wrapped.cache.max_bytes) == (file, 1234)
