"""The files of a graph's directory: its revisions and their tags, and what must not be opened.

A stranger may have put pipes, devices and symbolic links there: a pipe is never read to its end, and a copy
follows a link out of the folder.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Final
from urllib.parse import quote

from sage_ld.foundation.errors import InputError
from sage_ld.foundation.package_files import version
from sage_ld.graph.store.drafts import CONFIGURATION, OPTIONAL_FILES
from sage_ld.graph.store.pins import MARK

CURRENT: Final = "current"
"""The file with the number of the newest revision."""
REVISIONS: Final = "revisions"
"""The folder of all revisions."""
UNKNOWN: Final = -1
"""The number of the newest revision where `current` cannot be read."""
_BEYOND: Final = 10**12
"""More revisions than a graph can have."""


def current_number(graph: Path) -> int:
    """The number of the newest complete revision of the graph in a directory; 0 before the first.

    Raises InputError if the file that says it is damaged.
    """
    file = graph / CURRENT
    try:
        number = int(file.read_text(encoding="utf-8"))
        if not 0 <= number < _BEYOND:
            raise ValueError
        return number
    except FileNotFoundError:
        return 0
    except ValueError:
        raise InputError(
            f"{file} is damaged; write the number of the newest folder in {graph / REVISIONS} into it, "
            "or restore a backup"
        ) from None


def current_or_unknown(graph: Path) -> int:
    """The number of the newest complete revision of a graph; UNKNOWN if the file that says it is damaged."""
    try:
        return current_number(graph)
    except InputError:
        return UNKNOWN


def revision_folder(graph: Path, number: int) -> Path:
    """The folder of a revision.

    >>> revision_folder(Path("KG"), 42).as_posix()
    'KG/revisions/000042'
    """
    return graph / REVISIONS / f"{number:06d}"


def revision_tag(graph: Path, number: int) -> str:
    """The beginning of all entity tags of a revision.

    A graph that was rebuilt counts its revisions from 1 again: the time of publishing tells them apart.

    >>> revision_tag(Path("missing"), 0).split("-")[:2]
    ['0', '0']
    """
    moment = (revision_folder(graph, number) / MARK).stat().st_mtime_ns if number else 0
    return quote(f"{number}-{moment:x}-{version()}", safe="-.")


RETRIEVALS: Final = "retrievals.sqlite"
"""The database of kept retrievals."""
_DATABASE: Final = tuple(f"{RETRIEVALS}{end}" for end in ("", "-journal", "-shm", "-wal"))  # SQLite opens all
_FILES: Final = (CONFIGURATION, CURRENT, *OPTIONAL_FILES, *_DATABASE)


def special_files(graph: Path) -> Iterator[Path]:
    """The files of a graph's folder that must not be opened.

    That is `revisions`, `live` and each one below them that is neither a plain file nor a folder. The files
    beside them may be links to plain files.
    """
    for name in _FILES:
        if (file := graph / name).exists() and not file.is_file():
            yield file
    for folder in (graph / REVISIONS, graph / "live"):
        if _is_special(folder):  # os.walk would follow it
            yield folder
            continue
        for parent, folders, names in os.walk(folder):
            for name in (*folders, *names):
                if _is_special(file := Path(parent, name)):
                    yield file


def _is_special(file: Path) -> bool:
    try:
        mode = file.lstat().st_mode
    except OSError:  # a writer has removed it since
        return False
    return not stat.S_ISREG(mode) and not stat.S_ISDIR(mode)
