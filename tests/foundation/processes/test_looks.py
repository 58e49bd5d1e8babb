"""Looks at a job: they come by the clock, whether its worker is silent, sends or takes nothing."""

from __future__ import annotations

import socket
import threading
import time
from contextlib import suppress

import pytest

from sage_ld.foundation.errors import AbandonedError
from sage_ld.foundation.processes.messages import Peer
from sage_ld.foundation.processes.worker_process import _DeadlineSocket

_ENOUGH = 1 << 34  # bytes: far more than flow between two looks


def take(peer: Peer, count: int) -> None:
    """Takes so many bytes."""
    taken = 0
    while taken < count:
        taken += len(peer.recv(1 << 20))


class Abandoned:
    """A look that finds, for the second time, that the client has hung up."""

    def __init__(self) -> None:
        self.calls = 0

    def __call__(self) -> None:
        self.calls += 1
        if self.calls == 2:
            raise AbandonedError


def test_a_peer_that_sends_without_a_pause_is_looked_at() -> None:
    ours, theirs = socket.socketpair()

    def send() -> None:
        with suppress(OSError), theirs:
            while True:
                theirs.sendall(bytes(1 << 20))

    sender = threading.Thread(target=send)
    sender.start()
    with ours, pytest.raises(AbandonedError):
        take(_DeadlineSocket(ours, time.monotonic() + 300, Abandoned()), _ENOUGH)
    sender.join()


def test_a_peer_that_takes_nothing_is_looked_at() -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs, pytest.raises(AbandonedError):
        _DeadlineSocket(ours, time.monotonic() + 300, Abandoned()).sendall(bytes(1 << 26))


def test_every_wait_ends_at_the_deadline() -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs, pytest.raises(TimeoutError):
        _DeadlineSocket(ours, time.monotonic() + 0.3, lambda: None).recv(1)
