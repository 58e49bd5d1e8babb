"""A file that is to be read, and its bytes within the limits."""

from __future__ import annotations

import gzip
import io
import os
import stat
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import IO

from sage_ld.foundation.errors import InputError, LimitError
from sage_ld.foundation.model import Document
from sage_ld.foundation.settings import Settings


@dataclass(frozen=True, slots=True)
class Companion:
    """A file beside a source that says more about it, as it was read with it."""

    kind: str
    """The name of its `CompanionKind`."""
    name: str
    """The file's name, in the folder of the source."""
    data: bytes


@dataclass(slots=True)
class Contents:
    """The counters that all files inside one file share, at any level; they change as files are read."""

    bytes_left: int
    """How many bytes they may still expand to, those of each level added."""
    files_left: int
    """How many more files the archives among them may have."""
    taken: dict[str, str] = field(default_factory=dict)
    """The identifier of each document so far, and that of the innermost file that gave it."""


@dataclass(frozen=True, slots=True)
class Source:
    """A file and the identifier that its document gets.

    >>> source = Source(Path("/data/music/music.ttl.gz"), "music/music.ttl.gz")
    >>> source.suffix, source.stem, source.compressed
    ('.ttl', 'music', True)
    """

    path: Path
    identifier: str
    root: Path | None = None
    """The folder that links must not lead out of; None if they may lead anywhere."""
    data: bytes | None = field(default=None, repr=False)
    """The bytes, where they are a member's of another file (an archive, a mail) and not those of a path."""
    unicode: bytes | None = field(default=None, repr=False)
    """Of a text, its bytes as UTF-8, expanded, once `codings` has found how it is coded."""
    companions: tuple[Companion, ...] = ()
    """What `readers.companions` found beside the file; empty before it is read."""
    depth: int = 0
    """How many files it is inside of, each a member of the next (an attachment of a mail)."""
    beside_root: Path | None = None
    """The folder that links beside the file must not lead out of, where the file itself may be one."""
    contents: Contents | None = field(default=None, repr=False, compare=False)
    """What it shares with the other files inside the same file; None for one that is in no other."""

    @property
    def compressed(self) -> bool:
        """Whether the file is gzipped, by its name."""
        return self.path.suffix.lower() == ".gz"

    @property
    def suffix(self) -> str:
        """The suffix that says the format, in lower case and without `.gz`."""
        return self._name.suffix.lower()

    @property
    def stem(self) -> str:
        """The file's name without suffixes: the title of a document that states none."""
        return self._name.stem

    @property
    def names(self) -> tuple[str, str]:
        """The file's name, and the same without `.gz`."""
        return self.path.name, self._name.name

    def companion(self, kind: str) -> Companion | None:
        """The companion of a kind, if there is one."""
        return next((each for each in self.companions if each.kind == kind), None)

    def inside(
        self, name: str, data: bytes, contents: Contents, companions: tuple[Companion, ...] = ()
    ) -> Source:
        """The file called `name` inside this one."""
        identifier = f"{self.identifier}/{name}"
        return Source(
            self.path / name,
            identifier,
            data=data,
            companions=companions,
            depth=self.depth + 1,
            contents=contents,
        )

    def beside(self, name: str) -> Source:
        """The file called `name` in the same folder, under the same `root`, or else under `beside_root`."""
        identifier = PurePosixPath(self.identifier).with_name(name).as_posix()
        return Source(self.path.with_name(name), identifier, self.root or self.beside_root)

    @property
    def _name(self) -> PurePosixPath:
        return PurePosixPath(self.path.stem if self.compressed else self.path.name)

    @property
    def leads_outside(self) -> bool:
        """Whether links lead from the file's path to a file that is not below `root`."""
        return self._target is None

    @property
    def _target(self) -> str | None:
        """The path with its links resolved; None if it is not below `root`."""
        if self.root is None:
            return str(self.path)
        root, target = os.path.realpath(self.root), os.path.realpath(self.path)
        return target if target.startswith(os.path.join(root, "")) else None

    def read(self, settings: Settings) -> bytes:
        """The file's bytes, expanded where it is gzipped; inside another file, that counts in `contents`.

        Raises LimitError over `max_file_bytes` or `max_expanded_bytes` (a gzip bomb is not expanded further
        than that), InputError if it is no regular file, lies outside `root` or is broken gzip, OSError
        where it cannot be read.
        """
        if self.unicode is not None:
            return self.unicode
        data = self._file(settings.max_file_bytes) if self.data is None else self.data
        if not self.compressed:
            return data
        try:
            return self.gunzipped(data, settings.max_expanded_bytes)
        except (gzip.BadGzipFile, EOFError, zlib.error) as error:
            raise InputError(f"{self.identifier}: broken gzip ({error}); compress it again") from None

    @property
    def size(self) -> int:
        """The size of the file in bytes, as it is stored. Raises OSError."""
        return self.path.stat().st_size if self.data is None else len(self.data)

    def beginning(self, count: int) -> bytes:
        """At most `count` bytes of the file, expanded where it is gzipped; none where it cannot be read."""
        try:
            with self._open() if self.data is None else io.BytesIO(self.data) as stream:
                return gzip.open(stream).read(count) if self.compressed else stream.read(count) or b""
        except (InputError, OSError, EOFError, zlib.error):
            return b""

    def _file(self, limit: int) -> bytes:
        with self._open() as stream:
            size = os.fstat(stream.fileno()).st_size
            data = b"" if size > limit else stream.read(limit + 1) or b""  # it may grow, or claim to be empty
        if (size := max(size, len(data))) > limit:
            raise LimitError.of(self.identifier, size, limit, "bytes", "max_file_bytes")
        return data

    def _open(self) -> IO[bytes]:
        """The file, open; nothing but a regular file is, and nothing is waited for."""
        if (path := self._target) is None:
            raise InputError(
                f"{self.identifier}: a link to a file outside the folder; copy the file, or allow such links"
            )
        if stat.S_ISREG(os.stat(path).st_mode):
            stream = open(path, "rb", opener=_open_at_once)  # noqa: SIM115  # the caller closes it
            if stat.S_ISREG(os.fstat(stream.fileno()).st_mode):
                return stream
            stream.close()
        raise InputError(f"{self.identifier}: not a regular file; give a file or a folder")

    def gunzipped(self, data: bytes, limit: int) -> bytes:
        """The expanded bytes of gzipped ones, which count in `contents`.

        Raises LimitError over `limit` bytes, the setting max_expanded_bytes, and what `gzip` raises.
        """
        most = limit if self.contents is None else self.contents.bytes_left
        with gzip.open(io.BytesIO(data)) as stream:
            expanded = stream.read(most + 1)
        if len(expanded) > most:
            raise expands_too_far(self, limit)
        if self.contents is not None:
            self.contents.bytes_left -= len(expanded)
        return expanded


