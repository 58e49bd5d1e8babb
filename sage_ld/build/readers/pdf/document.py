"""PDF with a text layer: headings, paragraphs, tables and forms, each with its page."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from sage_ld.build.readers.builder import DocumentBuilder
from sage_ld.build.readers.characters import one_line
from sage_ld.build.readers.content import content_hash
from sage_ld.build.readers.source import Reader, Source
from sage_ld.build.readers.xml_events import parse_xml
from sage_ld.foundation import vocabulary as v
from sage_ld.foundation.errors import InputError, LimitError, SageError
from sage_ld.foundation.model import Document
from sage_ld.foundation.settings import Settings

if TYPE_CHECKING:
    from pypdfium2 import PdfDocument

    from sage_ld.build.readers.pdf.layout import Page

logging.getLogger("pypdfium2").addHandler(logging.NullHandler())  # else it prints each oddity of each file
_MEDIA_TYPE: Final = "application/pdf"
_SIGNATURE: Final = b"%PDF-"  # ISO 32000-2, §7.5.2: readers look for it in the first kilobyte


def read_pdf(source: Source, settings: Settings) -> Iterator[Document]:
    """One document; its title is that of the file's metadata, else the file's name.

    Raises InputError if no page has text (a scan, without `ocr`), or a password is needed.
    """
    data = source.read(settings)
    try:
        document = _document(data, source, settings)
    except (SageError, MemoryError):
        raise
    except Exception as error:  # a broken file shows as any exception that Python has
        if _SIGNATURE not in data[:1024]:
            raise InputError(
                f"{source.identifier}: not a PDF (it does not begin with %PDF-); check its format"
            ) from None
        reason = one_line(str(error)) or type(error).__name__
        if "password" in reason.casefold():
            raise InputError(f"{source.identifier}: needs a password; save it without one") from None
        raise InputError(f"{source.identifier}: the PDF is damaged ({reason}); create it again") from None
    yield document


def _document(data: bytes, source: Source, settings: Settings) -> Document:
    import pypdfium2  # few folders hold a PDF

    from sage_ld.build.readers.pdf.content import PagedContent
    from sage_ld.build.readers.pdf.headings import outline_of
    from sage_ld.build.readers.pdf.information import information, informed

    pdf = pypdfium2.PdfDocument(data)
    try:
        if (count := len(pdf)) > settings.max_pdf_pages:
            raise LimitError.of(source.identifier, count, settings.max_pdf_pages, "pages", "max_pdf_pages")
        facts = information(pdf)
        builder = DocumentBuilder(source.identifier, settings)
        labels = [one_line(pdf.get_page_label(number) or "") for number in range(count)]
        pages = list(_pages(pdf, source, settings))
        PagedContent(builder, pages, outline_of(pdf), labels).add()
        _add_xfa(pdf, builder, settings)
    finally:
        pdf.close()
    if builder.empty:
        remedy = "leave it out" if settings.ocr else "read it with --ocr"
        raise InputError(f"{source.identifier}: no text on any of its {count} pages; {remedy}")
    document = builder.build(
        title=facts.get("Title") or source.stem,
        media_type=_MEDIA_TYPE,
        content_hash=content_hash(data),
        types=(v.SCHEMA + "TextDigitalDocument",),
    )
    return informed(document, facts)


def _pages(pdf: PdfDocument, source: Source, settings: Settings) -> Iterator[Page]:
    """The pages; those without text by OCR, where it is asked for. Raises LimitError."""
    from sage_ld.build.readers.pdf.layout import read_page
    from sage_ld.build.readers.pdf.scans import scanned_page

    pdf.init_forms()
    length = scanned = 0
    for number in range(len(pdf)):
        page = read_page(pdf, number)
        if settings.ocr and not page.has_text:
            scanned += 1
            if scanned > (most := settings.max_ocr_pages):
                what = f"{source.identifier}: pages without text"
                raise LimitError.of(what, scanned, most, "pages", "max_ocr_pages")
            page = scanned_page(pdf, number, settings)
        length += sum(len(each.text) for each in page.pieces)
        if length > (limit := settings.max_text_length):
            what = f"{source.identifier}: its text"
            raise LimitError.of(what, length, limit, "characters", "max_text_length")
        yield page


def _add_xfa(pdf: PdfDocument, builder: DocumentBuilder, settings: Settings) -> None:
    """Adds the fields of an XFA form: the elements of its data that hold nothing but text."""
    from sage_ld.build.readers.pdf.annotations import xfa_fields

    if data := xfa_fields(pdf):
        root = parse_xml(data, f"{builder.identifier}: its XFA form", settings)
        fields = [(each.tag.rpartition("}")[2], each.text or "") for each in root.iter() if not len(each)]
        builder.record("Form", [(name, one_line(text)) for name, text in fields])


PDF = Reader("PDF", {".pdf": _MEDIA_TYPE}, read_pdf)
