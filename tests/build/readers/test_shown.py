"""What a file shows is what its text says: positions, struck-out and hidden text, forms, numbers, charts."""

from __future__ import annotations

import io
import zipfile

import pytest
import xlwt
from build.readers.office_files import odf, saved, slides, word, word_body, workbook, zipped
from build.readers.reading import read
from hypothesis import given
from hypothesis import strategies as st
from openpyxl.cell.rich_text import CellRichText, TextBlock
from openpyxl.cell.text import InlineFont
from openpyxl.chart import BarChart, Reference
from openpyxl.comments import Comment
from openpyxl.styles import Font
from pptx.chart.data import BubbleChartData, CategoryChartData, XyChartData
from pptx.enum.chart import XL_CHART_TYPE
from pptx.util import Cm

from sage_ld.build.readers.office.cell_formats import cell_format, shown_cell
from sage_ld.build.readers.office.number_formats import shown_number

MATH = 'xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"'
TEXT_STYLES = "".join(
    f'<style:style style:name="{name}" style:family="text"><style:text-properties {look}/></style:style>'
    for name, look in {
        "up": 'style:text-position="super 58%"',
        "down": 'style:text-position="-33% 58%"',
        "struck": 'style:text-line-through-style="solid"',
        "gone": 'text:display="none"',
    }.items()
)


def in_word(*runs: tuple[str, str]) -> bytes:
    """A Word document with one paragraph of runs: text, and the XML of its look."""
    text = "".join(
        f'<w:r><w:rPr>{look}</w:rPr><w:t xml:space="preserve">{text}</w:t></w:r>' for text, look in runs
    )
    return word_body(f"<w:p>{text}</w:p>")


def in_odt(*spans: tuple[str, str]) -> bytes:
    """A text of OpenDocument with one paragraph of spans: text, and the name of its style."""
    inner = "".join(f'<text:span text:style-name="{style}">{text}</text:span>' for text, style in spans)
    return odf(f"<office:text><text:p>{inner}</text:p></office:text>", styles=TEXT_STYLES)


def in_odp(*spans: tuple[str, str]) -> bytes:
    """A presentation of OpenDocument with one text of spans: text, and the name of its style."""
    inner = "".join(f'<text:span text:style-name="{style}">{text}</text:span>' for text, style in spans)
    box = f"<draw:frame><draw:text-box><text:p>{inner}</text:p></draw:text-box></draw:frame>"
    page = f'<draw:page draw:name="1">{box}</draw:page>'
    return odf(f"<office:presentation>{page}</office:presentation>", styles=TEXT_STYLES)


def in_slide(*runs: tuple[str, dict[str, str]]) -> bytes:
    """A presentation with one text of runs: text, and the attributes of its look."""

    def fill(presentation):
        slide = presentation.slides.add_slide(presentation.slide_layouts[6])
        paragraph = slide.shapes.add_textbox(0, 0, Cm(9), Cm(3)).text_frame.paragraphs[0]
        for text, look in runs:
            run = paragraph.add_run()
            run.text = text
            for name, value in look.items():
                run.font._element.set(name, value)

    return slides(fill)


def in_sheet(*blocks: tuple[str, dict[str, object]]) -> bytes:
    """A workbook with one cell of rich text below a head."""

    def fill(book):
        book.active.append(["Text"])
        book.active["A2"] = CellRichText(*(TextBlock(InlineFont(**look), text) for text, look in blocks))

    return workbook(fill)


UP, DOWN = '<w:vertAlign w:val="superscript"/>', '<w:vertAlign w:val="subscript"/>'
PLACED = [
    ("4 × 10", "6", " litres", "4 × 10^6 litres"),
    ("10", "-3", " m", "10^-3 m"),
    ("the dam is 25", "2", " metres long", "the dam is 25 [2] metres long"),
    ("in 1999", "a", ".", "in 1999 [a]."),
    ("5 m", "2", " of cloth", "5 m² of cloth"),
    ("Harbour", "3", " of Hask", "Harbour [3] of Hask"),
    ("the 21", "st", " day", "the 21st day"),
    ("2", "10", " places", "2^10 places"),
]


@pytest.mark.parametrize(("before", "raised", "after", "shown"), PLACED)
def test_raised_text_makes_no_other_number_in_any_format(tmp_path, before, raised, after, shown):
    files = {
        "a.html": f"<p>{before}<sup>{raised}</sup>{after}</p>",
        "a.md": f"{before}<sup>{raised}</sup>{after}",
        "a.rst": f"{before}\\ :sup:`{raised}`\\ {after}",
        "a.tex": f"{before}\\textsuperscript{{{raised}}}{after}",
        "a.docx": in_word((before, ""), (raised, UP), (after, "")),
        "a.odt": in_odt((before, ""), (raised, "up"), (after, "")),
        "a.pptx": in_slide((before, {}), (raised, {"baseline": "30000"}), (after, {})),
        "a.xlsx": in_sheet((before, {}), (raised, {"vertAlign": "superscript"}), (after, {})),
    }
    assert {
        name: read(tmp_path, name, each).text.split("\n")[-1].removeprefix("Text: ")
        for name, each in files.items()
    } == (dict.fromkeys(files, shown))


RICH_FRACTION = r"""{\rtf1\ansi %s{\super\loch
%s}{\loch
/}{\sub\loch
%s}%s}"""


