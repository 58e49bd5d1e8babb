"""PDF with a text layer: headings, paragraphs, tables and forms, each with its page."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from sage_ld.build.readers.builder import DocumentBuilder
from sage_ld.build.readers.characters import one_line
from sage_ld.build.readers.content import content_hash
from sage_ld.build.readers.source import Reader, Source
from sage_ld.foundation import vocabulary as v
from sage_ld.foundation.errors import InputError, LimitError, SageError
from sage_ld.foundation.model import Document
from sage_ld.foundation.settings import Settings

if TYPE_CHECKING:
    from pypdfium2 import PdfDocument

logging.getLogger("pypdfium2").addHandler(logging.NullHandler())  # else it prints each oddity of each file
_MEDIA_TYPE: Final = "application/pdf"
_SIGNATURE: Final = b"%PDF-"  # ISO 32000-2, §7.5.2: readers look for it in the first kilobyte


def read_pdf(source: Source, settings: Settings) -> Iterator[Document]:
    """One document; its title is that of the file's metadata, else the file's name.

    Raises InputError if no page has text (a scan), or a password is needed.
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

    from sage_ld.build.readers.pdf.content import PdfContent
    from sage_ld.build.readers.pdf.information import information, informed

    pdf = pypdfium2.PdfDocument(data)
    try:
        facts = information(pdf)
        builder = DocumentBuilder(source.identifier, settings)
        _check_pages(pdf, source, settings)
        PdfContent(pdf, builder, settings).add()
        if builder.empty:
            raise InputError(
                f"{source.identifier}: no text on any of its {len(pdf)} pages; run it through OCR"
            )
        document = builder.build(
            title=facts.get("Title") or source.stem,
            media_type=_MEDIA_TYPE,
            content_hash=content_hash(data),
            types=(v.SCHEMA + "TextDigitalDocument",),
        )
        return informed(document, facts)
    finally:
        pdf.close()


def _check_pages(pdf: PdfDocument, source: Source, settings: Settings) -> None:
    if (count := len(pdf)) > settings.max_pdf_pages:
        raise LimitError.of(source.identifier, count, settings.max_pdf_pages, "pages", "max_pdf_pages")


PDF = Reader("PDF", {".pdf": _MEDIA_TYPE}, read_pdf)
