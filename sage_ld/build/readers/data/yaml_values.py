"""YAML to the values of JSON, within limits, from the parser's events.

Nothing is constructed from tags. Scalars have the types of YAML 1.2, so `no` is a string and `12:30` no
number. An alias stands for the node of its anchor, which is walked again each time; so the walk is limited.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final, TypeAlias

import yaml

from sage_ld.build.readers.characters import one_line
from sage_ld.build.readers.data.json_values import Json, JsonObject, Number, PlainText
from sage_ld.build.readers.metadata.properties import property_of
from sage_ld.foundation.errors import InputError, LimitError
from sage_ld.foundation.settings import Settings

_LOADER: Final = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_STRING: Final = "tag:yaml.org,2002:str"
_MERGE: Final = "<<"
_LONG: Final = 1_000
"""Characters of a value that count as one more value: an alias may repeat a long text."""
_NUMBERS: Final = frozenset({"integer", "decimal", "double"})


@dataclass(slots=True)
class _Scalar:
    text: str
    typed: bool
    """Whether the text may be a number, a boolean or a date."""


@dataclass(slots=True)
class _Sequence:
    items: list[_Node] = field(default_factory=list)


@dataclass(slots=True)
class _Map:
    items: list[_Node] = field(default_factory=list)
    """Keys and values in turn."""


_Node: TypeAlias = _Scalar | _Sequence | _Map


def parse_yaml(text: str, name: str, settings: Settings, limit: str = "max_yaml_values") -> list[Json]:
    r"""The value of each document in `text`, numbers as `Number`.

    Raises InputError that names line and column; LimitError if it has more values than the setting `limit`
    allows (an alias counts each time), or nests deeper than `max_json_depth`.

    >>> parse_yaml("name: Heat\nyear: 1995\ncast: [Pacino, De Niro]", "a.yaml", Settings())
    [{'name': 'Heat', 'year': '1995', 'cast': ['Pacino', 'De Niro']}]
    """
    walk = _Walk(name, settings, limit)
    return [walk.of(each) for each in _trees(text, name, settings)]


def _trees(text: str, name: str, settings: Settings) -> list[_Node]:
    """The nodes of each document."""
    holder = _Sequence()
    open_nodes: list[_Sequence | _Map] = [holder]
    anchors: dict[str, _Node] = {}
    try:
        for event in yaml.parse(text, _LOADER):
            if isinstance(event, yaml.DocumentStartEvent):
                anchors = {}  # YAML 1.2.2, section 3.2.2.2: those of a document are known in it alone
            elif isinstance(event, yaml.AliasEvent):
                open_nodes[-1].items.append(_anchored(event, anchors, name))
            elif isinstance(event, yaml.ScalarEvent):
                _add(_scalar(event), event, open_nodes, anchors)
            elif isinstance(event, yaml.SequenceStartEvent | yaml.MappingStartEvent):
                node = _Sequence() if isinstance(event, yaml.SequenceStartEvent) else _Map()
                _add(node, event, open_nodes, anchors)
                open_nodes.append(node)
                _check_depth(len(open_nodes) - 1, name, settings)
            elif isinstance(event, yaml.SequenceEndEvent | yaml.MappingEndEvent):
                open_nodes.pop()
    except yaml.YAMLError as error:
        raise InputError(f"{name}: not valid YAML: {_reason(error)}; correct it there") from None
    return holder.items


def _add(
    node: _Node, event: yaml.NodeEvent, open_nodes: list[_Sequence | _Map], anchors: dict[str, _Node]
) -> None:
    open_nodes[-1].items.append(node)
    if event.anchor is not None:
        anchors[event.anchor] = node


def _anchored(event: yaml.AliasEvent, anchors: dict[str, _Node], name: str) -> _Node:
    if event.anchor not in anchors:
        raise InputError(f"{name}: not valid YAML: the alias *{event.anchor} has no anchor; correct it there")
    return anchors[event.anchor]


def _scalar(event: yaml.ScalarEvent) -> _Scalar:
    plain = event.implicit[0]
    return _Scalar(event.value, plain or (event.tag is not None and event.tag not in (_STRING, "!")))


def _check_depth(depth: int, name: str, settings: Settings) -> None:
    if depth > (most := settings.max_json_depth):
        raise LimitError(
            f"{name}: its YAML is nested deeper than {most:,} levels; flatten it or raise the setting "
            "max_json_depth"
        )


def _reason(error: yaml.YAMLError) -> str:
    problem = one_line(str(getattr(error, "problem", None) or getattr(error, "reason", None) or error))
    mark = getattr(error, "problem_mark", None)
    return problem if mark is None else f"{problem} (line {mark.line + 1}, column {mark.column + 1})"


class _Walk:
    """The values of nodes that may stand in several places, or inside themselves."""

    def __init__(self, name: str, settings: Settings, limit: str) -> None:
        self._name = name
        self._settings = settings
        self._limit = limit
        self._most: int = getattr(settings, limit)
        self._nodes = 0

    def of(self, node: _Node, depth: int = 0) -> Json:
        """The value of a node at a depth."""
        self._count(1)
        _check_depth(depth, self._name, self._settings)
        if isinstance(node, _Scalar):
            self._count(len(node.text) // _LONG)
            return _typed(node.text) if node.typed else node.text
        if isinstance(node, _Sequence):
            return [self.of(each, depth + 1) for each in node.items]
        return self._object(node, depth)

    def _object(self, node: _Map, depth: int) -> JsonObject:
        """The pairs of a map, and those of the maps that it merges (`<<`) where it has none of the name."""
        pairs = [(self._key(key), each) for key, each in _pairs(node)]
        own = {name for name, _ in pairs}
        members: JsonObject = {}
        for name, each in pairs:
            if name != _MERGE:
                members[name] = self.of(each, depth + 1)
                continue
            for mapping in each.items if isinstance(each, _Sequence) else (each,):
                for key, value in self._merged(mapping):
                    if key not in own and key not in members:
                        members[key] = self.of(value, depth + 1)
        return members

    def _merged(self, node: _Node) -> Iterator[tuple[str, _Node]]:
        if isinstance(node, _Map):
            self._count(len(node.items))
            yield from ((self._key(key), value) for key, value in _pairs(node))

    def _key(self, node: _Node) -> str:
        if isinstance(node, _Scalar):
            return node.text
        raise InputError(f"{self._name}: not valid YAML: a key that is a list or a map; give it a name")

    def _count(self, added: int) -> None:
        self._nodes += added
        if self._nodes > self._most:
            raise LimitError(
                f"{self._name}: more than {self._most:,} values of YAML, aliases counted each time; split it "
                f"or raise the setting {self._limit}"
            )


def _pairs(node: _Map) -> Iterator[tuple[_Node, _Node]]:
    return zip(node.items[::2], node.items[1::2], strict=True)


def _typed(text: str) -> Json:
    """The value that a scalar without quotes stands for."""
    property_ = property_of("", text)
    if property_ is None:
        return None
    if property_.datatype == "boolean":
        return property_.value == "true"
    return Number(text.strip()) if property_.datatype in _NUMBERS else PlainText(text)
