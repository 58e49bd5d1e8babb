"""OpenDocument texts (`.odt`)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from lxml import etree

from sage_ld.build.readers.builder import DocumentBuilder
from sage_ld.build.readers.grid import add_grid
from sage_ld.build.readers.inline import InlineBuilder
from sage_ld.build.readers.office.facts import document_with_facts
from sage_ld.build.readers.office.odf import (
    ParagraphStyle,
    TextWriter,
    check_odf,
    odf_properties,
    paragraph_styles,
    readable,
)
from sage_ld.build.readers.office.odf_tables import framed, table_rows
from sage_ld.build.readers.office.ooxml import attribute, descend, local, number_of
from sage_ld.build.readers.office.package import Package
from sage_ld.build.readers.source import Reader, Source
from sage_ld.foundation import vocabulary as v
from sage_ld.foundation.model import Document, PlaceKind
from sage_ld.foundation.settings import Settings

_MEDIA_TYPES = {".odt": "application/vnd.oasis.opendocument.text"}
_WRAPPERS: Final = frozenset(
    {"section", "list", "list-item", "list-header", "note", "note-body", "annotation", "text-box", "frame"}
)
_CODE: Final = frozenset({"preformatted text", "source code", "html preformatted"})


def read_odt(source: Source, settings: Settings) -> Iterator[Document]:
    """One document; its title is that of its properties, else the first heading of the highest level.

    Deleted text and page headers are left out, as are indexes such as a table of contents; notes and
    comments are read. Pages are those that LibreOffice counted when it saved the file.
    """
    package = Package(source, settings)
    check_odf(package)
    stated = odf_properties(package)
    content = package.xml("content.xml")
    styles = paragraph_styles([*([package.xml("styles.xml")] if "styles.xml" in package else []), content])
    builder = DocumentBuilder(source.identifier, settings)
    body = descend(content, "body", "text")
    if body is not None:
        TextBody(builder, styles, paged=next(body.iter("{*}soft-page-break"), None) is not None).add(body)
    yield document_with_facts(
        builder,
        stated,
        settings,
        title=builder.first_heading or source.stem,
        media_type=_MEDIA_TYPES[source.suffix],
        content_hash=package.content_hash,
        kind=v.SCHEMA + "TextDigitalDocument",
    )


class TextBody:
    """The blocks of a text, and the page that is reached."""

    def __init__(
        self, builder: DocumentBuilder, styles: Mapping[str, ParagraphStyle], *, paged: bool = False
    ) -> None:
        self._builder = builder
        self._styles = styles
        self._paged = paged
        self._page = self._first_page = 1
        self._text = TextWriter(self._next_page)
        self._code: InlineBuilder | None = None
        """A block of code, whose paragraphs are its lines."""

    def add(self, container: etree._Element) -> None:
        """Adds all blocks of a container, in their order."""
        self._blocks(container)
        self._flush()

    def _blocks(self, container: etree._Element) -> None:
        for element in container:
            name = local(element)
            if name == "list" and next(element.iter("{*}h", "{*}table"), None) is None:
                self._whole(element)
            elif name in _BLOCKS:
                _BLOCKS[name](self, element)
            elif name in _WRAPPERS:
                self._blocks(element)

    def _paragraph(self, element: etree._Element) -> None:
        style = self._style(element)
        if style.name in _CODE:
            self._code_line(element)
        elif style.name == "title":
            self._whole(element, 1)
        else:
            self._whole(element)

    def _heading(self, element: etree._Element) -> None:
        self._style(element)
        self._whole(element, max(number_of(attribute(element, "outline-level"), 1), 1))

    def _style(self, element: etree._Element) -> ParagraphStyle:
        """The style of a paragraph, which may begin a page."""
        name = attribute(element, "style-name")
        style = self._styles.get(name) or ParagraphStyle(readable(name))
        if style.new_page and not self._builder.empty:
            self._next_page()
        return style

    def _code_line(self, element: etree._Element) -> None:
        if self._code is None:
            self._code, self._first_page = InlineBuilder(), self._page
        else:
            self._code.verbatim("\n")
        self._text.write(self._code, element, verbatim=True)

    def _whole(self, element: etree._Element, level: int | None = None) -> None:
        """A paragraph, a list or a heading, and what stands beside it."""
        self._flush()
        self._first_page = self._page
        line = InlineBuilder()
        self._text.write(line, element)
        content = line.finish()
        self._at()
        if level is None:
            self._builder.prose(content)
        else:
            self._builder.heading(content, level)
        self._beside()

    def _table(self, element: etree._Element) -> None:
        self._flush()
        if (frame := framed(element)) is not None:
            self._blocks(frame)
            return
        self._first_page = self._page
        rows = table_rows(element, self._text)
        self._at()
        add_grid(self._builder, rows)
        self._beside()

    def _soft_break(self, element: etree._Element) -> None:
        self._next_page()

    def _beside(self) -> None:
        for each in self._text.take():
            self._blocks(each)
            self._flush()

    def _flush(self) -> None:
        """Ends the code that is being read."""
        if self._code is not None:
            code, self._code = self._code, None
            self._at()
            self._builder.prose(code.finish())
            self._beside()

    def _next_page(self) -> None:
        self._page += 1

    def _at(self) -> None:
        if self._paged:
            self._builder.at(PlaceKind.PAGE, self._first_page, self._page)


_BLOCKS: Final = {
    "p": TextBody._paragraph,
    "h": TextBody._heading,
    "table": TextBody._table,
    "soft-page-break": TextBody._soft_break,
}

ODT = Reader("OpenDocument texts", _MEDIA_TYPES, read_odt, packed=True)
