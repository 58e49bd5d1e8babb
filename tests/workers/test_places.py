"""Places that clients share."""

from __future__ import annotations

import threading

import pytest

from sage_ld.workers.places import Places


@pytest.mark.parametrize(("count", "most"), [(1, [1]), (2, [1, 1]), (5, [3, 1, 1]), (24, [12, 6, 3, 2, 1])])
def test_a_client_holds_at_most_as_many_as_it_leaves_free(count: int, most: list[int]) -> None:
    places = Places(count)
    for client, number in enumerate(most):
        assert [places.take(client) for _ in range(number + 1)] == [True] * number + [False]
    assert places.taken == count
    assert not places.take("one more")


def test_a_place_that_is_given_back_goes_to_who_has_fewer() -> None:
    places = Places(5)
    for client in "aaabc":
        assert places.take(client)
    places.release("a")
    assert not places.take("a")
    assert places.take("d")


def test_who_is_no_client_takes_all() -> None:
    places = Places(3)
    assert [places.take(None) for _ in range(4)] == [True, True, True, False]


def test_who_waits_gets_the_place_that_another_gives_back() -> None:
    places, taken = Places(1), threading.Event()
    assert places.take("a")

    def wait() -> None:
        if places.take("b", seconds=60):
            taken.set()

    thread = threading.Thread(target=wait)
    thread.start()
    assert not places.take("c", seconds=0.05)
    places.release("a")
    thread.join()
    assert taken.is_set()