@pytest.mark.parametrize(
    ("before", "upper", "stroke", "lower", "after", "shown"),
    [
        ("Give 2", "1", "/", "2", " tablets", "Give 2 1/2 tablets"),
        ("12", "3", "⁄", "4", " mg", "12 3⁄4 mg"),
        ("about ", "1", "/", "3", " of it", "about 1/3 of it"),
        ("a beam of 10", "15", "/", "16", " inch", "a beam of 10 15/16 inch"),
        ("each 5", "7", "/", "8", "", "each 5 7/8"),
    ],
)
def test_a_raised_and_a_lowered_number_around_a_stroke_are_a_fraction(
    tmp_path, before, upper, stroke, lower, after, shown
):
    files = {
        "a.html": f"<p>{before}<sup>{upper}</sup>{stroke}<sub>{lower}</sub>{after}</p>",
        "b.html": f"<p>{before}<sup>{upper}</sup>{stroke}{lower}{after}</p>",
        "a.md": f"{before}<sup>{upper}</sup>{stroke}<sub>{lower}</sub>{after}",
        "a.docx": in_word((before, ""), (upper, UP), (stroke, ""), (lower, DOWN), (after, "")),
        "a.odt": in_odt((before, ""), (upper, "up"), (stroke, ""), (lower, "down"), (after, "")),
        "a.pptx": in_slide(
            (before, {}),
            (upper, {"baseline": "30000"}),
            (stroke, {}),
            (lower, {"baseline": "-25000"}),
            (after, {}),
        ),
        "a.rtf": RICH_FRACTION % (before, upper, lower, after),
    }
    found = {name: read(tmp_path, name, each).text.strip().split("\n")[-1] for name, each in files.items()}
    assert found == {name: shown.replace("⁄", "/") if name == "a.rtf" else shown for name in files}


def test_a_raised_number_before_another_sign_is_none(tmp_path):
    assert read(tmp_path, "a.html", "<p>in 25<sup>2</sup>/year</p>").text == "in 25 [2]/year"
    assert read(tmp_path, "a.html", "<p>m<sup>2</sup> / 3</p>").text == "m² / 3"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("The fee is 120[^1] a night.", "The fee is 120 [1] a night."),
        ("Fee 3\n\n[^b]: Without towels.", "[b] Without towels."),
        ("| Bath | Fee |\n|---|---|\n| hot | 120[^1] |", "Bath: hot; Fee: 120 [1]"),
        ("Some 10^3^ litres of H~2~O", "Some 10^3 litres of H2O"),
        ("25^2^ metres, a^b^ and x ~ y", "25 [2] metres, a^b^ and x ~ y"),
        ("- [x] paid\n- [ ] sent\n- [y] other", "☒ paid ☐ sent [y] other"),
        ("Text [x] in a line", "Text [x] in a line"),
        ("`120[^1]`", "120[^1]"),
    ],
)
def test_marks_in_markdown_stand_apart(tmp_path, text, shown):
    assert shown in " ".join(read(tmp_path, "a.md", text).text.split("\n"))


def test_lowered_text_stays_apart_from_a_number(tmp_path):
    assert read(tmp_path, "a.html", "<p>H<sub>2</sub>O, 101<sub>2</sub></p>").text == "H2O, 101_2"
    assert read(tmp_path, "a.docx", in_word(("H", ""), ("2", DOWN), ("O", ""))).text == "H2O"
    assert read(tmp_path, "a.odt", in_odt(("101", ""), ("2", "down"))).text == "101_2"


OFFICE_FORMULAS = [
    ("<m:f><m:num><m:r><m:t>3</m:t></m:r></m:num><m:den><m:r><m:t>4</m:t></m:r></m:den></m:f>", "3/4"),
    (
        "<m:r><m:t>1</m:t></m:r><m:f><m:num><m:r><m:t>1</m:t></m:r></m:num><m:den><m:r><m:t>2</m:t></m:r></m:den>"
        "</m:f>",
        "1 1/2",
    ),
    ("<m:sSup><m:e><m:r><m:t>10</m:t></m:r></m:e><m:sup><m:r><m:t>6</m:t></m:r></m:sup></m:sSup>", "10^6"),
    ("<m:rad><m:deg/><m:e><m:r><m:t>2gh</m:t></m:r></m:e></m:rad>", "√(2gh)"),
    (
        '<m:d><m:dPr><m:begChr m:val="["/><m:endChr m:val="]"/></m:dPr>'
        "<m:e><m:r><m:t>x</m:t></m:r></m:e></m:d>",
        "[x]",
    ),
    (
        "<m:func><m:fName><m:r><m:t>sin</m:t></m:r></m:fName><m:e><m:r><m:t>x</m:t></m:r></m:e></m:func>",
        "sin x",
    ),
    (
        '<m:nary><m:naryPr><m:chr m:val="∑"/></m:naryPr><m:sub><m:r><m:t>i</m:t></m:r></m:sub>'
        "<m:sup><m:r><m:t>9</m:t></m:r></m:sup><m:e><m:r><m:t>k</m:t></m:r></m:e></m:nary>",
        "∑_i^9 k",
    ),
]


@pytest.mark.parametrize(("formula", "shown"), OFFICE_FORMULAS)
def test_a_formula_of_word_says_what_its_places_say(tmp_path, formula, shown):
    body = f"<w:p><w:r><w:t>Give</w:t></w:r><m:oMath {MATH}>{formula}</m:oMath></w:p>"
    assert read(tmp_path, "a.docx", word_body(body)).text == f"Give {shown}"


@pytest.mark.parametrize(
    ("formula", "shown"),
    [
        ("<mfrac><mn>3</mn><mn>4</mn></mfrac>", "3/4"),
        ("<mn>1</mn><mfrac><mn>1</mn><mn>2</mn></mfrac>", "1 1/2"),
        ("<msup><mn>10</mn><mn>6</mn></msup>", "10^6"),
        ("<msqrt><mn>2</mn><mi>g</mi></msqrt>", "√(2g)"),
        ("<mroot><mn>8</mn><mn>3</mn></mroot>", "(8)^(1/3)"),
        ("<msubsup><mi>x</mi><mn>1</mn><mn>2</mn></msubsup>", "x_1^2"),
        ("<mover><mi>x</mi><mo>¯</mo></mover>", "x¯"),
        (
            "<mi>a</mi><mo>=</mo><mfrac><mrow><mi>b</mi><mo>+</mo><mn>1</mn></mrow><mn>2</mn></mfrac>",
            "a = (b+1)/2",
        ),
    ],
)
def test_a_formula_of_a_page_says_what_its_places_say(tmp_path, formula, shown):
    assert read(tmp_path, "a.html", f"<p>Give <math>{formula}</math></p>").text == f"Give {shown}"


