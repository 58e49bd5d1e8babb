"""Evaluation of a `Filter` on one revision: which of its chunks may be seeds and results at all.

Each field is one question to the store. What it found is kept with the revision: filters come again, of one
tenant or one collection after another.
"""

from __future__ import annotations

import re
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator
from datetime import date
from functools import partial
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray
from pyoxigraph import Literal

from sage_ld.foundation.deadline import Check, each_checked, unchecked
from sage_ld.foundation.errors import InputError, LimitError, UnavailableError
from sage_ld.foundation.model import ChunkKind
from sage_ld.foundation.question import Filter
from sage_ld.foundation.rdf_values import is_iri
from sage_ld.foundation.settings import Settings
from sage_ld.graph import Snapshot
from sage_ld.graph.store import queries
from sage_ld.graph.store.documents import CHUNK_CLASS
from sage_ld.graph.store.queries import select
from sage_ld.retrieval.chunks.chunk_table import ChunkTable
from sage_ld.retrieval.filtering.conditions import Budget, Condition, matching, read
from sage_ld.retrieval.filtering.key_conditions import KeyCondition, matching_key, read_key_condition

Mask: TypeAlias = NDArray[np.bool_]
_Key: TypeAlias = tuple[str, tuple[str, ...]]

SHORT_WALK: Final = 20_000
"""Statements that a condition may follow, some 0.1 s, for it not to count as a long walk."""
LONG_WALKS: Final = threading.BoundedSemaphore(2)
"""How many conditions that follow more are walked at once in one process."""

_MOST_KEPT: Final = 32  # masks a revision, each of one byte a chunk
_LISTS: Final = ("documents", "kinds", "languages", "keywords", "where")
_DATE: Final = re.compile(r"\d{4}(?:-\d{2}(?:-\d{2})?)?", re.ASCII)
_RANGE: Final = re.compile(r"\*|[A-Za-z]{1,8}(?:-[A-Za-z0-9]{1,8})*", re.ASCII)
_LAST: Final = "9999"  # every date is before its end


def allowed(snapshot: Snapshot, given: Filter, settings: Settings, check: Check = unchecked) -> Mask:
    """(n,) which chunks of the revision meet `given`, in the row order of the vector index.

    `check` is called between its fields, and between what is found for one of them.

    Raises InputError for an invalid value, LimitError for more of them than the settings allow, and
    UnavailableError if too many long filters are at work.
    """
    conditions = checked_filter(given, settings)
    budget = Budget(settings.max_filter_statements, settings.max_filter_statements)
    mask = np.ones(len(snapshot.vectors.iris), np.bool_)
    for key, find in _questions(given, conditions, budget):
        check()
        mask &= _kept(snapshot, key, find, check)
    return mask


def unmet(
    snapshot: Snapshot, given: Filter, row: int, settings: Settings, check: Check = unchecked
) -> list[str]:
    """The conditions of a filter that a chunk, given by its row, does not meet. Raises as `allowed` does."""
    parts = [
        Filter(**{name: values})
        for name in ("documents", "kinds", "languages", "keywords", "since", "until")
        if (values := getattr(given, name))
    ]
    parts += [Filter(where=(condition,)) for condition in given.where]
    failing = [part for part in parts if not allowed(snapshot, part, settings, check)[row]]
    return [_told(part) for part in failing]


def _told(part: Filter) -> str:
    """A filter with one field, as text."""
    if part.where:
        return f"where: {part.where[0]}"
    name = next(each for each in part.__slots__ if getattr(part, each))
    values = getattr(part, name)
    return f"{name}: {values if isinstance(values, str) else ', '.join(values)}"


def documents(
    snapshot: Snapshot, given: Filter, settings: Settings, check: Check = unchecked
) -> frozenset[str]:
    """The IRIs of the documents with a chunk that meets `given`. Raises as `allowed` does."""
    chunk_table = ChunkTable.of(snapshot)
    numbers = np.unique(chunk_table.documents[allowed(snapshot, given, settings, check)])
    return frozenset(chunk_table.iris[number] for number in numbers.tolist())


def checked_filter(given: Filter, settings: Settings) -> list[Condition | KeyCondition]:
    """The conditions of a filter, all of whose values are within limits. Raises InputError, LimitError."""
    for name in _LISTS:
        _check_size(name, getattr(given, name), settings)
    _check_values(given)
    conditions = [read_key_condition(text) or read(text) for text in given.where]
    steps = sum(map(_steps, conditions))
    if steps > (most := settings.max_filter_steps):
        raise LimitError.of("the filter's where", steps, most, "steps", "max_filter_steps")
    return conditions


def _steps(condition: Condition | KeyCondition) -> int:
    """The number of steps in the path of a condition, alternatives counted; a key is one."""
    return 1 if isinstance(condition, KeyCondition) else sum(map(len, condition.steps))


def _check_values(given: Filter) -> None:
    for kind in given.kinds:
        if kind not in list(ChunkKind):
            raise InputError(f"kinds: {kind!r} is not a kind of chunk; the kinds are {', '.join(ChunkKind)}")
    for language in given.languages:
        if not _RANGE.fullmatch(language):
            raise InputError(f"languages: {language!r} is not a language range; give one such as en or pt-BR")
    for name, day in (("since", given.since), ("until", given.until)):
        if day and not _is_date(day):
            raise InputError(
                f"{name}: {day[:40]!r} is not a year, month or day; give such as 2024, 2024-05 or 2024-05-17"
            )


