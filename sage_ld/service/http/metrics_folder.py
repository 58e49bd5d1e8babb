"""The folder in which web processes keep their metrics, so that they can be added up.

prometheus-client finds it by an environment variable, which has to be set before the metrics are imported.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Final

from sage_ld.foundation.temporary_folders import remove_stale, temporary_folder

FOLDER: Final = "PROMETHEUS_MULTIPROC_DIR"
_KINDS: Final = ("counter", "histogram", "gauge_livesum", "gauge_livemax", "gauge_livemostrecent")
_ROOM: Final = 1 << 20  # bytes of a file, of which a process that has served every route takes a third
_ENDED: Final = "ended"  # stands in the name of a file where others have the number of a process


@contextmanager
def made() -> Iterator[Path]:
    """A new folder, removed after the block. What a service left that was killed is removed before it."""
    remove_stale()
    try:
        with temporary_folder("metrics") as folder:
            yield folder
    finally:
        remove_stale()  # of its own processes, too


def reserve() -> None:
    """Takes the space of this process's files before they are written. Raises OSError where there is none.

    They are mapped into memory: a write to a page for which a full disk has no space ends the process.
    """
    if folder := os.environ.get(FOLDER):
        for kind in _KINDS:
            _allocate(Path(folder, f"{kind}_{os.getpid()}.db"))


def _allocate(file: Path) -> None:
    with file.open("ab") as opened:
        if hasattr(os, "posix_fallocate"):
            os.posix_fallocate(opened.fileno(), 0, _ROOM)


def forget(process: int, folder: str) -> None:
    """Deletes the files of a process that has ended, and keeps what they counted in those of all ended ones.

    What it had at its end, such as requests that wait, goes with it. So there are no more files, and no more
    to add up for `/metrics`, however often web processes end; but where the disk is full, its files stay.
    """
    from prometheus_client import multiprocess

    multiprocess.mark_process_dead(process, folder)  # type: ignore[no-untyped-call]  # it has no annotations
    for file in Path(folder).glob(f"*_{process}.db"):
        kind = file.name.partition("_")[0]
        with suppress(OSError):
            _add(file, file.with_name(f"{kind}_{_ENDED}.db"))
            file.unlink()


def _add(file: Path, total: Path) -> None:
    """Adds the counts in a file to those in another one, which is replaced as a whole."""
    from prometheus_client.mmap_dict import MmapedDict

    counts: dict[str, float] = {}
    for each in (total, file):
        with suppress(FileNotFoundError, struct.error):  # it is empty if its process was killed at once
            for key, count, *_ in MmapedDict.read_all_values_from_file(each):  # type: ignore[no-untyped-call]
                counts[key] = counts.get(key, 0.0) + count
    draft = total.with_suffix(".tmp")
    draft.unlink(missing_ok=True)
    _allocate(draft)
    with closing(MmapedDict(str(draft))) as written:  # type: ignore[no-untyped-call]
        for key, count in counts.items():
            written.write_value(key, count, 0.0)  # type: ignore[no-untyped-call]
    draft.replace(total)