DELETION = (
    "<w:p><w:r><w:t>It costs </w:t></w:r><w:del><w:r><w:delText>14</w:delText></w:r></w:del>"
    "<w:r><w:t>9.</w:t></w:r></w:p>"
)
GONE = '<text:p><text:hidden-paragraph text:is-hidden="true"/>It costs 14.</text:p>'
STRUCK = ("struck-out text", 1)
HIDDEN = ("hidden text", 1)


@pytest.mark.parametrize(
    ("name", "content", "kind"),
    [
        ("a.html", "<p>It costs <del>14</del> 9.</p>", STRUCK),
        ("a.html", "<p>It costs <s>14</s> 9.</p>", STRUCK),
        ("a.html", "<p>It costs <strike>14 <b>and</b></strike> 9.</p>", STRUCK),
        ("a.md", "It costs ~~14~~ 9.", STRUCK),
        ("a.md", "It costs <del>14</del> 9.", STRUCK),
        ("a.docx", in_word(("It costs ", ""), ("14", "<w:strike/>"), (" 9.", "")), STRUCK),
        ("a.docx", in_word(("It costs ", ""), ("14", "<w:dstrike/>"), (" 9.", "")), STRUCK),
        ("a.odt", in_odt(("It costs ", ""), ("14", "struck"), (" 9.", "")), STRUCK),
        ("a.pptx", in_slide(("It costs ", {}), ("14", {"strike": "sngStrike"}), (" 9.", {})), STRUCK),
        ("a.docx", in_word(("It costs ", ""), ("14", "<w:vanish/>"), (" 9.", "")), HIDDEN),
        ("a.odt", in_odt(("It costs ", ""), ("14", "gone"), (" 9.", "")), HIDDEN),
        ("a.odt", odf(f"<office:text>{GONE}<text:p>It costs 9.</text:p></office:text>"), HIDDEN),
        ("a.ott", in_odt(("It costs ", ""), ("14", "struck"), (" 9.", "")), STRUCK),
        ("a.otp", in_odp(("It costs ", ""), ("14", "struck"), (" 9.", "")), STRUCK),
        ("a.html", "<p>It costs <span hidden>14</span> 9.</p>", HIDDEN),
        ("a.html", '<p>It costs <span style="color: red; display:none">14</span> 9.</p>', HIDDEN),
        ("a.html", '<p>It costs <span style="visibility: hidden">14</span> 9.</p>', HIDDEN),
        ("a.docx", word_body(DELETION), ("deleted text", 1)),
        ("a.rtf", r"{\rtf1 It costs {\deleted 14 }9.}", ("deleted text", 1)),
        ("a.rtf", r"{\rtf1 It costs \deleted 14 \deleted0 9.}", ("deleted text", 1)),
        ("a.rtf", r"{\rtf1 It costs {\deleted\b 14 }{\revised 9.}}", ("deleted text", 1)),
        ("a.rtf", r"{\rtf1 It costs \v\strike0 14 \v0 9.}", HIDDEN),
        ("a.rtf", r"{\rtf1 It costs \strike\v0 14 \plain 9.}", STRUCK),
        ("a.tex", "It costs\\begin{comment}14\\end{comment} 9.", HIDDEN),
        ("a.tex", "\\begin{comment}\n} 14 \\begin{a}\n\n\\end{comment}\nIt costs 9.", HIDDEN),
        ("a.tex", "\\begin{filecontents*}{a.bib}\n@a{14}\n\\end{filecontents*}\nIt costs 9.", HIDDEN),
        ("a.tex", r"It costs\iffalse 14\fi{} 9.", HIDDEN),
        ("a.tex", r"It costs \iffalse 14\else 9.\fi", HIDDEN),
        ("a.tex", r"It costs \iftrue 9.\else 14\fi", HIDDEN),
        ("a.tex", r"It costs \if0 14\else 9.\fi", HIDDEN),
        ("a.tex", r"It costs \iffalse 14 \ifx\a\b 15 \else 16 \fi 17 \fi 9.", HIDDEN),
        ("a.tex", r"\newif\ifdraft It costs \iffalse 14 \ifdraft 15 \fi 16 \fi 9.", HIDDEN),
        ("a.tex", "It costs \\iffalse } 14 % \\fi\n15 \\fi 9.", HIDDEN),
        ("a.tex", r"It costs 9.\iffalse 14", HIDDEN),
        ("a.tex", r"It costs \phantom{14}9.", HIDDEN),
        ("a.tex", r"It costs \hphantom{14 \textbf{15}}9.", HIDDEN),
        ("a.tex", r"It costs \vphantom 1 9.", HIDDEN),
        ("a.html", '<p>It costs <span style="text-decoration: line-through">14</span> 9.</p>', STRUCK),
        (
            "a.html",
            '<p>It costs <u style="text-decoration-line:underline line-through">14</u> 9.</p>',
            STRUCK,
        ),
        (
            "a.html",
            "<style>.old, i {text-decoration:line-through}</style><p>It costs <b class=old>14</b> 9.</p>",
            STRUCK,
        ),
        ("a.html", "<style>p #was {display:none}</style><p>It costs <b id=was>14</b> 9.</p>", HIDDEN),
        ("a.html", "<style>.v{visibility:hidden}</style><p>It costs <b class=v>14</b> 9.</p>", HIDDEN),
        ("a.odp", in_odp(("It costs ", ""), ("14", "struck"), (" 9.", "")), STRUCK),
        ("a.rtf", r"{\rtf1 It costs{\strike  14} 9.}", STRUCK),
    ],
)
def test_text_that_is_struck_out_or_hidden_is_counted_and_not_said(tmp_path, name, content, kind):
    document = read(tmp_path, name, content)
    assert document.text.split("\n")[-1] == "It costs 9."
    assert document.passed_over == (kind,)


