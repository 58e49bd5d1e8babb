"""The log of retrievals: what is kept comes back, from any process, and goes when it should."""

from __future__ import annotations

import json
import multiprocessing
import os
import signal
import sqlite3
import stat
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from graph.provenance.answers import BASE, answer_of

from sage_ld.foundation.deadline import deadline
from sage_ld.foundation.errors import (
    ConflictError,
    InputError,
    LimitError,
    NotFoundError,
    TimeLimitError,
    UnavailableError,
)
from sage_ld.foundation.language_model import Exchange, Message
from sage_ld.foundation.question import Answer, Filter, Question
from sage_ld.foundation.recipes import named_model
from sage_ld.foundation.settings import Settings
from sage_ld.graph.provenance import RetrievalLog
from sage_ld.graph.provenance.database import open_for_appending
from sage_ld.graph.provenance.kept_retrieval import PendingRetrieval


@pytest.fixture
def log(tmp_path: Path) -> RetrievalLog:
    return RetrievalLog(tmp_path, BASE, Settings())


def test_what_is_kept_comes_back(log: RetrievalLog) -> None:
    answer = answer_of("Who wrote it?\0 \ud800", "a", "b", question_language="en", offset=3)
    kept = log.get(log.keep(answer, 0.25))
    assert kept.question == "Who wrote it?\0 ?"
    assert kept.seconds == 0.25
    assert [(each.rank, each.score, each.role, each.chunk) for each in kept.results] == [
        (1, 0.9, "seed", f"{BASE}chunk/a"),
        (2, 0.45, "seed", f"{BASE}chunk/b"),
    ]
    asked = replace(answer.asked, text=kept.question)
    again = replace(answer, asked=asked, results=(), identifier=kept.iri)
    parameters = {**answer.parameters, "model": named_model(str(answer.parameters["model"]))}
    assert kept.answer() == replace(again, parameters=parameters)


def test_each_asking_is_kept_of_its_own(log: RetrievalLog) -> None:
    first, second = (log.keep(answer_of("Who?", "a")) for _ in range(2))
    assert first != second
    assert [each.iri for each in log.newest()] == [second, first]


def test_pages_go_on_where_the_last_one_ended(log: RetrievalLog) -> None:
    iris = [log.keep(answer_of(str(number), "a")) for number in range(7)]
    page = log.newest(3)
    rest = log.newest(10, before=page[-1].number)
    assert [each.iri for each in (*page, *rest)] == iris[::-1]


def test_nothing_is_made_by_reading(log: RetrievalLog) -> None:
    assert log.newest() == ()
    assert log.find("0" * 24) is None
    assert log.analyse().retrievals == 0
    assert (log.clear(), log.prune(), log.remove("0" * 24)) == (0, 0, False)
    with pytest.raises(NotFoundError, match="is not kept"):
        log.judge("0" * 24, True, rank=1)
    assert not log.file.exists()


def test_numbers_beyond_all_bounds_are_no_error(log: RetrievalLog) -> None:
    log.keep(answer_of("Who?"))
    assert len(log.newest(10**30, before=10**30)) == 1
    assert log.analyse(limit=10**30).retrievals == 1
    with pytest.raises(InputError, match="limit is 0"):
        log.analyse(limit=0)
    with pytest.raises(InputError, match="a value of type str"):
        log.keep("Who?")  # type: ignore[arg-type]


def test_only_its_owner_may_read_it(log: RetrievalLog) -> None:
    log.keep(answer_of("Who?"))
    assert stat.S_IMODE(log.file.stat().st_mode) == 0o600


def test_what_is_removed_is_not_in_the_files_any_more(log: RetrievalLog) -> None:
    kept = [log.keep(answer_of(f"private {number}", "a")) for number in range(50)]
    log.judge(kept[0], True, rank=1, comment="private too")
    assert log.remove(kept[0])
    assert not log.remove(kept[0])
    assert log.clear() == 49
    found = b"".join(each.read_bytes() for each in log.file.parent.iterdir())
    assert b"private" not in found


def test_chunks_follow_when_the_graph_is_rebased(log: RetrievalLog) -> None:
    iri = log.keep(answer_of("Who?", "a"))
    moved = RetrievalLog(log.file.parent, "https://example.org/id/", Settings())
    kept = moved.get(iri.rsplit("/", 1)[-1])
    assert kept.iri.startswith("https://example.org/id/retrieval/")
    assert kept.results[0].chunk == "https://example.org/id/chunk/a"


