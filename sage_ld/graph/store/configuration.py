"""The configuration of a graph, in `sage-ld.toml`, and what of it belongs to a revision, in `made.toml`."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Final

from pyoxigraph import NamedNode

from sage_ld.foundation.errors import ConflictError, InputError, NotFoundError
from sage_ld.foundation.recipes import DEFAULT_ENCODER, toml_value
from sage_ld.graph.store.drafts import CONFIGURATION
from sage_ld.graph.store.iris import DEFAULT_BASE_IRI, checked_base

FORMAT_VERSION = 3
"""Of a new graph and of an upgraded one. Version 1, which has other properties for a topic and a column's
place, is read as well."""
MADE_FILE = "made.toml"
"""The file of a revision with its base IRI and encoder; a revision of an earlier sage-ld has none."""

_DAMAGE: Final = (KeyError, TypeError, ValueError, AttributeError, RecursionError)
"""The exceptions that reading a damaged file raises; TOML's own error is a ValueError."""


@dataclass(frozen=True, slots=True)
class Configuration:
    """The configuration of a graph: base IRI, encoder, recipe, and the settings that its file overrides."""

    base_iri: str = DEFAULT_BASE_IRI
    encoder: str = DEFAULT_ENCODER
    recipe: str = "default"
    settings: tuple[tuple[str, object], ...] = ()
    format_version: int = FORMAT_VERSION
    """The version of the graph's statements; a graph of an earlier one is upgraded first (`check_format`)."""

    def to_toml(self) -> str:
        """The text of `sage-ld.toml`."""
        lines = [
            "# Written when the graph was created. To change the base IRI: sage-ld rebase; the encoder:",
            "# sage-ld reencode; of the recipe, what is derived: sage-ld relink --recipe; how a search",
            "# ranks: sage-ld tune --adopt.",
            f"format_version = {self.format_version}",
            f'base_iri = "{self.base_iri}"',
            f'encoder = "{self.encoder}"',
            f'recipe = "{self.recipe}"',
            "",
            "# Settings of this graph, as listed in docs/settings.md; the environment overrides them.",
            "[settings]",
        ]
        return "\n".join([*lines, *(f"{name} = {toml_value(value)}" for name, value in self.settings), ""])


@dataclass(frozen=True, slots=True)
class RevisionConfiguration:
    """The part of a configuration that belongs to a revision, and becomes visible with it."""

    base_iri: str
    encoder: str
    chunks: str = ""
    """A digest of the set of chunks that its indexes hold; empty where an earlier release wrote it."""
    documents: str = ""
    """A digest of the set of the documents that they hold."""
    links: str = ""
    """A digest of the set of the chunks of which they hold links."""
    mentions: str = ""
    """A digest of the set of the chunks of which they hold mentions."""
    summaries: str = ""
    """A digest of the set of the documents and sections whose abstracts they hold; empty for none."""
    concepts: str = ""
    """A digest of the sets of terms and of concepts that they hold; empty for none."""
    recipe: str = ""
    """The text of the graph's own recipe; empty for a preset, and where an earlier release wrote it."""

    def to_toml(self) -> str:
        """The text of `made.toml`."""
        said = {each.name: getattr(self, each.name) for each in fields(self)}
        return "".join(f"{name} = {toml_value(value)}\n" for name, value in said.items() if value)


def read_configuration(folder: Path) -> Configuration:
    """The configuration that the `sage-ld.toml` of a graph's directory says.

    Raises NotFoundError, InputError, ConflictError (newer format).
    """
    file = folder / CONFIGURATION
    if not file.is_file():
        raise NotFoundError(
            f"{folder} is not a graph (it has no {CONFIGURATION}); create one: sage-ld ingest {folder} FOLDER"
        )
    try:
        table = tomllib.loads(file.read_text(encoding="utf-8"))
        version = int(table["format_version"])
        texts = [table[name] for name in ("base_iri", "encoder", "recipe")]
        if not all(isinstance(each, str) for each in texts):
            raise TypeError("base_iri, encoder and recipe are strings")
        settings = tuple(table.get("settings", {}).items())
    except _DAMAGE as error:
        raise InputError(f"{file} is damaged ({error}); restore it from a backup") from None
    if version > FORMAT_VERSION:
        raise ConflictError(
            f"{folder} has format version {version}, this sage-ld reads up to {FORMAT_VERSION}; "
            "upgrade sage-ld"
        )
    base_iri, encoder, recipe = texts
    return Configuration(base_iri, encoder, recipe, settings, version)


def check_format(configuration: Configuration, folder: Path) -> None:
    """Raises ConflictError for a graph of an earlier format, which only an upgrade reads."""
    if configuration.format_version < FORMAT_VERSION:
        raise ConflictError(
            f"{folder} has format version {configuration.format_version}, this sage-ld reads "
            f"{FORMAT_VERSION}; bring it there, after a backup: sage-ld upgrade {folder} BACKUP"
        )


def read_revision_configuration(revision: Path) -> RevisionConfiguration | None:
    """The configuration of the revision in a folder; None in one of an earlier release. Raises InputError."""
    file = revision / MADE_FILE
    try:
        table = tomllib.loads(file.read_text(encoding="utf-8"))
        if not all(isinstance(table[name], str) for name in ("base_iri", "encoder")):
            raise TypeError("base_iri and encoder are strings")
        texts = {each.name: str(table.get(each.name, "")) for each in fields(RevisionConfiguration)}
        return RevisionConfiguration(**{**texts, "base_iri": NamedNode(table["base_iri"]).value})
    except (FileNotFoundError, NotADirectoryError):
        return None
    except _DAMAGE as error:
        raise InputError(f"{file} is damaged ({error}); restore it from a backup") from None


def check_configuration(configuration: Configuration) -> None:
    """Raises InputError for a base IRI below which no IRIs can be made, and for what the file cannot hold."""
    checked_base(configuration.base_iri)
    for text in (configuration.base_iri, configuration.encoder, configuration.recipe):
        checked_value(text)


def checked_value(text: str) -> str:
    """`text`, if a configuration can hold it. Raises InputError."""
    if '"' in text or "\\" in text or not text.isprintable():
        raise InputError(f"{text!r} holds a quotation mark, backslash or control character; leave it out")
    return text
