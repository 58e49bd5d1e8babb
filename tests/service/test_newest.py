"""What belongs to the newest revision is opened once, while requests of the one before go on and end."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

from waiting import PATIENCE

from sage_ld.service.revisions import Newest


class Opened:
    """Something that says whether it is closed."""

    closed = False

    def close(self) -> None:
        self.closed = True


def test_an_opening_holds_up_no_request_that_ends_and_happens_once() -> None:
    number, opened = 1, [Opened()]
    begun, go_on = threading.Event(), threading.Event()

    def open_newest() -> Opened:
        if number == 1:
            return opened[0]
        begun.set()
        assert go_on.wait(PATIENCE)
        opened.append(Opened())
        return opened[-1]

    newest = Newest(lambda: number, open_newest)

    def use() -> Opened:
        with newest.use() as value:
            assert not value.closed
            return value

    with ThreadPoolExecutor(4) as threads:
        old = newest.use()
        before = old.__enter__()
        number = 2
        later = [threads.submit(use) for _ in range(3)]
        try:
            assert begun.wait(PATIENCE)
            threads.submit(old.__exit__, None, None, None).result(PATIENCE)
        finally:
            go_on.set()
        assert {each.result(PATIENCE) for each in later} == {opened[1]}
    assert len(opened) == 2
    assert before.closed
    assert not opened[1].closed
    newest.close()
    assert opened[1].closed
