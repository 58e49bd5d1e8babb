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
_OVERHEAD = 1000  # bytes that keeping an answer takes beside it and its key


class QueryKey(NamedTuple):
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


class AnswerCache:
    """The answers of one revision that were asked for last, in at most `room` bytes.

    >>> answers, key = AnswerCache(100_000), QueryKey("ASK {}", "http://example.org/", None, "json", "1.1")
    >>> answers.put(7, key, kept(b"true"))
    >>> answers.get(7, key).content, answers.get(8, key)
    (b'true', None)
    """

    def __init__(self, room: int) -> None:
        self._room = self._left = room
        self._revision = -1
        self._kept: OrderedDict[QueryKey, Kept] = OrderedDict()
        self._guard = threading.Lock()

    def get(self, revision: int, key: QueryKey) -> Kept | None:
        """The answer to what is asked of a revision, if it is here."""
        with self._guard:
            if revision != self._revision or (found := self._kept.get(key)) is None:
                return None
            self._kept.move_to_end(key)
            return found

    def put(self, revision: int, key: QueryKey, answer: Kept) -> None:
        """Keeps an answer, in place of those of other revisions and, where room is short, of older ones."""
        size = _size(key, answer)
        if size > self._room // _SHARE:
            return
        with self._guard:
            if revision != self._revision:
                self._kept.clear()
                self._left, self._revision = self._room, revision
            if (before := self._kept.pop(key, None)) is not None:
                self._left += _size(key, before)
            self._kept[key] = answer
            self._left -= size
            while self._left < 0:
                self._left += _size(*self._kept.popitem(last=False))


def _size(key: QueryKey, answer: Kept) -> int:
    return len(answer.content) + 4 * len(key.text) + _OVERHEAD
