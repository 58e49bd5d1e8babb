"""Metadata that is stated on the command line, as `--meta key=value`."""

from __future__ import annotations

from collections.abc import Iterable

from sage_ld.build.readers.metadata.properties import property_of
from sage_ld.foundation.errors import InputError
from sage_ld.foundation.model import Property


def stated_metadata(options: Iterable[str]) -> dict[str, list[Property]]:
    """The values of each key, in their order; they have the types that they would have in YAML.

    Raises InputError for an option that is not `key=value`.

    >>> [(each.value, each.datatype) for each in stated_metadata(["year=2024", "year=MMXXIV"])["year"]]
    [('2024', 'integer'), ('MMXXIV', 'string')]
    """
    values: dict[str, list[Property]] = {}
    for option in options:
        key, equals, value = option.partition("=")
        stated = property_of(key.strip(), value) if equals and key.strip() else None
        if stated is None:
            raise InputError(f"--meta {option[:60]!r} is not KEY=VALUE; write it as in --meta team=red")
        values.setdefault(stated.key, []).append(stated)
    return values
