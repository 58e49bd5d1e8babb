"""The facts of `_facts.py` in eighteen formats, each written by a library of it, or by hand where it is text.

A writer gets a folder, and writes there the files of its format. `SHAPED` says which kinds of fact have their
shape in which format; the others stand there plainly.
"""

from __future__ import annotations

import csv
import html
import io
import json
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date
from email.message import EmailMessage
from pathlib import Path
from typing import Any, Final

from _facts import GRIDS, PROSE_KINDS, YEARS, Cell, Grid, marked, pieces, sentences

Writer = Callable[[Path], None]
_STAMP: Final = (2024, 1, 1, 0, 0, 0)
_HTML_MARKS: Final = {
    "note": '<sup><a href="#n{0}">{0}</a></sup>'.format,
    "sup": "<sup>{}</sup>".format,
    "frac": lambda text: "<sup>{}</sup>&frasl;<sub>{}</sub>".format(*text.split("/")),
    "del": "<del>{}</del>".format,
    "hid": '<span style="display:none">{}</span>'.format,
    "tick": lambda text: f'<input type="checkbox"{" checked" if text == "1" else ""}/>',
    "shy": lambda text: "&shy;",
}


def write_markdown(folder: Path) -> None:
    """Markdown: GFM with notes, lists of tasks, pipe tables."""
    marks = {
        "note": "[^{}]".format,
        "sup": "<sup>{}</sup>".format,
        "del": "~~{}~~".format,
        "hid": "<!--{}-->".format,
        "tick": lambda text: f"- [{'x' if text == '1' else ' '}]",
        "shy": lambda text: "&shy;",
    }
    parts = ["# Facts"]
    for kind in PROSE_KINDS:
        parts.append(f"## Of {kind}")
        parts += (
            [f"{number}. {each}" for number, each in enumerate(sentences(kind), 1)]
            if kind == "numbered"
            else []
        )
        parts += (
            [marked(each, marks) for each in sentences(kind)] if kind not in ("numbered", "remark") else []
        )
        parts += (
            [f"See the well.[^w{n}]\n\n[^w{n}]: {each}" for n, each in enumerate(sentences(kind))]
            if kind == "remark"
            else []
        )
    parts += [f"[^{number}]: It was measured." for number in (1, 2, 3)]
    for grid in GRIDS:
        parts += [f"## {grid.name}", "\n".join(_pipe_lines(grid))]
    _texts(folder, "md", "\n\n".join(parts), lambda text: f"# Tariff\n\n{text}\n")


def _pipe_lines(grid: Grid) -> Iterator[str]:
    lines = list(_even(grid, _joined_head(grid)))
    yield f"| {' | '.join(lines[0])} |"
    yield f"|{'---|' * grid.width}"
    yield from (f"| {' | '.join(line)} |" for line in lines[1:])


def write_html(folder: Path) -> None:
    """HTML with the elements for all shapes."""
    _texts(folder, "html", _html_page(), lambda text: f"<!doctype html><title>Tariff</title><p>{text}</p>")


def _html_page() -> str:
    return (
        f"<!doctype html><html lang='en'><head><title>Facts</title></head><body>{_html_body()}</body></html>"
    )


def _html_body(marks: Mapping[str, Callable[[str], str]] = _HTML_MARKS) -> str:
    parts = ["<h1>Facts</h1>"]
    for kind in PROSE_KINDS:
        tag = "li" if kind == "numbered" else "p"
        inner = "".join(f"<{tag}>{marked(each, marks, html.escape)}</{tag}>" for each in sentences(kind))
        parts.append(f"<h2>Of {kind}</h2>" + (f"<ol>{inner}</ol>" if kind == "numbered" else inner))
    for grid in GRIDS:
        parts.append(
            f"<h2>{grid.name}</h2><table>{_html_rows(grid.head, 'th')}{_html_rows(grid.rows, 'td')}</table>"
        )
    return "".join(parts)


def _html_rows(rows: Sequence[Sequence[Cell]], tag: str) -> str:
    return "".join(f"<tr>{''.join(_html_cell(cell, tag) for cell in row)}</tr>" for row in rows)


def _html_cell(cell: Cell, tag: str) -> str:
    name, span = ("th", f' colspan="{cell.span}"') if cell.span > 1 else (tag, "")
    return f"<{name}{span}>{html.escape(cell.text)}</{name}>"