@pytest.mark.parametrize("name", ["", "x/y", "x" * 101, "a\nb", "http://other.org/retrieval/1"])
def test_what_is_no_name_of_a_retrieval_is_refused(log: RetrievalLog, name: str) -> None:
    with pytest.raises(InputError, match="is not the IRI of a retrieval"):
        log.get(name)


# --- judgements ---


def test_a_client_may_change_its_judgement(log: RetrievalLog) -> None:
    iri = log.keep(answer_of("Who?", "a", "b"))
    log.judge(iri, True, rank=2, client="one")
    log.judge(iri, True, chunk=f"{BASE}chunk/b", client="two")
    log.judge(iri, False, chunk=f"{BASE}chunk/b", comment="wrong year", client="one")
    found = [(each.number, each.rank, each.helped, each.comment) for each in log.get(iri).judgements]
    assert found == [(1, 2, False, "wrong year"), (2, 2, True, "")]


def test_a_client_is_not_known_by_what_is_kept(log: RetrievalLog) -> None:
    log.judge(log.keep(answer_of("Who?", "a")), True, rank=1, client="192.0.2.7")
    assert b"192.0.2.7" not in b"".join(each.read_bytes() for each in log.file.parent.iterdir())


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        ({"rank": 3}, NotFoundError, "rank 3 is not among the kept results"),
        ({"rank": 10**30}, NotFoundError, "is not among the kept results"),
        ({"chunk": "urn:x"}, NotFoundError, "<urn:x> is not among the kept results"),
        ({}, InputError, "by its chunk or by its rank"),
        ({"rank": 1, "chunk": "urn:x"}, InputError, "by its chunk or by its rank"),
        ({"rank": 1, "comment": "x" * 1001}, LimitError, "comment: 1,001 characters, the limit is 1,000"),
    ],
)
def test_what_cannot_be_judged_is_refused(
    log: RetrievalLog, given: dict[str, object], error: type[Exception], message: str
) -> None:
    iri = log.keep(answer_of("Who?", "a", "b"))
    with pytest.raises(error, match=message):
        log.judge(iri, True, **given)  # type: ignore[arg-type]
    assert log.get(iri).judgements == ()


def test_judgements_of_a_retrieval_have_a_limit(tmp_path: Path) -> None:
    log = RetrievalLog(tmp_path, BASE, replace(Settings(), max_feedback=1))
    iri = log.keep(answer_of("Who?", "a", "b"))
    log.judge(iri, True, rank=1)
    log.judge(iri, False, rank=1)  # changes the one that is there
    with pytest.raises(LimitError, match="max_feedback"):
        log.judge(iri, True, rank=2)


# --- retention ---


def test_the_oldest_go_first(tmp_path: Path) -> None:
    log = RetrievalLog(tmp_path, BASE, replace(Settings(), max_retrievals=3))
    iris = [log.keep(answer_of(str(number), "a")) for number in range(8)]
    log.judge(iris[0], True, rank=1)
    assert log.prune() == 5
    assert [each.iri for each in log.newest()] == iris[:4:-1]
    assert (log.analyse().judgements, log.analyse().retrievals) == (0, 3)


def test_what_is_too_old_goes(tmp_path: Path) -> None:
    log = RetrievalLog(tmp_path, BASE, replace(Settings(), retrievals_days=1))
    iris = [log.keep(answer_of(str(number))) for number in range(3)]
    shift(log, iris[0], -2 * 86_400)
    assert log.prune() == 1
    shift(log, iris[1], -3600)
    assert log.clear(older_than=0.5 / 24) == 1
    assert [each.iri for each in log.newest()] == [iris[2]]


def test_bytes_have_a_limit(tmp_path: Path) -> None:
    log = RetrievalLog(tmp_path, BASE, replace(Settings(), max_retrievals_bytes=2**20))
    with connected(log) as connection:
        log.append(connection, batch_of(log, 400, "x" * 5_000))
    assert log.prune() > 150
    left = log.newest(1000)
    assert 100 < len(left) < 250
    assert left[0].number == 400


def test_the_file_shrinks_with_what_is_deleted(tmp_path: Path) -> None:
    log = RetrievalLog(tmp_path, BASE, replace(Settings(), max_retrievals=10))
    with connected(log) as connection:
        log.append(connection, batch_of(log, 400, "x" * 5_000))
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    before = log.file.stat().st_size
    assert log.prune() == 390
    assert log.file.stat().st_size < before / 5


