"""The files below a list of paths, in a fixed order, each with its identifier."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, NamedTuple

from sage_ld.build.readers.companions import may_be_companion, owners_among
from sage_ld.build.readers.roots import FilePlace, Roots, below, located
from sage_ld.build.readers.source import Source, unreadable
from sage_ld.foundation.errors import InputError

BENCHMARK: Final = "a benchmark's questions and judgements"
GRAPH: Final = "a graph of sage-ld"
LINKED_FOLDER: Final = "a link to a folder"
OUTSIDE: Final = "a link to a file outside the folder"

REMEDIES: Final = {
    BENCHMARK: "sage-ld eval asks them; to read such a file, name it",
    GRAPH: "sage-ld export writes what it holds to a file that can be read",
    LINKED_FOLDER: "name the folder itself to read it",
    OUTSIDE: "--follow-symlinks reads them",
    "unknown kind": "save them in a format that docs/reading.md lists",
}
"""The remedy for a file that is skipped, by the beginning of the reason."""


@dataclass(frozen=True, slots=True)
class DiscoveredFile:
    """A file that was found; `skipped` is the reason why it, or its whole folder, is left out."""

    source: Source
    skipped: str | None = None
    error: InputError | None = None
    named: bool = False
    """Whether the path of the file itself was given, not that of a folder above it."""
    root: str = ""
    """The name of the root that its identifier is relative to."""
    location: str = ""
    """Its absolute path, without links in the folders above it."""

    @property
    def place(self) -> FilePlace:
        """Its root and its path below it."""
        return FilePlace(self.root, self.source.identifier)


@dataclass(frozen=True, slots=True)
class Discovery:
    """The files below some paths."""

    files: tuple[DiscoveredFile, ...]
    """Sorted by identifier."""
    roots: dict[str, str] = field(default_factory=dict)
    """The roots that the graph remembers, and those of these files: name -> absolute folder."""
    folders: tuple[str, ...] = ()
    """The folders that were named, as absolute paths: read whole, but for the folders among `files`."""


def discover(
    paths: Iterable[Path],
    *,
    follow_symlinks: bool = False,
    roots: Roots | None = None,
    root: Path | None = None,
    is_used: Callable[[str], bool] = lambda name: False,
) -> Discovery:
    """All files under `paths`, sorted by identifier, whatever the order of the paths; no file twice.

    A file's identifier is its path below the innermost of the `roots` above it. Where there is none, it is
    relative to `root`, or else to the folder that was named; that becomes a root under a name that is not in
    use, as `is_used` says. Within a folder, hidden files and folders are passed over in silence, and links to
    folders are not followed, so no loop of links can stall this; links to files outside the folder only with
    `follow_symlinks`. A path that is given itself is always taken; a companion (`readers.companions`) stands
    for the file that it belongs to, and is no path that is given: links to it lead nowhere out of the root.

    Raises InputError if `root` does not lie above the paths, or lies below one of the `roots`.
    """
    wanted = list(paths)
    extended = (roots or Roots({})).extended(wanted, root)
    by_identifier: dict[str, _Found] = {}
    owners = _Owners()
    for path in wanted:
        for each in _folder(path, follow_symlinks) if os.path.isdir(path) else _given(path, owners):
            former = by_identifier.get(each.location, each)
            by_identifier[each.location] = former._replace(named=former.named or each.named)
    above = {location: extended.above(os.path.dirname(location)) or location for location in by_identifier}
    order = sorted(by_identifier, key=lambda location: (below(location, above[location]), location))
    named = extended.named((above[location] for location in order), is_used)
    names = {folder: name for name, folder in named.items()}
    files = tuple(
        _file(
            by_identifier[each],
            below(each, above[each]),
            names[above[each]],
            None if follow_symlinks else Path(above[each]),
        )
        for each in order
    )
    return Discovery(files, named, tuple(located(path) for path in wanted if os.path.isdir(path)))


class _Found(NamedTuple):
    """A file before it has an identifier."""

    path: Path
    location: str
    within: Path | None = None
    skipped: str | None = None
    error: OSError | None = None
    named: bool = False


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


def _given(path: Path, owners: _Owners) -> Iterator[_Found]:
    for each in owners.of(path) or [path]:
        yield _Found(each, located(each), named=True)


def _folder(root: Path, follow_symlinks: bool) -> Iterator[_Found]:
    within, start = None if follow_symlinks else root, located(root)
    failed: list[OSError] = []

    def at(path: Path, skipped: str | None = None, error: OSError | None = None) -> _Found:
        return _Found(
            path, os.path.normpath(os.path.join(start, path.relative_to(root))), within, skipped, error
        )

    for folder, folders, files in os.walk(root, onerror=failed.append):
        here = Path(folder)
        if is_graph(here):
            folders.clear()
            yield at(here, GRAPH)
            continue
        if "queries.jsonl" in files and "qrels" in folders:
            files.remove("queries.jsonl")
            folders.remove("qrels")
            yield from (at(here / name, BENCHMARK) for name in ("queries.jsonl", "qrels"))
        folders[:] = [name for name in folders if not name.startswith(".")]
        companions = owners_among(files)
        yield from (at(here / name, LINKED_FOLDER) for name in folders if (here / name).is_symlink())
        yield from (at(here / name) for name in files if not name.startswith(".") and name not in companions)
    for error in failed:
        yield at(Path(error.filename), error=error)


def is_graph(folder: Path) -> bool:
    """Whether a folder is a graph of ours, or one that is being made."""
    return (folder / "revisions").is_dir() and any(
        (folder / name).is_file() for name in ("sage-ld.toml", "sage-ld.toml.tmp")
    )


def _file(candidate: _Found, identifier: str, root: str, beside_root: Path | None) -> DiscoveredFile:
    source = Source(candidate.path, identifier, candidate.within, beside_root=beside_root)
    skipped, error = candidate.skipped, None
    if skipped is None and candidate.error is None and source.path.is_symlink() and source.leads_outside:
        skipped = OUTSIDE
    if candidate.error is not None:
        error = unreadable(source, candidate.error)
    return DiscoveredFile(source, skipped, error, candidate.named, root, candidate.location)
