"""One file to its documents, within the limits of the settings."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from sage_ld.errors import InputError, LimitError
from sage_ld.model import Document
from sage_ld.readers.companions import combined_hash, read_companions
from sage_ld.readers.registry import reader_for, unknown_kind
from sage_ld.readers.sidecar import sidecar_properties, with_sidecar
from sage_ld.readers.source import LeftOut, Reader, Source, unreadable
from sage_ld.settings import Settings

_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_CONTROL: Final = re.compile("[\x00-\x1f\x7f-\x9f]")
_FREE: Final = 2**20  # characters that a file of any size may hold
_PACKED: Final = 10  # how much more a compressed file may hold


def read_file(source: Source, settings: Settings) -> tuple[Document, ...]:
    """The documents of one file of a known kind, read in this process: only for files that are trusted.

    Files inside it that give no document are passed over.

    Raises LimitError over a limit of the settings, InputError if the file cannot be read as what its
    name says.
    """
    return tuple(each for each in read_documents(source, settings) if isinstance(each, Document))


def read_documents(source: Source, settings: Settings) -> Iterator[Document | LeftOut]:
    """The documents of a file, one after the other; if an error follows, those before it must not be used."""
    _check_identifier(source.identifier, source.identifier, settings)
    length = 0
    try:
        if (reader := reader_for(source)) is None:
            raise no_reader(source)
        most = _most_text(source, reader, settings)
        source = read_companions(source, settings)
        sidecar = sidecar_properties(source, settings)
        for document in reader.read(source, settings):
            if isinstance(document, LeftOut):
                yield document
                continue
            _check_identifier(document.identifier, source.identifier, settings)
            length += len(document.text)
            if length > most:
                what = f"{source.identifier}: the text made of it"
                raise LimitError.of(what, length, most, "characters", "max_text_ratio")
            yield with_sidecar(_renewed(document, source), source, sidecar)
    except OSError as error:
        raise unreadable(source, error) from None
    except RecursionError:
        raise InputError(f"{source.identifier}: nested too deeply to be read; flatten it") from None


def _renewed(document: Document, source: Source) -> Document:
    """The document with a hash that covers the companions of its file."""
    digest = combined_hash(document.content_hash, source.companions)
    return document if digest == document.content_hash else replace(document, content_hash=digest)


def no_reader(source: Source) -> InputError:
    """The error for a file that was named, has no suffix of ours, and is no text."""
    return InputError(f"{source.identifier}: {unknown_kind(source)}; docs/reading.md lists what is read")


def _most_text(source: Source, reader: Reader, settings: Settings) -> int:
    """How many characters of text a file may hold: spans and long column names repeat theirs in each row.

    Raises OSError.
    """
    packed = _PACKED if source.compressed or reader.packed else 1
    return _FREE + settings.max_text_ratio * source.size * packed


def _check_identifier(identifier: str, name: str, settings: Settings) -> None:
    if not identifier.isascii() and _SURROGATE.search(identifier):
        raise InputError(f"{name!a}: a name that is not UTF-8; rename the file")
    if _CONTROL.search(identifier):
        raise InputError(f"{name!a}: an identifier has a control character; rename the file or the record")
    if len(identifier) > settings.max_identifier_length:
        raise LimitError.of(
            f"{name[:80]}: an identifier",
            len(identifier),
            settings.max_identifier_length,
            "characters",
            "max_identifier_length",
        )