def test_parameters_of_one_retrieval_have_a_limit(log: RetrievalLog) -> None:
    long, short = (
        log.get(log.keep(answer_of("Who?", only=Filter(keywords=("é" * length,)))))
        for length in (10_000, 100)
    )
    assert short.answer().filter.keywords == ("é" * 100,)
    assert "left_out" not in short.parameters
    assert list(long.parameters["left_out"]) == ["filter"]
    assert len(json.dumps(long.parameters)) < 16 * 2**10
    assert (long.answer().filter, long.answer().channels) == (Filter(), ("link", "entity"))


def test_results_of_one_retrieval_have_a_limit(tmp_path: Path) -> None:
    log = RetrievalLog(tmp_path, BASE, replace(Settings(), max_kept_results=2))
    assert len(log.get(log.keep(answer_of("Who?", "a", "b", "c"))).results) == 2


def shift(log: RetrievalLog, iri: str, seconds: float) -> None:
    """Has a retrieval asked at another time."""
    with sqlite3.connect(log.file) as connection:
        moved = "UPDATE retrieval SET time = time + ? WHERE identifier = ?"
        connection.execute(moved, (seconds, iri.rsplit("/", 1)[-1]))
    connection.close()


# --- analytics ---


def test_analytics_count_what_was_asked_and_found(log: RetrievalLog) -> None:
    for number, (question, chunks, best) in enumerate(
        [("Who?", "ab", 0.9), ("  who? ", "ba", 0.8), ("Where?", "a", 0.3), ("Why?", "", 0.0)], 1
    ):
        iri = log.keep(answer_of(question, *chunks, best=best), number / 10)
        if chunks:
            log.judge(iri, question == "Who?", rank=1)
    found = log.analyse(limit=2)
    assert (found.retrievals, found.judgements, found.helped) == (4, 3, 1)
    assert [(each.chunk[-1], each.count, each.helped, each.not_helped) for each in found.popular_chunks] == [
        ("a", 3, 1, 1),
        ("b", 2, 0, 1),
    ]
    assert found.popular_chunks[0].mean_rank == pytest.approx(4 / 3)
    assert [(each.question, each.count) for each in found.frequent_questions] == [("  who? ", 2), ("Why?", 1)]
    assert found.frequent_questions[0].best == pytest.approx(0.85)
    assert {each.question for each in found.poor_questions} == {"Where?", "Why?"}
    assert found.latency == {50: 0.2, 90: 0.4, 95: 0.4, 99: 0.4}
    assert log.analyse(days=1e-9).retrievals == 0


def test_analytics_end_at_their_time(log: RetrievalLog) -> None:
    with connected(log) as connection:
        log.append(connection, batch_of(log, 300, "Who?", *map(str, range(50))))
    with pytest.raises(TimeLimitError, match="retrieve_timeout"):
        log.analyse(check=deadline(-1.0, "retrieve_timeout"))
    assert log.analyse().retrievals == 300


@contextmanager
def connected(log: RetrievalLog) -> Iterator[sqlite3.Connection]:
    """A connection for a block."""
    with closing(open_for_appending(log.file)) as connection:
        yield connection


def batch_of(log: RetrievalLog, count: int, question: str, *chunks: str) -> list[PendingRetrieval]:
    """Answers that are to be kept."""
    return [
        PendingRetrieval(replace(answer_of(question, *chunks), identifier=log.new_iri()), time.time(), 0.0)
        for _ in range(count)
    ]


# --- several processes, and what goes wrong ---


def keep_many(folder: str, question: str, count: int) -> None:
    log = RetrievalLog(Path(folder), BASE, Settings())
    for _ in range(count):
        log.keep(answer_of(question, "a", "b"))


def test_several_processes_append_at_once(log: RetrievalLog) -> None:
    start = multiprocessing.get_context("spawn").Process
    folder = str(log.file.parent)
    processes = [start(target=keep_many, args=(folder, name, 40)) for name in "abc"]
    for each in processes:
        each.start()
    for each in processes:
        each.join()
    assert [each.exitcode for each in processes] == [0, 0, 0]
    found = log.newest(1000)
    assert len(found) == 120
    assert all(len(each.results) == 2 for each in found)


