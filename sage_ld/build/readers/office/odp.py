"""OpenDocument presentations (`.odp`). Each slide is a section."""

from __future__ import annotations

from collections.abc import Iterator

from lxml import etree

from sage_ld.build.readers.builder import DocumentBuilder
from sage_ld.build.readers.grid import add_grid
from sage_ld.build.readers.inline import Inline, InlineBuilder
from sage_ld.build.readers.office.facts import document_with_facts
from sage_ld.build.readers.office.odf import TextWriter, check_odf, odf_properties
from sage_ld.build.readers.office.odf_tables import table_rows
from sage_ld.build.readers.office.ooxml import attribute, children, descend, local
from sage_ld.build.readers.office.package import Package
from sage_ld.build.readers.source import Reader, Source
from sage_ld.foundation import vocabulary as v
from sage_ld.foundation.errors import LimitError
from sage_ld.foundation.model import Document, PlaceKind
from sage_ld.foundation.settings import Settings

_MEDIA_TYPES = {".odp": "application/vnd.oasis.opendocument.presentation"}
_LEFT_OUT = frozenset({"date-time", "footer", "header", "page-number"})


def read_odp(source: Source, settings: Settings) -> Iterator[Document]:
    """One document; its title is that of its properties, else of the first slide that has one.

    The notes of a slide stand at its end. Raises LimitError over `max_pdf_pages` slides.
    """
    package = Package(source, settings)
    check_odf(package)
    stated = odf_properties(package)
    builder = DocumentBuilder(source.identifier, settings)
    slides = list(children(descend(package.xml("content.xml"), "body", "presentation"), "page"))
    if len(slides) > settings.max_pdf_pages:
        raise LimitError.of(package.name, len(slides), settings.max_pdf_pages, "slides", "max_pdf_pages")
    titles = [_add_slide(builder, slide, number) for number, slide in enumerate(slides, 1)]
    yield document_with_facts(
        builder,
        stated,
        settings,
        title=next(filter(None, titles), "") or source.stem,
        media_type=_MEDIA_TYPES[source.suffix],
        content_hash=package.content_hash,
        kind=v.SCHEMA + "PresentationDigitalDocument",
    )


def _add_slide(builder: DocumentBuilder, slide: etree._Element, number: int) -> str:
    """Adds a slide; returns its title."""
    shapes = [each for each in slide if attribute(each, "class") not in _LEFT_OUT]
    titled = next((each for each in shapes if attribute(each, "class") == "title"), None)
    title = _text(titled) if titled is not None else Inline("")
    builder.at(PlaceKind.SLIDE, number)
    builder.heading(title if title.text.strip() else f"Slide {number}", 1)
    for shape in shapes:
        if shape is not titled:
            _add_shape(builder, shape)
    return title.text


def _add_shape(builder: DocumentBuilder, shape: etree._Element) -> None:
    table = next(shape.iter("{*}table"), None)
    if local(shape) == "notes":
        for each in shape:
            _add_shape(builder, each)
    elif table is not None:
        add_grid(builder, table_rows(table, TextWriter()))
    else:
        builder.prose(_text(shape))


def _text(shape: etree._Element) -> Inline:
    """The text of a shape, also of shapes that are grouped in it."""
    writer = TextWriter()
    line = InlineBuilder()
    writer.write(line, shape)
    for box in writer.take():
        line.newline()
        writer.write(line, box)
    return line.finish()


ODP = Reader("OpenDocument presentations", _MEDIA_TYPES, read_odp, packed=True)
