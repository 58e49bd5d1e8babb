"""Front matter: metadata in YAML between lines of `---`, or in TOML between lines of `+++`, before a text."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from sage_ld.build.readers.characters import one_line
from sage_ld.build.readers.data.json_values import load_toml
from sage_ld.build.readers.data.yaml_values import parse_yaml
from sage_ld.build.readers.metadata.properties import check_length, properties_of
from sage_ld.foundation.errors import InputError, LimitError
from sage_ld.foundation.model import Property
from sage_ld.foundation.settings import Settings


def yaml_properties(text: str, name: str, settings: Settings) -> tuple[Property, ...] | None:
    r"""The properties that a YAML document states; None if it is something other than a map.

    Raises InputError where it is no YAML, with the line; LimitError above `max_metadata_length`,
    `max_metadata_values` (aliases count each time) or `max_json_depth`. Both begin with `name`.

    >>> found = yaml_properties("team: red\ntags: [a, b]\nyear: 2024", "a.md", Settings())
    >>> [(each.key, each.value, each.datatype) for each in found]
    [('team', 'red', 'string'), ('tags', 'a', 'string'), ('tags', 'b', 'string'), ('year', '2024', 'integer')]
    """
    check_length(len(text), name, settings)
    values = parse_yaml(text, name, settings, "max_metadata_values")
    if len(values) > 1:
        raise InputError(f"{name}: {len(values)} YAML documents; write one")
    if not values or values[0] is None:
        return ()
    return properties_of(values[0], name, settings) if isinstance(values[0], dict) else None


_YAML: Final = re.compile(r"\A---[ \t]*\n(.*?)^(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL | re.MULTILINE)
_TOML: Final = re.compile(r"\A\+\+\+[ \t]*\n(.*?)^\+\+\+[ \t]*(?:\n|\Z)", re.DOTALL | re.MULTILINE)


class FrontMatter(NamedTuple):
    """The metadata before a text, and the text."""

    properties: tuple[Property, ...]
    body: str
    warnings: tuple[str, ...] = ()
    """Why what looks like front matter was kept as text."""


def front_matter(text: str, name: str, settings: Settings) -> FrontMatter:
    r"""The front matter of a text. One that cannot be read stays part of the text, with a warning.

    Raises LimitError above the limits of metadata.

    >>> front_matter("---\nteam: red\n---\n# Notes", "a.md", Settings()).body
    '# Notes'
    """
    for pattern, read in ((_YAML, yaml_properties), (_TOML, _toml_properties)):
        if (match := pattern.match(text)) is None:
            continue
        try:
            properties = read(match[1], name, settings)
        except LimitError:
            raise
        except InputError as error:
            return FrontMatter(
                (), text, (f"{str(error).partition(';')[0]}; the front matter was kept as text",)
            )
        if properties is not None:
            return FrontMatter(properties, text[match.end() :])
    return FrontMatter((), text)


def _toml_properties(text: str, name: str, settings: Settings) -> tuple[Property, ...]:
    check_length(len(text), name, settings)
    return properties_of(load_toml(text, name, settings), name, settings)


def stated(properties: tuple[Property, ...], *keys: str) -> str:
    """The first value of some keys, on one line; empty if there is none."""
    return one_line(next((each.value for each in properties if each.key in keys), ""))


def without(properties: tuple[Property, ...], *keys: str) -> tuple[Property, ...]:
    """The properties without the first one of some keys, the one whose value `stated` returns."""
    first = next((place for place, each in enumerate(properties) if each.key in keys), len(properties))
    return properties[:first] + properties[first + 1 :]
