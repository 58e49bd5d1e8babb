"""Office files, e-books and mails for the tests: made by other libraries, or by hand."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable, Mapping
from typing import Any

import docx
import openpyxl
import pptx
from docx.document import Document as WordDocument

RELATIONSHIPS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE = "http://schemas.openxmlformats.org/package/2006/relationships"
MAIN = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
SHEET = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
ODF = " ".join(
    f'xmlns:{prefix}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"'
    for prefix, name in {
        "office": "office",
        "text": "text",
        "table": "table",
        "style": "style",
        "draw": "drawing",
        "meta": "meta",
        "fo": "xsl-fo-compatible",
        "presentation": "presentation",
    }.items()
)
LINKS = 'xmlns:xlink="http://www.w3.org/1999/xlink" xmlns:dc="http://purl.org/dc/elements/1.1/"'


def zipped(members: Mapping[str, str | bytes]) -> bytes:
    """A zip archive, the same for the same members."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(zipfile.ZipInfo(name, (2024, 1, 1, 0, 0, 0)), content, zipfile.ZIP_DEFLATED)
    return out.getvalue()


def saved(file: Any) -> bytes:
    """What a library writes of its document."""
    out = io.BytesIO()
    file.save(out)
    return out.getvalue()


def word(fill: Callable[[WordDocument], object]) -> bytes:
    """A Word document that python-docx writes."""
    document = docx.Document()
    fill(document)
    return saved(document)


def word_body(body: str, **parts: str) -> bytes:
    """A Word document with this XML in its body, and further parts by the kind of their relationship."""
    targets = [("officeDocument", "word/document.xml")]
    inner = "".join(
        f'<Relationship Id="{kind}" Type="{RELATIONSHIPS}/{kind}" Target="{kind}.xml"/>' for kind in parts
    )
    external = (
        f'<Relationship Id="web" Type="{RELATIONSHIPS}/hyperlink" Target="https://e.org/a" '
        'TargetMode="External"/>'
    )
    return zipped(
        {
            "_rels/.rels": _relationships(
                "".join(
                    f'<Relationship Id="r" Type="{RELATIONSHIPS}/{kind}" Target="{target}"/>'
                    for kind, target in targets
                )
            ),
            "word/_rels/document.xml.rels": _relationships(inner + external),
            "word/document.xml": (
                f'<w:document xmlns:w="{MAIN}" xmlns:r="{RELATIONSHIPS}"><w:body>{body}</w:body></w:document>'
            ),
            **{
                f"word/{kind}.xml": f'<w:{kind} xmlns:w="{MAIN}">{content}</w:{kind}>'
                for kind, content in parts.items()
            },
        }
    )


def workbook(fill: Callable[[Any], object]) -> bytes:
    """An Excel workbook that openpyxl writes; `fill` gets it, with one empty sheet."""
    book = openpyxl.Workbook()
    fill(book)
    return saved(book)


def workbook_rows(rows: str, after: str = "") -> bytes:
    """An Excel workbook with this XML for the rows of its one sheet, `S`."""
    return zipped(
        {
            "_rels/.rels": _relationships(
                f'<Relationship Id="r" Type="{RELATIONSHIPS}/officeDocument" Target="xl/workbook.xml"/>'
            ),
            "xl/_rels/workbook.xml.rels": _relationships(
                f'<Relationship Id="r1" Type="{RELATIONSHIPS}/worksheet" Target="worksheets/sheet1.xml"/>'
            ),
            "xl/workbook.xml": (
                f'<workbook xmlns="{SHEET}" xmlns:r="{RELATIONSHIPS}"><sheets>'
                '<sheet name="S" sheetId="1" r:id="r1"/></sheets></workbook>'
            ),
            "xl/worksheets/sheet1.xml": (
                f'<worksheet xmlns="{SHEET}"><sheetData>{rows}</sheetData>{after}</worksheet>'
            ),
        }
    )


def slides(fill: Callable[[Any], object]) -> bytes:
    """A PowerPoint presentation that python-pptx writes."""
    presentation = pptx.Presentation()
    fill(presentation)
    return saved(presentation)


def odf(body: str, *, styles: str = "", meta: str = "", manifest: str = "") -> bytes:
    """A file of OpenDocument with this XML in its body."""
    members = {
        "content.xml": (
            f"<office:document-content {ODF} {LINKS}><office:automatic-styles>{styles}"
            f"</office:automatic-styles><office:body>{body}</office:body></office:document-content>"
        ),
        "meta.xml": (
            f"<office:document-meta {ODF} {LINKS}><office:meta>{meta}</office:meta></office:document-meta>"
        ),
    }
    return zipped(members | ({"META-INF/manifest.xml": manifest} if manifest else {}))


def book(chapters: Mapping[str, str], *, metadata: str = "", contents: str = "", **members: str) -> bytes:
    """An e-book: the bodies of its chapters by file name, its metadata, the list of its contents."""
    items = "".join(
        f'<item id="c{number}" href="{name}" media-type="application/xhtml+xml"/>'
        for number, name in enumerate(chapters)
    )
    spine = "".join(f'<itemref idref="c{number}"/>' for number in range(len(chapters)))
    return zipped(
        {
            "mimetype": "application/epub+zip",
            "META-INF/container.xml": (
                '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container">'
                "<rootfiles>"
                '<rootfile full-path="OEBPS/book.opf"/></rootfiles></container>'
            ),
            "OEBPS/book.opf": (
                '<package xmlns="http://www.idpf.org/2007/opf">'
                '<metadata xmlns:dc="http://purl.org/dc/elements/1.1/">'
                f'{metadata}</metadata><manifest>{items}<item id="n" href="nav.xhtml" properties="nav" '
                f'media-type="application/xhtml+xml"/></manifest><spine>{spine}</spine></package>'
            ),
            "OEBPS/nav.xhtml": _page(f"<nav><ol>{contents}</ol></nav>"),
            **{f"OEBPS/{name}": _page(body) for name, body in chapters.items()},
            **members,
        }
    )


def _page(body: str) -> str:
    return f'<html xmlns="http://www.w3.org/1999/xhtml"><head><title/></head><body>{body}</body></html>'


def _relationships(inner: str) -> str:
    return f'<Relationships xmlns="{PACKAGE}">{inner}</Relationships>'
