"""A graph's directory: its files, the writer's lock, and how a revision is published to readers.

    KG/sage-ld.toml       settings, and what was fixed when the graph was created
    KG/metadata.ttl       its own table of keys of metadata, if it has one
    KG/roots.json         the folders that identifiers are relative to, by the names that the graph has
    KG/pulls/, KG/pushes/ pages of pulls that ended early; what was last pushed to which graph elsewhere
    KG/lock               held by the one process that writes
    KG/annotate.lock      held by the one process that has a language model annotate
    KG/live/              the writer's store, and the indexes
    KG/revisions/000042/  published: the same as they were, immutable, hard-linked from live/; beside them
                          which statements several graphs make, and a store that has these once (`stores.py`),
                          and base IRI, encoder and recipe, which change with a revision (`made.toml`)
    KG/current            the number of the newest complete revision

`live/revision` names the revision that `live/` equals. It is removed before the first change, written after
publishing: a writer that finds it missing or behind `current` knows that its predecessor died in between, and
takes `live/` again from the current revision. So a graph is always as before a change or as after it.
Once `current` is replaced, the change is published: what fails after that is logged, and ends nothing.
"""

from __future__ import annotations

import json
import logging
import os
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import IO, TypeVar

from sage_ld.foundation.errors import ConflictError, InputError, NotFoundError, SageError
from sage_ld.foundation.metadata_terms import MetadataTerms, builtin_terms
from sage_ld.foundation.recipes import PRESETS, Recipe, load_recipe, parse_recipe, write_recipe
from sage_ld.graph.store.configuration import (
    MADE_FILE,
    Configuration,
    RevisionConfiguration,
    check_configuration,
    read_configuration,
    read_revision_configuration,
)
from sage_ld.graph.store.digests import write_digests
from sage_ld.graph.store.drafts import CONFIGURATION, RECIPE_FILE, ROOTS_FILE, TERMS_FILE, drafted
from sage_ld.graph.store.durable_files import link_tree, remove, replace_file, sync_folder, sync_tree
from sage_ld.graph.store.graph_files import (
    CURRENT,
    REVISIONS,
    UNKNOWN,
    current_number,
    current_or_unknown,
    revision_folder,
)
from sage_ld.graph.store.locks import holding, try_lock_exclusive, unlocking
from sage_ld.graph.store.oxigraph import is_store, open_for_reading
from sage_ld.graph.store.pins import BUILDING, MARK, complete_revisions, pin, remove_unneeded
from sage_ld.graph.store.protocol import WritableStore
from sage_ld.graph.store.shared_statements import SharedStatements
from sage_ld.graph.store.stores import write_shared

READ_INDEXES = ("lexical", "positions", "vectors", "links", "mentions")
"""The indexes that readers open."""
PARTS = ("store", *READ_INDEXES, "aspects", "words", "documents")
"""The store, the indexes that readers open, and those that only a writer needs."""
READ_OPTIONAL_PARTS = ("summaries",)
"""The indexes that a revision has only if its graph has what they hold, and that readers open."""
OPTIONAL_PARTS = (*READ_OPTIONAL_PARTS, "terms", "concepts")
"""These, and those that only a writer needs."""
INDEX_PARTS = (*PARTS[1:], *OPTIONAL_PARTS)
"""All indexes, each of which can be rebuilt from the store."""
T = TypeVar("T")
_log = logging.getLogger("sage_ld.store")


