"""A file that is to be read, and its bytes within the limits."""

from __future__ import annotations

import gzip
import stat
import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from sage_ld.errors import InputError, LimitError
from sage_ld.model import Document
from sage_ld.settings import Settings


@dataclass(frozen=True, slots=True)
class Source:
    """A file and the identifier that its document gets.

    >>> source = Source(Path("/data/music/music.ttl.gz"), "music/music.ttl.gz")
    >>> source.suffix, source.stem, source.compressed
    ('.ttl', 'music', True)
    """

    path: Path
    identifier: str

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
    def _name(self) -> PurePosixPath:
        return PurePosixPath(self.path.stem if self.compressed else self.path.name)

    def read(self, settings: Settings) -> bytes:
        """The file's bytes, expanded where it is gzipped.

        Raises LimitError over `max_file_bytes` or `max_expanded_bytes` (a gzip bomb is not expanded further
        than that), InputError where it is no regular file or broken gzip, OSError where it cannot be read.
        """
        if not stat.S_ISREG(self.path.stat().st_mode):
            raise InputError(f"{self.identifier}: not a regular file; give a file or a folder")
        size, limit = self.path.stat().st_size, settings.max_file_bytes
        if size > limit:
            raise LimitError.of(self.identifier, size, limit, "bytes", "max_file_bytes")
        return self._expanded(settings.max_expanded_bytes) if self.compressed else self.path.read_bytes()

    def _expanded(self, limit: int) -> bytes:
        try:
            with gzip.open(self.path) as stream:
                data = stream.read(limit + 1)
        except (gzip.BadGzipFile, EOFError, zlib.error) as error:
            raise InputError(f"{self.identifier}: broken gzip ({error}); compress it again") from None
        if len(data) > limit:
            raise LimitError(
                f"{self.identifier}: expands to more than {limit:,} bytes; "
                "split it or raise the setting max_expanded_bytes"
            )
        return data


@dataclass(frozen=True, slots=True)
class Reader:
    """How files of one format become documents."""

    name: str
    media_types: Mapping[str, str]
    """Suffix of the file's name, in lower case with its dot, to media type."""
    read: Callable[[Source, Settings], Iterator[Document]]
    """Raises SageError, in which case none of the file's documents is used."""
