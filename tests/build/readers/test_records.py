"""CSV, JSON, JSON Lines, XML, plain text and PDF."""

import gzip

import pytest
from build.readers.reading import pdf, read, read_all

from sage_ld.foundation.model import Property, Record


def records(document):
    return [(block.name, dict(block.fields)) for block in document.blocks if isinstance(block, Record)]


def test_plain_text_is_cut_at_blank_lines_and_keeps_its_characters(tmp_path):
    document = read(tmp_path, "notes.txt", "\n  One  two\r\nthree\n \n\n\nfour\n")
    assert document.text == "  One  two\nthree\n\nfour"
    assert (document.title, len(document.blocks)) == ("notes", 2)


def test_control_characters_that_xml_cannot_hold_become_blanks(tmp_path):
    assert read(tmp_path, "notes.txt", "page\x0cone\x01\ufffe").text == "page one �"


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-be", "utf-32"])
def test_a_byte_order_mark_is_believed_and_left_out(tmp_path, encoding):
    mark = "\ufeff" if encoding == "utf-16-be" else ""
    assert read(tmp_path, "a.txt", (mark + "Café 𝄞").encode(encoding)).text == "Café 𝄞"


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.csv", 'Name,Year,\n"Heat, the film",1995,x\n"two\nlines",,\n'),
        ("a.csv", 'Name;Year;\n"Heat, the film";1995;x\n"two\nlines";;\n'),
        ("a.csv", "\ufeffName|Year|\r\nHeat, the film|1995|x\r\n\r\ntwo lines||\r\n"),
        ("a.tsv", "Name\tYear\t\nHeat, the film\t1995\tx\ntwo lines\t\t\n"),
    ],
)
def test_a_delimited_file_is_one_table(tmp_path, name, content):
    document = read(tmp_path, name, content)
    [table] = document.blocks
    assert table.columns == ("Name", "Year", "column 3")
    assert document.text == "Name: Heat, the film; Year: 1995; column 3: x\nName: two lines"


def test_an_array_of_objects_is_a_record_each(tmp_path):
    first = '{"Title": "Heat", "made": {"year": 1995.0}, "cast": ["A", "B"], "sequel": null, "ok": true}'
    content = f'[{first}, {{"x": 1}}]'
    document = read(tmp_path, "films.json", content)
    assert records(document) == [
        ("Heat", {"Title": "Heat", "made.year": "1995.0", "cast": "A; B", "ok": "true"}),
        ("films 2", {"x": "1"}),
    ]


def test_an_object_is_a_record_and_a_section_for_each_list_of_objects(tmp_path):
    content = '{"name": "shop", "tags": ["a"], "items": [{"id": 7, "sizes": [{"w": 1, "h": 2}, {"w": 3}]}]}'
    document = read(tmp_path, "a.json", content)
    assert document.title == "shop"
    assert document.text == "name: shop\ntags: a\n\nitems\n\nid: 7\nsizes: w: 1, h: 2\nsizes: w: 3"
    assert [section.name for section in document.sections] == ["items"]


def test_json_that_holds_no_object_is_text(tmp_path):
    assert read(tmp_path, "a.json", "[[1, 2], [3, 4], 5]").text == "1, 2\n3, 4\n5"
    assert read(tmp_path, "a.json", '"word"').text == "word"


def test_numbers_stay_as_written_and_lone_surrogates_do_no_harm(tmp_path):
    assert read(tmp_path, "a.json", '{"n": 1.10, "s": "\\ud800\\u0000x"}').text == "n: 1.10\ns: � x"
    assert read(tmp_path, "a.json", '{"n": ' + "9" * 5_000 + "}").text == "n: " + "9" * 5_000


def test_passages_are_documents(tmp_path):
    lines = (
        '{"_id": 7, "title": "Heat", "text": "A film.\\n\\nGood.", "url": "https://e.org/heat", '
        '"kind": "film", "n": 1}\n'
        '{"_id": "/wiki/B", "title": "B", "text": ""}\r\n'
        '{"_id": "c", "text": "No title."}'
    )
    first, second, third = read_all(tmp_path, "corpus.jsonl", lines)
    assert (first.identifier, first.title, first.url) == ("7", "Heat", "https://e.org/heat")
    assert first.text == "A film.\n\nGood.\n\nkind: film"
    assert (second.identifier, second.text) == ("/wiki/B", "B")
    assert (third.title, third.text) == ("c", "No title.")
    assert len({each.content_hash for each in (first, second, third)}) == 3


def test_other_lines_are_records_of_one_document(tmp_path):
    document = read(tmp_path, "films.jsonl", '{"title": "Heat"}\n{"year": 1995}')
    assert records(document) == [("Heat", {"title": "Heat"}), ("films 2", {"year": "1995"})]


def test_repeated_elements_are_records(tmp_path):
    content = (
        '<films><title>All films</title><film id="1"><title>Heat</title>'
        "<cast><actor>A</actor><actor>B</actor></cast><note>Very <i>good</i>.</note></film>"
        "<film id='2'><name>Alien</name></film></films>"
    )
    document = read(tmp_path, "a.xml", content)
    assert document.title == "All films"
    assert records(document) == [
        ("All films", {"title": "All films"}),
        ("Heat", {"id": "1", "title": "Heat", "cast.actor": "A; B", "note": "Very good."}),
        ("Alien", {"id": "2", "name": "Alien"}),
    ]


def test_paragraphs_in_xml_are_prose_under_their_titles(tmp_path):
    content = (
        '<?xml version="1.0" encoding="iso-8859-1"?><!DOCTYPE article><article xmlns="http://e/"><section>'
        "<title>Caf\xe9</title><p>One <b>two</b>.</p><p>Three.</p></section>"
        "<section><title>B</title><p>Four.</p></section></article>"
    )
    document = read(tmp_path, "a.xml", content.encode("latin-1"))
    assert document.text == "Café\n\nOne two.\n\nThree.\n\nB\n\nFour."
    assert [section.name for section in document.sections] == ["Café", "B"]


def test_a_pdf_is_a_section_a_page(tmp_path):
    information = "/Title(Two pages)/Keywords(a, b)/ModDate(D:20240501100000Z)/Author(Ann)/Creator(LaTeX)"
    information += "/CreationDate(D:20240430100000Z)"
    document = read(tmp_path, "a.pdf", pdf("First page.", "", "Third page.", information=information))
    assert document.text == "Page 1\n\nFirst page.\n\nPage 3\n\nThird page."
    assert (document.title, document.keywords) == ("Two pages", ("a", "b"))
    assert document.modified == "2024-05-01T10:00:00+00:00"
    created = Property("CreationDate", "2024-04-30T10:00:00+00:00", "dateTime")
    assert document.metadata == (Property("Author", "Ann"), Property("CreatorTool", "LaTeX"), created)


def test_a_date_as_libreoffice_writes_it_does_not_spoil_a_pdf(tmp_path):
    document = read(
        tmp_path, "a.pdf", pdf("A page.", information="/CreationDate(D:20240430100000Z')/ModDate(soon)")
    )
    assert document.metadata == (
        Property("CreationDate", "2024-04-30T10:00:00+00:00", "dateTime"),
        Property("modified", "soon"),
    )
    assert document.modified is None


def test_any_file_may_be_gzipped(tmp_path):
    plain, packed = read(tmp_path, "a.csv", "a\n1"), read(tmp_path, "a.csv.gz", gzip.compress(b"a\n1"))
    assert packed.text == plain.text
    assert (packed.title, packed.media_type) == ("a", "text/csv")
    assert packed.content_hash == plain.content_hash
