"""Clean-up of a newly created graph when the job that created it fails."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from sage_ld.errors import ConflictError
from sage_ld.store.directory import Directory


@contextmanager
def removed_on_failure(path: Path) -> Iterator[Callable[[], None]]:
    """Removes the graph in `path` that the block made, where it fails or calls the function it is given.

    Folders above it that the block made go as well. A folder that held something before stays as it is, and
    so does one in which another process has begun to write.
    """
    made = [each for each in (path, *path.parents) if not each.exists()]
    if not made and not _is_empty(path):
        yield lambda: None
        return
    try:
        yield lambda: _remove(Directory(path), made)
    except BaseException:
        _remove(Directory(path), made)
        raise


def _is_empty(path: Path) -> bool:
    return path.is_dir() and not any(path.iterdir())


def _remove(directory: Directory, made: list[Path]) -> None:
    with suppress(OSError, ConflictError), directory.locked():
        if directory.current() <= 1:  # the block made no more
            for each in directory.path.iterdir():
                shutil.rmtree(each) if each.is_dir() else each.unlink()
    with suppress(OSError):  # the first of them that holds something ends it
        for folder in made:
            folder.rmdir()
