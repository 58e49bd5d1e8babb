"""Rich Text Format (`.rtf`), by striprtf: its text, without its looks."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from sage_ld.build.readers.builder import DocumentBuilder
from sage_ld.build.readers.content import content_hash, finished
from sage_ld.build.readers.plain import paragraphs
from sage_ld.build.readers.source import Reader, Source
from sage_ld.foundation import extras
from sage_ld.foundation import vocabulary as v
from sage_ld.foundation.errors import InputError
from sage_ld.foundation.model import Document
from sage_ld.foundation.settings import Settings

MEDIA_TYPE: Final = "application/rtf"
_BEGIN: Final = b"{\\rtf"


def read_rtf(source: Source, settings: Settings) -> Iterator[Document]:
    """One document; its title is the file's name. Raises InputError for a file of another kind."""
    library = extras.load("striprtf.striprtf", extras.OFFICE)
    data = source.read(settings)
    if not data.lstrip().startswith(_BEGIN):
        raise InputError(f"{source.identifier}: no rich text, which begins with {{\\rtf; check its format")
    builder = DocumentBuilder(source.identifier, settings)
    for _, paragraph in paragraphs(library.rtf_to_text(data.decode("latin-1"), errors="replace")):
        builder.prose(paragraph)
    yield finished(
        builder.build(
            title=source.stem,
            media_type=MEDIA_TYPE,
            content_hash=content_hash(data),
            types=(v.SCHEMA + "TextDigitalDocument",),
        )
    )


RTF = Reader("Rich Text Format", {".rtf": MEDIA_TYPE}, read_rtf)
