"""Plain text: paragraphs are what blank lines part; characters stay as they are.

Files of kinds that no reader knows are read so, too, if they begin with text: logs, programs, notes without a
suffix.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from sage_ld.build.readers.builder import DocumentBuilder
from sage_ld.build.readers.characters import decode, without_terminal_codes
from sage_ld.build.readers.content import file_document
from sage_ld.build.readers.source import Reader, Source
from sage_ld.foundation import vocabulary as v
from sage_ld.foundation.errors import InputError
from sage_ld.foundation.model import Document, PlaceKind
from sage_ld.foundation.settings import Settings

MEDIA_TYPE: Final = "text/plain"
_MEDIA_TYPES: Final = {".txt": MEDIA_TYPE, ".text": MEDIA_TYPE}
_SAMPLE: Final = 1 << 16  # bytes of a file that are looked at
_LONGEST_CHARACTER: Final = 4  # bytes; the sample may have cut the last one
_PARAGRAPH_OR_GAP = re.compile(r"(\n(?:[^\S\n]*+\n)++)")


def is_text(source: Source) -> bool:
    """Whether a file begins with text, in an encoding that is certain."""
    sample = source.beginning(_SAMPLE)
    cuts = range(_LONGEST_CHARACTER) if len(sample) == _SAMPLE else (0,)
    return any(_has_text(sample[: len(sample) - cut]) for cut in cuts)


def _has_text(sample: bytes) -> bool:
    try:
        return bool(decode(sample, "").strip())
    except InputError:
        return False


def paragraphs(text: str) -> Iterator[tuple[int, str]]:
    r"""The paragraphs between blank lines, each with the number of its first line, counted from 1.

    >>> list(paragraphs("\na\nb\n \n\nc\n"))
    [(2, 'a\nb'), (6, 'c')]
    """
    line = 1
    for part in _PARAGRAPH_OR_GAP.split(text):
        if stripped := part.strip("\n").rstrip():
            yield line + len(part) - len(part.lstrip("\n")), stripped
        line += part.count("\n")


def read_plain(source: Source, settings: Settings) -> Iterator[Document]:
    """One document, its title the file's name."""
    data = source.read(settings)
    builder = DocumentBuilder(source.identifier, settings)
    for line, paragraph in paragraphs(without_terminal_codes(decode(data, source.identifier))):
        builder.at(PlaceKind.LINE, line, line + paragraph.count("\n"))
        builder.prose(paragraph)
    yield file_document(builder, data, source.stem, MEDIA_TYPE, v.SCHEMA + "TextDigitalDocument")


PLAIN = Reader("plain text", _MEDIA_TYPES, read_plain, text=True)