@pytest.mark.parametrize(
    ("content", "shown"),
    [
        (r"\begin{verbatim}\iffalse a\fi\end{verbatim}", r"\iffalse a\fi"),
        (r"\verb|\iffalse| a \verb|\fi|", r"\iffalse a \fi"),
        ("% \\iffalse\na\n% \\fi", "a"),
        ("% \\begin{comment}\na\n% \\end{comment}", "a"),
        (r"$a \iff b$ c", r"$a \iff b$ c"),
        (r"\ifdraft a\else b\fi", "ab"),
        (r"\newif\iffalsehood \iffalsehood a\fi b", "ab"),
        (r"\begin{commented}a\end{commented}", "a"),
    ],
)
def test_what_latex_sets_is_read(tmp_path, content, shown):
    document = read(tmp_path, "a.tex", content)
    assert (document.text, document.passed_over) == (shown, ())


def test_lines_of_latex_are_those_of_the_file(tmp_path):
    hidden = "\\begin{comment}\nx\n\ny\n\\end{comment}\n"
    document = read(tmp_path, "a.tex", f"one\n{hidden}two\n\n\\section{{S}}\nthree\n\nfour \\emph{{x}}\n")
    at = {document.text[each.begin : each.end]: each.first for each in document.places}
    assert at == {"one two": 1, "S": 9, "three": 10, "four x": 12}


@pytest.mark.parametrize(
    "macro",
    [
        *("textsuperscript", "textsubscript", "href", "url", "multicolumn", "sout", "phantom", "title"),
        *("section", "caption", "footnote", "hypertarget", "author", "cline"),
    ],
)
@pytest.mark.parametrize(
    "around", ["x \\{}", "{{x \\{}}}", "x & {{\\{}}}", "\\begin{{tabular}}{{c}}x&\\{}\\end{{tabular}}"]
)
def test_a_macro_without_argument_hinders_nothing(tmp_path, macro, around):
    assert "x" in read(tmp_path, "a.tex", around.format(macro)).text


def in_cells(*cells: tuple[object, str]) -> bytes:
    """A workbook with a label, and these values with their number formats, below each other."""

    def fill(book):
        for number, (value, code) in enumerate(cells, 1):
            book.active[f"A{number}"], book.active[f"B{number}"] = f"r{number}", value
            book.active[f"B{number}"].number_format = code

    return workbook(fill)


@pytest.mark.parametrize(
    ("value", "code"),
    [
        (777, ";;;"),
        (-777, ";;;"),
        ("secret", ";;;"),
        (0, '#,##0;-#,##0;""'),
        (0, "0;-0;;@"),
        (-5, '0" ";;;'),
        (0, '[=0]"";General'),
        (5, '" "'),
        (5, "_)"),
        (0, "dd.mm.yyyy;;"),
        (0, "[h]:mm;;"),
        ("secret", '0;-0;0;""'),
    ],
)
def test_a_cell_whose_format_shows_nothing_is_empty_and_counted(tmp_path, value, code):
    document = read(tmp_path, "a.xlsx", in_cells((value, code), (1, "0"), (2, "0")))
    assert "secret" not in document.text
    assert "r1: " not in document.text
    assert document.passed_over == (("hidden text", 1),)
    assert document.passed_over_places == (("hidden text", ("Sheet",)),)


@pytest.mark.parametrize(
    ("value", "code", "shown"),
    [
        (5, "0;;;", "5"),
        (0, "0;-0", "0"),
        (5, "[Red]", "5"),
        (5, "General", "5"),
        ("text", ";;;@", "text"),
        ("text", "0;-0;0", "text"),
        (0, '0;-0;"none"', "none"),
        (0, '_-* #,##0_-;-* #,##0_-;_-* "-"??_-', "-"),
    ],
)
def test_a_cell_whose_format_shows_something_is_not_hidden(tmp_path, value, code, shown):
    document = read(tmp_path, "a.xlsx", in_cells(("Kind", "General"), (value, code), (1, "0")))
    assert shown in document.text
    assert not document.passed_over


def test_a_cell_of_opendocument_that_shows_nothing_is_empty_and_counted(tmp_path):
    row = (
        '<table:table-row><table:table-cell office:value-type="string"><text:p>a</text:p></table:table-cell>'
        '<table:table-cell office:value-type="float" office:value="{}">{}</table:table-cell>'
        "</table:table-row>"
    )
    cells = [("777", "<text:p/>"), ("778", ""), ("779", "<text:p>7,79</text:p>")]
    rows = "".join(row.format(*each) for each in cells)
    sheet = f'<office:spreadsheet><table:table table:name="T">{rows}</table:table></office:spreadsheet>'
    document = read(tmp_path, "a.ods", odf(sheet))
    assert ("777" in document.text, "778" in document.text, "7,79" in document.text) == (False, True, True)
    assert document.passed_over == (("hidden text", 1),)


@pytest.mark.parametrize(
    ("number", "code", "shown"),
    [
        (1.6875, "[h]:mm", "40:30"),
        (1.6875, "[hh]:mm:ss", "40:30:00"),
        (1.6879, "[h]:mm", "40:30"),
        (187 / 86_400, "[mm]:ss", "03:07"),
        (62 / 1_440, "[mm]:ss", "62:00"),
        (1.5, "[h]", "36"),
        (1.5, "[ss]", "129600"),
        (12.3456 / 86_400, "[s].000", "12.346"),
        (1.6875, '[h]" h "mm" min"', "40 h 30 min"),
        (-0.5, "[h]:mm", "-12:00"),
        (0, "[h]:mm", "0:00"),
        (59.9 / 86_400, "[m]:ss", "1:00"),
    ],
)
def test_a_length_of_time_is_as_its_format_shows_it(number, code, shown):
    assert shown_cell(float(number), cell_format(164, code)).text == shown


@pytest.mark.parametrize(
    ("number", "code", "shown", "value"),
    [
        (0, "dd.mm.yyyy", "01.01.1904", "1904-01-01"),
        (0.5, "dd/mm/yyyy", "01/01/1904", "1904-01-01T12:00:00"),
        (0.25, "yyyy-mm-dd hh:mm", "1904-01-01 06:00", "1904-01-01T06:00:00"),
        (0.25, "h:mm", "6:00", "06:00:00"),
        (0.75, "mmm yy", "Jan 04", "1904-01-01T18:00:00"),
        (1, "dd.mm.yyyy", "02.01.1904", "1904-01-02"),
    ],
)
def test_the_days_of_1904_begin_with_the_first_of_january(number, code, shown, value):
    cell = shown_cell(float(number), cell_format(164, code), since_1904=True)
    assert (cell.text, cell.value and cell.value.value) == (shown, value)


