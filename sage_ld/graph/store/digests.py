"""Digests: of the files of a revision, to tell later whether they are what was published, and of contents.

`digests.json` in the folder of a revision has the size and the BLAKE2b digest of each of its files. A file
that is a hard link to the same file of the revision before keeps the digest from there, so that publishing
costs in proportion to what is new. The files of published revisions never change.

The digest of what a resource says is its tag, by which a writer knows again what it has read.
"""

from __future__ import annotations

import hashlib
import json
import os
import stat
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Final, NamedTuple, TypeAlias

from sage_ld.foundation.errors import InputError
from sage_ld.graph.store.configuration import MADE_FILE
from sage_ld.graph.store.pins import MARK


def content_tag(content: str) -> str:
    """The tag of a resource that says `content`: 64 hexadecimal digits.

    It is whole: of fewer digits, a client could find two contents with the same tag.

    >>> content_tag("Osmere is a town.")[:8]
    '678654f9'
    """
    return hashlib.sha256(content.encode()).hexdigest()


DIGESTS_FILE: Final = "digests.json"
_BYTES: Final = 16
_NOT_CONTENT: Final = frozenset({MARK, DIGESTS_FILE, "LOCK", "LOG"})
"""Names of files that are written again when a revision is opened, pinned or checked."""


Verified: TypeAlias = dict[str, tuple[int, int, int, str]]
"""The files that were read and were as published: by path, which file it was, of which digest."""


class FileDigest(NamedTuple):
    """The digest of a file when it was published."""

    size: int
    """In bytes."""
    digest: str
    """BLAKE2b of 16 bytes, in hexadecimal digits."""


class DamagedFile(NamedTuple):
    """A file of a revision that is not what was published."""

    path: str
    """Relative to the revision's folder, with slashes."""
    reason: str

    @property
    def part(self) -> str:
        """The store, the index or the file of the revision that it belongs to."""
        return self.path.partition("/")[0]

    def __str__(self) -> str:
        return f"{self.path} {self.reason}"


def digest_of(file: Path) -> str:
    """The digest of a file's content."""
    with file.open("rb") as handle:
        return hashlib.file_digest(handle, lambda: hashlib.blake2b(digest_size=_BYTES)).hexdigest()


def write_digests(revision: Path, before: Path | None) -> None:
    """Writes the digests of all files in the folder of a revision; `before` is the one that it follows."""
    known = {} if before is None else (_known_digests(before) or {})
    digests = {}
    for name in _names(revision):
        file = revision / name
        size = file.stat().st_size
        kept = known.get(name)
        if kept is None or before is None or kept.size != size or not _same(file, before / name):
            kept = FileDigest(size, digest_of(file))
        digests[name] = kept
    with (revision / DIGESTS_FILE).open("w", encoding="utf-8") as handle:
        json.dump(digests, handle)
        handle.flush()
        os.fsync(handle.fileno())


def read_digests(revision: Path) -> dict[str, FileDigest] | None:
    """The digests of a revision by path; None in one of an earlier version of sage-ld.

    Raises InputError if the file that has them is damaged, or names a file outside the revision.
    """
    file = revision / DIGESTS_FILE
    try:
        table = json.loads(file.read_text("utf-8"))
        return {_inside(name): FileDigest(int(size), str(digest)) for name, (size, digest) in table.items()}
    except FileNotFoundError:
        return None
    except (OSError, ValueError, AttributeError, TypeError, RecursionError) as error:
        raise InputError(f"{file} is damaged ({error}); sage-ld doctor KG --repair writes it again") from None


def _inside(name: str) -> str:
    """The path of a file, which lies below the folder that it is relative to. Raises ValueError."""
    is_odd = "\\" in name or ":" in name or not name.isprintable()
    if is_odd or any(part in ("", ".", "..") for part in name.split("/")):
        raise ValueError(f"{name[:200]!r} is not a path in this folder")
    return name


def damaged_files(
    revision: Path, digests: Mapping[str, FileDigest], verified: Verified | None = None
) -> Iterator[DamagedFile]:
    """The files of a revision that are not as they were published: each of them is read.

    A file in `verified` is not read again; those that are as published are added to it.
    """
    verified = {} if verified is None else verified
    for name, expected in sorted(digests.items()):
        if (reason := _damage(revision / name, name, expected, verified)) is not None:
            yield DamagedFile(name, reason)


def foreign_files(revision: Path, digests: Mapping[str, FileDigest]) -> list[str]:
    """The files in the folder of a revision that were not published with it."""
    return sorted(set(_names(revision)) - digests.keys() - {MADE_FILE})


def lost_files(revision: Path, parts: Collection[str]) -> Iterator[DamagedFile]:
    """The files of some parts of a revision that are missing or have another size; none of them is read.

    Nothing, where the revision has no digests that can be read.
    """
    for name, expected in (_known_digests(revision) or {}).items():
        if name.partition("/")[0] in parts:
            try:
                size = (revision / name).stat().st_size
            except FileNotFoundError:
                yield DamagedFile(name, "is missing")
            else:
                if size != expected.size:
                    yield DamagedFile(name, _other_size(size, expected.size))


def _other_size(size: int, expected: int) -> str:
    return f"has {size:,} bytes in place of {expected:,}"


def _damage(file: Path, name: str, expected: FileDigest, verified: Verified) -> str | None:
    try:
        status = file.lstat()
        if not stat.S_ISREG(status.st_mode):
            return "is not a plain file"
        if status.st_size != expected.size:
            return _other_size(status.st_size, expected.size)
        mark = (status.st_dev, status.st_ino, status.st_mtime_ns, expected.digest)
        if verified.get(name) != mark:
            if digest_of(file) != expected.digest:
                return "has another content than when it was published"
            verified[name] = mark
    except FileNotFoundError:
        return "is missing"
    except OSError as error:
        return f"cannot be read ({error.strerror})"
    return None


def _known_digests(revision: Path) -> dict[str, FileDigest] | None:
    try:
        return read_digests(revision)
    except InputError:
        return None


def _names(revision: Path) -> Iterator[str]:
    """The paths of the files whose content belongs to a revision, relative to its folder."""
    for parent, _, names in os.walk(revision):
        for name in names:
            if name not in _NOT_CONTENT:
                yield Path(parent, name).relative_to(revision).as_posix()


def _same(left: Path, right: Path) -> bool:
    """Whether two paths lead to one file."""
    try:
        return os.path.samefile(left, right)
    except OSError:
        return False
