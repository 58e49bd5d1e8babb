"""Plain text: paragraphs are what blank lines part; characters stay as they are."""

from __future__ import annotations

import re
from collections.abc import Iterator

from sage_ld import vocabulary as v
from sage_ld.model import Document
from sage_ld.readers.builder import DocumentBuilder
from sage_ld.readers.characters import decode
from sage_ld.readers.content import content_hash, finished
from sage_ld.readers.source import Reader, Source
from sage_ld.settings import Settings

_MEDIA_TYPES = {".txt": "text/plain", ".text": "text/plain"}
_BLANK_LINES = re.compile(r"\n(?:[^\S\n]*+\n)++")


def read_plain(source: Source, settings: Settings) -> Iterator[Document]:
    """One document, its title the file's name."""
    data = source.read(settings)
    builder = DocumentBuilder(source.identifier, settings)
    for paragraph in _BLANK_LINES.split(decode(data, source.identifier)):
        builder.prose(paragraph.strip("\n").rstrip())
    yield finished(
        builder.build(
            title=source.stem,
            media_type=_MEDIA_TYPES[source.suffix],
            content_hash=content_hash(data),
            types=(v.SCHEMA + "TextDigitalDocument",),
        )
    )


PLAIN = Reader("plain text", _MEDIA_TYPES, read_plain)