def write_restructured_text(folder: Path) -> None:
    """ReStructuredText with roles, numbered lists, notes and grid tables."""
    marks = {
        "note": "\\ [{}]_".format,
        "sup": "\\ :sup:`{}`".format,
        "hid": "".format,
    }
    parts = ["Facts\n====="]
    for kind in PROSE_KINDS:
        title = f"Of {kind}"
        parts.append(f"{title}\n{'-' * len(title)}")
        prefix = "#. " if kind == "numbered" else ""
        parts.append("\n\n".join(prefix + marked(each, marks) for each in sentences(kind)))
        if kind == "hidden":
            parts.append(".. The draft said barrel 88.")
    parts.append("\n\n".join(f".. [{number}] It was measured." for number in (1, 2, 3)))
    for grid in GRIDS:
        head = len(grid.head) if grid.kind != "two levels" else 1
        lines = list(_even(grid, _joined_head(grid)))
        parts += [f"{grid.name}\n{'-' * len(grid.name)}", _grid_table(lines, head)]
    _texts(folder, "rst", "\n\n".join(parts), lambda text: f"Tariff\n======\n\n{text}\n")


def _grid_table(rows: Sequence[Sequence[str]], head: int) -> str:
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    rule = "+" + "+".join("-" * (width + 2) for width in widths) + "+"
    lines = [rule]
    for number, row in enumerate(rows, 1):
        lines.append(
            "|" + "|".join(f" {text:{width}} " for text, width in zip(row, widths, strict=True)) + "|"
        )
        lines.append(rule.replace("-", "=") if number == head else rule)
    return "\n".join(lines)


def write_tex(folder: Path) -> None:
    """LaTeX with formulas, footnotes, struck-out text (ulem) and enumerations."""
    marks = {
        "note": "\\footnotemark[{}]".format,
        "sup": "$^{{{}}}$".format,
        "frac": lambda text: "$\\frac{{{}}}{{{}}}$".format(*text.split("/")),
        "del": "\\sout{{{}}}".format,
        "hid": "\n%{}\n".format,
        "tick": lambda text: "$\\boxtimes$" if text == "1" else "$\\square$",
        "shy": lambda text: "\\-",
    }
    parts = ["\\documentclass{article}\n\\usepackage{ulem,amssymb}\n\\begin{document}\n\\title{Facts}"]
    for kind in PROSE_KINDS:
        parts.append(f"\\section{{Of {kind}}}")
        texts = [marked(each, marks) for each in sentences(kind)]
        if kind == "numbered":
            items = "\n".join(f"\\item {each}" for each in texts)
            parts.append(f"\\begin{{enumerate}}\n{items}\n\\end{{enumerate}}")
        elif kind == "remark":
            parts += [f"See the well.\\footnote{{{each}}}" for each in texts]
        else:
            parts += texts
    for grid in GRIDS:
        lines = " \\\\\n".join(" & ".join(map(_tex_cell, row)) for row in (*grid.head, *grid.rows))
        table = f"\\begin{{tabular}}{{{'l' * grid.width}}}\n{lines} \\\\\n\\end{{tabular}}"
        parts.append(f"\\section{{{grid.name}}}\n{table}")
    parts.append("\\end{document}")
    page = "\\documentclass{{article}}\\begin{{document}}\\section{{Tariff}}\n{}\n\\end{{document}}"
    _texts(folder, "tex", "\n\n".join(parts), page.format)


def _tex_cell(cell: Cell) -> str:
    return f"\\multicolumn{{{cell.span}}}{{c}}{{{cell.text}}}" if cell.span > 1 else cell.text


def write_plain(folder: Path) -> None:
    """Plain text, with words cut at the ends of lines, and tables as lines of `column: value`."""
    _texts(folder, "txt", _plain_text(), "{}\n".format)


def _plain_text() -> str:
    marks = {"cut": lambda text: "-\n"}
    parts = []
    for kind in PROSE_KINDS:
        prefixes = [f"{n}. " if kind == "numbered" else "" for n in (1, 2, 3)]
        parts += [
            before + marked(each, marks) for before, each in zip(prefixes, sentences(kind), strict=True)
        ]
    for grid in GRIDS:
        parts.append("\n".join(_named_lines(grid)))
    return "\n\n".join(parts)


def _named_lines(grid: Grid) -> Iterator[str]:
    names, *rows = list(_even(grid, _joined_head(grid)))
    section = ""
    for row, cells in zip(rows, grid.rows, strict=True):
        if len(cells) == 1:
            section = f"{row[0]}; "
        else:
            yield section + "; ".join(f"{name}: {text}" for name, text in zip(names, row, strict=True))


