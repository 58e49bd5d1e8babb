"""The check of a revision's indexes against its store: whether each holds what it has to, and no more.

Opening an index compares lengths and the places that follow from them. This reads every value: rows are to
be there, numbers to be finite.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from pathlib import Path
from typing import Final, TypeAlias

import numpy as np

from sage_ld.foundation.errors import SageError
from sage_ld.foundation.progress import Progress
from sage_ld.graph.indexes.aspects import ENCODED, AspectIndex
from sage_ld.graph.indexes.documents import LISTS, PREFIXES, DocumentIndex, record
from sage_ld.graph.indexes.files import LARGEST, ascending, within
from sage_ld.graph.indexes.layout import SegmentIndex
from sage_ld.graph.indexes.lexical import LexicalIndex
from sage_ld.graph.indexes.links import LinkIndex
from sage_ld.graph.indexes.mentions import MentionIndex
from sage_ld.graph.indexes.positions import PositionIndex
from sage_ld.graph.indexes.segments import Segment
from sage_ld.graph.indexes.strings import array_names
from sage_ld.graph.indexes.terms import RECORDS, TermIndex, records
from sage_ld.graph.indexes.vectors import VectorIndex
from sage_ld.graph.indexes.words import WordIndex
from sage_ld.graph.store import reading
from sage_ld.graph.store.directory import INDEX_PARTS, OPTIONAL_PARTS
from sage_ld.graph.store.protocol import Store
from sage_ld.graph.upkeep.checking.findings import Cure, Finding

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


_INDEXES: Final[dict[str, type[SegmentIndex]]] = {
    "lexical": LexicalIndex,
    "positions": PositionIndex,
    "vectors": VectorIndex,
    "links": LinkIndex,
    "mentions": MentionIndex,
    "aspects": AspectIndex,
    "words": WordIndex,
    "documents": DocumentIndex,
    "summaries": VectorIndex,
    "terms": TermIndex,
    "concepts": VectorIndex,
}
"""The indexes by name; their keys are IRIs of chunks, but for those in `_OF_OTHERS`."""

_OF_OTHERS: Final = {
    "documents": "documents",
    "summaries": "documents and sections",
    "concepts": "concepts",
}
"""The rows of the indexes whose rows are no chunks."""


def indexes(
    revision: Path,
    store: Store,
    chunks: set[str],
    progress: Progress,
    parts: Collection[str] = INDEX_PARTS,
) -> Iterator[Finding]:
    """The indexes, of `parts`, that cannot be opened, have false values, lack chunks, or have others."""
    has_summaries = (revision / "summaries").is_dir()
    rows_of = {
        "links": reading.links(store).keys() & chunks,
        "mentions": set(reading.mentions(store)),
        "documents": {each.iri for each in reading.documents(store)},
        "summaries": set(reading.abstracts(store)) if has_summaries else set(),
        "concepts": reading.concept_names(store),
    }
    complete: dict[frozenset[str], int] = {}
    """Of sets of chunks that are not indexed, how many say enough to be: three indexes ask for the same."""
    for count, (part, kind) in enumerate(_INDEXES.items()):
        progress("indexes", count, len(_INDEXES))
        if part not in parts or (part in OPTIONAL_PARTS and not (revision / part).is_dir()):
            continue
        where = f"revisions/{revision.name}/{part}"
        remedy = f"rebuilds the index {part} from the store"
        try:
            index = kind.open(revision / part)
        except SageError as error:
            yield Finding("indexes", where, str(error), remedy, Cure.REINDEX, part)
            continue
        if false := ", ".join(f"{each.entry.name}: {', '.join(names)}" for each, names in _false(index)):
            meaning = f"some of its values can be in no index ({false}); questions may fail"
            yield Finding("indexes", where, meaning, remedy, Cure.REINDEX, part)
            continue
        if part == "terms":  # only the recipe says whether a term without a concept is one
            continue
        rows, expected = index.iris, rows_of.get(part, chunks)
        missing = frozenset(expected.difference(rows))
        if missing not in complete:
            held = missing if part in _OF_OTHERS else reading.chunks(store, missing, links=False)
            complete[missing] = len(held) if missing else 0
        lacking, beyond = complete[missing], len(set(rows) - expected)
        if lacking or beyond:
            what = _OF_OTHERS.get(part, "chunks")
            meaning = f"it lacks {lacking:,} {what} of the store, and has {beyond:,} that are not there"
            yield Finding("indexes", where, meaning, remedy, Cure.REINDEX, part)
    progress("indexes", len(_INDEXES), len(_INDEXES))


def _false(index: SegmentIndex) -> Iterator[tuple[Segment, list[str]]]:
    """The segments of an index that have arrays with false values, and the names of these."""
    for segment in index.segments:
        if names := false_arrays(index.kind, segment):
            yield segment, names
