"""The files below a list of paths, in a fixed order, each with its identifier."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from sage_ld.errors import InputError
from sage_ld.readers.companions import may_be_companion, owners_among
from sage_ld.readers.source import Source, unreadable

BENCHMARK = "a benchmark's questions and judgements"
LINKED_FOLDER = "a link to a folder"
OUTSIDE = "a link to a file outside the folder"


@dataclass(frozen=True, slots=True)
class DiscoveredFile:
    """A file that was found; with `skipped` the reason why it, or the whole folder, is left out."""

    source: Source
    skipped: str | None = None
    error: InputError | None = None
    named: bool = False
    """Whether the path of the file itself was given, not that of a folder above it."""


def discover(paths: Iterable[Path], *, follow_symlinks: bool = False) -> list[DiscoveredFile]:
    """All files under `paths`, sorted by identifier, whatever the order of the paths; no file twice.

    Within a folder, hidden files and folders are passed over in silence, and links to folders are not
    followed, so no loop of links can stall this; links to files outside the folder only with
    `follow_symlinks`. A path that is given itself is always taken; a companion (`readers.companions`) stands
    for the file that it belongs to.
    """
    found = {}
    owners = _Owners()
    for path in paths:
        for each in _folder(path, follow_symlinks) if os.path.isdir(path) else _given(path, owners):
            found[each.source.identifier, os.path.abspath(each.source.path)] = each
    return [found[key] for key in sorted(found)]


class _Owners:
    """To which files companions belong, each folder looked into once."""

    def __init__(self) -> None:
        self._folders: dict[Path, dict[str, list[str]]] = {}

    def of(self, path: Path) -> list[Path]:
        """The files beside `path` of which it is a companion; none for an ordinary file."""
        if not may_be_companion(path.name) or not path.is_file():
            return []
        folder = path.parent
        if folder not in self._folders:
            visible = [name for name in os.listdir(folder) if not name.startswith(".")]
            self._folders[folder] = owners_among(visible)
        return [folder / name for name in self._folders[folder].get(path.name, ())]


def _given(path: Path, owners: _Owners) -> Iterator[DiscoveredFile]:
    for each in owners.of(path) or [path]:
        yield DiscoveredFile(Source(each, each.absolute().name), named=True)


def _folder(root: Path, follow_symlinks: bool) -> Iterator[DiscoveredFile]:
    within = None if follow_symlinks else root
    failed: list[OSError] = []
    for folder, folders, files in os.walk(root, onerror=failed.append):
        here = Path(folder)
        if "queries.jsonl" in files and "qrels" in folders:
            files.remove("queries.jsonl")
            folders.remove("qrels")
            yield from (
                DiscoveredFile(_source(root, here / name), BENCHMARK) for name in ("queries.jsonl", "qrels")
            )
        for name in folders:
            if (here / name).is_symlink() and not name.startswith("."):
                yield DiscoveredFile(_source(root, here / name), LINKED_FOLDER)
        folders[:] = [name for name in folders if not name.startswith(".")]
        companions = owners_among(files)
        for name in files:
            if not name.startswith(".") and name not in companions:
                yield _file(_source(root, here / name, within))
    for error in failed:
        source = _source(root, Path(error.filename))
        yield DiscoveredFile(source, error=unreadable(source, error))


def _file(source: Source) -> DiscoveredFile:
    return DiscoveredFile(source, OUTSIDE if source.path.is_symlink() and source.leads_outside else None)


def _source(root: Path, path: Path, within: Path | None = None) -> Source:
    return Source(path, path.relative_to(root).as_posix(), within)
