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
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import PurePosixPath
from typing import Final

from sage_ld.build.readers.companions import companions_where, owners_among
from sage_ld.build.readers.members import ReadMember, check_depth, contents_of, left_out, member_documents
from sage_ld.build.readers.source import Companion, Contents, LeftOut, Reader, Source, expands_too_far
from sage_ld.foundation.errors import InputError, LimitError
from sage_ld.foundation.model import Document
from sage_ld.foundation.settings import Settings

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

        Raises InputError if it is damaged or encrypted, or a path in it leads out of it; LimitError inside
        more than `max_nested_files` others, or if it, with the archives in it and around it, has more files
        than `max_archive_files` or expands to more than `max_expanded_bytes`.
        """
        check_depth(source, "files", settings)
        data = source.read(settings)
        contents = contents_of(source, settings)
        try:
            members = _members(data, source, contents, settings)
            yield from _Folder(source, members, contents, settings).documents(read_member)
        except _DAMAGED as error:
            raise InputError(
                f"{source.identifier}: the archive is damaged ({error}); create it again"
            ) from None

    return Reader("archive", _MEDIA_TYPES, read, packed=True)


class _Folder:
    """The files of an archive, while they are read one after the other."""

    def __init__(
        self, source: Source, members: Mapping[str, Member], contents: Contents, settings: Settings
    ) -> None:
        self._source = source
        self._members = members
        self._contents = contents
        self._settings = settings
        self._companions: dict[str, bytes] = {}

    def documents(self, read_member: ReadMember) -> Iterator[Document | LeftOut]:
        """The documents of all files but companions, each with its own."""
        companions = _companions_among(self._members)
        for path, member in sorted(self._members.items()):
            if path in companions:
                continue
            inner = self._source.inside(path, b"", self._contents)
            if not member.regular:
                yield left_out(inner, "no regular file in an archive", self._settings)
                continue
            inner = replace(inner, data=self._read(member), companions=tuple(self._beside(inner, path)))
            yield from member_documents(inner, self._settings, read_member)

    def _beside(self, source: Source, path: str) -> Iterator[Companion]:
        folder = PurePosixPath(path).parent

        def exists(name: str) -> bool:
            member = self._members.get((folder / name).as_posix())
            return member is not None and member.regular

        for kind, name in companions_where(source, exists):
            beside = (folder / name).as_posix()
            if beside not in self._companions:  # one may belong to many files
                self._companions[beside] = self._read(self._members[beside])
            yield Companion(kind, name, self._companions[beside])

    def _read(self, member: Member) -> bytes:
        data = member.read(self._contents.bytes_left + 1)
        if len(data) > self._contents.bytes_left:
            raise expands_too_far(self._source, self._settings.max_expanded_bytes)
        self._contents.bytes_left -= len(data)
        return data


def _companions_among(members: Mapping[str, Member]) -> set[str]:
    """The paths of the files that belong to another one in their folder, and are no documents."""
    folders: dict[PurePosixPath, list[str]] = {}
    for path, member in members.items():
        if member.regular:
            folders.setdefault(PurePosixPath(path).parent, []).append(PurePosixPath(path).name)
    return {(folder / name).as_posix() for folder, names in folders.items() for name in owners_among(names)}


def _members(data: bytes, source: Source, contents: Contents, settings: Settings) -> dict[str, Member]:
    """The files in an archive by path, hidden ones left out; of several with one path the last."""
    members: dict[str, Member] = {}
    packed = _zipped(data, source) if source.suffix == ".zip" else _tarred(data, source, settings)
    for member in packed:
        path = PurePosixPath(member.path)
        if ".." in path.parts or member.path.startswith(("/", "\\")):
            raise InputError(
                f"{source.identifier}: {member.path!a} leads outside the archive; create it again without "
                "such paths"
            )
        if not _hidden(path):
            members[path.as_posix()] = member
    if len(members) > contents.files_left:
        limit = settings.max_archive_files
        count = limit - contents.files_left + len(members)
        raise LimitError.of(source.identifier, count, limit, "files", "max_archive_files")
    if sum(each.size for each in members.values()) > contents.bytes_left:
        raise expands_too_far(source, settings.max_expanded_bytes)
    contents.files_left -= len(members)
    return members


def _hidden(path: PurePosixPath) -> bool:
    parts = path.parts
    return not parts or parts[0] == _PASSED_OVER or any(part.startswith(".") for part in parts)


def _zipped(data: bytes, source: Source) -> Iterator[Member]:
    archive = zipfile.ZipFile(io.BytesIO(data))
    for each in archive.infolist():
        if each.flag_bits & 1:
            raise InputError(f"{source.identifier}: needs a password; create it without one")
        if not each.is_dir():
            mode = stat.S_IFMT(each.external_attr >> 16)
            regular = mode in (0, stat.S_IFREG)
            yield Member(each.filename, each.file_size, regular, partial(_read, archive, each))


def _read(archive: zipfile.ZipFile, member: zipfile.ZipInfo, most: int) -> bytes:
    with archive.open(member) as stream:
        return stream.read(most)


def _tarred(data: bytes, source: Source, settings: Settings) -> Iterator[Member]:
    if source.suffix == ".tgz":  # `.tar.gz` has been expanded with the file
        data = source.gunzipped(data, settings.max_expanded_bytes)
    archive = tarfile.TarFile(fileobj=io.BytesIO(data))
    for each in archive:
        if not each.isdir():
            yield Member(each.name, each.size, each.isreg(), partial(_extracted, archive, each))


def _extracted(archive: tarfile.TarFile, member: tarfile.TarInfo, most: int) -> bytes:
    stream = archive.extractfile(member)
    return b"" if stream is None else stream.read(most)
