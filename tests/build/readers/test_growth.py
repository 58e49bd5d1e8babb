"""The work grows in proportion to the input: shapes whose work grew with its square, or without end.

Ceilings are in seconds of processor time, ten times and more above what is needed, and below what was.
"""

import io
import json
import time
import zipfile
from contextlib import suppress
from functools import partial

import pytest
from build.readers.office_files import RELATIONSHIPS, odf, word_body, workbook_rows, zipped
from build.readers.reading import pdf, read, read_all
from reportlab.pdfgen.canvas import Canvas

from sage_ld.foundation.errors import InputError, LimitError
from sage_ld.foundation.settings import Settings

CONTEXT = "http://www.w3.org/ns/csvw"
SPANS = "<table>" + "<tr><td rowspan=65000 colspan=1000>x" * 300 + "</table>"


def shared_pages(count):
    """A PDF that says `count` times the same page, in six bytes each."""
    words = " ".join(["(word word) Tj"] * 2_500)
    whole = pdf("x").decode()
    one = whole.replace("/Count 1/Kids[4 0 R]", f"/Count {count}/Kids[{' '.join(['4 0 R'] * count)}]")
    return one.replace("(x) Tj", words).replace("<</Length 25>>", f"<</Length {len(words) + 18}>>").encode()


def crowded_page(words, links, lines):
    """A PDF of one page with as many words, one a line, links and drawn lines."""
    out = io.BytesIO()
    canvas = Canvas(out, pagesize=(3_000, 3_000), invariant=1)
    for number in range(words):
        canvas.drawString(10 + 37 * (number % 79), 10 + 2.9 * (number // 20), "word")
    for number in range(links):
        canvas.linkURL("http://x", (number % 900, 0, 3_000, 3_000))
    for number in range(lines):
        canvas.line(10 + number, 10, 10 + number, 2_000)
        canvas.line(10, 10 + number, 2_000, 10 + number)
    canvas.save()
    return out.getvalue()


DOUBLED = (
    "\n".join(f".. |a{n}| replace:: |a{n - 1}| |a{n - 1}|" for n in range(14, 0, -1))
    + "\n.. |a0| replace:: x\n\n|a14|\n"
)
"""Fourteen substitutions in reStructuredText, each of which names the one before twice."""
DEEP_KEY = ".".join(["a"] * 20_000) + " = 1\n"


HEADINGS = "\n".join(f"a{number}\n=====\n" for number in range(1_000))
WIDE_TEX = r"\begin{tabular}{c}" + "a&" * 400 + r"\\" + r"a\\" * 63_000 + r"\end{tabular}"
MANY_KEYS = json.dumps({str(number): 1 for number in range(10_000)})
DEFAULTS = f'<!DOCTYPE r [<!ATTLIST a b CDATA "{"x" * 90_000}">]><r>{"<a/>" * 25_000}</r>'
"""XML whose declaration gives each of its elements a long attribute."""


def wrapped(text, width=9_000):
    """The text in lines of a width."""
    return "\n".join(text[begin : begin + width] for begin in range(0, len(text), width))


def described_tables(count):
    """An archive of small tables that one metadata file of CSV on the Web describes."""
    columns = {"columns": [{"titles": "a", "name": "a"}, {"titles": "b", "name": "b"}]}
    tables = [{"url": f"t{number}.csv", "tableSchema": columns} for number in range(count)]
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("csv-metadata.json", json.dumps({"@context": CONTEXT, "tables": tables}))
        for number in range(count):
            archive.writestr(f"t{number}.csv", "a,b\n1,2\n")
    return made.getvalue()


def scoped_context(terms: int, uses: int) -> str:
    """JSON-LD whose parser reads a context of `terms` terms 60 times `uses` times."""
    value: object = "end"
    for _ in range(60):
        value = {"p": [value]}
    context = {f"t{number}": f"http://x/t{number}" for number in range(terms)}
    described = {"@vocab": "http://x/", "p": {"@id": "http://x/p", "@context": context}}
    return json.dumps({"@context": described, "p": [value] * uses})


def templated(template: str) -> bytes:
    """A table of 20,000 rows whose metadata makes an IRI of each by a template."""
    columns = [{"titles": "a", "valueUrl": template}, {"titles": "b"}]
    schema = {"aboutUrl": "http://x/{a}", "columns": columns}
    metadata = {"@context": CONTEXT, "url": "p.csv", "tableSchema": schema}
    return zipped({"p.csv": "a,b\n" + "1,2\n" * 20_000, "p.csv-metadata.json": json.dumps(metadata)})


def long_format(length: int) -> bytes:
    """A workbook with one cell whose number format is very long, and compresses well."""
    main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    styles = (
        f'<styleSheet xmlns="{main}"><numFmts count="1"><numFmt numFmtId="200" formatCode="{"[" * length}"/>'
        '</numFmts><cellXfs count="1"><xf numFmtId="200"/></cellXfs></styleSheet>'
    )
    with zipfile.ZipFile(io.BytesIO(workbook_rows('<row r="1"><c r="A1" s="0"><v>1</v></c></row>'))) as old:
        members = {each: old.read(each).decode() for each in old.namelist()}
    kind = f"{RELATIONSHIPS}/styles"
    members["xl/styles.xml"] = styles
    members["xl/_rels/workbook.xml.rels"] = members["xl/_rels/workbook.xml.rels"].replace(
        "</Relationships>", f'<Relationship Id="s" Type="{kind}" Target="styles.xml"/></Relationships>'
    )
    return zipped(members)


SECTIONS = "<table><tr><th>a<th>b<tr><td colspan=2>" + "s" * 90_000 + "<tr><td>1<td>2" * 9_000 + "</table>"
RDF_TAGS = '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xml:lang="">' + "< " * 90_000


MENU = "<nav><a href=/>a</a><a href=/b>b</a></nav>"


def odt_list(style: str, items: int = 1) -> bytes:
    """A text of OpenDocument with a list, whose style has the attributes of its one level."""
    level = f'<text:list-level-style-number style:num-format="1" {style}/>'
    item = "<text:list-item><text:p>x</text:p></text:list-item>"
    return odf(
        f'<office:text><text:list text:style-name="L">{item * items}</text:list></office:text>',
        styles=f'<text:list-style style:name="L">{level}</text:list-style>',
    )


def word_list(levels: str, items: int, level: int = 0, overrides: str = "") -> bytes:
    """A Word document with a list of these levels."""
    item = (
        f'<w:p><w:pPr><w:numPr><w:ilvl w:val="{level}"/><w:numId w:val="1"/></w:numPr></w:pPr>'
        "<w:r><w:t>a</w:t></w:r></w:p>"
    )
    number = f'<w:num w:numId="1"><w:abstractNumId w:val="0"/>{overrides}</w:num>'
    abstract = f'<w:abstractNum w:abstractNumId="0">{levels}</w:abstractNum>'
    return word_body(item * items, numbering=abstract + number)


MANY_LINES = "x" + "\n" * 400_000
LONG_LABEL = f'<w:lvl w:ilvl="0"><w:start w:val="999999999"/><w:lvlText w:val="{"%1" * 4_000}"/></w:lvl>'
MANY_OVERRIDES = "".join(
    f'<w:lvlOverride w:ilvl="{n}"><w:startOverride w:val="1"/></w:lvlOverride>' for n in range(1, 20_000)
)
DEEP_HEADINGS = odf(
    "<office:text>"
    + "".join(f'<text:h text:outline-level="{n}">x</text:h>' for n in range(1, 8_000))
    + "</office:text>"
)


def column(number: int) -> str:
    """The letters of a column of a sheet, counted from 0."""
    return (column(number // 26 - 1) if number > 25 else "") + chr(65 + number % 26)


def cells_at(row: int, columns: list[int], text: str = "") -> str:
    """A row of a sheet with a text in these columns, or a number."""
    kind, value = (' t="str"', text) if text else ("", "5")
    cells = "".join(f'<c r="{column(n)}{row}"{kind}><v>{value}</v></c>' for n in columns)
    return f'<row r="{row}">{cells}</row>'


WIDE = list(range(400))
WIDE_ROWS = cells_at(1, WIDE, "Name") + cells_at(2, WIDE) + cells_at(3, WIDE)
LINKS = "<hyperlink ref='A1:OJ3' location='x'/>" * 20_000
NESTED_LINKS = "".join(f"<hyperlink ref='A1:OJ{n}' location='x{n}'/>" for n in range(2, 10_000))
HEAD_SPANS = "<mergeCell ref='A1:OJ1'/>" * 20_000
NESTED_SPANS = "".join(f"<mergeCell ref='{column(n)}1:OJ1'/>" for n in WIDE) * 40
REGIONS = "".join(
    cells_at(n, [0, 1], "Name") + cells_at(n + 1, [0, 1]) + cells_at(n + 2, [0, 1])
    for n in range(1, 10_000, 4)
)
FAR_SPANS = "<mergeCell ref='XA1:XB1'/>" * 40_000
PAIRS = [n for n in range(1_500) if n % 3 < 2]
"""Columns of tables side by side."""
BESIDE = cells_at(1, PAIRS, "Name") + cells_at(2, PAIRS) + "".join(cells_at(n, [0]) for n in range(3, 15_000))
TALL = (
    cells_at(1, PAIRS, "Name") + cells_at(2, PAIRS) + "".join(cells_at(n, [n % 2]) for n in range(3, 9_000))
)
TALL += cells_at(9_000, PAIRS)
FAR_APART = cells_at(1, [0, 1], "x") + cells_at(1_048_576, [0, 1], "x")
TALL_SPANS = "".join(f"<mergeCell ref='{column(n)}1:{column(n)}1048576'/>" for n in range(10))
REPEATED = "".join(
    '<table:table-row table:number-rows-repeated="5000"><table:table-cell office:value-type="string">'
    f"<text:p>{n}</text:p></table:table-cell></table:table-row>"
    for n in range(209)
)


def ods(rows: str) -> bytes:
    """A sheet of OpenDocument."""
    return odf(f'<office:spreadsheet><table:table table:name="T">{rows}</table:table></office:spreadsheet>')


def seconds(folder, name, content, settings=None):
    begin = time.process_time()
    with suppress(InputError):
        read_all(folder, name, content, settings)
    return time.process_time() - begin


@pytest.mark.parametrize(
    ("name", "content", "ceiling"),
    [
        ("spans.html", SPANS, 15),
        ("attributes.html", "<p " + " ".join(f"a{n}=1" for n in range(80_000)) + ">x</p>", 5),
        ("sidebars.html", MENU + "<div class='sidebar ad'>" * 900 + "<p>word word" * 20_000, 10),
        ("notices.html", MENU + "<div class=notice><button>x</button>cook</div>" * 5_000, 10),
        ("asides.html", MENU + "<aside>x</aside>" * 20_000, 10),
        ("links.md", "<a href=x>b " * 40_000, 15),
        ("nested.html", "<div><a href=u>" * 900 + "<p>x</p>" * 20_000, 10),
        ("name.json", '{"' + ";" * 80_000 + 'x": 1}', 5),
        ("pages.pdf", partial(shared_pages, 1_900), 15),
        ("words.pdf", partial(crowded_page, 20_000, 10, 0), 15),
        ("links.pdf", partial(crowded_page, 2_000, 10_000, 0), 15),
        ("lines.pdf", partial(crowded_page, 2_000, 0, 5_000), 15),
        ("grid.pdf", partial(crowded_page, 2_000, 0, 60), 15),
        ("substitutions.rst", DOUBLED, 5),
        ("key.toml", DEEP_KEY, 3),
        ("quoted.toml", DEEP_KEY.replace("a", '"a"'), 3),
        ("inline.toml", f"x = {{{DEEP_KEY.strip()}}}\n", 3),
        ("header.toml", f"[{DEEP_KEY.split()[0]}]\nx = 1\n", 3),
        ("key.md", f"+++\n{DEEP_KEY}+++\n\ntext\n", 3),
        ("stars.rst", "*a " * 60_000, 5),
        ("letters.rst", "a" * 190_000, 5),
        ("mail.rst", "a.b@" * 47_000, 5),
        ("addresses2.rst", "http://a," * 1_100, 5),
        ("quotes.rst", wrapped("`<" * 60_000), 5),
        ("roles.rst", wrapped(":a:`b " * 30_000), 5),
        ("addresses.rst", wrapped("a:b." * 47_000), 5),
        ("contents.rst", ".. contents::\n\n" * 400 + HEADINGS, 5),
        ("numbers.rst", ".. sectnum::\n\n" * 3_000 + HEADINGS, 5),
        ("notes.rst", "a_ " * 5_000 + "\n\n.. _a: http://x\n\n" + ".. target-notes::\n\n" * 400, 5),
        ("brackets.tex", r"\sqrt[" * 20 + "x", 3),
        ("closed.tex", r"\sqrt[" * 24 + "x" + "]" * 24, 3),
        ("notes.tex", r"\footnote[" * 20 + "x", 3),
        ("ragged.tex", WIDE_TEX, 15),
        ("alias.yaml", "a: &a " + "x" * 90_000 + "\nb:\n" + "- *a\n" * 15_000, 15),
        ("heads.csv", "a" * 90_000 + ",b\n" + "1,2\n" * 20_000, 5),
        ("names.json", ('{"' + "k" * 400 + '":') * 190 + MANY_KEYS + "}" * 190, 20),
        ("defaults.xml", DEFAULTS, 5),
        ("scoped.jsonld", scoped_context(3_000, 200), 5),
        ("template.zip", templated("http://x/" + "{a}" * 10_000), 10),
        ("border.rst", "+-" * 95_000, 3),
        ("classes.rst", ".. class:: a\n\n" * 13_571, 3),
        ("targets.rst", "".join(f".. _t{n}:\n" for n in range(14_000)) + "\nx", 3),
        ("format.xlsx", long_format(1_000_000), 3),
        ("formula.html", "<math>" + "<mrow>" * 1_900 + "<mi>x</mi>" * 40_000, 5),
        ("fractions.html", "<math>" + "<mfrac><mn>1</mn>" * 900, 5),
        ("raised.html", "a<sup>1</sup>" * 20_000, 10),
        ("items.html", "<ol type=I>" + "<li value=3999>a" * 20_000, 10),
        ("hidden.html", "<p hidden>" * 900 + "x", 5),
        ("cut.txt", "ab-" + " " * 180_000 + "é", 3),
        ("codes.txt", "\x1b[" * 90_000, 3),
        ("titles.txt", "\x1b]" * 90_000, 3),
        ("tags.rdf", RDF_TAGS, 5),
        ("groups.rtf", r"{\rtf1 " + "{" * 190_000, 10),
        ("words.rtf", r"{\rtf1 " + r"\u1234?" * 25_000, 10),
        ("nested.ics", "BEGIN:VCALENDAR\r\n" + "BEGIN:VEVENT\r\n" * 10_000, 10),
        ("long.ics", "BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nSUMMARY:" + "a\\n" * 60_000, 10),
        ("wide.csv", "a,b\n" * 1_000 + "," * 90_000 + "x", 5),
        ("sections.html", SECTIONS, 15),
        ("level.odt", odt_list('text:level="999999999" text:display-levels="999999999"'), 2),
        ("shown.odt", odt_list('text:level="1" text:display-levels="999999999"'), 2),
        ("prefix.odt", odt_list(f'text:level="1" style:num-prefix="{"x" * 9_000}"', 9_000), 10),
        ("format.odt", odt_list(f'text:level="1" style:num-list-format="{"%1%" * 4_000}"', 4_000), 5),
        ("headings.odt", DEEP_HEADINGS, 5),
        ("label.docx", word_list(LONG_LABEL, 4_000), 5),
        ("overrides.docx", word_list("<w:lvl w:ilvl='0'/>", 2_000, overrides=MANY_OVERRIDES), 5),
        ("links.xlsx", workbook_rows(WIDE_ROWS, f"<hyperlinks>{LINKS}</hyperlinks>"), 5),
        ("nested_links.xlsx", workbook_rows(WIDE_ROWS, f"<hyperlinks>{NESTED_LINKS}</hyperlinks>"), 5),
        ("spans.xlsx", workbook_rows(WIDE_ROWS, f"<mergeCells>{HEAD_SPANS}</mergeCells>"), 5),
        ("nested.xlsx", workbook_rows(WIDE_ROWS, f"<mergeCells>{NESTED_SPANS}</mergeCells>"), 5),
        ("regions.xlsx", workbook_rows(REGIONS, f"<mergeCells>{FAR_SPANS}</mergeCells>"), 10),
        ("beside.xlsx", workbook_rows(BESIDE), 8),
        ("environments.tex", MANY_LINES + "\\begin{a}\nx\n\\end{a}\n" * 4_000, 8),
        ("paragraphs.tex", MANY_LINES + "x\n\n" * 4_000, 8),
        ("macros.tex", MANY_LINES + "\\a\n\n" * 4_000, 8),
        ("conditions.tex", "\\iffalse " * 20_000 + "\\fi " * 20_000 + "x", 5),
        ("verb.tex", "x" + "".join(f"\\verb{chr(n)}" for n in range(0x4E00, 0x9000)), 10),
    ],
)
def test_a_shape_that_took_very_long_is_read_or_refused_at_once(tmp_path, name, content, ceiling):
    assert seconds(tmp_path, name, content() if callable(content) else content) < ceiling


def test_tables_that_share_their_metadata_read_it_once(tmp_path):
    begin = time.process_time()
    assert len(read_all(tmp_path, "tables.zip", described_tables(1_000))) == 1_000
    assert time.process_time() - begin < 10


def test_substitutions_have_a_number(tmp_path):
    with pytest.raises(LimitError, match=r"more than 5,000 substitutions.*max_rst_substitutions"):
        read(tmp_path, "a.rst", DOUBLED)
    three = ".. |a| replace:: |b| |b|\n.. |b| replace:: x\n\n|a| |b|\n"
    assert read(tmp_path, "a.rst", three, Settings(max_rst_substitutions=6)).text == "x x x"
    with pytest.raises(LimitError, match="more than 5 substitutions"):
        read(tmp_path, "a.rst", three, Settings(max_rst_substitutions=5))


def test_marks_and_overviews_of_a_file_have_a_number(tmp_path):
    one = "*a* `b`_ c\n\n.. _b: http://x\n"
    assert read(tmp_path, "a.rst", one * 1_000).text.startswith("a b c")
    assert read(tmp_path, "a.rst", "a" * 20_000 + "\n" + "*b* " * 2_000).text.endswith("b")
    with pytest.raises(LimitError, match=r"in one paragraph: .* marks, the limit is 100; .*max_rst_marks"):
        read(tmp_path, "a.rst", "*b* " * 100, Settings(max_rst_marks=100))
    part = "title\n=====\n\n.. contents:: :local:\n\ntext\n\n"
    assert "text" in read(tmp_path, "a.rst", ".. contents::\n\n" + part * 20).text
    with pytest.raises(LimitError, match=r"sectnum.*: 3 directives, the limit is 2; .*max_rst_overviews"):
        read(tmp_path, "a.rst", ".. contents::\n\n" * 3 + part, Settings(max_rst_overviews=2))


def test_optional_arguments_of_latex_have_a_depth(tmp_path):
    formulas = r"$\left[a, b\right)$ and \sqrt[3]{x} or \\[2pt] "
    assert "and" in read(tmp_path, "a.tex", formulas * 50).text
    with pytest.raises(LimitError, match=r"deeper than 2 levels, or not closed \(line 2\).*max_tex_brackets"):
        read(tmp_path, "a.tex", "x\n" + r"\sqrt[" * 3, Settings(max_tex_brackets=2))
    assert read(tmp_path, "a.tex", r"x \sqrt[ y").text


def test_attributes_that_declarations_add_are_counted(tmp_path):
    with pytest.raises(LimitError, match=r"declarations add.*max_text_ratio"):
        read(tmp_path, "a.xml", DEFAULTS)
    few = '<!DOCTYPE r [<!ATTLIST a b CDATA "x">]><r><a>text</a></r>'
    assert "text" in read(tmp_path, "a.xml", few).text


def test_an_integer_of_toml_has_a_number_of_digits(tmp_path):
    with pytest.raises(LimitError, match="more than 4,300 digits; write it in quotation marks"):
        read(tmp_path, "a.toml", "a = " + "9" * 5_000)


def test_keys_of_toml_have_a_depth(tmp_path):
    deep = Settings(max_json_depth=3)
    assert read(tmp_path, "a.toml", "a.b.c = 1\ntext = 'x.y.z.w.v'\n", deep).text
    for content in ("a.b.c.d = 1", "[a.'b'.c.d]", "[[a . b.c. d]]", "x = {a.b.c.d = 1}", '"a".b."c.d".e=1'):
        with pytest.raises(LimitError, match=r"deeper than 3 levels.*max_json_depth"):
            read(tmp_path, "a.toml", content, deep)


def test_spans_have_an_area(tmp_path):
    with pytest.raises(LimitError, match=r"spans and short rows .*the limit is 1,000,000; .*max_span_cells"):
        read(tmp_path, "a.html", SPANS)
    ragged = "<table><tr>" + "<td>x" * 400 + "<tr><td>y" * 5_000 + "</table>"
    with pytest.raises(LimitError, match="max_span_cells"):
        read(tmp_path, "a.html", ragged)
    tables = "<table><tr><td rowspan=50>x<td>y" + "<tr><td>z" * 49 + "</table>"
    assert read(tmp_path, "a.html", tables * 2, Settings(max_span_cells=98)).blocks
    with pytest.raises(LimitError, match="99 cells, the limit is 98"):
        read(tmp_path, "a.html", tables * 3, Settings(max_span_cells=98))


@pytest.mark.parametrize(
    ("name", "content", "setting"),
    [
        ("spans.xlsx", workbook_rows(FAR_APART, f"<mergeCells>{TALL_SPANS}</mergeCells>"), "max_span_cells"),
        ("tall.xlsx", workbook_rows(TALL), "max_span_cells"),
        ("repeated.ods", ods(REPEATED), "max_span_cells"),
    ],
)
def test_what_a_small_office_file_makes_is_over_a_limit_that_is_named(tmp_path, name, content, setting):
    begin = time.process_time()
    with pytest.raises(LimitError, match=setting):
        read(tmp_path, name, content)
    assert time.process_time() - begin < 20


def test_a_separator_over_very_many_columns_adds_none(tmp_path):
    rows = "<tr><td>a<td>b<tr><td colspan=1000>c" * 3_000
    table, _ = read(tmp_path, "a.html", f"<table><tr><th>x<th>y{rows}</table>").blocks
    assert (table.columns, len(table.rows)) == (("Section", "x", "y"), 3_000)


def test_attributes_have_a_number(tmp_path):
    inside = "<p " + " ".join(f"data-a{n}='1 2 3'" for n in range(900)) + ">x</p>"
    assert read(tmp_path, "a.html", inside).text == "x"
    picture = f'<p><img src="data:{"a=b " * 20_000}" alt="a picture"></p>'
    assert read(tmp_path, "a.html", picture).text == "a picture"
    with pytest.raises(
        LimitError, match=r"the tag <p .*line 2.*1,001 attributes, the limit is 1,000; .*max_attr"
    ):
        read(tmp_path, "a.html", "<h1>a</h1>\n<p " + " ".join(f"a{n:04}=1" for n in range(1_001)) + ">x</p>")


def test_newlines_without_end_take_little_memory(tmp_path):
    with pytest.raises(InputError, match="the file is empty, no text was found"):
        read(tmp_path, "a.txt", "\n" * 5_000_000)


def test_a_text_that_grows_beyond_its_file_has_a_length(tmp_path):
    deep = '{"' + "k" * 10_000 + '": {' + ", ".join(f'"{n}": 1' for n in range(1_000)) + "}}"
    settings = Settings(max_text_length=1_000_000)
    with pytest.raises(
        LimitError, match=r"its text: .* characters, the limit is 1,000,000; .*max_text_length"
    ):
        read(tmp_path, "a.json", deep, settings)


def test_text_that_spans_rows_is_bounded_by_the_size_of_the_file(tmp_path):
    long, rows = "word " * 4_000, "<tr><td>x</td></tr>" * 400
    table = f"<table><tr><td rowspan=400>{long}</td><td>y</td></tr>{rows}</table>"
    with pytest.raises(LimitError, match=r"a.html: the text made of it: .* characters.*max_text_ratio"):
        read(tmp_path, "a.html", table)
    assert len(read(tmp_path, "a.html", table, Settings(max_text_ratio=1_000)).text) > 8_000_000


def test_links_do_not_nest(tmp_path):
    document = read(tmp_path, "a.md", '<a href="x">one <a href="y">two</a> three</a> four')
    assert [(each.target, each.text) for each in document.links] == [("x", "one"), ("y", "two")]
