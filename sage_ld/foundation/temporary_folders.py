"""Folders for temporary files that are removed even if the process that made them is killed."""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

_PREFIX: Final = "sage-ld-"
_NAME: Final = re.compile(rf"{_PREFIX}[a-z]+-(\d+)-")


@contextmanager
def temporary_folder(purpose: str) -> Iterator[Path]:
    """A new folder of this process, removed after the block; if the process is killed, by `remove_stale`."""
    folder = Path(tempfile.mkdtemp(prefix=f"{_PREFIX}{purpose}-{os.getpid()}-"))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def remove_stale() -> None:
    """Removes the folders of this user's processes that were killed."""
    for folder in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*"):
        owner = _NAME.match(folder.name)
        if owner and folder.lstat().st_uid == os.getuid() and not _runs(int(owner[1])):
            shutil.rmtree(folder, ignore_errors=True)


def _runs(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True
