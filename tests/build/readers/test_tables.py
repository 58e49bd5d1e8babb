from hypothesis import example, given
from hypothesis import strategies as st

from sage_ld.build.readers.tables import cell_text, cells, column_names, row_text

TEXT = st.one_of(st.text(max_size=12), st.text("ab;:, \n", max_size=12))


@st.composite
def a_row(draw):
    """Columns and values made of what is hardest: parts of other columns' names and of the separators."""
    columns = column_names(draw(st.lists(TEXT, min_size=1, max_size=5)))
    pieces = st.sampled_from(["; ", ": ", ";", ":", " ", "x", ", ", *columns])
    values = st.one_of(TEXT, st.lists(pieces, max_size=6).map("".join))
    return columns, tuple(cell_text(columns, draw(values)) for _ in columns)


@given(a_row())
def test_the_cells_of_a_row_are_found_again_in_its_line(row):
    columns, values = row
    line = row_text(columns, values)
    found = [(column, line[begin:end]) for column, begin, end in cells(columns, line)]
    assert found == [pair for pair in zip(columns, values, strict=True) if pair[1]]
    assert "\n" not in line


@given(st.lists(TEXT, max_size=8))
@example(["a:\x01"])
def test_column_names_are_unique_and_never_empty(names):
    columns = column_names(names)
    assert len(set(columns)) == len(names)
    assert all(column and column_names([column]) == (column,) for column in columns)


def test_a_row_without_values_is_an_empty_line():
    assert row_text(("a", "b"), ("", "")) == ""
    assert cells(("a", "b"), "") == []


def test_a_value_that_reads_as_another_column_loses_its_semicolon():
    assert (
        cell_text(("Title", "Year"), "Heat; Year: 1995; Director: Mann") == "Heat, Year: 1995; Director: Mann"
    )
