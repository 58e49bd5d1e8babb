"""The reading of files one after the other: their documents, or why there are none."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from sage_ld.build.readers.discovery import DiscoveredFile, discover
from sage_ld.build.readers.files import no_reader
from sage_ld.build.readers.isolation import FileReader, file_reader
from sage_ld.build.readers.registry import reader_for, unknown_kind
from sage_ld.build.readers.source import LeftOut, Source, reason_unread
from sage_ld.foundation.errors import ConflictError, InputError, SageError
from sage_ld.foundation.model import Document
from sage_ld.foundation.settings import Settings


@dataclass(frozen=True, slots=True)
class FileResult:
    """The result of reading one file: documents, or an error, or the reason why it was skipped."""

    file: DiscoveredFile
    documents: tuple[Document, ...] = ()
    error: SageError | None = None
    skipped: str | None = None
    """Such as `unknown kind .png`: the same text for the same reason, so that they can be counted."""
    left_out: tuple[LeftOut, ...] = ()
    """Files in it (it is an archive, a mail) that give no document."""

    @property
    def identifier(self) -> str:
        """The file's path below its root."""
        return self.file.source.identifier

    @property
    def path(self) -> Path:
        """The file's path, as it was found."""
        return self.file.source.path


def read_paths(
    paths: Iterable[Path], settings: Settings, *, follow_symlinks: bool = False
) -> Iterator[FileResult]:
    """Reads all files under `paths` one after the other, sorted by identifier; see `discover`.

    Identifiers are unique in one run: a file that repeats one of an earlier file is an error.
    """
    files = discover(paths, follow_symlinks=follow_symlinks).files
    with closing(file_reader(settings)) as reader:
        yield from read_with(reader, files)


def read_with(
    reader: FileReader, files: Sequence[DiscoveredFile], among: Collection[str] | None = None
) -> Iterator[FileResult]:
    """Reads discovered files like `read_paths`, with a reader that the caller made and closes.

    With `among`, only those whose `location` is one of these.
    """
    taken: dict[str, Path] = {}
    paths = {each.source.identifier: each.source.path for each in files}
    for file in files:
        if among is not None and file.location not in among:
            continue
        result = _result(file, reader)
        if (error := _clash(result, taken, paths)) is not None:
            result = FileResult(file, error=error)
        taken.update((document.identifier, result.path) for document in result.documents)
        yield result


def _result(file: DiscoveredFile, reader: FileReader) -> FileResult:
    source, skipped, error = file.source, file.skipped, file.error
    if not error and not skipped and os.path.exists(source.path):
        if file.named:
            error = no_reader(source) if reader_for(source) is None else None
        else:
            skipped = _unread(source)
    if error is not None or skipped is not None:
        return FileResult(file, error=error, skipped=skipped)
    try:
        parts = reader.read(source)
    except SageError as error:
        return FileResult(file, error=error)
    documents = tuple(each for each in parts if isinstance(each, Document))
    left_out = tuple(each for each in parts if isinstance(each, LeftOut))
    if (reason := reason_unread(parts, source.identifier)) is not None:
        if file.named:
            return FileResult(file, error=InputError(f"{source.identifier}: {reason}"))
        return FileResult(file, skipped=reason)
    return FileResult(file, documents, left_out=left_out)


def _unread(source: Source) -> str | None:
    """The reason why a file of a folder is skipped: no kind that is read, or empty as such files may be."""
    if (reader := reader_for(source)) is None:
        return unknown_kind(source)
    return "empty" if reader.may_be_empty and not source.size else None


def _clash(result: FileResult, taken: dict[str, Path], files: dict[str, Path]) -> ConflictError | None:
    """The error for a file whose document has the identifier of another one, or the name of another file."""
    own: set[str] = set()
    for document in result.documents:
        identifier = document.identifier
        if identifier in own:
            return ConflictError(
                f"{result.path}: two documents in it have the same identifier, {identifier!r}; rename one"
            )
        own.add(identifier)
        above = [str(each) for each in PurePosixPath(identifier).parents]
        names = (each for each in (identifier, *above) if each != result.identifier)
        other = taken.get(identifier) or next((files[each] for each in names if each in files), None)
        if other is not None:
            return ConflictError(
                f"{result.path}: {other} has the same identifier, {identifier!r}; "
                "ingest the folder above both (--root names it), or rename one"
            )
    return None
