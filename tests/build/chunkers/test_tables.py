"""Tables by rows, records by objects."""

from sage_ld.build.chunkers import Chunking, chunk, encoding_text
from sage_ld.build.encoders.minilm import MiniLM
from sage_ld.foundation.model import ChunkKind, Table, TablePart
from tests.build.chunkers.documents import document, link, section

MINILM = MiniLM()
COLUMNS = ("Year", "Title")


def cut(*blocks, **more):
    return chunk(document(*blocks, **more), Chunking(), MINILM)


def rows(count, words=1):
    return [(str(1960 + number), "song " * words) for number in range(count)]


def spans(chunks):
    return [(each.table.first_row, each.table.last_row) for each in chunks]


def test_ten_rows_a_chunk_and_a_short_rest_joins_the_last():
    assert spans(cut(("table", COLUMNS, rows(20)))) == [(0, 9), (10, 19)]
    assert spans(cut(("table", COLUMNS, rows(24)))) == [(0, 9), (10, 23)]
    assert spans(cut(("table", COLUMNS, rows(25)))) == [(0, 9), (10, 19), (20, 24)]
    assert spans(cut(("table", COLUMNS, rows(3)))) == [(0, 2)]


def test_each_row_bears_its_columns():
    first, second = cut(("table", COLUMNS, rows(20), "Songs"))
    assert second.text.splitlines()[0] == "Year: 1970; Title: song "
    assert second.table == TablePart(0, COLUMNS, 10, 19)
    assert (first.kind, first.name, first.heading) == (ChunkKind.TABLE, "Songs", "Abbey Road — Songs")


def test_a_table_is_named_by_caption_section_or_title():
    table = ("table", COLUMNS, rows(1))
    assert cut((0, (*table, "Songs")), sections=[section("Side one")])[0].name == "Songs"
    assert cut((0, table), sections=[section("Side one")])[0].name == "Side one"
    assert cut(table)[0].name == "Abbey Road"


def test_wide_rows_make_fewer_rows_a_chunk_evenly():
    chunks = cut(("table", COLUMNS, rows(10, words=100)))
    assert spans(chunks) == [(0, 1), (2, 3), (4, 5), (6, 7), (8, 9)]


def test_a_row_too_wide_for_a_chunk_is_cut_at_its_cells():
    columns = tuple(f"Column {number}" for number in range(6))
    chunks = cut(("table", columns, [tuple("song " * 90 for _ in columns)]))
    assert spans(chunks) == [(0, 0)] * 3
    assert all(each.text.startswith("Column") for each in chunks)


def test_a_cell_too_wide_for_a_chunk_is_cut_at_words():
    chunks = cut(("table", COLUMNS, [("1969", " ".join(f"word{number}" for number in range(600)))]))
    assert len(chunks) > 3
    assert spans(chunks) == [(0, 0)] * len(chunks)
    assert " ".join(each.text for each in chunks).split()[-600:] == [f"word{number}" for number in range(600)]
    assert [each.table.columns for each in chunks[1:]] == [("Title",)] * (len(chunks) - 1)


def test_a_part_of_a_row_has_the_columns_that_it_shows():
    columns = tuple(f"Column {number}" for number in range(400))
    chunks = cut(("table", columns, [tuple("1" for _ in columns)] * 20))
    assert len(chunks) > 100
    assert sum(len(each.table.columns) for each in chunks) <= 20 * len(columns) + 2 * len(chunks)
    assert {name for each in chunks for name in each.table.columns} == set(columns)


def test_tables_are_numbered_over_the_document():
    chunks = cut(("table", COLUMNS, []), "Text.", ("table", COLUMNS, rows(1)), ("table", COLUMNS, rows(12)))
    assert [each.table.table for each in chunks if each.table] == [1, 2]


def test_empty_rows_are_counted_and_not_shown():
    (only,) = cut(("table", COLUMNS, [("", ""), ("1969", "Something"), ("", ""), ("1970", "Let It Be")]))
    assert only.table == TablePart(0, COLUMNS, 1, 3)
    assert cut(("table", COLUMNS, [("", ""), ("", "")])) == []


def test_text_around_the_rows_is_kept():
    doc = document(("table", COLUMNS, rows(2)))
    text = f"Songs of the year\n{doc.text.rstrip()}\nSource: a book"
    shift = len("Songs of the year\n")
    made = tuple((begin + shift, end + shift) for begin, end in doc.blocks[0].row_spans)
    table = Table(0, len(text), COLUMNS, doc.blocks[0].rows, made)
    (only,) = chunk(type(doc)("a", "t", text, (table,), "text/plain", ""), Chunking(), MINILM)
    assert (only.text, only.table) == (text, TablePart(0, COLUMNS, 0, 1))


def test_links_go_to_their_rows():
    table = document(("table", COLUMNS, rows(20))).blocks[0]
    links = [link(table.row_spans[row][0], row=row, column="Title") for row in (0, 9, 10, 19)]
    links.append(link(table.row_spans[9][1], row=9))  # an empty anchor at the end of its row
    first, second = cut(("table", COLUMNS, rows(20)), links=links)
    assert [each.row for each in first.links] == [0, 9, 9]
    assert [each.row for each in second.links] == [10, 19]


def test_a_record_is_one_chunk():
    fields = [("name", "Abbey Road (album)"), ("artist", "The Beatles"), ("released", "1969")]
    (only,) = cut(("record", fields))
    assert (only.kind, only.name, only.subject) == (ChunkKind.RECORD, "Abbey Road (album)", "urn:x")
    assert encoding_text(only).startswith(
        "Abbey Road — Abbey Road (album). name: Abbey Road (album)\nartist:"
    )


def test_a_long_record_is_cut_at_its_fields_and_keeps_its_subject():
    fields = [(f"track {number}", "Something in the way. " * 10) for number in range(12)]
    chunks = cut(("record", fields))
    assert len(chunks) > 2
    assert {each.subject for each in chunks} == {"urn:x"}
    assert all(each.text.startswith("track") for each in chunks)


def test_several_records_stay_apart():
    chunks = cut(("record", [("name", "One")]), ("record", [("name", "Two")]))
    assert [each.text for each in chunks] == ["name: One", "name: Two"]
