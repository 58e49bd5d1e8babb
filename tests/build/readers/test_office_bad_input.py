"""Office files that are encrypted, damaged or hostile: one line each that says what to do."""

from __future__ import annotations

import io
import zipfile

import pytest
from build.readers.office_files import odf, word_body, workbook_rows, zipped
from build.readers.reading import read, results

from sage_ld.foundation.errors import InputError, LimitError
from sage_ld.foundation.settings import Settings

OLE = bytes.fromhex("d0cf11e0a1b11ae1") + bytes(504)
ENTITIES = "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10}">' for n in range(1, 10))
BOMB = f'<!DOCTYPE r [<!ENTITY e0 "aaaaaaaaaa">{ENTITIES}]><r>&e9;</r>'
PACKAGE_PARTS = ("_rels/.rels", "content.xml", "META-INF/container.xml")
MANIFEST = (
    '<m:manifest xmlns:m="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"><m:file-entry>'
    "<m:encryption-data/></m:file-entry></m:manifest>"
)
PACKAGES = ["a.docx", "a.xlsx", "a.pptx", "a.odt", "a.ods", "a.odp", "a.epub"]


@pytest.mark.parametrize("name", ["a.docx", "a.xlsx", "a.pptx"])
def test_an_encrypted_office_file_says_so(tmp_path, name):
    content = OLE + "EncryptedPackage".encode("utf-16-le")
    with pytest.raises(InputError, match=f"{name}: needs a password; save it without one"):
        read(tmp_path, name, content)


@pytest.mark.parametrize("name", ["a.odt", "a.ods", "a.odp"])
def test_an_encrypted_opendocument_says_so(tmp_path, name):
    with pytest.raises(InputError, match=f"{name}: needs a password; save it without one"):
        read(tmp_path, name, odf("", manifest=MANIFEST))


def test_an_old_workbook_that_cannot_be_read_names_the_remedy(tmp_path):
    (tmp_path / "a.xls").write_bytes(OLE)
    assert str(results(tmp_path)["a.xls"].error).endswith("; save it as .xlsx")


@pytest.mark.parametrize("name", PACKAGES)
def test_what_is_no_archive_or_a_damaged_one_is_an_error(tmp_path, name):
    for content in (b"no zip", zipped({"a": "b" * 999})[:-30], zipped({"a": "b"})):
        with pytest.raises(InputError, match=rf"^{name}: .*(save|check)"):
            read(tmp_path, name, content)


@pytest.mark.parametrize("name", PACKAGES)
def test_entities_are_refused_and_not_expanded(tmp_path, name):
    content = zipped(dict.fromkeys(PACKAGE_PARTS, BOMB))
    with pytest.raises(InputError, match=rf"^{name}: .*(declares an entity|entity|amplification)"):
        read(tmp_path, name, content)


@pytest.mark.parametrize("name", PACKAGES)
def test_a_zip_bomb_is_over_a_limit_before_it_expands(tmp_path, name):
    content = zipped({"a": bytes(3_000_000)})
    assert len(content) < 10_000
    with pytest.raises(
        LimitError, match=rf"^{name}: expands to more than 1,000,000 bytes; .*max_expanded_bytes"
    ):
        read(tmp_path, name, content, Settings(max_expanded_bytes=1_000_000))


def test_a_member_that_is_larger_than_it_declares_is_damaged(tmp_path):
    content = bytearray(workbook_rows('<row r="1"><c r="A1"><v>1</v></c></row>' * 1000))
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        size = archive.getinfo("xl/worksheets/sheet1.xml").file_size
    changed = bytes(content).replace(size.to_bytes(4, "little"), (9).to_bytes(4, "little"))
    with pytest.raises(InputError, match=r"a\.xlsx: xl/worksheets/sheet1\.xml is (damaged|not valid XML)"):
        read(tmp_path, "a.xlsx", changed)


def test_what_is_nested_deep_is_an_error(tmp_path):
    body = "<w:ins>" * 10_000 + "</w:ins>" * 10_000
    with pytest.raises(LimitError, match="nested deeper than 256 levels"):
        read(tmp_path, "a.docx", word_body(body))


def test_a_span_over_very_many_columns_is_over_a_limit(tmp_path):
    cell = '<w:tc><w:tcPr><w:gridSpan w:val="999999999"/></w:tcPr><w:p><w:r><w:t>x</w:t></w:r></w:p></w:tc>'
    body = f"<w:tbl>{f'<w:tr>{cell}<w:tc/></w:tr>' * 3_000}</w:tbl>"
    with pytest.raises(LimitError, match="max_span_cells"):
        read(tmp_path, "a.docx", word_body(body))


def test_a_string_that_is_missing_and_a_row_out_of_order_are_damage(tmp_path):
    for rows in (
        '<row r="1"><c r="A1" t="s"><v>5</v></c></row>',
        '<row r="2"/><row r="1"/>',
        '<row r="1"><c r="ZZZ1"><v>1</v></c></row>',
    ):
        with pytest.raises(InputError, match=r"^a\.xlsx: .*save the file again"):
            read(tmp_path, "a.xlsx", workbook_rows(rows))