def write_rtf(folder: Path) -> None:
    """RTF as Word writes it: superscripts, struck-out and hidden runs, footnotes, tables."""
    marks = {
        "note": "{{\\super {}}}".format,
        "sup": "{{\\super {}}}".format,
        "del": "{{\\strike {}}}".format,
        "hid": "{{\\v {}}}".format,
        "shy": lambda text: "\\-",
    }
    parts = ["{\\rtf1\\ansi\\ansicpg1252{\\fonttbl{\\f0 Arial;}}\\f0"]
    for kind in PROSE_KINDS:
        parts.append(f"{{\\b Of {kind}}}\\par")
        for number, each in enumerate(sentences(kind), 1):
            before = f"{{\\listtext {number}.\\tab}}" if kind == "numbered" else ""
            text = f"{before}{marked(each, marks, _rtf)}"
            text = text.replace("☒", "\\u9746?").replace("☐", "\\u9744?")
            parts.append((f"See the well.{{\\footnote {text}}}" if kind == "remark" else text) + "\\par")
    for grid in GRIDS:
        parts.append(f"{{\\b {grid.name}}}\\par")
        parts += [_rtf_row(row, grid.width) for row in (*grid.head, *grid.rows)]
    _texts(folder, "rtf", "\n".join([*parts, "}"]), "{{\\rtf1\\ansi {}\\par}}".format)


def _rtf(text: str) -> str:
    return "".join(each if ord(each) < 128 else f"\\u{ord(each)}?" for each in text)


def _rtf_row(row: Sequence[Cell], width: int) -> str:
    edges, at = "", 0
    for cell in row:
        at += cell.span
        edges += f"\\cellx{at * 2000}"
    return f"\\trowd{edges}" + "".join(f"\\intbl {_rtf(cell.text)}\\cell" for cell in row) + "\\row"


def write_word(folder: Path) -> None:
    """Word, by python-docx; formulas, boxes, hidden text and text boxes as Word's XML has them."""
    import docx

    document = docx.Document()
    document.add_heading("Facts", 1)
    for kind in PROSE_KINDS:
        document.add_heading(f"Of {kind}", 2)
        for each in sentences(kind):
            _word_fact(document, kind, each)
    for grid in GRIDS:
        document.add_heading(grid.name, 2)
        _word_table(document, grid)
    _saved(document, folder / "facts.docx")
    for year, text in YEARS.items():
        tariff = docx.Document()
        tariff.add_paragraph(text)
        _saved(tariff, folder / year / "tariff.docx")


def _word_fact(document: Any, kind: str, sentence: str) -> None:
    from docx.oxml import parse_xml
    from docx.oxml.ns import nsdecls

    if kind == "boxed":
        inner = f"<w:txbxContent><w:p><w:r><w:t>{sentence}</w:t></w:r></w:p></w:txbxContent>"
        shape = f'<v:shape xmlns:v="urn:schemas-microsoft-com:vml"><v:textbox>{inner}</v:textbox></v:shape>'
        run = parse_xml(f"<w:r {nsdecls('w')}><w:pict>{shape}</w:pict></w:r>")
        document.add_paragraph()._p.append(run)
    elif kind == "remark":
        run = document.add_paragraph().add_run("See the well.")
        document.add_comment(run, text=sentence, author="A")
    else:
        paragraph = document.add_paragraph(style="List Number" if kind == "numbered" else None)
        for mark, text in pieces(sentence):
            _word_piece(paragraph, mark, text)


def _word_piece(paragraph: Any, mark: str, text: str) -> None:
    from docx.oxml import parse_xml
    from docx.oxml.ns import nsdecls

    if mark == "frac":
        above, below = (f"<m:r><m:t>{part}</m:t></m:r>" for part in text.split("/"))
        fraction = f"<m:f><m:num>{above}</m:num><m:den>{below}</m:den></m:f>"
        paragraph._p.append(parse_xml(f"<m:oMath {nsdecls('m')}>{fraction}</m:oMath>"))
    elif mark == "tick":
        code = "F0FE" if text == "1" else "F0A8"
        paragraph._p.append(
            parse_xml(f'<w:r {nsdecls("w")}><w:sym w:font="Wingdings" w:char="{code}"/></w:r>')
        )
    elif mark == "shy":
        paragraph._p.append(parse_xml(f"<w:r {nsdecls('w')}><w:softHyphen/></w:r>"))
    elif mark != "cut":
        run = paragraph.add_run(text)
        run.font.superscript = mark in ("note", "sup") or None
        run.font.strike = mark == "del" or None
        run.font.hidden = mark == "hid" or None


def _word_table(document: Any, grid: Grid) -> None:
    table = document.add_table(len(grid.head) + len(grid.rows), grid.width)
    for number, row in enumerate((*grid.head, *grid.rows)):
        at = 0
        for cell in row:
            place = table.cell(number, at)
            (place.merge(table.cell(number, at + cell.span - 1)) if cell.span > 1 else place).text = cell.text
            at += cell.span


