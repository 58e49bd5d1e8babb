"""Companions: files beside a source that say more about it, and are no documents of their own.

A companion is recognised by its name, which follows from the source's. Its bytes are read together with the
source's, once. The document's `content_hash` covers them, so a change of a companion renews the document.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from sage_ld.build.readers.source import Companion, Source, unreadable
from sage_ld.foundation.settings import Settings

CSVW_METADATA: Final = "CSVW metadata"
SIDECAR: Final = "metadata"
_SIDECARS: Final = (".meta.yaml", ".meta.yml", ".meta.json")
_TABULAR: Final = (".csv", ".tsv", ".tab")


@dataclass(frozen=True, slots=True)
class CompanionKind:
    """A kind of companion: its name, and the file names that it has beside a source."""

    name: str
    endings: tuple[str, ...]
    """How these names end."""
    names: Callable[[Source], tuple[str, ...]]
    """The names that a companion of a source may have; of several files, the first is the companion."""


def _csvw_names(source: Source) -> tuple[str, ...]:
    """The default locations of Tabular Metadata (W3C Model for Tabular Data, section 5.3)."""
    if source.suffix not in _TABULAR:
        return ()
    return tuple(dict.fromkeys(f"{name}-metadata.json" for name in (*source.names, "csv")))


def _sidecar_names(source: Source) -> tuple[str, ...]:
    return tuple(f"{source.path.name}{ending}" for ending in _SIDECARS)


KINDS: Final[tuple[CompanionKind, ...]] = (
    CompanionKind(CSVW_METADATA, ("-metadata.json",), _csvw_names),
    CompanionKind(SIDECAR, _SIDECARS, _sidecar_names),
)


def read_companions(source: Source, settings: Settings) -> Source:
    """`source` with the bytes of its companions, within its `root` and the limits of a file.

    Raises LimitError and InputError, which name the companion.
    """
    if source.data is not None:  # a file inside another one, which has read them
        return source
    names = companions_where(source, lambda name: os.path.lexists(source.path.with_name(name)))
    companions = tuple(read_companion(source, kind, name, settings) for kind, name in names)
    return replace(source, companions=companions)


def companions_where(source: Source, exists: Callable[[str], bool]) -> Iterator[tuple[str, str]]:
    """The companions of a source, by kind and name, where `exists` says which files are beside it."""
    for kind in KINDS:
        name = next(filter(exists, kind.names(source)), None)
        if name is not None:
            yield kind.name, name


def read_companion(source: Source, kind: str, name: str, settings: Settings) -> Companion:
    """The file called `name` in the folder of `source`. Raises LimitError and InputError, which name it."""
    beside = source.beside(name)
    try:
        return Companion(kind, name, beside.read(settings))
    except OSError as error:
        raise unreadable(beside, error) from None


def combined_hash(digest: str, companions: Collection[Companion]) -> str:
    """The hash of a document with this `content_hash` and these companions: `digest` itself without any.

    >>> combined_hash("0" * 64, ()) == "0" * 64
    True
    """
    if not companions:
        return digest
    parts = [digest, *(part for each in companions for part in (each.name, _hash(each.data)))]
    return _hash("\0".join(parts).encode())


def _hash(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def companion_names(source: Source) -> list[str]:
    """The names that the companions of a source may have, beside it."""
    return [name for kind in KINDS for name in kind.names(source)]


def owners_among(names: Collection[str]) -> dict[str, list[str]]:
    """For each of the file names in one folder that is a companion: the files to which it belongs, sorted.

    >>> owners_among(["a.csv", "a.csv-metadata.json", "b.csv-metadata.json"])
    {'a.csv-metadata.json': ['a.csv']}
    """
    present = set(names)
    owners: dict[str, list[str]] = {}
    for name in sorted(present):
        source = Source(Path(name), name)
        for companion in companion_names(source):
            if companion in present:
                owners.setdefault(companion, []).append(name)
    return owners


def may_be_companion(name: str) -> bool:
    """Whether a file of that name belongs to another one, if that is beside it."""
    return any(name.endswith(kind.endings) for kind in KINDS)
