"""The check of a graph's files: configuration, `current`, revisions and their digests, leftovers."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Final

from sage_ld.foundation.errors import InputError, SageError
from sage_ld.foundation.progress import Progress
from sage_ld.foundation.settings import Settings
from sage_ld.graph.provenance import database
from sage_ld.graph.store.configuration import MADE_FILE, Configuration, read_configuration
from sage_ld.graph.store.digests import DIGESTS_FILE, DamagedFile, damaged_files, digest_of, read_digests
from sage_ld.graph.store.directory import INDEX_PARTS, Directory
from sage_ld.graph.store.drafts import CONFIGURATION, RECIPE_FILE, ROOTS_FILE, TERMS_FILE
from sage_ld.graph.store.graph_files import CURRENT, UNKNOWN, current_or_unknown, special_files
from sage_ld.graph.store.oxigraph import open_for_reading
from sage_ld.graph.store.pins import MARK, leftover_revisions
from sage_ld.graph.store.stores import SHARED_FILE
from sage_ld.graph.upkeep.checking.findings import Cure, Finding

_BACKUP: Final = "restore a backup, or ingest the files into a new graph"
_DRAFTS: Final = tuple(
    f"{name}.tmp" for name in (CONFIGURATION, CURRENT, RECIPE_FILE, ROOTS_FILE, TERMS_FILE, "live/revision")
)
"""Files of a graph while they are being replaced."""
_MOST_SPECIAL: Final = 100
_FOLLOWING: Final = (MADE_FILE, SHARED_FILE, "merged")
"""Parts of a revision that follow from others, beside its indexes."""


def special(directory: Directory) -> Iterator[Finding]:
    """The files that must not be opened, as reading them may never end; nothing else can be checked then."""
    for file in islice(special_files(directory.path), _MOST_SPECIAL):
        where = file.relative_to(directory.path).as_posix()
        yield Finding("files", where, "it is not a plain file", "delete it", conclusive=True)


def configuration(directory: Directory) -> Iterator[Finding]:
    """The faults of `sage-ld.toml` and of the files beside it; NotFoundError where there is no graph."""
    try:
        written = read_configuration(directory.path)
    except InputError as error:
        yield Finding("configuration", CONFIGURATION, str(error), _BACKUP, conclusive=True)
    else:
        yield from _settings(written)
    for name, read in (("roots.json", directory.roots), ("metadata.ttl", directory.metadata_terms)):
        try:
            read()
        except SageError as error:
            yield Finding("configuration", name, str(error), f"repair {name}, or take it from a backup")


def _settings(written: Configuration) -> Iterator[Finding]:
    try:
        Settings.load(dict(written.settings))
    except InputError as error:
        yield Finding("configuration", CONFIGURATION, str(error), f"change {CONFIGURATION}")


def current(directory: Directory) -> Iterator[Finding]:
    """The faults of `current` and of the revision that it names."""
    number = current_or_unknown(directory.path)
    others = directory.complete()
    if number == UNKNOWN:
        yield Finding("current", "current", "the file is damaged", *_taken(directory, others))
    elif number == 0 and others:
        yield Finding("current", "current", "the file is missing", *_taken(directory, others))
    elif number > 0:
        yield from _revision(directory, number, [each for each in others if each != number])


def _revision(directory: Directory, number: int, others: list[int]) -> Iterator[Finding]:
    revision = directory.revision(number)
    name = f"revisions/{revision.name}"
    if not revision.is_dir():
        yield Finding("revision", name, "the newest revision is missing", *_from_live(directory, others))
        return
    if not (revision / MARK).is_file():
        yield Finding(
            "revision", f"{name}/{MARK}", "readers cannot pin it", "makes the file again", Cure.CLEAN
        )
    try:
        open_for_reading(revision / "store")
    except InputError as error:
        yield Finding("revision", f"{name}/store", str(error), *_from_live(directory, others))


def _taken(directory: Directory, others: list[int]) -> tuple[str, Cure]:
    for number in others:
        try:
            open_for_reading(directory.revision(number) / "store")
        except InputError:
            continue
        return f"names revision {number} in it, the newest that is complete", Cure.CURRENT
    return _BACKUP, Cure.NONE


def _from_live(directory: Directory, others: list[int]) -> tuple[str, Cure]:
    """The remedy where the newest revision cannot be read: the writer's copy, or an earlier revision."""
    if directory.is_live():
        try:
            open_for_reading(directory.live / "store")
        except InputError:
            pass
        else:
            return "publishes it again from live/, the writer's own copy", Cure.REPUBLISH
    return _taken(directory, others)


