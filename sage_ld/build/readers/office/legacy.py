"""Texts and slides from before 2007 (`.doc`, `.ppt`), which are named with the remedy and not read."""

from __future__ import annotations

from collections.abc import Iterator

from sage_ld.build.readers.source import Reader, Source
from sage_ld.foundation.errors import InputError
from sage_ld.foundation.model import Document
from sage_ld.foundation.settings import Settings

_MEDIA_TYPES = {
    ".doc": "application/msword",
    ".ppt": "application/vnd.ms-powerpoint",
}


def refuse(source: Source, settings: Settings) -> Iterator[Document]:
    """Raises InputError, which says how to save the file."""
    raise InputError(
        f"{source.identifier}: an old office format (Office 97–2003), which is not read; "
        f"save it as {source.suffix}x"
    )
    yield  # a reader is a generator


LEGACY = Reader("texts and slides from before 2007", _MEDIA_TYPES, refuse)
