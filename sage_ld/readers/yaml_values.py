"""YAML to the values of JSON, within limits: its aliases are expanded, and nothing in it is called."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import yaml

from sage_ld.errors import InputError, LimitError
from sage_ld.readers.characters import one_line
from sage_ld.readers.json_values import Json, Number
from sage_ld.settings import Settings

_LOADER: Final[Any] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_TAG: Final = "tag:yaml.org,2002:"
_NUMBERS: Final = frozenset({_TAG + "int", _TAG + "float"})
_TRUE: Final = frozenset({"true", "yes", "on"})


def parse_yaml(text: str, name: str, settings: Settings) -> Iterator[Json]:
    r"""The value of each document in `text`, numbers as `Number`, dates as they are written.

    Raises InputError that names line and column; LimitError if it has more than `max_yaml_values` values
    once its aliases are expanded, or nests deeper than `max_json_depth`.

    >>> list(parse_yaml("name: Heat\\nyear: 1995\\ncast: [Pacino, De Niro]", "a.yaml", Settings()))
    [{'name': 'Heat', 'year': '1995', 'cast': ['Pacino', 'De Niro']}]
    """
    values = _Values(name, settings)
    try:
        for document in yaml.compose_all(text, Loader=_LOADER):
            yield values.of(document, 0)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = f" (line {mark.line + 1}, column {mark.column + 1})" if mark else ""
        problem = one_line(error.problem or error.context or "")
        raise InputError(f"{name}: not valid YAML: {problem}{place}; correct it there") from None
    except yaml.YAMLError as error:
        raise InputError(f"{name}: not valid YAML: {one_line(str(error))}; correct it") from None


class _Values:
    """Converts nodes, and counts the values that they make."""

    def __init__(self, name: str, settings: Settings) -> None:
        self._name = name
        self._settings = settings
        self._count = 0

    def of(self, node: yaml.Node | None, depth: int) -> Json:
        """The value of a node at a depth."""
        self._check(depth)
        if isinstance(node, yaml.MappingNode):
            return self._object(node, depth)
        if isinstance(node, yaml.SequenceNode):
            return [self.of(each, depth + 1) for each in node.value]
        return _scalar(node)

    def _object(self, node: yaml.MappingNode, depth: int) -> dict[str, Json]:
        """The pairs of a mapping; those that it merges (`<<`) are used where it has none of its own."""
        own: dict[str, Json] = {}
        merged: dict[str, Json] = {}
        for key, value in node.value:
            if key.tag == _TAG + "merge":
                merged = self._merged(value, depth) | merged
            else:
                own[self._key(key, depth)] = self.of(value, depth + 1)
        return merged | own

    def _merged(self, node: yaml.Node, depth: int) -> dict[str, Json]:
        """The pairs of a mapping, or of a list of mappings, of which the first to have a key counts."""
        values = [
            self.of(each, depth + 1)
            for each in (node.value if isinstance(node, yaml.SequenceNode) else [node])
        ]
        found: dict[str, Json] = {}
        for value in values:
            found = (value if isinstance(value, dict) else {}) | found
        return found

    def _key(self, node: yaml.Node, depth: int) -> str:
        if isinstance(node, yaml.ScalarNode):
            return str(node.value)
        return str(self.of(node, depth + 1))

    def _check(self, depth: int) -> None:
        self._count += 1
        if self._count > (limit := self._settings.max_yaml_values):
            raise LimitError(
                f"{self._name}: more than {limit:,} values once its aliases are expanded; split it or raise "
                "the setting max_yaml_values"
            )
        if depth > (deepest := self._settings.max_json_depth):
            raise LimitError(
                f"{self._name}: nested deeper than {deepest:,} levels; flatten it or raise the setting "
                "max_json_depth"
            )


def _scalar(node: yaml.Node | None) -> Json:
    if node is None or node.tag == _TAG + "null":
        return None
    if node.tag in _NUMBERS:
        return Number(node.value)
    if node.tag == _TAG + "bool":
        return str(node.value).lower() in _TRUE
    return str(node.value)
