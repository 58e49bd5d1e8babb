"""Identifiers are found by their shape, whole, and in whatever way they are spelled."""

import pytest

from sage_ld.build.annotators.labels import entity_label
from sage_ld.build.annotators.names import find_names
from sage_ld.build.languages.analysis import indexed_terms
from sage_ld.build.languages.identifiers import (
    find_identifiers,
    find_numbered,
    keyed_identifiers,
    named_number,
)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Fixes AB-3401.", ["AB-3401"]),
        ("the defect (AB-3401)", ["AB-3401"]),
        ("the Gasket KQ-5521, the seal kq5522", ["KQ-5521", "kq5522"]),
        ("CVE-2021-44228 and ORA-00942, 0x80070057", ["CVE-2021-44228", "ORA-00942", "0x80070057"]),
        ("RFC2119, E4021 and P0420", ["RFC2119", "E4021", "P0420"]),
        ("invoice no. 20240017, Order 4711, #48211, part 90211", ["20240017", "4711", "48211", "90211"]),
        ("write to ann.b@harbour.example.", ["ann.b@harbour.example"]),
        ("see 10.1000/xyz.123, page 4", ["10.1000/xyz.123"]),
        ("call load_rows() or Store::open, set max_rows", ["load_rows()", "Store::open", "max_rows"]),
        ("a 105kg, 35mm, 1080p, 3000rpm, 100km/h, 4x400m thing of the 1990s", []),
        ("2024-05-01T10:00, 12-Mar-2024, mid-1990s, 20-year-old, pre-2010", []),
        ("an F-16, a Boeing 747-400, Catch-22, World War 2, H2O, order 1998", []),
        ("12,500.00 and 1234567", []),
    ],
)
def test_identifiers_are_found_and_nothing_else_is(text, found):
    assert [text[begin:end] for begin, end in find_identifiers(text)] == found


@pytest.mark.parametrize("spelling", ["KQ-5521", "KQ5521", "kq-5521", "kq5521", "KQ_5521", "KQ‑5521"])
def test_one_identifier_has_one_label_and_one_term(spelling):
    assert entity_label(spelling) == "kq5521"
    assert "#kq5521" in indexed_terms(f"Does the {spelling} leak?")


@pytest.mark.parametrize(("one", "other"), [("CF-02", "CF02"), ("AN-07", "an07"), ("E-217", "E217")])
def test_a_short_code_has_one_label(one, other):
    assert entity_label(one) == entity_label(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("V-2.10", "V-21.0"),
        ("AB-34-01", "AB-3401"),
        ("KQ-5521", "KQ-5522"),
        ("A-1001", "A-100-1"),
        ("May-12", "may12"),
    ],
)
def test_different_identifiers_stay_different(one, other):
    assert entity_label(one) != entity_label(other)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Machine PM-07 took no coin; fill in form F-22.", ["PM-07", "F-22"]),
        ("the key hangs in room 2.07, plot 14", ["room 2.07", "plot 14"]),
        ("under article 12.3 and line 5520", ["article 12.3", "line 5520"]),
        ("room 12%, line 2019, room 3-4, bay 7:30, 3 rooms, page 12", []),
        ("error E217 in form F22; message E-12", ["E217", "F22", "E-12"]),
        ("PM-07-B, X-12345, pm-07, pm07, A1-20, A4, DEC24, UTC-05", []),
    ],
)
def test_short_codes_and_numbers_with_a_class_word_are_found(text, found):
    assert [text[begin:end] for begin, end in find_numbered(text)] == found


@pytest.mark.parametrize(
    ("column", "text", "named"),
    [
        ("Room", "2.07", "room 2.07"),
        ("plot no.", "14", "plot 14"),
        ("Budget line", "5520", "line 5520"),
        ("Rooms", "3", ""),
        ("Room", "2.07 m", ""),
        ("Roommate", "4", ""),
    ],
)
def test_a_column_names_its_numbers(column, text, named):
    assert named_number(column, text) == named


def test_a_short_code_stands_beside_the_name_that_holds_it():
    text = "The clerk saw Machine PM-07 in room 2.07."
    names = [text[span.begin : span.end] for span in find_names(text)]
    assert names == ["Machine PM-07", "PM-07", "room 2.07"]


def test_an_identifier_is_no_part_of_a_longer_name():
    text = "Fixes AB-3401 and AB-3377; the Gasket KQ-5521 of Rosa Lind fits."
    names = [text[span.begin : span.end] for span in find_names(text)]
    assert names == ["AB-3401", "AB-3377", "Gasket", "KQ-5521", "Rosa Lind"]


@pytest.mark.parametrize(
    "part", ["_", "a-", "a.", "a_", "a@", "a1-", "a::", "#", "no ", "10.1234/", "A1.", "."]
)
def test_no_identifier_is_longer_than_its_shape_allows(part):
    assert all(len(key) < 500 for _, key in keyed_identifiers(part * 100_000))
