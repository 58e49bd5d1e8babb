"""Backup of a graph's newest revision to a graph of its own, and restoring it."""

from __future__ import annotations

import shutil
from pathlib import Path

from sage_ld.errors import InputError
from sage_ld.store.directory import RECIPE_FILE, Directory


def copy_graph(source: Path, target: Path) -> int:
    """Copies the current revision of the graph in `source` to a new graph in `target`; gives its number.

    Backup and restore are this one operation. Files are copied, not linked, so that neither depends on the
    other's disk. A copy that is interrupted has no `current` and counts as empty.

    Raises NotFoundError where `source` is no graph or an empty one, InputError where `target` is in use.
    """
    origin, copy = Directory(source), Directory(target)
    configuration = origin.configuration()
    if target.resolve().is_relative_to(source.resolve()):
        raise InputError(f"{target} lies inside {source}; name a folder outside the graph")
    number, pin = origin.pin()
    with pin:
        copy.create(configuration)
        if (source / RECIPE_FILE).is_file():
            shutil.copy2(source / RECIPE_FILE, target / RECIPE_FILE)
        shutil.copytree(origin.revision(number), copy.revision(1))
        copy.make_current(1)
    return number
