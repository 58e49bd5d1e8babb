"""Pipes, devices and symbolic links in the folder of a graph, which a stranger may have put there.

A pipe is never read to its end, and a copy follows a link out of the folder.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from sage_ld.graph.store.drafts import CONFIGURATION, OPTIONAL_FILES
from sage_ld.graph.store.revision_paths import CURRENT, REVISIONS

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
