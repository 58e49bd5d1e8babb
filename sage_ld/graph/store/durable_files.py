"""Files that survive a power cut, and folders copied by hard links."""

from __future__ import annotations

import os
import shutil
from pathlib import Path


def replace_file(file: Path, text: str, *, private: bool = False) -> None:
    """Replaces a small file as a whole; when this returns, its content is on disk.

    Only its owner may read one that is `private`.
    """
    temporary = file.with_name(file.name + ".tmp")
    mode = 0o600 if private else 0o666
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, mode)
    try:
        with open(descriptor, "w", encoding="utf-8") as handle:
            handle.write(text)
            handle.flush()
            os.fsync(handle.fileno())
        temporary.replace(file)
    except OSError:  # a full disk
        temporary.unlink(missing_ok=True)
        raise
    sync_folder(file.parent)


def sync_folder(folder: Path) -> None:
    """Puts the names in a folder on disk. Windows cannot open a folder for it, and does it by itself."""
    if os.name == "nt":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def sync_tree(folder: Path, *, files: bool = True) -> None:
    """Puts a folder with all that is below it on disk; without `files`, the names alone.

    Without them where the files are on disk already, as those are that a link leads to.
    """
    for parent, _, names in os.walk(folder):
        for name in names if files else ():
            _sync_file(Path(parent, name))
        sync_folder(Path(parent))


def link_tree(source: Path, target: Path) -> None:
    """Hard-links every file of a folder; copies where the file system has no links."""
    shutil.copytree(source, target, copy_function=_link_or_copy, ignore=shutil.ignore_patterns("*.lock"))


def remove(path: Path) -> None:
    """Deletes a folder with all that is in it, or a file; does nothing if nothing is."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def _link_or_copy(source: str, target: str) -> None:
    try:
        os.link(source, target)
    except OSError:
        shutil.copy2(source, target)
        _sync_file(Path(target))


def _sync_file(file: Path) -> None:
    with file.open("r+b" if os.name == "nt" else "rb") as handle:  # Windows syncs what may be written
        os.fsync(handle.fileno())