def write_opendocument_text(folder: Path) -> None:
    """OpenDocument text with styles for raised, struck-out and hidden text, notes, text boxes."""
    marks = {
        "note": '<text:span text:style-name="sup">{}</text:span>'.format,
        "sup": '<text:span text:style-name="sup">{}</text:span>'.format,
        "del": '<text:span text:style-name="del">{}</text:span>'.format,
        "hid": '<text:span text:style-name="hid">{}</text:span>'.format,
        "shy": lambda text: "&#173;",
    }
    parts = []
    for kind in PROSE_KINDS:
        parts.append(f'<text:h text:outline-level="1">Of {kind}</text:h>')
        texts = [marked(each, marks, html.escape) for each in sentences(kind)]
        parts.append(_odt_facts(kind, texts))
    for grid in GRIDS:
        rows = "".join(map(_odf_row, (*grid.head, *grid.rows)))
        parts.append(f'<text:h text:outline-level="1">{grid.name}</text:h><table:table>{rows}</table:table>')
    styles = "".join(
        f'<style:style style:name="{name}" style:family="text"><style:text-properties {look}/></style:style>'
        for name, look in (
            ("sup", 'style:text-position="super 58%"'),
            ("del", 'style:text-line-through-style="solid"'),
            ("hid", 'text:display="none"'),
        )
    )
    styles += (
        '<text:list-style style:name="num"><text:list-level-style-number text:level="1" '
        'style:num-format="1" style:num-suffix="."/></text:list-style>'
    )
    _odf(folder / "facts.odt", "text", "".join(parts), styles)
    for year, text in YEARS.items():
        _odf(folder / year / "tariff.odt", "text", f"<text:p>{text}</text:p>")


def _odt_facts(kind: str, texts: Sequence[str]) -> str:
    if kind == "numbered":
        items = "".join(f"<text:list-item><text:p>{each}</text:p></text:list-item>" for each in texts)
        return f'<text:list text:style-name="num">{items}</text:list>'
    around = {
        "boxed": (
            "<text:p><draw:frame><draw:text-box><text:p>{}</text:p></draw:text-box></draw:frame></text:p>"
        ),
        "remark": "<text:p>See the well.<office:annotation><text:p>{}</text:p></office:annotation></text:p>",
    }
    return "".join(around.get(kind, "<text:p>{}</text:p>").format(each) for each in texts)


def write_opendocument_sheets(folder: Path) -> None:
    """OpenDocument spreadsheets: values with the text that is shown, spans, annotations."""
    marks = {
        "note": '<text:span text:style-name="sup">{}</text:span>'.format,
        "sup": '<text:span text:style-name="sup">{}</text:span>'.format,
        "del": '<text:span text:style-name="del">{}</text:span>'.format,
    }
    styles = (
        '<style:style style:name="sup" style:family="text"><style:text-properties '
        'style:text-position="super 58%"/></style:style><style:style style:name="del" style:family="text">'
        '<style:text-properties style:text-line-through-style="solid"/></style:style>'
    )
    notes = "".join(
        f"<table:table-row>{_odf_cell(Cell(kind))}"
        f"<table:table-cell><text:p>{marked(each, marks, html.escape)}</text:p></table:table-cell>"
        "</table:table-row>"
        for kind, each in _notes()
    )
    head = _odf_row((Cell("Kind"), Cell("Remark")))
    tables = f'<table:table table:name="Notes">{head}{notes}</table:table>'
    for grid in GRIDS:
        rows = "".join(map(_odf_row, (*grid.head, *grid.rows)))
        tables += f'<table:table table:name="{grid.name}">{rows}</table:table>'
    _odf(folder / "facts.ods", "spreadsheet", tables, styles)
    for year, text in YEARS.items():
        rows = _odf_row((Cell("Remark"),)) + _odf_row((Cell(text),))
        _odf(folder / year / "tariff.ods", "spreadsheet", f'<table:table table:name="T">{rows}</table:table>')


def _odf_row(row: Sequence[Cell]) -> str:
    return f"<table:table-row>{''.join(map(_odf_cell, row))}</table:table-row>"


def _odf_cell(cell: Cell) -> str:
    value = ""
    if isinstance(cell.value, date):
        value = f' office:value-type="date" office:date-value="{cell.value}"'
    elif cell.value is not None:
        value = f' office:value-type="float" office:value="{cell.value}"'
    span = f' table:number-columns-spanned="{cell.span}"' if cell.span > 1 else ""
    covered = "<table:covered-table-cell/>" * (cell.span - 1)
    text = f"<text:p>{html.escape(cell.text)}</text:p>" if cell.text else ""
    return f"<table:table-cell{value}{span}>{text}</table:table-cell>{covered}"


