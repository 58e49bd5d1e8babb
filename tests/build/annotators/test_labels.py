import pytest
from hypothesis import given
from hypothesis import strategies as st

from sage_ld.build.annotators.labels import bare_title, clean_surface, entity_label, preferred_form


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("St. Bonaventure", "St Bonaventure"),
        ("Ohio ( IL )", "Ohio (IL)"),
        ("The Beatles", "Beatles"),
        ("Notre Dame 's", "Notre Dame"),
        ("Notre Dame’s", "notre  dame"),
        ("J. R. R. Tolkien", "J.R.R. Tolkien"),
        ("U.S.", "US"),
        ("“Hey Jude”", "Hey Jude"),
        ("1998–99 season", "1998-99 season"),
        ("Washington , D.C.", "Washington, D.C."),
        ("ﬁlm", "FILM"),
        ("Simon & Garfunkel", "Simon and Garfunkel"),
    ],
)
def test_ways_to_write_one_name_share_a_label(one: str, other: str) -> None:
    assert entity_label(one) == entity_label(other) != ""


@pytest.mark.parametrize(
    ("one", "other"), [("Malmö", "Malmo"), ("Ohio", "Ohio (IL)"), ("Section 4.2", "Section 42")]
)
def test_different_names_keep_different_labels(one: str, other: str) -> None:
    assert entity_label(one) != entity_label(other)


def test_punctuation_alone_has_no_label() -> None:
    assert [entity_label(text) for text in ("—", "...", "", " ' ")] == ["", "", "", ""]


def test_a_surface_is_written_as_a_person_would() -> None:
    assert clean_surface(' "Boston ,  MA ( rivalry )" ') == "Boston, MA (rivalry)"


def test_a_title_loses_only_its_closing_qualifier() -> None:
    assert bare_title("Bath (disambiguation)") == "Bath"
    assert bare_title("(500) Days of Summer") == "(500) Days of Summer"
    assert bare_title("(film)") == "(film)"


@pytest.mark.parametrize(
    ("forms", "preferred"),
    [
        ({"Lucan Amery": 1, "Lucan Amery's": 2}, "Lucan Amery"),
        ({"J. M. Barrie": 1, "Barrie": 2, "J.M. Barrie's": 1, "J. M. Barrie’s": 5}, "J. M. Barrie"),
        ({"Hale": 2, "hale": 2}, "Hale"),
        ({"Regent": 3, "The Regent": 1}, "Regent"),
        ({"Sotheby's": 5}, "Sotheby's"),
        ({"Lloyd's": 1, "Lloyd’s": 2}, "Lloyd’s"),
        ({"Gerald": 1, "Gerald Ford's": 2}, "Gerald Ford's"),
        ({"O'": 1}, "O'"),
    ],
)
def test_a_possessive_is_not_preferred_to_the_name_itself(forms: dict[str, int], preferred: str) -> None:
    assert preferred_form(forms) == preferred


@given(st.text(max_size=40))
def test_a_label_is_its_own_label(text: str) -> None:
    label = entity_label(text)
    assert entity_label(label) == label
