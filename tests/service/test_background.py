"""What takes long is made in the background: nobody waits for a newer one, one at a time is made."""

from __future__ import annotations

import threading
import time

import pytest
from waiting import PATIENCE

from sage_ld.foundation.errors import InputError, UnavailableError
from sage_ld.service.background import Latest


def test_the_one_before_is_served_while_the_next_is_made() -> None:
    begun, go_on, calls = threading.Event(), threading.Event(), []

    def make() -> tuple[int, str]:
        calls.append(1)
        if len(calls) == 2:
            begun.set()
            assert go_on.wait(PATIENCE)
        return len(calls), f"value {len(calls)}"

    latest = Latest(make)
    assert latest.of(1, patience=30) == (1, "value 1")
    assert latest.of(1, patience=30) == (1, "value 1")
    assert latest.of(2, patience=30) == (1, "value 1")
    assert begun.wait(PATIENCE)
    assert latest.of(2, patience=30) == (1, "value 1")
    assert len(calls) == 2
    go_on.set()
    while latest.of(2, patience=30) != (2, "value 2"):
        pass
    assert len(calls) == 2


def test_a_later_one_is_made_only_where_an_earlier_one_was_asked_for() -> None:
    calls: list[int] = []

    def make() -> tuple[int, str]:
        calls.append(1)
        return len(calls), "value"

    latest = Latest(make)
    latest.renew(1)
    assert latest.of(1, patience=30) == (1, "value")
    latest.renew(2)
    while latest.of(2, patience=30) != (2, "value"):
        pass
    assert len(calls) == 2


def test_the_first_client_waits_no_longer_than_it_likes() -> None:
    go_on = threading.Event()

    def make() -> tuple[int, str]:
        assert go_on.wait(PATIENCE)
        return 1, "value"

    latest = Latest(make)
    with pytest.raises(UnavailableError, match="try again"):
        latest.of(1, patience=0.01)
    go_on.set()
    assert latest.of(1, patience=30) == (1, "value")


def test_no_more_than_some_wait() -> None:
    go_on, waits = threading.Event(), threading.Event()

    def make() -> tuple[int, str]:
        waits.set()
        assert go_on.wait(PATIENCE)
        return 1, "value"

    latest = Latest(make, most_waiting=1)
    found: list[tuple[int, str]] = []
    first = threading.Thread(target=lambda: found.append(latest.of(1, patience=30)))
    first.start()
    assert waits.wait(PATIENCE)
    while latest._waiting._value:  # type: ignore[attr-defined]
        time.sleep(0.001)
    with pytest.raises(UnavailableError, match="try again"):
        latest.of(1, patience=1e9)
    go_on.set()
    first.join()
    assert found == [(1, "value")]


@pytest.mark.parametrize("failure", [InputError("damaged"), MemoryError(), KeyError("x")], ids=repr)
def test_after_a_failure_it_is_tried_again(failure: Exception) -> None:
    outcomes = iter([failure, None])

    def make() -> tuple[int, str]:
        if (error := next(outcomes)) is not None:
            raise error
        return 1, "value"

    latest = Latest(make)
    with pytest.raises(UnavailableError):
        latest.of(1, patience=30)
    assert latest.of(1, patience=30) == (1, "value")


def test_where_no_thread_can_be_started_it_is_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    latest = Latest(lambda: (1, "value"))
    with monkeypatch.context() as changed:
        changed.setattr(threading.Thread, "start", fail)
        with pytest.raises(RuntimeError):
            latest.of(1, patience=30)
    assert latest.of(1, patience=30) == (1, "value")


def test_after_a_value_it_rests_as_long_as_it_was_told() -> None:
    calls: list[int] = []

    def make() -> tuple[int, str]:
        calls.append(1)
        time.sleep(0.001)
        return len(calls), "value"

    latest = Latest(make, rest=lambda: 1e9)
    assert latest.of(1, patience=30) == (1, "value")
    latest.begin(2)
    assert latest.of(2, patience=30) == (1, "value")
    assert len(calls) == 1
