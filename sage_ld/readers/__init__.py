"""Files to documents: the formats are one module each, the table of them is in `registry`.

A file gives all its documents or none; one that cannot be read gives an error and does not stop the others.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from sage_ld.errors import InputError, LimitError, SageError
from sage_ld.model import Document
from sage_ld.readers.registry import READERS, reader_for
from sage_ld.readers.source import Reader, Source
from sage_ld.readers.walk import Found, unreadable, walk
from sage_ld.settings import Settings

__all__ = ["READERS", "FileResult", "Reader", "Source", "read_file", "read_paths", "reader_for", "walk"]


@dataclass(frozen=True, slots=True)
class FileResult:
    """What came of one file: documents, or an error, or the reason why it was skipped."""

    identifier: str
    path: Path
    documents: tuple[Document, ...] = ()
    error: SageError | None = None
    skipped: str | None = None
    """Such as `unknown kind .png`: the same text for the same reason, so that they can be counted."""


def read_paths(paths: Iterable[Path], settings: Settings) -> Iterator[FileResult]:
    """Reads all files under `paths` one after the other, sorted by identifier; see `walk`.

    Identifiers are unique in one run: a file that repeats one of an earlier file is an error.
    """
    taken: dict[str, Path] = {}
    for found in walk(paths):
        result = _result(found, settings)
        if (error := _clash(result, taken)) is not None:
            result = FileResult(result.identifier, result.path, error=error)
        taken.update((document.identifier, result.path) for document in result.documents)
        yield result


def read_file(source: Source, settings: Settings) -> tuple[Document, ...]:
    """The documents of one file of a known kind.

    Raises LimitError over a limit of the settings, InputError where the file cannot be read as what its
    name says.
    """
    _check_identifier(source.identifier, source.identifier, settings)
    try:
        source.path.stat()
        if (reader := reader_for(source.suffix)) is None:
            raise InputError(f"{source.identifier}: {_unknown(source)}; docs/reading.md lists what is read")
        documents = tuple(reader.read(source, settings))
    except OSError as error:
        raise unreadable(source, error) from None
    except RecursionError:
        raise InputError(f"{source.identifier}: nested too deeply to be read; flatten it") from None
    for document in documents:
        _check_identifier(document.identifier, source.identifier, settings)
    return documents


def _result(found: Found, settings: Settings) -> FileResult:
    source, skipped = found.source, found.skipped
    if (
        found.error is None
        and skipped is None
        and reader_for(source.suffix) is None
        and os.path.exists(source.path)
    ):
        skipped = _unknown(source)
    if found.error is not None or skipped is not None:
        return FileResult(source.identifier, source.path, error=found.error, skipped=skipped)
    try:
        return FileResult(source.identifier, source.path, read_file(source, settings))
    except SageError as error:
        return FileResult(source.identifier, source.path, error=error)


def _unknown(source: Source) -> str:
    return f"unknown kind {source.suffix}" if source.suffix else "unknown kind (no suffix)"


def _clash(result: FileResult, taken: dict[str, Path]) -> InputError | None:
    for document in result.documents:
        if (other := taken.get(document.identifier)) is not None:
            return InputError(
                f"{result.path}: the identifier {document.identifier!r} is already that of one in {other}; "
                "ingest the folder above both, or rename one"
            )
    return None


def _check_identifier(identifier: str, name: str, settings: Settings) -> None:
    if any("\ud800" <= character <= "\udfff" for character in identifier):
        raise InputError(f"{name!a}: a name that is not UTF-8; rename the file")
    if len(identifier) > settings.max_identifier_length:
        raise LimitError.of(
            f"{name[:80]}: an identifier",
            len(identifier),
            settings.max_identifier_length,
            "characters",
            "max_identifier_length",
        )
