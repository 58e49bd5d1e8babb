"""One file to its documents, within the limits of the settings."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from sage_ld.build.readers.companions import read_companions
from sage_ld.build.readers.identifiers import check_identifier
from sage_ld.build.readers.metadata.sidecar import read_described
from sage_ld.build.readers.registry import reader_for, unknown_kind
from sage_ld.build.readers.source import LeftOut, Source, unreadable
from sage_ld.foundation.errors import InputError, LimitError
from sage_ld.foundation.model import Document
from sage_ld.foundation.settings import Settings

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
    check_identifier(source.identifier, source.identifier, settings)
    length = 0
    try:
        size = source.size  # raises OSError where there is no such file
        if (reader := reader_for(source)) is None:
            raise no_reader(source)
        packed = _PACKED if source.compressed or reader.packed else 1
        most = _FREE + settings.max_text_ratio * size * packed
        source = read_companions(source, settings)
        for document in read_described(reader, source, settings):
            if isinstance(document, LeftOut):
                yield document
                continue
            check_identifier(document.identifier, source.identifier, settings)
            length += len(document.text)
            if length > most:
                what = f"{source.identifier}: the text made of it"
                raise LimitError.of(what, length, most, "characters", "max_text_ratio")
            yield document
    except OSError as error:
        raise unreadable(source, error) from None
    except RecursionError:
        raise InputError(f"{source.identifier}: nested too deeply to be read; flatten it") from None


def no_reader(source: Source) -> InputError:
    """The error for a file that was named, has no suffix of ours, and is no text."""
    return InputError(f"{source.identifier}: {unknown_kind(source)}; docs/reading.md lists what is read")