@pytest.mark.parametrize(
    "style",
    [
        "<style>@media print {.a{display:none}}</style>",
        "<style>.a{display:none} .a{display:inline}</style>",
        "<style>body{display:none}</style>",
        "<style>.a:hover{display:none} ::x{display:none} .a..b{display:none}</style>",
        "<style>.a{text-decoration:none; display:block</style>",
    ],
)
def test_styles_that_hide_nothing_by_themselves_leave_the_text(tmp_path, style):
    document = read(tmp_path, "a.html", f"{style}<p>It costs <b class=a>9</b>.</p>")
    assert (document.text.split("\n")[-1], document.passed_over) == ("It costs 9.", ())


def _folded_slide(presentation):
    slide = presentation.slides.add_slide(presentation.slide_layouts[1])
    slide.shapes.title.text = "Reserve"
    slide.placeholders[1].text_frame.text = "The fee is 14."
    slide._element.set("show", "0")


def _folded_sheet(book):
    book.active.append(["The fee is 14."])
    book.active.title = "Reserve"
    book.active.sheet_state = "hidden"
    book.create_sheet("Shown")


def _old_sheet(visibility):
    book = xlwt.Workbook()
    sheet = book.add_sheet("Reserve")
    sheet.write(0, 0, "The fee is 14.")
    sheet.visibility = visibility
    book.add_sheet("Shown")
    book.active_sheet = 1
    return saved(book)


FOLDED_PAGE = (
    '<style:style style:name="p" style:family="drawing-page">'
    '<style:drawing-page-properties presentation:visibility="hidden"/></style:style>'
)
FOLDED_TABLE = (
    '<style:style style:name="t" style:family="table"><style:table-properties table:display="false"/>'
    "</style:style>"
)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.pptx", slides(_folded_slide)),
        (
            "a.odp",
            odf(
                '<office:presentation><draw:page draw:style-name="p">'
                '<draw:frame presentation:class="title"><draw:text-box><text:p>Reserve</text:p>'
                "</draw:text-box></draw:frame><draw:frame><draw:text-box><text:p>The fee is 14.</text:p>"
                "</draw:text-box></draw:frame></draw:page></office:presentation>",
                styles=FOLDED_PAGE,
            ),
        ),
        ("a.xlsx", workbook(_folded_sheet)),
        (
            "a.ods",
            odf(
                '<office:spreadsheet><table:table table:name="Reserve" table:style-name="t"><table:table-row>'
                "<table:table-cell><text:p>The fee is 14.</text:p></table:table-cell></table:table-row>"
                "</table:table></office:spreadsheet>",
                styles=FOLDED_TABLE,
            ),
        ),
        ("a.xls", _old_sheet(1)),
        ("b.xls", _old_sheet(2)),
    ],
)
def test_a_slide_or_sheet_that_is_hidden_is_read_and_named_so(tmp_path, name, content):
    document = read(tmp_path, name, content)
    assert document.text == "Reserve (hidden)\n\nThe fee is 14."
    assert document.passed_over == ()


def _switched_off(presentation):
    slide = presentation.slides.add_slide(presentation.slide_layouts[6])
    for text, attributes in (("It costs 9.", {}), ("It costs 14.", {"hidden": "1"})):
        box = slide.shapes.add_textbox(0, 0, Cm(9), Cm(3))
        box.text_frame.text = text
        for key, value in attributes.items():
            box._element.nvSpPr.cNvPr.set(key, value)


BOXES = "".join(
    f"<draw:frame{display}><draw:text-box><text:p>It costs {price}.</text:p></draw:text-box></draw:frame>"
    for price, display in ((9, ""), (14, ' draw:display="none"'))
)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.pptx", slides(_switched_off)),
        ("a.odp", odf(f"<office:presentation><draw:page>{BOXES}</draw:page></office:presentation>")),
        ("a.odt", odf(f"<office:text><text:p>{BOXES}</text:p></office:text>")),
        (
            "b.odt",
            odf(
                "<office:text><text:p>It costs 9.</text:p>"
                '<text:section text:display="none"><text:p>It costs 14.</text:p></text:section></office:text>'
            ),
        ),
        (
            "a.docx",
            word_body(
                "<w:p><w:r><w:t>It costs 9.</w:t></w:r><w:r><w:drawing><docPr hidden='1' descr='Fee'/>"
                "<w:txbxContent><w:p><w:r><w:t>It costs 14.</w:t></w:r></w:p></w:txbxContent></w:drawing>"
                "</w:r></w:p>"
            ),
        ),
    ],
)
def test_a_shape_or_section_that_is_switched_off_is_counted_and_not_said(tmp_path, name, content):
    document = read(tmp_path, name, content)
    assert document.text.removeprefix("Slide 1\n\n") == "It costs 9."
    assert document.passed_over == (HIDDEN,)


def test_a_cell_says_nothing_that_is_struck_out(tmp_path):
    document = read(tmp_path, "a.xlsx", in_sheet(("9", {}), (" 14", {"strike": True})))
    assert (document.text.split("\n")[-1], document.passed_over) == ("9", (STRUCK,))


def struck_cell() -> bytes:
    """A workbook whose last row is struck out cell by cell."""

    def fill(book):
        for row in (["Item", "Price"], ["Lead", 14.5], ["Muzzle", 21]):
            book.active.append(row)
        for cell in book.active[3]:
            cell.font = Font(strike=True)

    return workbook(fill)


CELL_STYLE = (
    '<style:style style:name="ce1" style:family="table-cell">'
    '<style:text-properties style:text-line-through-style="solid"/></style:style>'
)


