"""The configuration of a new graph, and the clean-up when the job that created it fails."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path

from sage_ld.build.encoders import load_encoder
from sage_ld.foundation.errors import ConflictError
from sage_ld.foundation.recipes import PRESETS, load_recipe, write_recipe
from sage_ld.foundation.settings import Settings
from sage_ld.graph.store.configuration import Configuration
from sage_ld.graph.store.directory import Directory
from sage_ld.graph.store.drafts import RECIPE_FILE, discard
from sage_ld.graph.store.iris import DEFAULT_BASE_IRI


def configuration_of(base_iri: str | None, encoder: str, recipe: str) -> tuple[Configuration, str | None]:
    """The configuration of a graph that is made with these names, and the text of its own recipe file.

    Raises InputError for an encoder or a recipe that there is not.
    """
    loaded = load_recipe(recipe)
    name = recipe if recipe in PRESETS else RECIPE_FILE
    base = DEFAULT_BASE_IRI if base_iri is None else base_iri
    configuration = Configuration(base, load_encoder(encoder, Settings.load()).name, name)
    return configuration, write_recipe(loaded) if name == RECIPE_FILE else None


def configure_empty(
    directory: Directory, base_iri: str | None, encoder: str, recipe: str, *, dry_run: bool
) -> Configuration | None:
    """Resets a graph's configuration to that of a new one; returns None if anything was published in it.

    A graph without a revision is what an interrupted ingest leaves. Its settings stay. With `dry_run`,
    nothing is written. Raises InputError as `configuration_of` does, ConflictError if another process writes.
    """
    if directory.current() > 0:
        return None
    configuration, text = configuration_of(base_iri, encoder, recipe)
    configuration = replace(configuration, settings=directory.configuration().settings)
    if dry_run:
        return configuration
    with directory.locked():
        if directory.current() > 0:
            return None
        directory.configure(configuration, text)
    return configuration


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
            discard(directory.path)
    with suppress(OSError):  # the first of them that holds something ends it
        for folder in made:
            folder.rmdir()
