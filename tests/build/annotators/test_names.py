import pytest

from sage_ld.build.annotators.names import find_names


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("He moved to the Bank of the West in 1998.", ["Bank of the West"]),
        ("After that, Vasco da Gama sailed.", ["Vasco da Gama"]),
        ("The novel is by J. K. Rowling .", ["J. K. Rowling"]),
        ("They fought in World War II and on Apollo 11.", ["World War II", "Apollo 11"]),
        ("She won at the 1998 Winter Olympics.", ["1998 Winter Olympics"]),
        ("It is a 1962 American film.", ["American"]),
        ("Construction began in May 1998. The NASA centre opened.", ["NASA"]),
        ("Rain fell. NASA waited.", ["NASA"]),
        ("He played for St. Mary and left. Then Dr. Smith came.", ["St. Mary", "Dr. Smith"]),
        ('They sang "Here Comes the Sun" twice.', ["Here Comes the Sun"]),
        ("Now England 's captain Harry Kane scored .", ["England", "Harry Kane"]),
        ("nothing is named here.", []),
    ],
)
def test_names_as_they_are_written(text: str, names: list[str]) -> None:
    found = [text[span.begin : span.end] for span in find_names(text)]
    assert [name for name in found if name in names] == names
    assert len(found) <= len(names) + 1


def test_a_capital_that_begins_a_sentence_is_no_name_unless_it_is_known() -> None:
    text = "Pittsburgh grew. Steel made it rich."
    assert find_names(text) == []
    assert [text[span.begin : span.end] for span in find_names(text, {"pittsburgh"})] == ["Pittsburgh"]


def test_a_capital_that_begins_a_sentence_is_a_name_where_another_shows_it() -> None:
    text = "Pittsburgh grew. Many moved to Pittsburgh."
    assert len(find_names(text)) == 2
