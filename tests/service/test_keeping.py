"""The thread that keeps retrievals: it writes behind the answers, clears up, and ends with its service."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from graph.provenance.answers import BASE, answer_of
from waiting import waited_for

from sage_ld.foundation.errors import InputError
from sage_ld.foundation.settings import Settings
from sage_ld.graph.provenance import RetrievalLog
from sage_ld.service.keeping import Keeper


@contextmanager
def keeper_of(folder: Path, **changed: Any) -> Iterator[tuple[Keeper, RetrievalLog]]:
    """A keeper with the settings given, and its log."""
    log = RetrievalLog(folder, BASE, replace(Settings(), **changed))
    keeper = Keeper(log)
    try:
        yield keeper, log
    finally:
        keeper.close()


def keeping_threads() -> int:
    return sum(each.name == "keeping" for each in threading.enumerate())


def test_what_was_given_to_it_is_there_after_its_end(tmp_path: Path) -> None:
    before = keeping_threads()
    with keeper_of(tmp_path, keep_retrievals="on") as (keeper, log):
        named = [keeper.kept(answer_of(str(number), "a"), 0.1).identifier for number in range(300)]
    assert [each.iri for each in log.newest(1000)] == named[::-1]
    assert waited_for(lambda: keeping_threads() == before)


def test_a_keeper_without_work_has_no_thread_and_no_file(tmp_path: Path) -> None:
    before = keeping_threads()
    with keeper_of(tmp_path) as (keeper, log):
        answer = answer_of("Who?")
        assert keeper.kept(answer, 0.1) is answer
        assert keeping_threads() == before
        assert not log.file.exists()


def test_old_retrievals_go_also_where_nothing_is_kept_any_more(tmp_path: Path) -> None:
    with keeper_of(tmp_path, keep_retrievals="on") as (keeper, log):
        keeper.kept(answer_of("Who?"), 0.1)
    with sqlite3.connect(log.file) as connection:
        connection.execute("UPDATE retrieval SET time = time - 100 * 86400")
    connection.close()
    with keeper_of(tmp_path) as (keeper, _):
        keeper.flush()
        assert log.newest() == ()


def test_too_many_bytes_go_at_once(tmp_path: Path) -> None:
    with keeper_of(tmp_path, keep_retrievals="on", max_retrievals_bytes=2**20) as (keeper, log):
        keeper.flush()  # the first look at what is too much is over
        for number in range(400):
            keeper.kept(answer_of(f"{number} " + "x" * 5_000), 0.1)
        keeper.flush(30)
        assert 100 < len(log.newest(1000)) < 250
        assert log.file.stat().st_size <= 2**20


def test_a_file_that_was_moved_away_is_made_again(tmp_path: Path) -> None:
    with keeper_of(tmp_path, keep_retrievals="on") as (keeper, log):
        keeper.kept(answer_of("first"), 0.1)
        keeper.flush()
        for each in tmp_path.glob("retrievals.sqlite*"):
            each.rename(tmp_path / f"old-{each.name}")
        keeper.kept(answer_of("second"), 0.1)
        keeper.flush()
        assert [each.question for each in log.newest()] == ["second"]


def test_a_damaged_file_is_left_alone(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with keeper_of(tmp_path, keep_retrievals="on") as (keeper, log):
        keeper.flush()
        log.file.write_bytes(b"precious" * 1000)
        keeper.kept(answer_of("Who?"), 0.1)
        keeper.flush()
        assert "retrievals are not kept (retrievals.sqlite): file is not a database" in caplog.text
        assert log.file.read_bytes() == b"precious" * 1000


def test_more_than_can_wait_are_lost_and_counted(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with keeper_of(tmp_path, keep_retrievals="on") as (keeper, log):
        keeper.kept(answer_of("first"), 0.1)
        keeper.flush()
        with sqlite3.connect(log.file) as connection:
            connection.execute("BEGIN IMMEDIATE")  # another process writes for long
            answers = [keeper.kept(answer_of("Who?"), 0.1) for _ in range(1200)]
            connection.rollback()
        connection.close()
        lost = sum(not each.identifier for each in answers)
        assert 90 <= lost <= 200
        assert "too many wait to be written" in caplog.text
        keeper.flush(30)
        assert len(log.newest(2000)) == 1201 - lost


@pytest.mark.parametrize("choice", ["", "yes", "ON"])
def test_an_unknown_choice_is_refused(tmp_path: Path, choice: str) -> None:
    with pytest.raises(InputError, match="choose from off, sampled, on"):
        Keeper(RetrievalLog(tmp_path, BASE, replace(Settings(), keep_retrievals=choice)))