def sheet_row(style: str, *texts: str) -> str:
    cells = "".join(
        f'<table:table-cell table:style-name="{style}"><text:p>{text}</text:p></table:table-cell>'
        for text in texts
    )
    return f"<table:table-row>{cells}</table:table-row>"


STRUCK_SHEET = "".join(
    sheet_row(*row) for row in (("", "Item", "Price"), ("", "Lead", "14.5"), ("ce1", "Muzzle", "21"))
)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.xlsx", struck_cell()),
        (
            "a.ods",
            odf(
                f'<office:spreadsheet><table:table table:name="S">{STRUCK_SHEET}</table:table>'
                "</office:spreadsheet>",
                styles=CELL_STYLE,
            ),
        ),
    ],
)
def test_cells_that_are_struck_out_whole_are_counted_and_not_said(tmp_path, name, content):
    document = read(tmp_path, name, content)
    assert (document.text.split("\n")[-1], document.passed_over) == (
        "Item: Lead; Price: 14.5",
        (("struck-out text", 2),),
    )


def box(kind: str, state: str = "") -> str:
    field = f"<w:ffData><w:{kind}>{state}</w:{kind}></w:ffData>"
    return f'<w:r><w:fldChar w:fldCharType="begin">{field}</w:fldChar></w:r>'


SIGN = '<w:r><w:sym w:font="Wingdings" w:char="{}"/></w:r>'
CHOICES = '<w:result w:val="1"/><w:listEntry w:val="refused"/><w:listEntry w:val="accepted"/>'


@pytest.mark.parametrize(
    ("content", "shown"),
    [
        (box("checkBox", "<w:checked/>"), "☒ approved"),
        (box("checkBox", '<w:default w:val="0"/>'), "☐ approved"),
        (box("checkBox", '<w:default w:val="1"/><w:checked w:val="0"/>'), "☐ approved"),
        (box("ddList", CHOICES), "accepted approved"),
        (SIGN.format("F0FE"), "☒ approved"),
        (SIGN.format("F0A8"), "☐ approved"),
        ('<w:r><w:rPr><w:rFonts w:ascii="Wingdings"/></w:rPr><w:t>\uf0fe</w:t></w:r>', "☒ approved"),
    ],
)
def test_a_form_of_word_says_its_states(tmp_path, content, shown):
    body = f'<w:p>{content}<w:r><w:t xml:space="preserve"> approved</w:t></w:r></w:p>'
    assert read(tmp_path, "a.docx", word_body(body)).text == shown


@pytest.mark.parametrize(
    ("field", "shown"),
    [
        ("<input type=checkbox checked>", "Hoist ☒"),
        ("<input type=checkbox>", "Hoist ☐"),
        ("<input type=radio checked>", "Hoist ☒"),
        ("<input value='12 t'>", "Hoist 12 t"),
        ("<input type=hidden value=token>", "Hoist"),
        ("<input type=password value=secret>", "Hoist"),
        ("<select><option>a<option selected>b c</select>", "Hoist b c"),
        ("<select><option>first<option>second</select>", "Hoist first"),
        ("<textarea>all is\nwell</textarea>", "Hoist all is well"),
    ],
)
def test_a_form_of_a_page_says_its_states(tmp_path, field, shown):
    assert read(tmp_path, "a.html", f"<p>Hoist {field}</p>").text == shown


LEVELS = "".join(
    f'<w:lvl w:ilvl="{level}"><w:numFmt w:val="{style}"/><w:lvlText w:val="{text}"/></w:lvl>'
    for level, style, text in ((0, "upperRoman", "%1."), (1, "decimal", "%1.%2"), (2, "lowerLetter", "(%3)"))
)
LISTS = (
    f'<w:abstractNum w:abstractNumId="1">{LEVELS}</w:abstractNum>'
    '<w:abstractNum w:abstractNumId="2"><w:lvl w:ilvl="0"><w:numFmt w:val="bullet"/><w:lvlText w:val="•"/>'
    "</w:lvl></w:abstractNum>"
    '<w:num w:numId="1"><w:abstractNumId w:val="1"/></w:num>'
    '<w:num w:numId="2"><w:abstractNumId w:val="2"/></w:num>'
    '<w:num w:numId="3"><w:abstractNumId w:val="1"/><w:lvlOverride w:ilvl="0"><w:startOverride w:val="4"/>'
    "</w:lvlOverride></w:num>"
)


def test_paragraphs_have_the_numbers_that_word_makes(tmp_path):
    def item(text: str, number: int, level: int = 0) -> str:
        layout = f'<w:numPr><w:ilvl w:val="{level}"/><w:numId w:val="{number}"/></w:numPr>'
        return f"<w:p><w:pPr>{layout}</w:pPr><w:r><w:t>{text}</w:t></w:r></w:p>"

    items = [
        item("ropes", 1),
        item("at rest", 1, 1),
        item("in motion", 1, 1),
        item("wet", 1, 2),
        item("dry", 1, 2),
        item("chains", 1),
        item("short", 1, 1),
        item("a bullet", 2),
        item("begun anew", 3),
        item("goes on", 3),
    ]
    assert read(tmp_path, "a.docx", word_body("".join(items), numbering=LISTS)).text.split("\n") == [
        "I. ropes",
        "I.1 at rest",
        "I.2 in motion",
        "(a) wet",
        "(b) dry",
        "II. chains",
        "II.1 short",
        "a bullet",
        "IV. begun anew",
        "V. goes on",
    ]


def test_a_heading_has_its_number_and_the_title_has_none(tmp_path):
    layout = '<w:outlineLvl w:val="0"/><w:numPr><w:ilvl w:val="1"/><w:numId w:val="1"/></w:numPr>'
    heading = (
        f"<w:p><w:pPr>{layout}</w:pPr><w:r><w:t>Loads</w:t></w:r></w:p>"
        "<w:p><w:r><w:t>Nine tons.</w:t></w:r></w:p>"
    )
    document = read(tmp_path, "a.docx", word_body(heading, numbering=LISTS))
    assert (document.sections[0].name, document.title) == ("I.1 Loads", "Loads")