def _is_date(text: str) -> bool:
    """Whether the calendar has such a year, month or day.

    >>> _is_date("2024-02-29"), _is_date("2024-13"), _is_date("1999-02-30")
    (True, False, False)
    """
    if not _DATE.fullmatch(text):
        return False
    try:
        date.fromisoformat(text + "0000-01-01"[len(text) :])
    except ValueError:
        return False
    return True


def _check_size(name: str, values: tuple[str, ...], settings: Settings) -> None:
    if len(values) > (most := settings.max_filter_values):
        raise LimitError.of(f"the filter's {name}", len(values), most, "values", "max_filter_values")
    longest = max(map(len, values), default=0)
    if longest > (most := settings.max_filter_length):
        raise LimitError.of(f"the filter's {name}", longest, most, "characters", "max_filter_length")


def _questions(
    given: Filter, conditions: Iterable[Condition | KeyCondition], budget: Budget
) -> Iterator[tuple[_Key, Callable[[Snapshot], Iterable[str]]]]:
    """The questions that a filter asks of the store: a key for each, and how it is answered."""
    fields = {"documents": _documents, "kinds": _kinds, "languages": _languages, "keywords": _keywords}
    for name, find in fields.items():
        if values := tuple(sorted(set(getattr(given, name)))):
            yield (name, values), partial(find, values=values)
    if given.since or given.until:
        dates = (given.since, given.until or _LAST)
        yield ("dates", dates), partial(_dates, values=dates)
    for condition in conditions:
        yield ("where", (condition.text,)), partial(_where, condition=condition, budget=budget)


def _documents(snapshot: Snapshot, values: tuple[str, ...]) -> Iterable[str]:
    iris = [value for value in values if is_iri(value)]
    return _found(snapshot, queries.bind("filter_documents", identifier=map(Literal, values), iri=iris))


def _kinds(snapshot: Snapshot, values: tuple[str, ...]) -> Iterable[str]:
    classes = [CHUNK_CLASS[ChunkKind(value)] for value in values]
    return _found(snapshot, queries.bind("filter_kinds", kind=classes))


def _languages(snapshot: Snapshot, values: tuple[str, ...]) -> Iterable[str]:
    return _found(snapshot, queries.bind("filter_languages", range=map(Literal, values)))


def _keywords(snapshot: Snapshot, values: tuple[str, ...]) -> Iterable[str]:
    """Keywords found in texts are in small letters, those that a document brings as it has them."""
    written = sorted({*values, *(value.lower() for value in values)})
    return _found(snapshot, queries.bind("filter_keywords", keyword=map(Literal, written)))


def _dates(snapshot: Snapshot, values: tuple[str, ...]) -> Iterable[str]:
    since, until = map(Literal, values)
    return _found(snapshot, queries.bind("filter_dates", since=[since], until=[until]))


def _where(snapshot: Snapshot, condition: Condition | KeyCondition, budget: Budget) -> Iterable[str]:
    """Long walks are few at once: each keeps a core busy for seconds, which other questions need.

    Raises UnavailableError if as many are under way.
    """
    short = min(budget.left, SHORT_WALK)
    trial = Budget(budget.most, short)
    try:
        found = list(_matching(snapshot, condition, trial))
        budget.left -= short - trial.left
        return found
    except LimitError:
        if not LONG_WALKS.acquire(blocking=False):
            raise UnavailableError(
                f"the filter {condition.text[:60]!r} follows many statements, and the limit of such "
                "filters at once is reached; try again later, or give a narrower one"
            ) from None
    try:
        return list(_matching(snapshot, condition, budget))
    finally:
        LONG_WALKS.release()


def _matching(snapshot: Snapshot, condition: Condition | KeyCondition, budget: Budget) -> Iterator[str]:
    if isinstance(condition, KeyCondition):
        return matching_key(snapshot, condition, budget)
    return matching(snapshot.store, condition, budget)


def _found(snapshot: Snapshot, text: str) -> Iterator[str]:
    return (row["found"].value for row in select(snapshot.store, text))


def _mask(snapshot: Snapshot, found: Iterable[str]) -> Mask:
    """(n,) the chunks among the IRIs `found`, and the chunks of the documents among them."""
    chunk_table = ChunkTable.of(snapshot)
    chunks = np.zeros(len(chunk_table.rows), np.bool_)
    documents = np.zeros(len(chunk_table.iris), np.bool_)
    for iri in found:
        if (row := chunk_table.rows.get(iri)) is not None:
            chunks[row] = True
        elif (number := chunk_table.numbers.get(iri)) is not None:
            documents[number] = True
    return chunks | documents[chunk_table.documents] if len(chunks) else chunks


def _kept(snapshot: Snapshot, key: _Key, find: Callable[[Snapshot], Iterable[str]], check: Check) -> Mask:
    """The mask of a question, computed where the revision's are without it."""
    masks = snapshot.derived(_Masks.of)
    mask = masks.get(key)
    if mask is None:
        mask = _mask(snapshot, each_checked(find(snapshot), check))
        masks.put(key, mask)
    return mask


class _Masks:
    """The masks of a revision that were asked for last, by what was asked."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._recent: OrderedDict[_Key, Mask] = OrderedDict()

    @classmethod
    def of(cls, _snapshot: Snapshot) -> _Masks:
        return cls()

    def get(self, key: _Key) -> Mask | None:
        with self._guard:
            if (mask := self._recent.get(key)) is not None:
                self._recent.move_to_end(key)
            return mask

    def put(self, key: _Key, mask: Mask) -> None:
        with self._guard:
            self._recent[key] = mask
            if len(self._recent) > _MOST_KEPT:
                self._recent.popitem(last=False)
