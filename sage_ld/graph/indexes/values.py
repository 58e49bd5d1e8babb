"""The check of what the arrays of an index hold: rows that are there, numbers that are finite.

Opening an index compares lengths and the places that follow from them. This reads every value, and is for
`sage-ld doctor`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final, TypeAlias

import numpy as np

from sage_ld.graph.indexes.aspects import ENCODED
from sage_ld.graph.indexes.bounds import LARGEST, ascending, within
from sage_ld.graph.indexes.documents import LISTS, PREFIXES, record
from sage_ld.graph.indexes.hashed import array_names
from sage_ld.graph.indexes.segments import Segment
from sage_ld.graph.indexes.terms import RECORDS, records

_Checks: TypeAlias = Iterator[tuple[str, bool]]
"""The names of arrays, each with whether it can have its values."""


def false_arrays(part: str, segment: Segment) -> list[str]:
    """The names of the arrays of a segment, of the index `part`, with values that no build writes."""
    return [name for name, can_be in CHECKS[part](segment) if not can_be]


def _lexical(segment: Segment) -> _Checks:
    arrays = segment.arrays
    yield "lengths", within(arrays["lengths"], 0)
    yield "rows", within(arrays["rows"], 0, len(segment.keys) - 1)
    yield "counts", within(arrays["counts"], 1)
    yield "term_offsets", ascending(arrays["term_offsets"], len(arrays["terms"]))


def _positions(segment: Segment) -> _Checks:
    arrays = segment.arrays
    yield "headings", bool(np.all((arrays["headings"] >= 0) & (arrays["headings"] <= arrays["lengths"])))
    yield "offsets", within(arrays["offsets"], -1)
    yield "documents", _is_text(arrays["documents"].tobytes())


def _vectors(segment: Segment) -> _Checks:
    yield "vectors", within(segment.arrays["vectors"], -LARGEST)


def _links(segment: Segment) -> _Checks:
    yield "confidences", within(segment.arrays["confidences"], 0, 1)
    yield "begins", within(segment.arrays["begins"], 0)


def _lists(segment: Segment, *names: str) -> _Checks:
    for name in names or ("",):
        numbers, _, rows = array_names(name)
        values = segment.arrays[numbers]
        yield numbers, bool((values[1:] > values[:-1]).all())
        yield rows, within(segment.arrays[rows], 0, len(segment.keys) - 1)


def _aspects(segment: Segment) -> _Checks:
    for name in ENCODED:
        texts = segment.arrays[f"{name}_texts"]
        yield f"{name}_rows", within(segment.arrays[f"{name}_rows"], -1, len(texts) - 1)
        yield f"{name}_vectors", within(segment.arrays[f"{name}_vectors"], -LARGEST)


def _documents(segment: Segment) -> _Checks:
    yield from _lists(segment, *LISTS)
    yield "file_rows", within(segment.arrays["file_rows"], 0, len(segment.keys) - 1)
    prefixes = segment.arrays[PREFIXES]
    yield PREFIXES, bool((prefixes[1:] > prefixes[:-1]).all())
    yield "file_offsets", ascending(segment.arrays["file_offsets"], len(segment.arrays["files"]))
    yield "record_offsets", ascending(segment.arrays["record_offsets"], len(segment.arrays["records"]))
    yield "records", all(_is_record(segment, row) for row in range(len(segment.keys)))


def _terms(segment: Segment) -> _Checks:
    yield from _lists(segment)
    yield RECORDS, _are_records(segment)


def _are_records(segment: Segment) -> bool:
    try:
        records(segment)
    except (ValueError, TypeError, RecursionError):
        return False
    return True


def _is_record(segment: Segment, row: int) -> bool:
    try:
        record(segment, row)
    except (ValueError, TypeError, RecursionError):
        return False
    return True


def _is_text(content: bytes) -> bool:
    try:
        content.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


CHECKS: Final[dict[str, Callable[[Segment], _Checks]]] = {
    "lexical": _lexical,
    "positions": _positions,
    "vectors": _vectors,
    "links": _links,
    "mentions": _lists,
    "aspects": _aspects,
    "words": _lists,
    "documents": _documents,
    "terms": _terms,
}
"""The check of each index, by its name."""