@pytest.mark.parametrize(
    ("content", "shown"),
    [
        ("<ol><li>oak<li>ash</ol>", "1. oak\n2. ash"),
        ("<ol start=4><li>oak<li>ash</ol>", "4. oak\n5. ash"),
        ("<ol type=a><li>oak<li value=7>ash</ol>", "a. oak\ng. ash"),
        ("<ol type=I><li>oak<ol><li>ash</ol><li>elm</ol>", "I. oak\n1. ash\nII. elm"),
        ("<ul><li>oak<li>ash</ul>", "oak\nash"),
    ],
)
def test_items_have_the_numbers_that_a_page_shows(tmp_path, content, shown):
    assert read(tmp_path, "a.html", content).text == shown


@pytest.mark.parametrize(
    ("content", "shown"),
    [
        ("1. oak\n2. ash", "1. oak\n2. ash"),
        ("7) oak\n8) ash", "7) oak\n8) ash"),
        ("- oak\n- ash", "oak\nash"),
    ],
)
def test_items_of_markdown_have_their_numbers(tmp_path, content, shown):
    assert read(tmp_path, "a.md", content).text == shown


@pytest.mark.parametrize(
    ("number", "code", "shown"),
    [
        (501, "00000", "00501"),
        (83, '0" kg"', "83 kg"),
        (1.5, '0.0" t"', "1.5 t"),
        (0.75, "# ?/?", "3/4"),
        (2.75, "# ?/?", "2 3/4"),
        (0.5, "0/8", "4/8"),
        (123456789012, "000-000-000-000", "123-456-789-012"),
        (5551234567, "(000) 000-0000", "(555) 123-4567"),
        (-3, "#,##0.00\\ [$€-407]", "-3.00 €"),
        (-5, '0" kg";"minus "0" kg"', "minus 5 kg"),
        (0, '0;-0;"none"', "none"),
        (1_234_567, '0.0,," M"', "1.2 M"),
        (2.5, "0.00", "2.50"),
        (1_234_567, "#,##0", "1,234,567"),
        (7, "General", None),
        (12, "0.00E+00", "1.20E+01"),
        (12345, "##0.0E+0", "12.3E+3"),
        (0.125, "0.0%", "12.5%"),
        (3.14159, "0.0##", "3.142"),
        (-0.2, "0", "0"),
        (5, 'General" kg"', "5 kg"),
        (1.5, '# ?/?" in"', "1 1/2 in"),
        (1500, '[>=1000]0.0,"k";0', "1.5k"),
        (5, '[>=1000]0.0,"k";0', "5"),
        (0, '#,##0 "€";-#,##0 "€";"-"?? "€"', "- €"),
        (float("nan"), "0.0", None),
        (1e300, "0.0", None),
        (1e21, "0.0000000000", None),
        (float("inf"), "# ?/?", None),
    ],
)  # fmt: skip
def test_a_number_is_as_its_format_shows_it(number, code, shown):
    assert shown_number(number, code) == shown


@pytest.mark.parametrize(
    ("number", "code", "shown", "value"),
    [
        (45413, "dd.mm.yyyy", "01.05.2024", "2024-05-01"),
        (45413, "d mmm yy", "1 May 24", "2024-05-01"),
        (45413, "[$-409]dddd, mmmm d", "Wednesday, May 1", "2024-05-01"),
        (45413, "[$-407]d. mmmm yyyy", "2024-05-01", "2024-05-01"),
        (45413.75, "dd/mm/yyyy h:mm AM/PM", "01/05/2024 6:00 PM", "2024-05-01T18:00:00"),
        (45413, "yyyy-mm-dd hh:mm", "2024-05-01 00:00", "2024-05-01T00:00:00"),
        (0.4375, "h:mm", "10:30", "10:30:00"),
        (0.4375, 'hh"h"mm', "10h30", "10:30:00"),
        (45413, "yyyy;@", "2024", "2024-05-01"),
        (1.5, "[h]:mm", "36:00", None),
        (2958465.99999999, "dd.mm.yyyy", "2958465.99999999", "2958465.99999999"),
        (-1, "dd.mm.yyyy", "-1", "-1"),
    ],
)
def test_a_day_is_as_its_format_shows_it(number, code, shown, value):
    cell = shown_cell(float(number), cell_format(164, code))
    assert (cell.text, cell.value and cell.value.value) == (shown, value)


SIGNS = [*"0#?,.%@;/-\\eghs", '"a"', "[>3]", "[h]", "dd", "mmm", "yy", "AM/PM", "General", "E+0"]
SIGNS += ["/#", "# ?/?"]


@given(st.floats(), st.lists(st.sampled_from(SIGNS)), st.booleans())
def test_any_number_has_a_text_by_any_format(number, signs, since_1904):
    assert isinstance(shown_cell(number, cell_format(164, "".join(signs)), since_1904=since_1904).text, str)


def test_a_cell_of_a_workbook_is_as_it_is_shown(tmp_path):
    def fill(book):
        book.active.append(["Item", "Code", "Mass", "Text"])
        book.active.append(["Bolt", 501, 83, "one_x000D_two _x005F_x0041_"])
        book.active["B2"].number_format = "00000"
        book.active["C2"].number_format = '0" kg"'

    shown = read(tmp_path, "a.xlsx", workbook(fill)).text.split("\n")[-1]
    assert shown == "Item: Bolt; Code: 00501; Mass: 83 kg; Text: one two _x0041_"


def test_a_chart_is_a_table(tmp_path):
    def slide(presentation):
        data = CategoryChartData()
        data.categories = ["Pike", "Carp"]
        data.add_series("Tonnes in 2024", (17.5, 26.890000000000004))
        presentation.slides.add_slide(presentation.slide_layouts[6]).shapes.add_chart(
            XL_CHART_TYPE.BAR_CLUSTERED, 0, 0, Cm(9), Cm(9), data
        )

    assert "Category: Pike; Tonnes in 2024: 17.5\nCategory: Carp; Tonnes in 2024: 26.89" in (
        read(tmp_path, "a.pptx", slides(slide)).text
    )

    def sheet(book):
        book.active.append(["Team", "Points"])
        book.active.append(["Reds", 4])
        book.active.append(["Blues", 6])
        chart = BarChart()
        chart.title = "Points after round seven"
        chart.add_data(Reference(book.active, min_col=2, min_row=1, max_row=3), titles_from_data=True)
        book.active.add_chart(chart, "E5")

    document = read(tmp_path, "a.xlsx", workbook(sheet))  # openpyxl keeps no values in it
    assert document.text.endswith("Points after round seven")
    assert document.passed_over == (("chart", 1),)


