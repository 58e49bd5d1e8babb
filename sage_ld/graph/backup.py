"""Backup of a graph's newest revision to a graph of its own, and restoring it."""

from __future__ import annotations

import shutil
from pathlib import Path

from sage_ld.errors import InputError, NotFoundError
from sage_ld.store.directory import Directory
from sage_ld.store.drafts import RECIPE_FILE, TERMS_FILE
from sage_ld.store.durable_files import sync_tree


def copy_graph(source: Path, target: Path) -> int:
    """Copies the current revision of the graph in `source` to a new graph in `target`; gives its number.

    Backup and restore are this one operation. Files are copied, not linked, so that neither depends on the
    other's disk. A copy that is interrupted is no graph, and the next copy to `target` deletes what it left.

    Raises NotFoundError if `source` is no graph or an empty one, InputError if `target` is in use,
    ConflictError if another process copies to it.
    """
    origin, copy = Directory(source), Directory(target)
    if not origin.exists():
        raise NotFoundError(f"{source} is neither a graph nor a backup; name a folder that sage-ld has made")
    origin.configuration()  # is it one that this sage-ld reads?
    if target.resolve().is_relative_to(source.resolve()):
        raise InputError(f"{target} lies inside {source}; name a folder outside the graph")
    recipe = source / RECIPE_FILE
    number, pin = origin.pin()
    configuration = origin.configuration(number)
    with pin, copy.creating(configuration, recipe.read_text("utf-8") if recipe.is_file() else None):
        shutil.copytree(origin.revision(number), copy.revision(1))
        if (terms := source / TERMS_FILE).is_file():
            copy.keep_metadata_terms(terms.read_text("utf-8"))
        sync_tree(copy.revisions)
        if roots := origin.roots():
            copy.remember_roots(roots)
        copy.make_current(1)
    return number
