"""The replacement of all that a named graph says, which touches only the statements that differ."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain, islice
from typing import IO, Final

import numpy as np
from numpy.typing import NDArray
from pyoxigraph import NamedNode

from sage_ld.graph.spilled import Spilled
from sage_ld.model import IntArray
from sage_ld.store.background_loading import LoadingStore
from sage_ld.store.nquads import line

_BATCH: Final = 50_000
_NONE: Final = np.zeros(0, np.int64)


def replace_statements(store: LoadingStore, graph: NamedNode, lines: Iterable[str], file: IO[bytes]) -> None:
    """Has the graph say what lines of N-Quads say, without blank nodes.

    Statements are compared by numbers of 64 bits that are drawn anew for each process. One that the store
    writes otherwise than a line does, such as "1" for "1.0", is removed and added. `file` has the lines
    meanwhile, as what goes must have gone before anything comes.
    """
    there, remove = iter(store.quads_for_pattern(None, None, None, graph)), store.remove
    if (first := next(there, None)) is None:
        store.load_in_background(lines)
        return
    numbers: list[IntArray] = []
    spilled = Spilled(file, _numbered(lines, numbers))
    wanted, staying = np.unique(np.concatenate([_NONE, *numbers])), []
    there = chain([first], there)
    while batch := list(islice(there, _BATCH)):
        found = _numbers(map(line, batch))
        stays = _among(found, wanted)
        for place in np.flatnonzero(~stays).tolist():
            remove(batch[place])
        staying.append(found[stays])
    kept = np.unique(np.concatenate(staying))
    new = [~_among(each, kept) for each in numbers]
    store.load_in_background(
        text
        for batch, is_new in zip(spilled.batches(), new, strict=True)
        for text, wanted_now in zip(batch, is_new.tolist(), strict=True)
        if wanted_now
    )


def _numbered(lines: Iterable[str], numbers: list[IntArray]) -> Iterator[list[str]]:
    """The lines in batches, whose numbers are appended to a list."""
    waiting = iter(lines)
    while batch := list(islice(waiting, _BATCH)):
        numbers.append(_numbers(batch))
        yield batch


def _among(numbers: IntArray, ascending: IntArray) -> NDArray[np.bool_]:
    """Which of the numbers are among distinct ascending ones; `np.isin` would sort all of these each time."""
    if not len(ascending):
        return np.zeros(len(numbers), np.bool_)
    places = np.searchsorted(ascending, numbers)
    return np.asarray(ascending[np.minimum(places, len(ascending) - 1)] == numbers)


def _numbers(lines: Iterable[str]) -> IntArray:
    return np.fromiter(map(hash, lines), np.int64)
