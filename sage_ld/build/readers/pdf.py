"""PDF with a text layer: a section a page."""

from __future__ import annotations

import io
import logging
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from sage_ld.build.readers.builder import DocumentBuilder
from sage_ld.build.readers.characters import one_line
from sage_ld.build.readers.content import content_hash, moment
from sage_ld.build.readers.source import Reader, Source
from sage_ld.foundation import vocabulary as v
from sage_ld.foundation.errors import InputError, LimitError, SageError
from sage_ld.foundation.model import Document, PlaceKind, Property
from sage_ld.foundation.settings import Settings

if TYPE_CHECKING:
    from pypdf import PageObject, PdfReader

logging.getLogger("pypdf").addHandler(logging.NullHandler())  # else it prints each oddity of each file
_MEDIA_TYPE = "application/pdf"
_FIELDS = ("/Title", "/Subject", "/Keywords", "/ModDate")
_DATE = re.compile(r"D:(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(?:(Z)|([+-]\d\d)'?(\d\d)?)?", re.ASCII)
_SIGNATURE = b"%PDF-"  # ISO 32000-2, §7.5.2: readers look for it in the first kilobyte


def read_pdf(source: Source, settings: Settings) -> Iterator[Document]:
    """One document; its title is that of the file's metadata, else the file's name.

    Raises InputError if no page has text (a scan), or a password is needed.
    """
    data = source.read(settings)
    try:
        document = _document(data, source, settings)
    except (SageError, MemoryError):
        raise
    except Exception as error:  # a broken file shows in pypdf as any exception that Python has
        reason = one_line(str(error)) or type(error).__name__
        if _SIGNATURE not in data[:1024]:
            raise InputError(
                f"{source.identifier}: not a PDF (it does not begin with %PDF-); check its format"
            ) from None
        raise InputError(f"{source.identifier}: the PDF is damaged ({reason}); create it again") from None
    yield document


def _document(data: bytes, source: Source, settings: Settings) -> Document:
    from pypdf import PdfReader  # takes a third of a second, and few folders hold a PDF

    reader = PdfReader(io.BytesIO(data))
    if reader.is_encrypted and not reader.decrypt(""):
        raise InputError(f"{source.identifier}: needs a password; save it without one")
    if (count := len(reader.pages)) > settings.max_pdf_pages:
        raise LimitError.of(source.identifier, count, settings.max_pdf_pages, "pages", "max_pdf_pages")
    builder = DocumentBuilder(source.identifier, settings)
    texts: dict[str, str] = {}  # pages may share what is on them: a small file would take long
    for number, page in enumerate(reader.pages, 1):
        key = _content(page)
        if key not in texts:
            texts[key] = one_line(page.extract_text())
        if text := texts[key]:
            builder.at(PlaceKind.PAGE, number)
            builder.heading(f"Page {number}", 1)
            builder.prose(text)
    if builder.empty:
        raise InputError(f"{source.identifier}: no text on any of its {count} pages; run it through OCR")
    return _with_metadata(builder, reader, content_hash(data), source)


def _content(page: PageObject) -> str:
    """A key for a page's text: the references to its content streams and resources."""
    return repr([page.raw_get(name) if name in page else None for name in ("/Contents", "/Resources")])


def _with_metadata(builder: DocumentBuilder, reader: PdfReader, digest: str, source: Source) -> Document:
    facts = {key: one_line(str(value)) for key, value in (reader.metadata or {}).items()}
    document = builder.build(
        title=facts.get("/Title") or source.stem,
        media_type=_MEDIA_TYPE,
        content_hash=digest,
        types=(v.SCHEMA + "TextDigitalDocument",),
    )
    return replace(
        document,
        description=facts.get("/Subject", ""),
        keywords=tuple(word.strip() for word in facts.get("/Keywords", "").split(",") if word.strip()),
        modified=_stated_moment(facts.get("/ModDate", "")),
        metadata=tuple(_properties(facts)),
    )


def _properties(facts: Mapping[str, str]) -> Iterator[Property]:
    """The rest of the document information (ISO 32000-2, §14.3.3), by names without their slash.

    Its `Creator` is a program, so it has the name of XMP, `CreatorTool`: as a key, `Creator` is a person.
    """
    created = _stated_moment(facts.get("/CreationDate", ""))
    for name, value in facts.items():
        if name == "/CreationDate" and created is not None:
            yield Property("CreationDate", created, "dateTime")
        elif name == "/ModDate" and value and _stated_moment(value) is None:
            yield Property("modified", value)
        elif name not in _FIELDS and value:
            key = one_line(name.removeprefix("/"))
            yield Property("CreatorTool" if key == "Creator" else key, value)


def _stated_moment(value: str) -> str | None:
    """A date (ISO 32000-2, §7.9.4) as `xsd:dateTime`; nothing where it has no time of day.

    pypdf gives up on the quote after `Z` that LibreOffice writes.

    >>> _stated_moment("D:20240501100000+02'00'"), _stated_moment("D:20240501100000Z'")
    ('2024-05-01T10:00:00+02:00', '2024-05-01T10:00:00+00:00')
    """
    if (parts := _DATE.match(value)) is None:
        return None
    year, month, day, hour, minute, second, zone, hours, minutes = parts.groups()
    offset = "+00:00" if zone else f"{hours}:{minutes or '00'}" if hours else ""
    return moment(f"{year}-{month}-{day}T{hour}:{minute}:{second}{offset}")


PDF = Reader("PDF", {".pdf": _MEDIA_TYPE}, read_pdf)