def _odf(path: Path, kind: str, body: str, styles: str = "") -> None:
    spaces = "".join(
        f' xmlns:{prefix}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"'
        for prefix, name in (
            ("office", "office"),
            ("text", "text"),
            ("table", "table"),
            ("style", "style"),
            ("draw", "drawing"),
        )
    )
    content = (
        f"<office:document-content{spaces}><office:automatic-styles>{styles}</office:automatic-styles>"
        f"<office:body><office:{kind}>{body}</office:{kind}></office:body></office:document-content>"
    )
    _zip(path, {"mimetype": f"application/vnd.oasis.opendocument.{kind}", "content.xml": content})


def write_slides(folder: Path) -> None:
    """PowerPoint, by python-pptx: a slide for each kind, with speaker's notes and tables."""
    import pptx

    show = pptx.Presentation()
    for kind in PROSE_KINDS:
        slide = show.slides.add_slide(show.slide_layouts[1])
        slide.shapes.title.text = f"Of {kind}"
        frame = slide.placeholders[1].text_frame
        if kind == "remark":
            slide.notes_slide.notes_text_frame.text = "\n".join(sentences(kind))
            continue
        for each in sentences(kind):
            _slide_paragraph(frame.add_paragraph(), kind, each)
    for grid in GRIDS:
        slide = show.slides.add_slide(show.slide_layouts[5])
        slide.shapes.title.text = grid.name
        _slide_table(slide, grid)
    _saved(show, folder / "facts.pptx")
    for year, text in YEARS.items():
        tariff = pptx.Presentation()
        slide = tariff.slides.add_slide(tariff.slide_layouts[6])
        slide.shapes.add_textbox(0, 0, 9_000_000, 900_000).text_frame.text = text
        _saved(tariff, folder / year / "tariff.pptx")


def _slide_paragraph(paragraph: Any, kind: str, sentence: str) -> None:
    from lxml import etree

    space = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
    if kind == "numbered":
        etree.SubElement(paragraph._p.get_or_add_pPr(), f"{space}buAutoNum", type="arabicPeriod")
    for mark, text in pieces(sentence):
        run = paragraph.add_run()
        run.text = text if mark in ("", "note", "sup", "del") else marked(f"{{{mark}:{text}}}")
        if mark in ("note", "sup"):
            run._r.get_or_add_rPr().set("baseline", "30000")
        elif mark == "del":
            run._r.get_or_add_rPr().set("strike", "sngStrike")


def _slide_table(slide: Any, grid: Grid) -> None:
    rows = (*grid.head, *grid.rows)
    table = slide.shapes.add_table(len(rows), grid.width, 0, 0, 9_000_000, 900_000).table
    for number, row in enumerate(rows):
        at = 0
        for cell in row:
            table.cell(number, at).text = cell.text
            if cell.span > 1:
                table.cell(number, at).merge(table.cell(number, at + cell.span - 1))
            at += cell.span


def write_excel(folder: Path) -> None:
    """Excel, by openpyxl: rich text, comments, number formats, real dates, merged cells."""
    import openpyxl
    from openpyxl.comments import Comment

    book = openpyxl.Workbook()
    sheet = book.active
    sheet.title = "Notes"
    sheet.append(["Kind", "Remark"])
    for kind, each in _notes():
        sheet.append([kind, "See the well." if kind == "remark" else _rich(each)])
        if kind == "remark":
            sheet.cell(sheet.max_row, 2).comment = Comment(each, "A")
    for grid in GRIDS:
        _excel_sheet(book.create_sheet(grid.name), grid)
    _saved(book, folder / "facts.xlsx")
    for year, text in YEARS.items():
        tariff = openpyxl.Workbook()
        tariff.active.append(["Remark"])
        tariff.active.append([text])
        _saved(tariff, folder / year / "tariff.xlsx")


def _rich(sentence: str) -> Any:
    from openpyxl.cell.rich_text import CellRichText, TextBlock
    from openpyxl.cell.text import InlineFont

    fonts = {"note": InlineFont(vertAlign="superscript"), "sup": InlineFont(vertAlign="superscript")}
    fonts["del"] = InlineFont(strike=True)
    return CellRichText(
        *(
            TextBlock(fonts[mark], text) if mark in fonts else marked(f"{{{mark}:{text}}}") if mark else text
            for mark, text in pieces(sentence)
        )
    )


def _excel_sheet(sheet: Any, grid: Grid) -> None:
    for number, row in enumerate((*grid.head, *grid.rows), 1):
        at = 1
        for cell in row:
            place = sheet.cell(number, at, cell.text or None if cell.value is None else cell.value)
            place.number_format = cell.number_format or place.number_format
            if cell.span > 1:
                sheet.merge_cells(
                    start_row=number, end_row=number, start_column=at, end_column=at + cell.span - 1
                )
            at += cell.span


