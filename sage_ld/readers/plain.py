"""Plain text: paragraphs are what blank lines part; characters stay as they are.

Files of kinds that no reader knows are read so, too, if they begin with text: logs, programs, notes without a
suffix.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from sage_ld import vocabulary as v
from sage_ld.errors import InputError
from sage_ld.model import Document
from sage_ld.readers.builder import DocumentBuilder
from sage_ld.readers.characters import decode
from sage_ld.readers.content import content_hash, finished
from sage_ld.readers.source import Reader, Source
from sage_ld.settings import Settings

MEDIA_TYPE: Final = "text/plain"
_MEDIA_TYPES: Final = {".txt": MEDIA_TYPE, ".text": MEDIA_TYPE}
_SAMPLE: Final = 1 << 16  # bytes of a file that are looked at
_LONGEST_CHARACTER: Final = 4  # bytes; the sample may have cut the last one
_BLANK_LINES = re.compile(r"\n(?:[^\S\n]*+\n)++")


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


def read_plain(source: Source, settings: Settings) -> Iterator[Document]:
    """One document, its title the file's name."""
    data = source.read(settings)
    builder = DocumentBuilder(source.identifier, settings)
    for paragraph in _BLANK_LINES.split(decode(data, source.identifier)):
        builder.prose(paragraph.strip("\n").rstrip())
    yield finished(
        builder.build(
            title=source.stem,
            media_type=MEDIA_TYPE,
            content_hash=content_hash(data),
            types=(v.SCHEMA + "TextDigitalDocument",),
        )
    )


PLAIN = Reader("plain text", _MEDIA_TYPES, read_plain)
