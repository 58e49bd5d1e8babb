"""A graph's directory: its files, the writer's lock, and how a revision is published to readers.

    KG/sage-ld.toml       what was fixed when the graph was created
    KG/lock               held by the one process that writes
    KG/live/              the writer's store, and the indexes of terms, positions, vectors and links
    KG/revisions/000042/  published: the same as they were, immutable, hard-linked from live/
    KG/current            the number of the newest complete revision

`live/revision` names the revision that `live/` equals. It is removed before the first change, written after
publishing: a writer that finds it missing or behind `current` knows that its predecessor died in between, and
takes `live/` anew from the current revision. So a graph is always as before a change or as after it.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from sage_ld.errors import ConflictError, InputError, NotFoundError
from sage_ld.store.iris import DEFAULT_BASE_IRI, checked_base
from sage_ld.store.oxigraph import open_for_reading
from sage_ld.store.protocol import WritableStore

FORMAT_VERSION = 2
"""Of a new graph. Version 1, which has other properties for a topic and a column's place, is read as well."""
CONFIGURATION = "sage-ld.toml"
RECIPE_FILE = "recipe.toml"
PARTS = ("store", "lexical", "positions", "vectors", "links")
_IN_USE = "in-use"


@dataclass(frozen=True, slots=True)
class Configuration:
    """What is fixed when a graph is created, and the settings that its file overrides."""

    base_iri: str = DEFAULT_BASE_IRI
    encoder: str = "minilm"
    recipe: str = "default"
    settings: tuple[tuple[str, object], ...] = ()

    def to_toml(self) -> str:
        """The text of `sage-ld.toml`."""
        lines = [
            "# Written when the graph was created. Base IRI, encoder and recipe hold for its whole life;",
            "# of the recipe, [retrieval] may change: sage-ld tune --adopt.",
            f"format_version = {FORMAT_VERSION}",
            f'base_iri = "{self.base_iri}"',
            f'encoder = "{self.encoder}"',
            f'recipe = "{self.recipe}"',
            "",
            "# Settings of this graph, as listed in docs/settings.md; the environment overrides them.",
            "[settings]",
        ]
        return "\n".join([*lines, *(f"{name} = {_toml_value(value)}" for name, value in self.settings), ""])


def _toml_value(value: object) -> str:
    return f'"{value}"' if isinstance(value, str) else str(value).lower()