def write_old_excel(folder: Path) -> None:
    """Excel 97, by xlwt: rich text, number formats, real dates, merged cells."""
    import xlwt

    book = xlwt.Workbook()
    sheet = book.add_sheet("Notes")
    raised, struck = xlwt.easyfont("escapement superscript"), xlwt.easyfont("struck_out true")
    fonts = {"note": raised, "sup": raised, "del": struck}
    sheet.write(0, 0, "Kind")
    sheet.write(0, 1, "Remark")
    for number, (kind, each) in enumerate(_notes(), 1):
        sheet.write(number, 0, kind)
        runs = [
            (text, fonts[mark]) if mark in fonts else marked(f"{{{mark}:{text}}}") if mark else text
            for mark, text in pieces(each)
        ]
        sheet.write_rich_text(number, 1, [run for run in runs if run])
    for grid in GRIDS:
        _old_sheet(book.add_sheet(grid.name), grid)
    _saved(book, folder / "facts.xls")
    for year, text in YEARS.items():
        tariff = xlwt.Workbook()
        sheet = tariff.add_sheet("T")
        sheet.write(0, 0, "Remark")
        sheet.write(1, 0, text)
        _saved(tariff, folder / year / "tariff.xls")


def _old_sheet(sheet: Any, grid: Grid) -> None:
    import xlwt

    for number, row in enumerate((*grid.head, *grid.rows)):
        at = 0
        for cell in row:
            style = xlwt.easyxf(num_format_str=cell.number_format or "General")
            value = cell.text if cell.value is None else cell.value
            if cell.span > 1:
                sheet.write_merge(number, number, at, at + cell.span - 1, value, style)
            elif value != "":
                sheet.write(number, at, value, style)
            at += cell.span


def write_csv(folder: Path) -> None:
    """CSV: a file for the sentences, and one for each table."""
    _csv(folder / "notes.csv", [("Kind", "Remark"), *((kind, marked(each)) for kind, each in _notes())])
    for grid in GRIDS:
        _csv(folder / f"{grid.name.lower()}.csv", list(_even(grid, [*grid.head, *grid.rows])))
    for year, text in YEARS.items():
        _csv(folder / year / "tariff.csv", [("Remark",), (text,)])


def _csv(path: Path, rows: Sequence[Sequence[str]]) -> None:
    out = io.StringIO()
    csv.writer(out).writerows(rows)
    _write(path, out.getvalue())


def write_json_lines(folder: Path) -> None:
    """JSON Lines: an object for each sentence, and a file for each table, with two levels of keys."""
    notes = [{"kind": kind, "remark": marked(each)} for kind, each in _notes()]
    _write(folder / "notes.jsonl", _lines(notes))
    for grid in GRIDS:
        _write(folder / f"{grid.name.lower()}.jsonl", _lines(_objects(grid)))
    for year, text in YEARS.items():
        _write(folder / year / "tariff.jsonl", _lines([{"remark": text}]))


def _lines(objects: Sequence[Mapping[str, Any]] | Iterator[Mapping[str, Any]]) -> str:
    return "".join(f"{json.dumps(each, ensure_ascii=False)}\n" for each in objects)


def _objects(grid: Grid) -> Iterator[dict[str, Any]]:
    names = next(iter(_even(grid, _joined_head(grid))))
    section = {}
    for row in grid.rows:
        if len(row) == 1:
            section = {"Place": row[0].text}
            continue
        values = [
            cell.value if cell.value is not None and not cell.number_format else cell.text for cell in row
        ]
        if grid.kind == "two levels":
            yield {"Day": values[0], "Opens": {"Summer": values[1], "Winter": values[2]}}
        else:
            yield {**section, **dict(zip(names, values, strict=True))}


def write_book(folder: Path) -> None:
    """An e-book (EPUB 3) with one chapter of XHTML."""
    marks = _HTML_MARKS | {"shy": lambda text: "&#173;", "frac": _mathml, "tick": _xhtml_tick}
    _book(folder / "facts.epub", "Facts", _html_body(marks))
    for year, text in YEARS.items():
        _book(folder / year / "tariff.epub", "Tariff", f"<p>{text}</p>")


def _mathml(text: str) -> str:
    above, below = (f"<mn>{part}</mn>" for part in text.split("/"))
    return f'<math xmlns="http://www.w3.org/1998/Math/MathML"><mfrac>{above}{below}</mfrac></math>'