class Directory:
    """The paths of a graph's directory and the rules by which they change."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.live = path / "live"
        self.revisions = path / REVISIONS

    # --- configuration ---

    def exists(self) -> bool:
        """Whether a graph was created here."""
        return (self.path / CONFIGURATION).is_file()

    def create(self, configuration: Configuration, recipe: str | None = None) -> None:
        """Makes the directory of an empty graph. Raises InputError and ConflictError as `creating` does."""
        with self.creating(configuration, recipe):
            pass

    @contextmanager
    def creating(self, configuration: Configuration, recipe: str | None = None) -> Iterator[None]:
        """Makes the directory of a graph, which is there once the block has filled it.

        `recipe` is the text of its own recipe file. Raises InputError if something else lies there, and
        ConflictError if another process makes a graph there.
        """
        check_configuration(configuration)
        with drafted(self.path, configuration.to_toml()):
            self.revisions.mkdir()
            if recipe is not None:
                replace_file(self.path / RECIPE_FILE, recipe)
            yield

    def configuration(self, number: int | None = None) -> Configuration:
        """The configuration of a revision, the newest one unless given.

        A revision has its own base IRI and encoder, which become visible with it. Where it cannot be read
        which revision is the newest, the configuration is that of `sage-ld.toml`, which follows it. Raises
        NotFoundError, InputError, ConflictError (newer format).
        """
        written = read_configuration(self.path)
        made = self._newest_made() if number is None else self.made(number)
        return written if made is None else replace(written, base_iri=made.base_iri, encoder=made.encoder)

    def recipe(self) -> Recipe:
        """The recipe by which the graph is built and searched: a preset, or its own copy of a recipe file.

        Raises InputError, NotFoundError.
        """
        return self.unwritten_recipe() or self._written_recipe()

    def unwritten_recipe(self) -> Recipe | None:
        """The recipe of the newest revision, where its writer died before the graph's own file had it.

        What a recipe says of retrieval needs no revision, so that part of the file is always the newer one.
        """
        with suppress(SageError):  # of a damaged file, of a key that there is no more
            if (made := self._newest_made()) is not None and made.recipe:
                derived, written = parse_recipe(made.recipe), self._written_recipe()
                return None if replace(derived, retrieval=written.retrieval) == written else derived
        return None

    def _written_recipe(self) -> Recipe:
        name = read_configuration(self.path).recipe
        return load_recipe(name if name in PRESETS else self.path / name)

    def _newest_made(self) -> RevisionConfiguration | None:
        """The configuration of the newest revision; None also where it cannot be read which one that is."""
        while True:
            number = current_or_unknown(self.path)
            made = None if number == UNKNOWN else self.made(number)
            if made is not None or current_or_unknown(self.path) == number:
                return made  # else it was removed between the two reads

    def made(self, number: int) -> RevisionConfiguration | None:
        """The configuration by which a revision was made; None where an earlier release did not say it."""
        return read_revision_configuration(self.revision(number))

    def format_version(self) -> int:
        """The version of the format that `sage-ld.toml` names. Raises as `configuration` does."""
        return read_configuration(self.path).format_version

    def configure(self, configuration: Configuration, recipe: str | None = None) -> None:
        """Writes the configuration of a graph that is there; `recipe` is the text of its own recipe file.

        Raises InputError for a base IRI below which no IRIs can be made.
        """
        check_configuration(configuration)
        if recipe is not None:
            replace_file(self.path / RECIPE_FILE, recipe)
        replace_file(self.path / CONFIGURATION, configuration.to_toml())

    def metadata_terms(self, base: str | None = None) -> MetadataTerms:
        """The table of keys of metadata: the package's, with the graph's own before it.

        Raises InputError for a damaged table, and for one that names a property below `base`.
        """
        file = self.path / TERMS_FILE
        if not file.is_file():
            return builtin_terms()
        try:
            text = file.read_text("utf-8")
        except UnicodeDecodeError as error:
            raise InputError(f"{file} is damaged ({error}); repair it, or take it from a backup") from None
        return builtin_terms().extended(text, str(file), base)

    def keep_metadata_terms(self, text: str) -> None:
        """Makes a Turtle text the graph's own table of keys of metadata."""
        replace_file(self.path / TERMS_FILE, text)

    def roots(self) -> dict[str, str]:
        """The roots that the graph remembers: name -> absolute folder on this machine.

        Raises InputError if the file that says so is damaged.
        """
        file = self.path / ROOTS_FILE
        try:
            roots = json.loads(file.read_text(encoding="utf-8"))
            return {str(name): os.fspath(folder) for name, folder in roots.items()}
        except FileNotFoundError:
            return {}
        except (ValueError, AttributeError, TypeError, RecursionError) as error:
            raise InputError(
                f"{file} is damaged ({error}); it maps names to folders, such as "
                '{"1": "/data/films"}; repair it, or restore it from a backup'
            ) from None

    def remember_roots(self, roots: Mapping[str, str]) -> None:
        """Writes the roots of a graph that is there."""
        replace_file(self.path / ROOTS_FILE, json.dumps(roots, indent=1, sort_keys=True) + "\n")

    # --- reading ---

    def current(self) -> int:
        """The number of the newest complete revision; 0 before the first.

        Raises InputError if the file that says it is damaged.
        """
        return current_number(self.path)

    def complete(self) -> list[int]:
        """The numbers of the revisions that are complete, the newest first.

        A first one without `current`, whose writer was killed before it was published, does not count.
        """
        numbers = complete_revisions(self.revisions)
        begun = self.live.is_dir() and _read_number(self.live / "revision") != 1
        return [] if numbers == [1] and begun and current_or_unknown(self.path) == 0 else numbers

    def revision(self, number: int) -> Path:
        """The folder of a revision."""
        return revision_folder(self.path, number)

    def sizes(self, number: int) -> dict[str, int]:
        """Bytes of the files of a revision, by part: the store and each index that it has."""
        folders = [self.revision(number) / part for part in (PARTS[0], *INDEX_PARTS)]
        return {
            folder.name: sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())
            for folder in folders
            if folder.is_dir()
        }

    def pin(self) -> tuple[int, IO[bytes]]:
        """The newest revision and an open file that keeps it from being deleted until it is closed.

        Raises NotFoundError before the first revision, InputError if the newest one is not whole.
        """
        while True:
            number = self.current()
            if number == 0:
                raise NotFoundError(
                    f"{self.path} is an empty graph; add files: sage-ld ingest {self.path} FOLDER"
                )
            if (handle := pin(self.revision(number))) is not None:
                return number, handle
            if self.current() == number:  # else it was replaced and removed between the two reads
                raise InputError(
                    f"{self.revision(number) / MARK} is missing; if the folder is there, any write puts the "
                    "file back, else restore a backup"
                )

    def open_newest(self, open_revision: Callable[[int, IO[bytes]], T]) -> T:
        """The newest revision as `open_revision` opens it, with its pin.

        Where that one is damaged, an earlier one that is still there takes its place, and the log says so.
        Raises NotFoundError before the first revision, else what opening the newest one raised.
        """
        try:
            return _opened(open_revision, *self.pin())
        except (SageError, OSError) as error:
            for number in self.complete():
                with suppress(SageError, OSError):
                    if (handle := pin(self.revision(number))) is not None:
                        opened = _opened(open_revision, number, handle)
                        _log.error("%s; revision %d is read in its place", str(error), number)
                        return opened
            raise

    # --- writing ---

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Holds the writer's lock. Raises ConflictError at once where another process holds it."""
        with (self.path / "lock").open("a+") as handle:
            if not try_lock_exclusive(handle):
                raise ConflictError(
                    f"{self.path} is being written by process {_owner(handle)}; wait until it is done, "
                    "or stop it"
                )
            handle.truncate(0)
            handle.write(str(os.getpid()))
            handle.flush()
            with unlocking(handle):
                yield

    def annotating(self) -> AbstractContextManager[None]:
        """Holds the lock of the one process that asks a model. Raises ConflictError at once for another."""
        return holding(
            self.path / "annotate.lock",
            f"another process is annotating {self.path}; wait until it is done, or stop it: the next one "
            "continues where it stopped",
        )

    def prepare_live(self) -> None:
        """Makes `live/` equal to the current revision, for a writer that holds the lock.

        Raises InputError if neither of the two is whole; then nothing is removed.
        """
        current = self._current_or_complete()
        if current > 0:
            read_revision_configuration(self.revision(current))
        self._follow_configuration()
        is_live = current > 0 and self.is_live()
        if current > 0 and not is_live:
            open_for_reading(self.revision(current) / "store")
        if current == 0 or self.revision(current).is_dir():
            remove_unneeded(self.revisions, current)
            self._mend_mark(current)
        for log in (self.live / "store").glob("LOG.old.*"):  # RocksDB keeps a thousand, 140 kB each
            log.unlink(missing_ok=True)
        if is_live:
            return
        shutil.rmtree(self.live, ignore_errors=True)
        self.live.mkdir()
        if current > 0:
            _copy_revision(self.revision(current), self.live)
            replace_file(self.live / "revision", str(current))

    def _current_or_complete(self) -> int:
        """The number of the newest revision, also where its predecessor's writer died before it named it."""
        current = self.current()
        if current == 0 and (complete := self.complete()):
            current = complete[0]
            _log.warning("%s names no revision; revision %d, which is complete, is taken", self.path, current)
            self.make_current(current)
        return current

    def _mend_mark(self, current: int) -> None:
        """Puts the file back by which readers pin the current revision, where it has gone."""
        mark = self.revision(current) / MARK
        if current > 0 and not mark.exists():
            mark.touch()

    def is_live(self) -> bool:
        """Whether `live/` has a store, equal to that of the current revision by what the last writer said."""
        said = _read_number(self.live / "revision") == current_or_unknown(self.path)
        return said and is_store(self.live / "store")

    def mark_changing(self) -> None:
        """Says that `live/` is about to differ from the current revision."""
        (self.live / "revision").unlink(missing_ok=True)
        sync_folder(self.live)

    def publish(
        self,
        store: WritableStore,
        shared: SharedStatements | None = None,
        made: RevisionConfiguration | None = None,
    ) -> int:
        """Makes the state of `live/` the current revision, and returns its number.

        `shared` are the statements of `store` that several of its graphs make; none where it is left out.
        Base IRI, encoder and recipe are `made`; those of the revision before where it is left out.
        """
        number = self.next_number()
        before = self.configuration()
        made = made or RevisionConfiguration(before.base_iri, before.encoder)
        if not made.recipe and before.recipe not in PRESETS:
            made = replace(made, recipe=(self.path / before.recipe).read_text("utf-8"))
        self._build(store, self.revision(number), shared or SharedStatements(), made)
        self.make_current(number)
        try:
            self._follow_configuration()
            replace_file(self.live / "revision", str(number))
        except OSError as error:
            _log.warning("%s; the next write takes live/ again", str(error))
        remove_unneeded(self.revisions, number)
        return number

    def publish_copy(self, revision: Path, made: Configuration) -> int:
        """Makes a copy of a complete revision, of this graph or another, the current one; returns its number.

        `made` has its base IRI, encoder and format version, which become those of the graph. `live/` follows
        with the next writer. For a process that holds the lock.
        """
        written = read_configuration(self.path)
        if made.format_version > written.format_version:  # before, so that no earlier sage-ld misreads it
            self.configure(replace(written, format_version=made.format_version))
        number = self.next_number()
        target = self.revision(number)
        building = target.with_name(target.name + BUILDING)
        try:
            link_tree(revision, building)
            remove(building / MARK)
            if not (building / MADE_FILE).is_file():
                replace_file(
                    building / MADE_FILE, RevisionConfiguration(made.base_iri, made.encoder).to_toml()
                )
            (building / MARK).touch()
            sync_tree(building, files=False)
            building.rename(target)
        except BaseException:
            with suppress(OSError):
                remove(building)
            raise
        sync_folder(self.revisions)
        self.make_current(number)
        with suppress(OSError):  # the next writer does it, but for a version that would be lower
            self._follow_configuration(made.format_version)
        remove_unneeded(self.revisions, number)
        return number

    def make_current(self, number: int) -> None:
        """Points readers to a complete revision."""
        replace_file(self.path / CURRENT, str(number))

    def next_number(self) -> int:
        """The number that `publish` returns the next revision: one above the current, and of no leftover."""
        number = self.current() + 1
        while any(os.path.lexists(f"{self.revision(number)}{ending}") for ending in ("", BUILDING)):
            number += 1
        return number

    def _follow_configuration(self, version: int | None = None) -> None:
        """Has `sage-ld.toml` and `recipe.toml`, which people read, say what the newest revision is made by.

        `version` is the version of its format, the same as before unless given.
        """
        newest, recipe = self.configuration(), self.unwritten_recipe()
        if version is not None:
            newest = replace(newest, format_version=version)
        if recipe is not None:
            self.configure(replace(newest, recipe=RECIPE_FILE), write_recipe(recipe))
        elif newest != read_configuration(self.path):
            self.configure(newest)

    def _build(
        self, store: WritableStore, target: Path, shared: SharedStatements, made: RevisionConfiguration
    ) -> None:
        """Makes the folder of a revision from `live/`: whole, or not at all."""
        building = target.with_name(target.name + BUILDING)
        building.mkdir(parents=True)
        try:
            store.flush()
            store.backup(str(building / "store"))
            write_shared(store, building, shared)
            for part in PARTS[1:]:
                link_tree(self.live / part, building / part)
            for part in OPTIONAL_PARTS:
                if (self.live / part).is_dir():
                    link_tree(self.live / part, building / part)
            replace_file(building / MADE_FILE, made.to_toml())
            write_digests(building, self.revision(current) if (current := self.current()) else None)
            (building / MARK).touch()
            sync_tree(building, files=False)
            building.rename(target)
        except BaseException:
            with suppress(OSError):  # a full disk needs the space now, and not at the next write
                remove(building)
            raise
        sync_folder(self.revisions)


def _opened(open_revision: Callable[[int, IO[bytes]], T], number: int, handle: IO[bytes]) -> T:
    """The revision as `open_revision` opens it; where that fails, the revision is pinned no longer."""
    try:
        return open_revision(number, handle)
    except BaseException:
        handle.close()
        raise


def _owner(lock: IO[str]) -> str:
    """The number of the process that holds the writer's lock, as far as it can be read."""
    try:
        lock.seek(0)
        return lock.read().strip() or "unknown"
    except OSError:  # Windows lets nobody else read a locked file
        return "unknown"


def _copy_revision(revision: Path, live: Path) -> None:
    """A writable copy in the time of a few hard links: the files of stores and indexes never change."""
    open_for_reading(revision / "store").backup(str(live / "store"))
    for part in INDEX_PARTS:
        if (revision / part).is_dir():
            link_tree(revision / part, live / part)


def _read_number(file: Path) -> int:
    try:
        return int(file.read_text())
    except (FileNotFoundError, ValueError):
        return 0
