"""The folder in which web processes keep their metrics, so that they can be added up.

prometheus-client finds it by an environment variable, which has to be set before the metrics are imported.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

FOLDER: Final = "PROMETHEUS_MULTIPROC_DIR"
_PREFIX: Final = "sage-ld-metrics-"


@contextmanager
def made() -> Iterator[Path]:
    """A new folder, removed after the block. What a service left that was killed is removed before it."""
    _remove_stale()
    folder = Path(tempfile.mkdtemp(prefix=f"{_PREFIX}{os.getpid()}-"))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def forget(process: int, folder: str) -> None:
    """Takes what a process that has ended counted as its own, such as requests that wait, out of the sums."""
    from prometheus_client import multiprocess

    multiprocess.mark_process_dead(process, folder)  # type: ignore[no-untyped-call]


def _remove_stale() -> None:
    for folder in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*"):
        owner = folder.name.removeprefix(_PREFIX).partition("-")[0]
        if owner.isdecimal() and folder.lstat().st_uid == os.getuid() and not _runs(int(owner)):
            shutil.rmtree(folder, ignore_errors=True)


def _runs(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True