class Directory:
    """The paths of a graph's directory and the rules by which they change."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.live = path / "live"
        self.revisions = path / "revisions"

    # --- configuration ---

    def exists(self) -> bool:
        """Whether a graph was created here."""
        return (self.path / CONFIGURATION).is_file()

    def create(self, configuration: Configuration) -> None:
        """Makes the directory of an empty graph. Raises InputError where something else lies there."""
        checked_base(configuration.base_iri)
        for text in (configuration.base_iri, configuration.encoder, configuration.recipe):
            if '"' in text or "\\" in text or not text.isprintable():
                raise InputError(
                    f"{text!r} holds a quotation mark, backslash or control character; leave it out"
                )
        if self.path.exists() and (not self.path.is_dir() or any(self.path.iterdir())):
            raise InputError(f"{self.path} is no graph and is not empty; name a new or empty directory")
        self.revisions.mkdir(parents=True)
        _write(self.path / CONFIGURATION, configuration.to_toml())

    def configuration(self) -> Configuration:
        """What the graph was created with. Raises NotFoundError, InputError, ConflictError (newer format)."""
        file = self.path / CONFIGURATION
        if not file.is_file():
            raise NotFoundError(
                f"{self.path} is no graph (no {CONFIGURATION}); make one: sage-ld ingest {self.path} FOLDER"
            )
        try:
            table = tomllib.loads(file.read_text(encoding="utf-8"))
            version = int(table["format_version"])
            configuration = Configuration(
                table["base_iri"], table["encoder"], table["recipe"], tuple(table.get("settings", {}).items())
            )
        except (tomllib.TOMLDecodeError, UnicodeDecodeError, KeyError, TypeError, ValueError) as error:
            raise InputError(f"{file} is damaged ({error}); restore it from a backup") from None
        if version > FORMAT_VERSION:
            raise ConflictError(
                f"{self.path} has format version {version}, this sage-ld reads up to {FORMAT_VERSION}; "
                "upgrade sage-ld"
            )
        return configuration

    def configure(self, configuration: Configuration, recipe: str | None = None) -> None:
        """Writes the configuration of a graph that is there; `recipe` is the text of its own recipe file."""
        if recipe is not None:
            _write(self.path / RECIPE_FILE, recipe)
        _write(self.path / CONFIGURATION, configuration.to_toml())

    # --- reading ---

    def current(self) -> int:
        """The number of the newest complete revision; 0 before the first."""
        try:
            return int((self.path / "current").read_text())
        except FileNotFoundError:
            return 0

    def revision(self, number: int) -> Path:
        """The folder of a revision."""
        return self.revisions / f"{number:06d}"

    def pin(self) -> tuple[int, IO[bytes]]:
        """The newest revision and an open file that keeps it from being deleted until it is closed.

        Raises NotFoundError before the first revision.
        """
        while True:
            number = self.current()
            if number == 0:
                raise NotFoundError(
                    f"{self.path} holds nothing yet; fill it: sage-ld ingest {self.path} FOLDER"
                )
            try:
                handle = (self.revision(number) / _IN_USE).open("rb")
            except FileNotFoundError:
                continue  # published and removed between the two reads: look again
            fcntl.flock(handle, fcntl.LOCK_SH)
            if (self.revision(number) / _IN_USE).exists():
                return number, handle
            handle.close()

    # --- writing ---

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Holds the writer's lock. Raises ConflictError at once where another process holds it."""
        with (self.path / "lock").open("a+") as handle:
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                handle.seek(0)
                owner = handle.read().strip() or "unknown"
                raise ConflictError(
                    f"{self.path} is being written by process {owner}; wait until it is done, or stop it"
                ) from None
            handle.truncate(0)
            handle.write(str(os.getpid()))
            handle.flush()
            yield

    def prepare_live(self) -> None:
        """Makes `live/` equal to the current revision, for a writer that holds the lock."""
        current = self.current()
        for leftover in self.revisions.iterdir():
            if leftover.suffix == ".tmp" or (leftover.name.isdecimal() and int(leftover.name) > current):
                shutil.rmtree(leftover)
        if _read_number(self.live / "revision") == current and current > 0:
            return
        shutil.rmtree(self.live, ignore_errors=True)
        self.live.mkdir()
        if current > 0:
            _copy_revision(self.revision(current), self.live)
            _write(self.live / "revision", str(current))

    def mark_changing(self) -> None:
        """Says that `live/` is about to differ from the current revision."""
        (self.live / "revision").unlink(missing_ok=True)
        _sync(self.live)

    def publish(self, store: WritableStore) -> int:
        """Makes the state of `live/` the current revision, and gives its number."""
        number = self.current() + 1
        target = self.revision(number)
        building = target.with_suffix(".tmp")
        building.mkdir()
        store.flush()
        store.backup(str(building / "store"))
        for part in PARTS[1:]:
            link_tree(self.live / part, building / part)
        (building / _IN_USE).touch()
        for folder in (building / "store", building):
            _sync(folder)
        building.rename(target)
        _sync(self.revisions)
        self.make_current(number)
        _write(self.live / "revision", str(number))
        self.remove_unread()
        return number

    def make_current(self, number: int) -> None:
        """Points readers to a complete revision."""
        _write(self.path / "current", str(number))

    def remove_unread(self) -> None:
        """Deletes the revisions before the current one that no process reads."""
        current = self.current()
        for folder in sorted(self.revisions.iterdir()):
            if folder.name.isdecimal() and int(folder.name) < current:
                _remove_if_unread(folder)


def _remove_if_unread(folder: Path) -> None:
    with (folder / _IN_USE).open("rb") as handle:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return
        (folder / _IN_USE).unlink()
        shutil.rmtree(folder)


def _copy_revision(revision: Path, live: Path) -> None:
    """A writable copy in the time of a few hard links: the files of stores and indexes never change."""
    open_for_reading(revision / "store").backup(str(live / "store"))
    for part in PARTS[1:]:
        if (revision / part).is_dir():
            link_tree(revision / part, live / part)


def link_tree(source: Path, target: Path) -> None:
    """Hard-links every file of a folder; copies where the file system has no links."""
    shutil.copytree(source, target, copy_function=_link_or_copy, ignore=shutil.ignore_patterns("*.lock"))


def _link_or_copy(source: str, target: str) -> None:
    try:
        os.link(source, target)
    except OSError:
        shutil.copy2(source, target)


def _read_number(file: Path) -> int:
    try:
        return int(file.read_text())
    except (FileNotFoundError, ValueError):
        return 0


def _write(file: Path, text: str) -> None:
    """Replaces a small file as a whole, and is sure that it is on disk."""
    temporary = file.with_name(file.name + ".tmp")
    with temporary.open("w", encoding="utf-8") as handle:
        handle.write(text)
        handle.flush()
        os.fsync(handle.fileno())
    temporary.replace(file)
    _sync(file.parent)


def _sync(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
