"""The folders that identifiers are relative to: a file has one identifier, whichever path it is named by.

A graph remembers each as a name and a folder. The name, a number, is in the graph; where the folder lies on
this machine is not, so that the same files give the same graph from any place.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from itertools import count
from pathlib import Path, PurePath
from typing import Final, NamedTuple

from sage_ld.foundation.errors import InputError

PROGRAM_ROOT: Final = "program"
"""The root of the documents that a program added: no folder. Their path is their identifier."""


class FilePlace(NamedTuple):
    """The place of a file: the same from whatever path it was named by."""

    root: str
    """The name of the innermost root above it."""
    path: str
    """Its path below that root, with `/`."""


@dataclass(frozen=True, slots=True)
class Roots:
    """The roots that a graph remembers, and those that an ingest adds."""

    names: Mapping[str, str]
    """Folder, as an absolute path without links -> name; empty for one that has no name yet."""

    @classmethod
    def of(cls, folders: Mapping[str, str]) -> Roots:
        """The roots of a graph, given as name -> folder."""
        return cls({folder: name for name, folder in folders.items()})

    def above(self, path: str) -> str | None:
        """The innermost root at or above an absolute path; None if there is none."""
        while path not in self.names:
            path, former = os.path.dirname(path), path
            if path == former:
                return None
        return path

    def extended(self, paths: Collection[Path], root: Path | None) -> Roots:
        """With a root above each of the paths: `root`, or the folder that is named, or the folder of a file.

        Raises InputError if `root` lies below another root, or if a path does not lie below `root`.
        """
        names = dict(self.names)
        if root is not None:
            self._check(root, paths)
            names.setdefault(located(root), "")
        files = [each for each in paths if not os.path.isdir(each)]
        folders = {located(each) for each in paths if os.path.isdir(each)}
        parents = {os.path.dirname(located(each)) for each in files}
        for folder in (*sorted(folders, key=len), *sorted(parents, key=len)):
            if Roots(names).above(folder) is None:
                names[folder] = ""
        return Roots(names)

    def named(self, order: Iterable[str], is_used: Callable[[str], bool]) -> dict[str, str]:
        """The roots as name -> folder, those without a name numbered in the `order` of folders.

        No new root has a name of which `is_used` says that it is in use.
        """
        folders = {name: folder for folder, name in self.names.items() if name}
        number = max((int(name) for name in folders if name.isdecimal()), default=0)
        for folder in dict.fromkeys((*order, *self.names)):
            if not self.names[folder]:
                number = next(each for each in count(number + 1) if not is_used(str(each)))
                folders[str(number)] = folder
        return folders

    def _check(self, root: Path, paths: Iterable[Path]) -> None:
        if not os.path.isdir(root):
            raise InputError(f"--root {root} is not a folder; give the folder that identifiers begin below")
        folder = located(root)
        if (outer := self.above(folder)) not in (None, folder):
            raise InputError(
                f"--root {root} lies below {outer}, a root that the graph remembers, and its files have "
                "identifiers already; leave the option out"
            )
        for path in paths:
            if not is_below(located(path), folder):
                raise InputError(f"{path} does not lie below --root {root}; give a folder above both")


def located(path: Path) -> str:
    """The absolute path of a file or folder, without links in the folders above it.

    A link to a file keeps its own name.
    """
    if os.path.isdir(path):
        return os.path.realpath(path)
    folder, name = os.path.split(os.path.abspath(path))
    return os.path.join(os.path.realpath(folder), name)


def is_below(path: str, folder: str) -> bool:
    """Whether an absolute path is that of a folder, or of something in it."""
    return path == folder or path.startswith(os.path.join(folder, ""))


def below(path: str, folder: str) -> str:
    """The path of a file below a folder, with `/`.

    >>> below("/data/films/people/wren.md", "/data/films")
    'people/wren.md'
    """
    return PurePath(path).relative_to(folder).as_posix()
