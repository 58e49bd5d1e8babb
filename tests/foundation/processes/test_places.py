"""Places that clients share."""

from __future__ import annotations

import threading

import pytest
from waiting import PATIENCE, waited_for

from sage_ld.foundation.errors import BusyError
from sage_ld.foundation.processes.places import Places


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


def test_clients_who_wait_are_served_in_turn() -> None:
    places, order = Places(1), []
    assert places.take("a")
    threads = []
    for client in "aaab":

        def wait(client: str = client) -> None:
            places.take(client, lambda: 3600)
            order.append(client)
            places.release(client)

        threads.append(threading.Thread(target=wait))
        threads[-1].start()
        assert waited_for(lambda: len(places._waiting) == len(threads))
    assert not places.take("c"), "who comes later does not pass them"
    places.release("a")
    for thread in threads:
        thread.join(PATIENCE)
    assert "".join(order) == "baaa", "each was woken when it was its turn"
    assert (places.taken, places._held, places._served) == (0, {}, {})


def test_who_gives_up_waiting_leaves_nothing_behind() -> None:
    places = Places(1)
    assert places.take("a")

    def give_up() -> float:
        raise BusyError("enough")

    with pytest.raises(BusyError):
        places.take("b", give_up)
    places.release("a")
    assert places.take("c")
    places.release("c")
    assert (places._waiting, places._held, places._served) == ([], {}, {})