def _open_at_once(path: str, flags: int) -> int:
    """Opens a file, without waiting for a pipe that took its place in between."""
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


def expands_too_far(source: Source, limit: int) -> LimitError:
    """The error for a file that expands to more than `limit` bytes, the setting max_expanded_bytes.

    Inside another file, what the others in it expand to counts with it.
    """
    together = "" if source.contents is None else " together with the files beside it"
    return LimitError(
        f"{source.identifier}: expands to more than {limit:,} bytes{together}; "
        "split it or raise the setting max_expanded_bytes"
    )


def unreadable(source: Source, error: OSError) -> InputError:
    """The error for a file or folder that the operating system does not let us read."""
    if isinstance(error, FileNotFoundError) and source.path.is_symlink():
        return InputError(f"{source.identifier}: the link leads to nothing; remove it, or repair its target")
    if isinstance(error, FileNotFoundError):
        return InputError(f"{source.identifier}: there is no such file or folder; check the name")
    reason = error.strerror or type(error).__name__
    return InputError(f"{source.identifier}: cannot be read: {reason} ({source.path}); check its permissions")


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A file inside another one (an archive, a mail) that gives no document, and why."""

    identifier: str
    reason: str
    """The error's message, or the reason why it is skipped."""
    failed: bool = False
    """Whether it could not be read, though its kind is one that is read."""


def reason_unread(parts: Sequence[Document | LeftOut], identifier: str) -> str | None:
    """The reason why a file was not read, where its reader has left out the whole of it."""
    first = parts[0] if len(parts) == 1 else None
    return first.reason if isinstance(first, LeftOut) and first.identifier == identifier else None


@dataclass(frozen=True, slots=True)
class Reader:
    """A reader: the function that makes documents of files of one format."""

    name: str
    media_types: Mapping[str, str]
    """Suffix of the file's name, in lower case with its dot, to media type."""
    read: Callable[[Source, Settings], Iterator[Document | LeftOut]]
    """Raises SageError, in which case none of the file's documents is used."""
    packed: bool = False
    """Whether the format compresses what it holds, so that a file may give many times its size in text."""
    text: bool = False
    """Whether it takes text, whatever its coding: its bytes come as UTF-8, or with a byte order mark."""
    may_be_empty: bool = False
    """Whether an empty file is usual, as `__init__.py` is: in a folder it is skipped, and is no error."""