def test_a_process_killed_while_it_appends_leaves_whole_retrievals(log: RetrievalLog) -> None:
    process = multiprocessing.get_context("spawn").Process(
        target=keep_many, args=(str(log.file.parent), "Who?", 1_000_000)
    )
    process.start()
    while len(log.newest(20)) < 20:
        time.sleep(0.02)
    assert process.pid is not None
    os.kill(process.pid, signal.SIGKILL)
    process.join()
    found = log.newest(1_000_000)
    assert len(found) >= 20
    assert all(len(each.results) == 2 for each in found)
    assert log.get(log.keep(answer_of("After?"))).number == found[0].number + 1
    with sqlite3.connect(log.file) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    connection.close()


def test_a_damaged_file_is_named(log: RetrievalLog) -> None:
    log.file.write_bytes(b"no database" * 1000)
    for act in (log.newest, log.analyse, log.clear, lambda: log.keep(answer_of("Who?"))):
        with pytest.raises(InputError, match=r"retrievals.sqlite is damaged .* move it away"):
            act()


def test_calls_of_the_language_model_come_back_and_go_with_the_retrievals(log: RetrievalLog) -> None:
    asked: tuple[Message, ...] = ({"role": "user", "content": "Who?\ud800"},)
    log.keep_model_calls("answer", [Exchange("m", asked, "Astrid", time.time(), 0.5, 7, cached=False)])
    log.keep(answer_of("Who?"))
    [call] = log.model_calls()
    assert call.iri.startswith(f"{BASE}model-call/")
    assert (call.task, call.model, call.answer, call.seconds, call.tokens) == (
        "answer",
        "m",
        "Astrid",
        0.5,
        7,
    )
    assert json.loads(call.prompt) == [{"role": "user", "content": "Who??"}]
    assert log.clear(older_than=1) == 0
    assert log.clear() == 2
    assert log.model_calls() == ()


def test_too_much_of_the_language_model_goes_as_retrievals_do(tmp_path: Path) -> None:
    log = RetrievalLog(tmp_path, BASE, Settings(max_retrievals_bytes=2**20, max_retrievals=150))
    asked: tuple[Message, ...] = ({"role": "user", "content": "x" * 10_000},)
    log.keep_model_calls("t", [Exchange("m", asked, str(n), n, 0.5, 7, cached=False) for n in range(160)])
    with connected(log) as connection:
        connection.execute("UPDATE model_call SET time = ?", (time.time(),))
    assert log.prune() > 60
    answers = [int(call.answer) for call in log.model_calls(1000)]
    assert answers == sorted(answers, reverse=True)
    assert answers[0] == 159
    assert len(answers) > 50


def test_a_file_of_the_former_version_is_read_and_gets_the_new_table(log: RetrievalLog) -> None:
    kept = log.keep(answer_of("Who?"))
    with sqlite3.connect(log.file) as connection:
        connection.execute("DROP TABLE model_call")
        connection.execute("PRAGMA user_version = 1")
    connection.close()
    assert (log.get(kept).question, log.model_calls()) == ("Who?", ())
    log.keep_model_calls("t", [Exchange("m", (), "a", time.time(), 0.5, 7, cached=True)])
    assert (log.get(kept).question, len(log.model_calls())) == ("Who?", 1)


def test_a_newer_version_is_refused(log: RetrievalLog) -> None:
    log.keep(answer_of("Who?"))
    with sqlite3.connect(log.file) as connection:
        connection.execute("PRAGMA user_version = 4")
    connection.close()
    with pytest.raises(ConflictError, match="upgrade sage-ld"):
        log.newest()


def test_a_full_file_system_is_an_error_and_loses_nothing(log: RetrievalLog) -> None:
    kept = log.keep(answer_of("Who?", "a"))
    with connected(log) as connection:
        connection.execute("PRAGMA max_page_count = 1")
        with pytest.raises(sqlite3.OperationalError, match="full"):
            log.append(connection, batch_of(log, 1, "x" * 10_000_000))
    assert [each.iri for each in log.newest()] == [kept]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_read_only_folder_is_read(log: RetrievalLog) -> None:
    kept = log.keep(answer_of("Who?", "a"))
    log.file.parent.chmod(0o500)
    try:
        assert [each.iri for each in log.newest()] == [kept]
    finally:
        log.file.parent.chmod(0o700)


def test_a_folder_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    log = RetrievalLog(tmp_path / "none", BASE, Settings())
    with pytest.raises(UnavailableError, match="cannot be used"):
        log.keep(Answer(Question("Who?"), "default", 1, ()))
