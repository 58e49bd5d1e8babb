"""What holds for every chunk of every document, whatever the recipe and the encoder."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sage_ld.build.chunkers import Chunking, Strategy, chunk, chunk_all, encoding_text
from sage_ld.build.encoders.jaccard import Jaccard
from sage_ld.build.encoders.minilm import MiniLM
from sage_ld.foundation.model import ChunkKind, Table
from tests.build.chunkers.documents import document, link, section

MINILM = MiniLM()


class Short(Jaccard):
    """An encoder that reads little, so that small examples are cut everywhere."""

    max_tokens = 24


WORDS = [
    "a",
    "the",
    "river",
    "Pittsburgh.",
    "ran!",
    "1969;",
    "why?",
    "東京",
    "長い文章です。",
    "한국어",
    "x" * 130,
]
words = st.sampled_from(WORDS)
values = st.one_of(st.just(""), st.lists(words, min_size=1, max_size=30).map(" ".join))
prose = st.one_of(
    st.lists(words, min_size=1, max_size=60).map(" ".join),
    st.text(st.characters(codec="utf-8"), max_size=200),
    st.sampled_from(["東" * 700, "QmFzZTY0" * 90, "한국어" * 100, "  \n "]),
)
tables = st.tuples(
    st.just("table"),
    st.just(("Year", "Title")),
    st.lists(st.tuples(values, values), max_size=28),
    st.sampled_from(["", "Albums", "caption " * 90]),
)
records = st.tuples(
    st.just("record"), st.lists(st.tuples(st.just("name"), values.filter(bool)), min_size=1, max_size=8)
)
headings = st.tuples(st.just("heading"), st.sampled_from(["Side one", "Side two"]))
blocks = st.one_of(prose.filter(bool), tables, records, headings)
SECTIONS = [section("Side one"), section("Here Comes the Sun", 2, 0), section("word " * 100, 2, 0)]
documents = st.builds(
    lambda given, title: document(*given, title=title, sections=SECTIONS),
    st.lists(st.tuples(st.integers(0, 2), blocks), max_size=6),
    st.sampled_from(["", "Abbey Road", "long title " * 60, "y" * 3000]),
)


def check(doc, chunks, encoder, limit):
    assert [each.position for each in chunks] == list(range(len(chunks)))
    covered = 0
    seen = set()
    for each in chunks:
        assert each.text == doc.text[each.begin : each.end]
        assert each.text.strip() == each.text != ""
        assert each.begin >= covered
        covered = each.end
        assert each.document == doc.identifier
        assert each.name
        seen.update(range(each.begin, each.end))
    for block in doc.blocks:
        left = [i for i in range(block.begin, block.end) if i not in seen and not doc.text[i].isspace()]
        assert left == []
    if chunks:
        assert max(encoder.count_tokens([encoding_text(each) for each in chunks])) <= limit


def shown_columns(table, rows, chunk):
    """All columns where a whole row is in the chunk, else those with a character of a cell in it."""
    shown = set()
    for row in rows:
        begin, end = table.row_spans[row]
        if any(table.rows[row]) and chunk.begin <= begin and end <= chunk.end:
            return table.columns
        for column, value in zip(table.columns, table.rows[row], strict=True):
            after = begin + len(f"{column}: {value}")
            if value and begin < chunk.end and chunk.begin < after:
                shown.add(column)
            begin = after + len("; ") if value else begin
    return tuple(column for column in table.columns if column in shown)


def check_tables(doc, chunks):
    found = [block for block in doc.blocks if isinstance(block, Table)]
    held = [set() for _ in found]
    for each in chunks:
        assert (each.table is not None) == (each.kind == ChunkKind.TABLE)
        if each.table:
            table = found[each.table.table]
            rows = range(each.table.first_row, each.table.last_row + 1)
            assert each.table.columns == shown_columns(table, rows, each)
            assert table.row_spans[rows[0]][0] <= each.begin <= table.row_spans[rows[0]][1]
            assert table.row_spans[rows[-1]][0] <= each.end <= table.row_spans[rows[-1]][1]
            held[each.table.table].update(rows)
    for table, rows in zip(found, held, strict=True):
        assert {number for number, row in enumerate(table.rows) if any(row)} <= rows


@pytest.mark.parametrize("strategy", list(Strategy))
@pytest.mark.parametrize("encoder", [Jaccard(), Short()], ids=["jaccard", "short"])
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(doc=documents)
def test_chunks_hold_all_of_the_document_and_none_is_too_long(strategy, encoder, doc):
    chunks = chunk(doc, Chunking(strategy), encoder)
    check(doc, chunks, encoder, encoder.max_tokens or 254)
    check_tables(doc, chunks)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(doc=documents)
def test_minilm_can_read_every_chunk(doc):
    chunks = chunk(doc, Chunking(), MINILM)
    check(doc, chunks, MINILM, MINILM.max_tokens)
    check_tables(doc, chunks)


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(several=st.lists(documents, max_size=4), strategy=st.sampled_from(Strategy))
def test_a_document_is_cut_alike_alone_and_among_others(several, strategy):
    together = list(chunk_all(several, Chunking(strategy), Jaccard()))
    assert together == [chunk(doc, Chunking(strategy), Jaccard()) for doc in several]


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(doc=documents, data=st.data())
def test_each_link_is_in_one_chunk(doc, data):
    from dataclasses import replace

    places = data.draw(st.lists(st.integers(0, len(doc.text)), max_size=5))
    doc = replace(doc, links=tuple(link(place) for place in places))
    chunks = chunk(doc, Chunking(), Short())
    if chunks:
        assert sorted(each.begin for owner in chunks for each in owner.links) == sorted(places)
    for owner in chunks:
        for each in owner.links:
            inside = [other for other in chunks if other.begin <= each.begin < other.end]
            assert inside in ([], [owner])
