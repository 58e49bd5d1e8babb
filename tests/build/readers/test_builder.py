import pytest
from build.readers.reading import check
from hypothesis import given
from hypothesis import strategies as st

from sage_ld.build.readers.builder import DocumentBuilder
from sage_ld.build.readers.inline import InlineBuilder
from sage_ld.build.readers.wire import decode, encode
from sage_ld.foundation.errors import LimitError
from sage_ld.foundation.model import Prose, Table
from sage_ld.foundation.settings import Settings

TEXT = st.one_of(st.text(max_size=15), st.text("ab;: \n\t", max_size=15))


@st.composite
def inlines(draw, *, single_line=False):
    line = InlineBuilder(single_line=single_line)
    for _ in range(draw(st.integers(0, 6))):
        match draw(st.sampled_from(["write", "open", "close", "newline", "verbatim"])):
            case "write":
                line.write(draw(TEXT))
            case "verbatim":
                line.verbatim(draw(TEXT))
            case "open":
                line.open_link("there.html")
            case "close":
                line.close_link()
            case "newline":
                line.newline()
    return line.finish()


@st.composite
def documents(draw):
    builder = DocumentBuilder("generated", Settings())
    for _ in range(draw(st.integers(0, 6))):
        match draw(st.sampled_from(["heading", "prose", "table", "record"])):
            case "heading":
                builder.heading(draw(inlines(single_line=True)), draw(st.integers(1, 4)))
            case "prose":
                builder.prose(draw(inlines()))
            case "table":
                names = draw(st.lists(TEXT, min_size=1, max_size=4))
                row = st.tuples(*[inlines(single_line=True)] * len(names))
                builder.table(names, draw(st.lists(row, max_size=3)))
            case "record":
                builder.record("name", draw(st.lists(st.tuples(TEXT, TEXT), max_size=3)))
    return builder.build(title="t", media_type="text/plain", content_hash="0" * 64)


@given(documents())
def test_every_offset_is_right_whatever_is_added(document):
    check(document)


def test_a_section_ends_where_the_next_of_its_level_begins():
    builder = DocumentBuilder("d", Settings())
    for name, level in [("A", 1), ("A1", 2), ("A2", 2), ("B", 1)]:
        builder.heading(name, level)
        builder.prose(f"text of {name}")
    document = builder.build(title="d", media_type="text/plain", content_hash="")
    assert [(s.name, s.parent) for s in document.sections] == [("A", None), ("A1", 0), ("A2", 0), ("B", None)]
    spans = [document.text[s.begin : s.end] for s in document.sections]
    assert spans[0].endswith("text of A2")
    assert spans[1] == "A1\n\ntext of A1"
    assert [b.section for b in document.blocks if isinstance(b, Prose)] == [0, 1, 2, 3]


def test_sections_of_one_level_nest_by_their_numbers():
    """Only in what is open, and within one level; a heading without a number closes them all."""
    builder = DocumentBuilder("d", Settings())
    names = ["13 Heat", "13.1 Engines", "13.1.2 Steam", "13.2 Entropy", "14 Light", "1.3 Sound", "Index"]
    for name in names:
        builder.heading(name, 1)
        builder.prose(f"text of {name}")
    builder.heading("Appendix A", 2)
    builder.heading("A.1 Tables", 2)
    document = builder.build(title="d", media_type="text/plain", content_hash="")
    check(document)
    assert [section.parent for section in document.sections] == [None, 0, 1, 0, None, None, None, 6, 7]
    first, second = document.sections[:2]
    assert document.text[first.begin : first.end].endswith("text of 13.2 Entropy")
    assert document.text[second.begin : second.end].endswith("text of 13.1.2 Steam")


def test_links_of_a_row_have_their_row_and_column_also_where_they_have_no_text():
    empty, full = InlineBuilder(single_line=True), InlineBuilder(single_line=True)
    empty.open_link("flag.html")
    empty.close_link()
    full.write("by ")
    full.open_link("mann.html")
    full.write("Michael Mann")
    full.close_link()
    builder = DocumentBuilder("d", Settings())
    builder.table(["Flag", "Director"], [["", "none"], [empty.finish(), full.finish()]])
    document = builder.build(title="d", media_type="text/csv", content_hash="")
    check(document)
    assert [(each.target, each.text, each.row, each.column) for each in document.links] == [
        ("flag.html", "", 1, "Flag"),
        ("mann.html", "Michael Mann", 1, "Director"),
    ]


def test_empty_rows_keep_their_number():
    builder = DocumentBuilder("d", Settings())
    builder.table(["a"], [["1"], [""], ["3"]])
    [table] = builder.build(title="d", media_type="text/csv", content_hash="").blocks
    assert isinstance(table, Table)
    assert table.rows == (("1",), ("",), ("3",))


def test_a_table_wider_than_the_limit_is_refused():
    builder = DocumentBuilder("wide.csv", Settings(max_table_columns=2))
    with pytest.raises(LimitError, match=r"wide.csv: a table: 3 columns, the limit is 2.*max_table_columns"):
        builder.table(["a", "b", "c"], [])


def test_places_of_what_is_passed_over_are_bounded_and_its_count_is_not() -> None:
    builder = DocumentBuilder("a.pdf", Settings())
    for number in range(1, 31):
        builder.pass_over("chart", 2, f"page {number}")
    document = builder.build(title="a", media_type="application/pdf", content_hash="0" * 64)
    assert document.passed_over == (("chart", 60),)
    assert document.passed_over_places == (("chart", tuple(f"page {n}" for n in range(1, 21))),)
    assert decode(encode(document)) == document
