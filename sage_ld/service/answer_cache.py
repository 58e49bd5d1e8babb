"""The cache of answers to queries, valid as long as their revision is the newest.

Only what follows from revision and request alone is kept, so an answer from here is the one that a worker
would give. Nothing else than time is saved by it.
"""

from __future__ import annotations

import hashlib
import threading
from collections import OrderedDict
from typing import Final, NamedTuple

_SHARE = 16  # no answer takes more than this part of the room
_OVERHEAD = 1000  # bytes that keeping an answer takes beside it and its question


class Question(NamedTuple):
    """All that an answer follows from, beside the revision."""

    text: str
    base: str
    graphs: tuple[tuple[str, ...], tuple[str, ...]] | None
    """Default and named graphs that the protocol gives in place of those in the text."""
    format: str
    version: str


class Kept(NamedTuple):
    """An answer and its entity tag."""

    content: bytes
    etag: str


def kept(content: bytes) -> Kept:
    """`content` with the tag that follows from it.

    >>> kept(b"{}").etag
    '2afb9b83f9314e5d029766197f539792'
    """
    return Kept(content, hashlib.blake2b(content, digest_size=16).hexdigest())


NOTHING: Final = kept(b"")


class Results:
    """The answers of one revision that were asked for last, in at most `room` bytes.

    >>> results, question = Results(100_000), Question("ASK {}", "http://example.org/", None, "json", "1.1")
    >>> results.put(7, question, kept(b"true"))
    >>> results.get(7, question).content, results.get(8, question)
    (b'true', None)
    """

    def __init__(self, room: int) -> None:
        self._room = self._left = room
        self._revision = -1
        self._kept: OrderedDict[Question, Kept] = OrderedDict()
        self._guard = threading.Lock()

    def get(self, revision: int, question: Question) -> Kept | None:
        """The answer to what is asked of a revision, if it is here."""
        with self._guard:
            if revision != self._revision or (found := self._kept.get(question)) is None:
                return None
            self._kept.move_to_end(question)
            return found

    def put(self, revision: int, question: Question, answer: Kept) -> None:
        """Keeps an answer, in place of those of other revisions and, where room is short, of older ones."""
        size = _size(question, answer)
        if size > self._room // _SHARE:
            return
        with self._guard:
            if revision != self._revision:
                self._kept.clear()
                self._left, self._revision = self._room, revision
            if (before := self._kept.pop(question, None)) is not None:
                self._left += _size(question, before)
            self._kept[question] = answer
            self._left -= size
            while self._left < 0:
                self._left += _size(*self._kept.popitem(last=False))


def _size(question: Question, answer: Kept) -> int:
    return len(answer.content) + 4 * len(question.text) + _OVERHEAD
