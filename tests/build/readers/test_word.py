"""Word documents and OpenDocument texts: headings, lists, links, tables, notes, pages, properties."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from build.readers.office_files import MAIN, RELATIONSHIPS, odf, word, word_body
from build.readers.reading import read
from docx.enum.style import WD_STYLE_TYPE
from docx.opc.constants import RELATIONSHIP_TYPE
from docx.oxml import parse_xml

from sage_ld.build.chunkers.places import PlaceFinder
from sage_ld.build.readers.metadata.facts import facts
from sage_ld.foundation.errors import LimitError
from sage_ld.foundation.model import Property, Table
from sage_ld.foundation.settings import Settings


def _fill(document):
    document.core_properties.title = "The films"
    document.core_properties.author = "Ann"
    document.core_properties.keywords = "film; noir"
    document.core_properties.modified = datetime(2024, 5, 1, 12, tzinfo=UTC)
    document.core_properties.language = "en-GB"
    document.add_heading("Films", 1)
    paragraph = document.add_paragraph("Reed made ")
    target = document.part.relate_to("https://e.org/third", RELATIONSHIP_TYPE.HYPERLINK, is_external=True)
    paragraph._p.append(
        parse_xml(
            f'<w:hyperlink xmlns:w="{MAIN}" xmlns:r="{RELATIONSHIPS}" r:id="{target}">'
            "<w:r><w:t>The Third Man</w:t></w:r></w:hyperlink>"
        )
    )
    document.add_heading("Cast", 2)
    for name in ("Cotten", "Welles"):
        document.add_paragraph(name, style="List Bullet")
    document.styles.add_style("Source Code", WD_STYLE_TYPE.PARAGRAPH)
    document.add_paragraph("if  x:\n    y", style="Source Code")
    table = document.add_table(3, 3)
    for row, texts in zip(
        table.rows, [["Year", "Title", "Role"], ["1949", "The Third Man", ""], ["", "Blow", "x"]], strict=True
    ):
        for cell, text in zip(row.cells, texts, strict=True):
            cell.text = text
    table.cell(1, 0).merge(table.cell(2, 0))


def test_a_word_document_has_sections_lists_links_and_tables(tmp_path):
    document = read(tmp_path, "a.docx", word(_fill))
    assert [(each.name, each.level) for each in document.sections] == [("Films", 1), ("Cast", 2)]
    assert document.text == (
        "Films\n\nReed made The Third Man\n\nCast\n\nCotten\nWelles\n\nif  x:\n    y\n\n"
        "Year: 1949; Title: The Third Man\nYear: 1949; Title: Blow; Role: x"
    )
    assert [(each.target, each.text) for each in document.links] == [("https://e.org/third", "The Third Man")]
    assert (document.title, document.keywords, document.language) == ("The films", ("film", "noir"), "en-GB")
    assert document.modified == "2024-05-01T12:00:00Z"
    assert Property("creator", "Ann") in document.metadata


def test_what_python_docx_leaves_out_is_read(tmp_path):
    body = (
        "<w:p><w:r><w:t>Kept </w:t></w:r><w:ins><w:r><w:t>inserted </w:t></w:r></w:ins>"
        "<w:del><w:r><w:delText>deleted</w:delText></w:r></w:del>"
        "<w:r><w:t>end</w:t><w:footnoteReference w:id='2'/></w:r></w:p>"
        "<w:sdt><w:sdtContent><w:p><w:r><w:t>In a control</w:t></w:r></w:p></w:sdtContent></w:sdt>"
        "<w:p><w:r><w:txbxContent><w:p><w:r><w:t>In a box</w:t></w:r></w:p></w:txbxContent></w:r></w:p>"
    )
    note = "<w:footnote w:id='2'><w:p><w:r><w:t>A note.</w:t></w:r></w:p></w:footnote>"
    document = read(tmp_path, "a.docx", word_body(body, footnotes=note))
    assert document.text.split("\n\n") == ["Kept inserted end", "A note.", "In a control", "In a box"]


def test_fields_and_anchors_are_links(tmp_path):
    def mark(kind):
        return f'<w:r><w:fldChar w:fldCharType="{kind}"/></w:r>'

    body = (
        f'<w:p>{mark("begin")}<w:r><w:instrText> HYPERLINK "https://e.org/x" </w:instrText></w:r>'
        f"{mark('separate')}<w:r><w:t>field</w:t></w:r>{mark('end')}</w:p>"
        '<w:p><w:hyperlink w:anchor="part2"><w:r><w:t>below</w:t></w:r></w:hyperlink></w:p>'
        "<w:tbl><w:tr><w:tc><w:p><w:r><w:t>Name</w:t></w:r></w:p></w:tc><w:tc/></w:tr><w:tr><w:tc><w:p>"
        '<w:hyperlink r:id="web"><w:r><w:t>cell</w:t></w:r></w:hyperlink></w:p></w:tc><w:tc/></w:tr></w:tbl>'
    )
    document = read(tmp_path, "a.docx", word_body(body))
    assert [(each.target, each.text, each.row) for each in document.links] == [
        ("https://e.org/x", "field", None),
        ("#part2", "below", None),
        ("https://e.org/a", "cell", 0),
    ]


def test_pages_are_those_that_word_counted(tmp_path):
    page = "<w:lastRenderedPageBreak/>"
    body = "".join(
        f"<w:p><w:r>{mark}<w:t>{text}</w:t></w:r></w:p>" for mark, text in [("", "a"), (page, "b"), ("", "c")]
    )
    document = read(tmp_path, "a.docx", word_body(body))
    places = PlaceFinder(document)
    assert [places.of(each.begin, each.end) for each in document.blocks] == ["page 1", "page 2", "page 2"]


def test_a_table_of_contents_is_left_out(tmp_path):
    body = (
        '<w:sdt><w:sdtPr><w:docPartObj><w:docPartGallery w:val="Table of Contents"/></w:docPartObj></w:sdtPr>'
        "<w:sdtContent><w:p><w:r><w:t>Films 3</w:t></w:r></w:p></w:sdtContent></w:sdt><w:p>"
        "<w:r><w:t>x</w:t></w:r></w:p>"
    )
    assert read(tmp_path, "a.docx", word_body(body)).text == "x"


TEXT = (
    '<office:text><text:p text:style-name="Title">Films</text:p><text:h text:outline-level="2">Noir</text:h>'
    '<text:p>Reed<text:s text:c="2"/>made <text:a xlink:href="https://e.org/third">The Third Man</text:a>.'
    "<text:note><text:note-body><text:p>A note.</text:p></text:note-body></text:note></text:p>"
    "<text:list><text:list-item><text:p>Cotten</text:p></text:list-item><text:list-item>"
    "<text:p>Welles</text:p>"
    "</text:list-item></text:list>"
    '<text:p text:style-name="P1">if x:</text:p><text:p text:style-name="P1"><text:s text:c="2"/>y</text:p>'
    "<table:table><table:table-header-rows><table:table-row><table:table-cell>"
    "<text:p>Year</text:p></table:table-cell>"
    "<table:table-cell><text:p>Title</text:p></table:table-cell></table:table-row></table:table-header-rows>"
    "<table:table-row><table:table-cell><text:p>1949</text:p></table:table-cell><table:table-cell><text:p>"
    '<text:a xlink:href="x.odt">The Third Man</text:a></text:p></table:table-cell>'
    "</table:table-row></table:table>"
    "<text:soft-page-break/><text:p>Next page</text:p></office:text>"
)
STYLES = (
    '<style:style style:name="P1" style:family="paragraph" style:parent-style-name="Preformatted_20_Text"/>'
)
META = (
    "<dc:title>The films</dc:title><dc:creator>Ann</dc:creator><meta:keyword>noir</meta:keyword>"
    "<dc:date>2024-05-01T12:00:00.123456789</dc:date>"
    '<meta:user-defined meta:name="level" meta:value-type="float">3</meta:user-defined>'
)


NUMBERED = (
    '<office:text><text:h text:outline-level="1">Scope</text:h><text:h text:outline-level="2">Static</text:h>'
    '<text:h text:outline-level="2">Moving</text:h><text:list text:style-name="L"><text:list-header>'
    "<text:p>Cases</text:p></text:list-header><text:list-item><text:p>late</text:p></text:list-item>"
    "<text:list-item><text:p>leaks</text:p><text:list><text:list-item><text:p>roof</text:p></text:list-item>"
    "</text:list><text:p>goes on</text:p></text:list-item></text:list><text:p>Between.</text:p>"
    '<text:list text:style-name="L" text:continue-numbering="true"><text:list-item><text:p>sold</text:p>'
    '</text:list-item><text:list-item text:start-value="9"><text:p>moved</text:p></text:list-item>'
    "</text:list>"
    '<text:list text:style-name="L"><text:list-item><text:p>anew</text:p></text:list-item></text:list>'
    '<text:list text:style-name="B"><text:list-item><text:p>a bullet</text:p></text:list-item></text:list>'
    "</office:text>"
)
NUMBER_STYLES = (
    '<text:outline-style style:name="Outline">'
    '<text:outline-level-style text:level="1" style:num-format="1"/>'
    '<text:outline-level-style text:level="2" style:num-format="1" text:display-levels="2"/>'
    "</text:outline-style>"
    '<text:list-style style:name="L">'
    '<text:list-level-style-number text:level="1" style:num-format="a" style:num-prefix="("'
    ' style:num-suffix=")"/>'
    '<text:list-level-style-number text:level="2" style:num-format="i" style:num-suffix="."/>'
    "</text:list-style>"
    '<text:list-style style:name="B"><text:list-level-style-bullet text:level="1"/></text:list-style>'
)


def test_numbers_of_opendocument_s_lists_and_headings_are_text(tmp_path):
    document = read(tmp_path, "a.odt", odf(NUMBERED, styles=NUMBER_STYLES))
    assert [each.name for each in document.sections] == ["1 Scope", "1.1 Static", "1.2 Moving"]
    assert document.text.split("\n\n")[3:] == [
        "Cases\n(a) late\n(b) leaks\ni. roof\ngoes on",
        "Between.",
        "(c) sold\n(i) moved",
        "(a) anew",
        "a bullet",
    ]


def test_an_opendocument_text_is_read_likewise(tmp_path):
    document = read(tmp_path, "a.odt", odf(TEXT, styles=STYLES, meta=META))
    assert document.text.split("\n\n") == [
        "Films",
        "Noir",
        "Reed made The Third Man.",
        "A note.",
        "Cotten\nWelles",
        "if x:\n  y",
        "Year: 1949; Title: The Third Man",
        "Next page",
    ]
    assert [(each.name, each.level) for each in document.sections] == [("Films", 1), ("Noir", 2)]
    assert [(each.target, each.row) for each in document.links] == [
        ("https://e.org/third", None),
        ("x.odt", 0),
    ]
    assert (document.title, document.keywords) == ("The films", ("noir",))
    assert document.modified == "2024-05-01T12:00:00"
    assert document.metadata == (Property("lastModifiedBy", "Ann"), Property("level", "3", "double"))
    assert PlaceFinder(document).of(len(document.text) - 1, len(document.text)) == "page 2"


@pytest.mark.parametrize("name", ["a.docx", "a.odt"])
def test_a_frame_around_text_is_no_table(tmp_path, name):
    word_frame = "<w:tbl><w:tr><w:tc><w:p><w:r><w:t>x</w:t></w:r></w:p></w:tc></w:tr></w:tbl>"
    text_frame = (
        "<table:table><table:table-row><table:table-cell><text:p>x</text:p>"
        "</table:table-cell></table:table-row></table:table>"
    )
    content = word_body(word_frame) if name == "a.docx" else odf(f"<office:text>{text_frame}</office:text>")
    document = read(tmp_path, name, content)
    assert document.text == "x"
    assert not any(isinstance(each, Table) for each in document.blocks)


def test_what_a_field_has_no_place_for_is_metadata():
    stated = [
        Property("language", "en, fr"),
        Property("language", "German"),
        Property("modified", "May 2024", "dateTime"),
        Property("title", "Films"),
        Property("title", "Old films"),
        *(Property(f"shelf {number}", "x") for number in range(300)),
    ]
    found = facts(stated)
    assert (found.title, found.language, found.modified) == ("Films", "de", None)
    assert found.metadata == (
        Property("language", "en, fr"),
        Property("modified", "May 2024"),
        Property("title", "Old films"),
        *stated[5:],
    )


def test_properties_have_the_limits_of_metadata(tmp_path):
    with pytest.raises(LimitError, match="max_metadata_values"):
        read(tmp_path, "a.docx", word(_fill), Settings(max_metadata_values=1))


def test_headers_are_counted_by_their_part_and_notes_are_read(tmp_path):
    parts = {
        "header": "<w:p><w:r><w:t>Confidential</w:t></w:r></w:p>",
        "footer": "<w:p/>",
        "comments": '<w:comment w:id="1"><w:p><w:r><w:t>Is it so?</w:t></w:r></w:p></w:comment>',
        "footnotes": '<w:footnote w:id="2"><w:p><w:r><w:t>In 1932.</w:t></w:r></w:p></w:footnote>',
    }
    marks = '<w:r><w:commentReference w:id="1"/></w:r><w:r><w:footnoteReference w:id="2"/></w:r>'
    document = read(
        tmp_path, "a.docx", word_body(f"<w:p><w:r><w:t>The dam.</w:t></w:r>{marks}</w:p>", **parts)
    )
    assert [each in document.text for each in ("Is it so?", "In 1932.", "Confidential")] == [
        True,
        True,
        False,
    ]
    assert document.passed_over == (("header or footer", 1),)
    assert document.passed_over_places == (("header or footer", ("header.xml",)),)
