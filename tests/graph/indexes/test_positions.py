"""What stands around an offset, as the lexical index would say it of the text itself."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from sage_ld.build.languages.analysis import terms
from sage_ld.foundation.model import Chunk, ChunkKind, TablePart
from sage_ld.graph.indexes import PositionIndex
from sage_ld.graph.indexes.positions import (
    ChunkInDocument,
    Hashes,
    Positions,
    SegmentDocuments,
    TokenRanges,
    term_hash,
)

TABLE = "film: Tin Sky; year: 1987\nfilm: The Ninth Ferry; year: 1991; note: Café, naïve\n"
PROSE = "Oren Tal wrote Tin Sky. He played the viola! Who? Nobody knows."


def chunk(text: str, heading: str = "", begin: int = 0, *, table: bool = False) -> ChunkInDocument:
    part = TablePart(0, ("film", "year"), 0, 1) if table else None
    kind = ChunkKind.TABLE if table else ChunkKind.TEXT
    made = Chunk("d", kind, 0, "", heading, text, begin, begin + len(text), table=part)
    return ChunkInDocument(made, f"x:{heading}", f"The {heading}")


def asked(*words: str) -> Hashes:
    return np.array([term_hash(term) for word in words for term in terms(word)], np.uint32)


def held(positions: Positions, spans: TokenRanges, words: list[str]) -> list[set[str]]:
    found: NDArray[np.bool_] = positions.term_presence(spans, asked(*words))
    return [{word for word, here in zip(words, row, strict=True) if here} for row in found.tolist()]


def filled(folder: Path, chunks: dict[str, ChunkInDocument]) -> PositionIndex:
    index = PositionIndex.create(folder)
    index.update(chunks, [])
    return index


def test_an_offset_in_a_table_has_its_row_and_its_cell(tmp_path: Path) -> None:
    index = filled(tmp_path, {"x:1": chunk(TABLE, "Films of 1990", begin=100, table=True)})
    positions = index.positions()
    at = np.array([100 + TABLE.index("Ninth"), 100 + TABLE.index("1987"), 100 + TABLE.index("naïve")])
    unit, window = positions.units(np.zeros(3, np.int64), at)
    words = ["film", "year", "sky", "1987", "ferry", "1991", "cafe", "café", "naïve", "1990"]
    ninth = {"film", "ferry", "year", "1991", "café", "naïve"}
    assert held(positions, unit, words) == [ninth, {"film", "sky", "year", "1987"}, ninth]
    assert held(positions, window, words) == [{"film", "ferry"}, {"year", "1987"}, {"café", "naïve"}]
    headings = positions.headings(np.zeros(1, np.int64))
    assert held(positions, headings, words) == [{"film", "1990"}]


def test_an_offset_in_prose_has_its_sentence_and_the_words_next_to_it(tmp_path: Path) -> None:
    positions = filled(tmp_path, {"x:1": chunk(PROSE, "Oren Tal")}).positions()
    unit, window = positions.units(np.zeros(1, np.int64), np.array([PROSE.index("viola")]))
    words = ["oren", "wrote", "sky", "played", "viola", "who", "nobody", "knows"]
    assert held(positions, unit, words) == [{"played", "viola"}]
    assert held(positions, window, words) == [{"wrote", "sky", "played", "viola", "who", "nobody", "knows"}]


@settings(deadline=None, max_examples=50)
@given(st.lists(st.text(st.sampled_from('ab Éé1_.;:\n"A?-'), max_size=40), min_size=1, max_size=6), st.data())
def test_every_chunk_holds_the_terms_of_its_text(
    tmp_path_factory: pytest.TempPathFactory, texts: list[str], data: st.DataObject
) -> None:
    """Whatever was added before, taken out or replaced, and in how many segments it lies."""
    chunks = {f"x:{n}": chunk(text, "a", table=data.draw(st.booleans())) for n, text in enumerate(texts)}
    index = filled(tmp_path_factory.mktemp("positions"), {"x:0": chunk("replaced"), "y:0": chunk("gone")})
    cut = data.draw(st.integers(0, len(texts)))
    for part in (list(chunks)[:cut], list(chunks)[cut:]):
        index.update({iri: chunks[iri] for iri in part}, ["y:0"])
    if data.draw(st.booleans()):
        index.merge()
    positions, rows = index.positions(), index.rows(chunks)
    assert sorted(index.iris) == sorted(chunks)
    words = ["a", "b", "é", "1", "ab", "ba"]
    expected = [{word for word in words if word in terms(text)} for text in texts]
    assert held(positions, positions.texts(rows), words) == expected


def test_a_published_copy_reads_as_the_live_one(tmp_path: Path) -> None:
    index = filled(tmp_path, {f"x:{n:02d}": chunk(PROSE, f"{n:02d}", begin=n) for n in range(50)})
    copy = PositionIndex.open(tmp_path)
    rows, at = np.arange(50), np.arange(50) + PROSE.index("viola")
    for positions in (index.positions(), copy.positions()):
        unit, _ = positions.units(rows, at)
        assert held(positions, unit, ["viola", "sky"]) == [{"viola"}] * 50
        (documents,) = (each.computed(SegmentDocuments.of) for each in positions.segments)
        assert documents.table.iris == [f"x:{n:02d}" for n in range(50)]
        assert documents.places.tolist() == list(range(50))
        assert positions.title_presence(rows, asked("the", "07")).sum(axis=0).tolist() == [50, 1]


def test_an_empty_chunk_holds_nothing(tmp_path: Path) -> None:
    positions = filled(tmp_path, {"x:1": chunk(""), "x:2": chunk("viola")}).positions()
    unit, window = positions.units(np.array([0, 1]), np.array([0, 0]))
    assert held(positions, unit, ["viola"]) == held(positions, window, ["viola"]) == [set(), {"viola"}]
