"""Metadata written in YAML."""

from __future__ import annotations

from sage_ld.build.readers.data.yaml_values import parse_yaml
from sage_ld.build.readers.metadata.properties import check_length, properties_of
from sage_ld.foundation.errors import InputError
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
