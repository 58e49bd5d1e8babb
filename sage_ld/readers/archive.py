"""Archives, read as folders: each file in one gives its documents, as it does outside.

Nothing is unpacked on disk. A member's identifier is the archive's, a slash and its path in the archive.
"""

from __future__ import annotations

import gzip
import io
import stat
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import PurePosixPath
from typing import Final

from sage_ld.errors import InputError, LimitError, SageError
from sage_ld.model import Document
from sage_ld.readers.source import LeftOut, Reader, Source
from sage_ld.settings import Settings

_MEDIA_TYPES: Final = {
    ".zip": "application/zip",
    ".tar": "application/x-tar",
    ".tgz": "application/gzip",
}
_DAMAGED: Final = (
    zipfile.BadZipFile,
    tarfile.TarError,
    gzip.BadGzipFile,
    EOFError,
    zlib.error,
    NotImplementedError,  # a method of compression that Python does not know
    ValueError,
)
_PASSED_OVER: Final = "__MACOSX"
ReadMember = Callable[[Source, Settings], Iterator[Document | LeftOut]]
"""Reads a file of any kind; it is given by the table of readers, which has this one in it."""


@dataclass(frozen=True, slots=True)
class Member:
    """A file in an archive."""

    path: str
    size: int
    regular: bool
    read: Callable[[int], bytes]
    """Its first bytes, as many as are asked for."""


def archive_reader(read_member: ReadMember) -> Reader:
    """The reader of archives, which has `read_member` read the files in them."""

    def read(source: Source, settings: Settings) -> Iterator[Document | LeftOut]:
        """The documents of the files in an archive, in the order of their paths.

        Raises InputError if it is damaged or encrypted, or a path in it leads out of it; LimitError if it has
        more files than `max_archive_files`, or expands to more than `max_expanded_bytes`.
        """
        if source.data is not None:
            raise InputError(f"{source.identifier}: an archive in another one; unpack it")
        data = source.read(settings)
        try:
            yield from _documents(_members(data, source, settings), source, settings, read_member)
        except _DAMAGED as error:
            raise InputError(f"{source.identifier}: a damaged archive ({error}); pack it anew") from None

    return Reader("archive", _MEDIA_TYPES, read, packed=True)


def _documents(
    members: list[Member], source: Source, settings: Settings, read_member: ReadMember
) -> Iterator[Document | LeftOut]:
    left = settings.max_expanded_bytes
    for member in sorted(members, key=lambda each: each.path):
        identifier = f"{source.identifier}/{member.path}"
        if not member.regular:
            yield LeftOut(identifier, "no regular file in an archive")
            continue
        data = member.read(left + 1)
        left -= len(data)
        if left < 0:
            raise _expands_too_far(source, settings)
        yield from member_documents(
            Source(source.path / member.path, identifier, data=data), settings, read_member
        )


def member_documents(
    source: Source, settings: Settings, read_member: ReadMember
) -> Iterator[Document | LeftOut]:
    """What one file gives: all its documents, or the reason why there are none."""
    try:
        yield from list(read_member(source, settings))
    except SageError as error:
        yield LeftOut(source.identifier, str(error), failed=True)


def _members(data: bytes, source: Source, settings: Settings) -> list[Member]:
    """The files in an archive, hidden ones left out."""
    found = list(_zipped(data, source) if source.suffix == ".zip" else _tarred(data, source, settings))
    for member in found:
        if ".." in PurePosixPath(member.path).parts or member.path.startswith(("/", "\\")):
            raise InputError(
                f"{source.identifier}: {member.path!a} leads out of it; pack it anew without such paths"
            )
    shown = [each for each in found if not _hidden(PurePosixPath(each.path))]
    if len(shown) > (limit := settings.max_archive_files):
        raise LimitError.of(source.identifier, len(shown), limit, "files", "max_archive_files")
    if sum(each.size for each in shown) > settings.max_expanded_bytes:
        raise _expands_too_far(source, settings)
    return shown


def _hidden(path: PurePosixPath) -> bool:
    return path.parts[:1] == (_PASSED_OVER,) or any(part.startswith(".") for part in path.parts)


def _zipped(data: bytes, source: Source) -> Iterator[Member]:
    archive = zipfile.ZipFile(io.BytesIO(data))
    for each in archive.infolist():
        if each.flag_bits & 1:
            raise InputError(f"{source.identifier}: needs a password; pack it without one")
        if not each.is_dir():
            mode = stat.S_IFMT(each.external_attr >> 16)
            regular = mode in (0, stat.S_IFREG)
            yield Member(each.filename, each.file_size, regular, partial(_read, archive, each))


def _read(archive: zipfile.ZipFile, member: zipfile.ZipInfo, most: int) -> bytes:
    with archive.open(member) as stream:
        return stream.read(most)


def _tarred(data: bytes, source: Source, settings: Settings) -> Iterator[Member]:
    archive = tarfile.TarFile(fileobj=io.BytesIO(_gunzipped(data, source, settings)))
    for each in archive:
        if not each.isdir():
            yield Member(each.name, each.size, each.isreg(), partial(_extracted, archive, each))


def _extracted(archive: tarfile.TarFile, member: tarfile.TarInfo, most: int) -> bytes:
    stream = archive.extractfile(member)
    return b"" if stream is None else stream.read(most)


def _gunzipped(data: bytes, source: Source, settings: Settings) -> bytes:
    """The archive itself, which `.tgz` compresses; `.tar.gz` has been expanded with the file."""
    if source.suffix != ".tgz":
        return data
    with gzip.open(io.BytesIO(data)) as stream:
        expanded = stream.read(settings.max_expanded_bytes + 1)
    if len(expanded) > settings.max_expanded_bytes:
        raise _expands_too_far(source, settings)
    return expanded


def _expands_too_far(source: Source, settings: Settings) -> LimitError:
    return LimitError(
        f"{source.identifier}: expands to more than {settings.max_expanded_bytes:,} bytes; "
        "split it or raise the setting max_expanded_bytes"
    )