def leftovers(directory: Directory) -> Iterator[Finding]:
    """The files that killed processes left; needs the writer's lock."""
    if directory.unwritten_recipe() is not None:
        meaning = "the newest revision was derived by another recipe: the process that changed it was killed"
        yield Finding("leftovers", RECIPE_FILE, meaning, "writes it as in the revision", Cure.CLEAN)
    number = current_or_unknown(directory.path)
    drafts = [name for name in _DRAFTS if (directory.path / name).exists()]
    names = list(drafts)
    if number > 0 and directory.revision(number).is_dir():
        names += [f"revisions/{each.name}" for each in leftover_revisions(directory.revisions, number)]
    for name in sorted(names):
        meaning = "a process that was killed left it, and nobody uses it"
        is_draft = name in drafts  # the rest goes as it does with every write
        yield Finding("leftovers", name, meaning, "removes it", Cure.CLEAN, removable=is_draft)


def retrievals(directory: Directory) -> Iterator[Finding]:
    """The damage of the database of kept retrievals, which is in no revision; SQLite reads all of it."""
    remedy = f"move {database.FILE} away: a new one is made"
    try:
        with database.reading(directory.path / database.FILE) as connection:
            said = "ok" if connection is None else connection.execute("PRAGMA quick_check(1)").fetchone()[0]
    except SageError as error:
        yield Finding("retrievals", database.FILE, str(error), remedy)
        return
    if said != "ok":
        yield Finding("retrievals", database.FILE, f"it is damaged ({' '.join(said.split())})", remedy)


def live(directory: Directory) -> Iterator[Finding]:
    """The faults of the writer's copy that the newest revision repairs; needs the writer's lock."""
    number = current_or_unknown(directory.path)
    if number <= 0 or not directory.is_live() or _unreadable(directory.revision(number)) is not None:
        return
    if (damage := _unreadable(directory.live)) is not None:
        remedy = "makes live/ again from the newest revision"
        yield Finding("live", "live/revision", f"writers fail: {damage}", remedy, Cure.CLEAN, removable=True)


def _unreadable(folder: Path) -> str | None:
    """The reason why the store in a revision or in `live/` cannot be opened; None where it can."""
    try:
        open_for_reading(folder / "store")
    except InputError as error:
        return str(error)
    return None


def digests(directory: Directory, number: int, progress: Progress) -> Iterator[Finding]:
    """The files of a revision that are not what was published; all of them are read."""
    revision = directory.revision(number)
    name = f"revisions/{revision.name}"
    try:
        known = read_digests(revision)
    except InputError as error:
        file = f"{name}/{DIGESTS_FILE}"
        yield Finding("digests", file, str(error), "publishes a revision with digests", Cure.REPUBLISH)
        return
    if known is None:
        meaning = "a sage-ld without digests made the revision; damage inside its files is not seen"
        yield Finding("digests", name, meaning, "publishes a revision with digests", Cure.REPUBLISH)
        return
    for count, (path, expected) in enumerate(sorted(known.items())):
        progress("digests", count, len(known))
        for each in damaged_files(revision, {path: expected}):
            yield _damaged(directory, name, each, expected.digest)
    progress("digests", len(known), len(known))


def _damaged(directory: Directory, name: str, file: DamagedFile, digest: str) -> Finding:
    where = f"{name}/{file.path}"
    if file.part in INDEX_PARTS:
        remedy = f"rebuilds the index {file.part} from the store"
        return Finding("digests", where, f"it {file.reason}", remedy, Cure.REINDEX, file.part)
    if file.part in _FOLLOWING:
        is_read = file.part == SHARED_FILE  # by the writer that is to publish, unless it is gone
        meaning = f"it {file.reason}"
        return Finding("digests", where, meaning, "writes it again", Cure.REPUBLISH, removable=is_read)
    own = directory.live / file.path
    if directory.is_live() and own.is_file() and _digest(own) == digest:
        remedy = "publishes the store again from live/, whose file is whole"
        return Finding("digests", where, f"it {file.reason}", remedy, Cure.REPUBLISH)
    return Finding("digests", where, f"it {file.reason}; statements may be lost", _BACKUP)


def _digest(file: Path) -> str | None:
    try:
        return digest_of(file)
    except OSError:
        return None