def _xhtml_tick(text: str) -> str:
    return f'<input type="checkbox"{" checked=" + chr(34) + "checked" + chr(34) if text == "1" else ""}/>'


def _book(path: Path, title: str, body: str) -> None:
    container = (
        '<container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>'
        '<rootfile full-path="book.opf" media-type="application/oebps-package+xml"/></rootfiles></container>'
    )
    package = (
        '<package xmlns="http://www.idpf.org/2007/opf" version="3.0"><metadata '
        f'xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>{title}</dc:title></metadata><manifest>'
        '<item id="c" href="c.xhtml" media-type="application/xhtml+xml"/></manifest>'
        '<spine><itemref idref="c"/></spine></package>'
    )
    page = f'<html xmlns="http://www.w3.org/1999/xhtml"><head><title>{title}</title></head><body>{body}</body></html>'
    page = page.replace("&frasl;", "&#8260;").replace("&shy;", "&#173;")
    members = {"mimetype": "application/epub+zip", "META-INF/container.xml": container}
    _zip(path, {**members, "book.opf": package, "c.xhtml": page})


def write_notebook(folder: Path) -> None:
    """A notebook: cells of Markdown, and tables as the output of cells."""
    cells: list[dict[str, Any]] = []
    for kind in PROSE_KINDS:
        numbers = [f"{n}. " if kind == "numbered" else "" for n in (1, 2, 3)]
        marks = {
            "sup": "$^{}$".format,
            "note": "<sup>{}</sup>".format,
            "del": "~~{}~~".format,
            "frac": _tex_fraction,
        }
        texts = [before + marked(each, marks) for before, each in zip(numbers, sentences(kind), strict=True)]
        cells.append(
            {"cell_type": "markdown", "metadata": {}, "source": f"## Of {kind}\n\n" + "\n\n".join(texts)}
        )
    for grid in GRIDS:
        cells.append({"cell_type": "markdown", "metadata": {}, "source": f"## {grid.name}"})
        table = f"<table>{_html_rows(grid.head, 'th')}{_html_rows(grid.rows, 'td')}</table>"
        output = {
            "output_type": "execute_result",
            "data": {"text/html": table},
            "metadata": {},
            "execution_count": 1,
        }
        code = {
            "cell_type": "code",
            "metadata": {},
            "source": "show()",
            "execution_count": 1,
            "outputs": [output],
        }
        cells.append(code)
    _write(folder / "facts.ipynb", _notebook(cells))
    for year, text in YEARS.items():
        _write(
            folder / year / "tariff.ipynb",
            _notebook([{"cell_type": "markdown", "metadata": {}, "source": text}]),
        )


def _tex_fraction(text: str) -> str:
    return "$\\frac{{{}}}{{{}}}$".format(*text.split("/"))


def _notebook(cells: Sequence[Mapping[str, Any]]) -> str:
    return json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5})


def write_mail(folder: Path) -> None:
    """A mail whose body is HTML."""
    _write(folder / "facts.eml", _mail("Facts", _html_page()))
    for year, text in YEARS.items():
        _write(folder / year / "tariff.eml", _mail("Tariff", f"<p>{text}</p>"))


def _mail(subject: str, body: str) -> str:
    mail = EmailMessage()
    mail["From"], mail["To"], mail["Subject"] = "a@example.org", "b@example.org", subject
    mail["Date"] = "Mon, 01 Jan 2024 10:00:00 +0000"
    mail.set_content(body, subtype="html", cte="quoted-printable")
    return mail.as_string()


def write_pdf(folder: Path) -> None:
    """PDF, by ReportLab: raised and struck-out text, words cut at the ends of lines, ruled tables."""
    from reportlab.lib.styles import getSampleStyleSheet
    from reportlab.platypus import PageBreak, Paragraph, Table

    marks = {
        "note": "<super>{}</super>".format,
        "sup": "<super>{}</super>".format,
        "del": "<strike>{}</strike>".format,
        "cut": lambda text: "-<br/>",
        "tick": lambda text: "[x]" if text == "1" else "[ ]",
    }
    styles = getSampleStyleSheet()
    story: list[Any] = []
    for kind in PROSE_KINDS:
        story.append(Paragraph(f"Of {kind}", styles["Heading1"]))
        numbers = [f"{n}. " if kind == "numbered" else "" for n in (1, 2, 3)]
        for before, each in zip(numbers, sentences(kind), strict=True):
            story.append(Paragraph(before + marked(each, marks, html.escape), styles["BodyText"]))
    for grid in GRIDS:
        story += [PageBreak(), Paragraph(grid.name, styles["Heading1"])]
        rows = [list(row) for row in _even(grid, [*grid.head, *grid.rows])]
        spans = [
            ("SPAN", (at, number), (at + cell.span - 1, number))
            for number, row in enumerate((*grid.head, *grid.rows))
            for at, cell in enumerate(row)
            if cell.span > 1
        ]
        story.append(
            Table(rows, style=[("GRID", (0, 0), (-1, -1), 0.5, "black"), *spans], repeatRows=len(grid.head))
        )
    _pdf(folder / "facts.pdf", story)
    for year, text in YEARS.items():
        _pdf(folder / year / "tariff.pdf", [Paragraph(text, styles["BodyText"])])


