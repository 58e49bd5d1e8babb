"""The check of a revision's indexes against its store: whether each holds what it has to, and no more."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Final

from sage_ld.foundation.errors import SageError
from sage_ld.foundation.progress import Progress
from sage_ld.graph.indexes.aspects import AspectIndex
from sage_ld.graph.indexes.documents import DocumentIndex
from sage_ld.graph.indexes.lexical import LexicalIndex
from sage_ld.graph.indexes.links import LinkIndex
from sage_ld.graph.indexes.mentions import MentionIndex
from sage_ld.graph.indexes.positions import PositionIndex
from sage_ld.graph.indexes.segment_index import SegmentIndex
from sage_ld.graph.indexes.segments import Segment
from sage_ld.graph.indexes.terms import TermIndex
from sage_ld.graph.indexes.values import false_arrays
from sage_ld.graph.indexes.vectors import VectorIndex
from sage_ld.graph.indexes.words import WordIndex
from sage_ld.graph.store import reading
from sage_ld.graph.store.directory import INDEX_PARTS, OPTIONAL_PARTS
from sage_ld.graph.store.protocol import Store
from sage_ld.graph.upkeep.checking.findings import Cure, Finding

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
