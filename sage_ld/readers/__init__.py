"""Files to documents: the formats are one module each, the table of them is in `registry`.

A file gives all its documents or none; one that cannot be read gives an error and does not stop the others.
Files are read in a process of their own (`reader_process`), which a hostile one may crash, fill or stall.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from sage_ld.errors import InputError, SageError
from sage_ld.model import Document
from sage_ld.readers.discovery import DiscoveredFile, discover
from sage_ld.readers.files import no_reader, read_file
from sage_ld.readers.isolation import FileReader, file_reader
from sage_ld.readers.registry import READERS, reader_for, unknown_kind
from sage_ld.readers.source import LeftOut, Reader, Source
from sage_ld.readers.source_code import SOURCE_CODE
from sage_ld.settings import Settings

__all__ = [
    "READERS",
    "FileReader",
    "FileResult",
    "LeftOut",
    "Reader",
    "Source",
    "discover",
    "file_reader",
    "read_file",
    "read_paths",
    "read_with",
    "reader_for",
]


@dataclass(frozen=True, slots=True)
class FileResult:
    """The result of reading one file: documents, or an error, or the reason why it was skipped."""

    identifier: str
    path: Path
    documents: tuple[Document, ...] = ()
    error: SageError | None = None
    skipped: str | None = None
    """Such as `unknown kind .png`: the same text for the same reason, so that they can be counted."""
    left_out: tuple[LeftOut, ...] = ()
    """Files in it (it is an archive, a mail) that give no document."""


def read_paths(
    paths: Iterable[Path], settings: Settings, *, follow_symlinks: bool = False
) -> Iterator[FileResult]:
    """Reads all files under `paths` one after the other, sorted by identifier; see `discover`.

    Identifiers are unique in one run: a file that repeats one of an earlier file is an error.
    """
    with closing(file_reader(settings)) as reader:
        yield from read_with(reader, paths, follow_symlinks=follow_symlinks)


def read_with(
    reader: FileReader, paths: Iterable[Path], *, follow_symlinks: bool = False
) -> Iterator[FileResult]:
    """Reads all files under `paths` like `read_paths`, with a reader that the caller made and closes."""
    taken: dict[str, Path] = {}
    discovered = list(discover(paths, follow_symlinks=follow_symlinks))
    files = {each.source.identifier: each.source.path for each in discovered}
    for found in discovered:
        result = _result(found, reader)
        if (error := _clash(result, taken, files)) is not None:
            result = FileResult(result.identifier, result.path, error=error)
        taken.update((document.identifier, result.path) for document in result.documents)
        yield result


def _result(found: DiscoveredFile, reader: FileReader) -> FileResult:
    source, skipped, error = found.source, found.skipped, found.error
    if not error and not skipped and os.path.exists(source.path):
        if found.named:
            error = no_reader(source) if reader_for(source) is None else None
        else:
            skipped = _unread(source)
    if error is not None or skipped is not None:
        return FileResult(source.identifier, source.path, error=error, skipped=skipped)
    try:
        parts = reader.read(source)
    except SageError as error:
        return FileResult(source.identifier, source.path, error=error)
    documents = tuple(each for each in parts if isinstance(each, Document))
    left_out = tuple(each for each in parts if isinstance(each, LeftOut))
    return FileResult(source.identifier, source.path, documents, left_out=left_out)


def _unread(source: Source) -> str | None:
    """The reason why a file of a folder is skipped: no kind that is read, or an empty program."""
    if (reader := reader_for(source)) is None:
        return unknown_kind(source)
    return "empty" if reader is SOURCE_CODE and not source.size else None


def _clash(result: FileResult, taken: dict[str, Path], files: dict[str, Path]) -> InputError | None:
    """The error for a file whose document has the identifier of another one, or the name of another file."""
    for document in result.documents:
        identifier = document.identifier
        other = taken.get(identifier) or (files.get(identifier) if identifier != result.identifier else None)
        if other is not None:
            return InputError(
                f"{result.path}: {other} has the same identifier, {identifier!r}; "
                "ingest the folder above both, or rename one"
            )
    return None