def _pdf(path: Path, story: list[Any]) -> None:
    from reportlab.platypus import SimpleDocTemplate

    path.parent.mkdir(parents=True, exist_ok=True)
    SimpleDocTemplate(str(path), invariant=1).build(story)


def _notes() -> Iterator[tuple[str, str]]:
    """The sentences for a sheet: the kind of each (or its number), and the sentence."""
    for kind in PROSE_KINDS:
        for number, each in enumerate(sentences(kind), 1):
            yield kind, f"{number}. {each}" if kind == "numbered" else each


def _joined_head(grid: Grid) -> list[tuple[Cell, ...]]:
    """The rows of a table whose head is one row, for formats whose tables have one."""
    if len(grid.head) == 1:
        return [*grid.head, *grid.rows]
    above = [text for cell in grid.head[0] for text in [cell.text] * cell.span]
    names = [Cell(f"{first} {cell.text}".strip()) for first, cell in zip(above, grid.head[1], strict=True)]
    return [tuple(names), *grid.rows]


def _even(grid: Grid, rows: Sequence[Sequence[Cell]]) -> Iterator[list[str]]:
    """The texts of rows, all as wide as the table."""
    for row in rows:
        texts = [text for cell in row for text in (cell.text, *[""] * (cell.span - 1))]
        yield [*texts, *[""] * (grid.width - len(texts))]


def _texts(folder: Path, suffix: str, facts: str, page: Callable[[str], str]) -> None:
    _write(folder / f"facts.{suffix}", facts)
    for year, text in YEARS.items():
        _write(folder / year / f"tariff.{suffix}", page(text))


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8", newline="")


def _saved(document: Any, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    document.save(str(path))


def _zip(path: Path, members: Mapping[str, str]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(zipfile.ZipInfo(name, _STAMP), content)


_TABLES: Final = frozenset(
    {"row", "two levels", "section row", "unit", "dates in head", "number as text", "padded"}
)
_RAISED: Final = frozenset({"plain", "note", "power", "struck", "folder"})
_PAGES: Final = _RAISED | _TABLES | {"hidden", "soft hyphen", "numbered"}
SHAPED: Final[Mapping[str, frozenset[str]]] = {
    "md": _RAISED | {"hidden", "tick", "soft hyphen", "numbered", "remark", "row", "section row"},
    "html": _PAGES | {"fraction", "tick"},
    "rst": frozenset({"plain", "note", "power", "folder", "hidden", "numbered", "row", "section row"}),
    "tex": _PAGES | {"fraction", "tick", "remark"},
    "txt": frozenset({"plain", "line's end", "folder"}),
    "rtf": _PAGES | {"remark"},
    "docx": _PAGES | {"fraction", "tick", "boxed", "remark"},
    "odt": _PAGES | {"boxed", "remark"},
    "pptx": _RAISED | _TABLES | {"numbered", "remark"},
    "xlsx": _RAISED | _TABLES | {"remark"},
    "xls": _RAISED | _TABLES,
    "ods": _RAISED | _TABLES,
    "csv": frozenset({"plain", "folder", "row", "two levels", "section row", "number as text", "padded"}),
    "jsonl": frozenset({"plain", "folder", "row", "two levels", "number as text", "padded"}),
    "epub": _PAGES | {"fraction", "tick"},
    "ipynb": _RAISED | _TABLES | {"fraction", "numbered"},
    "eml": _PAGES | {"fraction", "tick"},
    "pdf": _RAISED | _TABLES | {"line's end"},
}
WRITERS: Final[Mapping[str, Writer]] = {
    "md": write_markdown,
    "html": write_html,
    "rst": write_restructured_text,
    "tex": write_tex,
    "txt": write_plain,
    "rtf": write_rtf,
    "docx": write_word,
    "odt": write_opendocument_text,
    "pptx": write_slides,
    "xlsx": write_excel,
    "xls": write_old_excel,
    "ods": write_opendocument_sheets,
    "csv": write_csv,
    "jsonl": write_json_lines,
    "epub": write_book,
    "ipynb": write_notebook,
    "eml": write_mail,
    "pdf": write_pdf,
}
"""The writer of each format, by its suffix."""