@pytest.mark.parametrize(
    ("kind", "series", "shown"),
    [
        ("LINE", [("2023", (1, None)), ("2024", (17.5, 9.25))], "Pike; 2023: 1; 2024: 17.5|Carp; 2024: 9.25"),
        ("PIE", [("Tonnes", (3, 4))], "Pike; Tonnes: 3|Carp; Tonnes: 4"),
        ("RADAR", [("Tonnes", (3, 4))], "Pike; Tonnes: 3|Carp; Tonnes: 4"),
        ("XY_SCATTER", [("Depth", ((1.5, 20), (2.5, 30)))], "1.5; Depth: 20|2.5; Depth: 30"),
        (
            "XY_SCATTER",
            [("Auk", ((1, 20), (2, 30))), ("Tern", ((1, 5), (2, 6)))],
            "1; Auk: 20; Tern: 5|2; Auk: 30; Tern: 6",
        ),
        ("XY_SCATTER", [("Auk", ((1, 20),)), ("Tern", ((7, 5), (8, 6)))], "1; Auk: 20|7; Tern: 5|8; Tern: 6"),
        ("BUBBLE", [("Auk", ((1, 20, 300),))], "1; Auk: 20; Auk (size): 300"),
    ],
)
def test_every_kind_of_chart_says_its_points(tmp_path, kind, series, shown):
    data = {"XY_SCATTER": XyChartData, "BUBBLE": BubbleChartData}.get(kind, CategoryChartData)()
    if isinstance(data, CategoryChartData):
        data.categories = ["Pike", "Carp"]
    for name, points in series:
        if isinstance(data, CategoryChartData):
            data.add_series(name, points)
        else:
            added = data.add_series(name)
            for each in points:
                added.add_data_point(*each)

    def fill(presentation):
        shapes = presentation.slides.add_slide(presentation.slide_layouts[6]).shapes
        shapes.add_chart(XL_CHART_TYPE[kind], 0, 0, Cm(9), Cm(9), data)

    lines = read(tmp_path, "a.pptx", slides(fill)).text.split("\n\n")[-1]
    assert lines.replace("Category: ", "").replace("\n", "|") == shown


@pytest.mark.parametrize(
    ("shapes", "text", "passed_over"),
    [
        (
            "<draw:frame><draw:text-box><text:p>The final is today.</text:p></draw:text-box></draw:frame>",
            "The final is today.",
            (),
        ),
        ("<draw:custom-shape><text:p>Gate three</text:p></draw:custom-shape>", "Gate three", ()),
        ('<draw:frame><draw:object xlink:href="./Object 1"/></draw:frame>', "", (("embedded object", 1),)),
        (
            '<draw:frame draw:display="none"><draw:text-box><text:p>x</text:p></draw:text-box></draw:frame>',
            "",
            (HIDDEN,),
        ),
    ],
)
def test_what_lies_on_a_sheet_of_opendocument_is_read_or_counted(tmp_path, shapes, text, passed_over):
    row = "<table:table-row><table:table-cell><text:p>Team</text:p></table:table-cell></table:table-row>"
    sheet = f'<table:table table:name="S"><table:shapes>{shapes}</table:shapes>{row}</table:table>'
    document = read(tmp_path, "a.ods", odf(f"<office:spreadsheet>{sheet}</office:spreadsheet>"))
    assert document.text == "\n\n".join(filter(None, ("S", "Team", text)))
    assert document.passed_over == passed_over


def test_what_excel_writes_for_old_programs_is_left_out(tmp_path):
    def fill(book):
        book.active.append(["Team", "Points"])
        book.active.append(["Reds", 4])
        book.active["A2"].comment = Comment(
            "[Threaded comment]\n\nYour version of Excel allows you to read it.\n\nComment:\n    Is it?",
            "Ann",
        )

    assert read(tmp_path, "a.xlsx", workbook(fill)).text.endswith("Is it?")
    assert "Your version" not in read(tmp_path, "a.xlsx", workbook(fill)).text


def test_what_is_no_text_is_counted(tmp_path):
    page = "<nav>menu</nav><p>Text <svg><text>x</text></svg><iframe src=a></iframe></p>"
    assert read(tmp_path, "a.html", page).passed_over == (
        ("drawing", 1),
        ("embedded page", 1),
        ("menu", 1),
    )
    signs = '<w:p><w:r><w:t>Text</w:t></w:r><w:r><w:sym w:font="Webdings" w:char="F022"/></w:r></w:p>'
    assert read(tmp_path, "a.docx", word_body(signs)).passed_over == (("sign of a font for signs", 1),)


def test_a_file_with_nothing_but_headings_is_warned_of(tmp_path):
    def fill(document):
        document.add_heading("Alone", 1)

    [warning] = read(tmp_path, "a.docx", word(fill)).warnings
    assert warning == "a.docx: nothing but headings was found in it, so no search finds it"


def test_a_formula_of_opendocument_is_read(tmp_path):
    body = (
        '<office:text><text:p>Give <draw:frame><draw:object xlink:href="./Object 1"/></draw:frame></text:p>'
        "</office:text>"
    )
    members = {
        "content.xml": read_member(odf(body)),
        "Object 1/content.xml": "<math><mfrac><mn>3</mn><mn>4</mn></mfrac></math>",
    }
    assert read(tmp_path, "a.odt", zipped(members)).text == "Give 3/4"


def read_member(data: bytes, name: str = "content.xml") -> bytes:
    return zipfile.ZipFile(io.BytesIO(data)).read(name)
