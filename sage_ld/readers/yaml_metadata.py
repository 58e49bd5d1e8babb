"""Metadata written in YAML: maps, lists and scalars, read from the parser's events.

Nothing is constructed from tags. Scalars have the types of YAML 1.2, so `no` is a string and `12:30` no
number. An alias stands for the node of its anchor, which is walked again each time; so the walk is limited.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final, TypeAlias

import yaml

from sage_ld.errors import InputError, LimitError
from sage_ld.model import Property
from sage_ld.readers.characters import one_line
from sage_ld.readers.metadata import check_length, check_values, joined, limited, property_of, text_property
from sage_ld.settings import Settings

_LOADER: Final = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_STRING: Final = "tag:yaml.org,2002:str"
_MERGE: Final = "<<"


@dataclass(slots=True)
class _Scalar:
    text: str
    typed: bool
    """Whether the text may be a number, a boolean or a date."""


@dataclass(slots=True)
class _Sequence:
    items: list[_Node] = field(default_factory=list)


@dataclass(slots=True)
class _Mapping:
    items: list[_Node] = field(default_factory=list)
    """Keys and values in turn."""

    def pairs(self) -> Iterator[tuple[_Node, _Node]]:
        return zip(self.items[::2], self.items[1::2], strict=True)


_Node: TypeAlias = _Scalar | _Sequence | _Mapping


def yaml_properties(text: str, name: str, settings: Settings) -> tuple[Property, ...] | None:
    r"""The properties that a YAML document states; None if it is something other than a map.

    Raises InputError where it is no YAML, with the line; LimitError above `max_metadata_length`,
    `max_metadata_values` (aliases count each time) or `max_json_depth`. Both begin with `name`.

    >>> found = yaml_properties("team: red\ntags: [a, b]\nyear: 2024", "a.md", Settings())
    >>> [(each.key, each.value, each.datatype) for each in found]
    [('team', 'red', 'string'), ('tags', 'a', 'string'), ('tags', 'b', 'string'), ('year', '2024', 'integer')]
    """
    check_length(len(text), name, settings)
    root = _tree(text, name, settings)
    if root is None:
        return ()
    return limited(_Walk(name, settings).of(root), name, settings) if isinstance(root, _Mapping) else None


def _tree(text: str, name: str, settings: Settings) -> _Node | None:
    """The nodes of the first document; None of an empty one."""
    holder = _Sequence()
    open_nodes: list[_Sequence | _Mapping] = [holder]
    anchors: dict[str, _Node] = {}
    try:
        for event in yaml.parse(text, _LOADER):
            if isinstance(event, yaml.AliasEvent):
                open_nodes[-1].items.append(_anchored(event, anchors, name))
            elif isinstance(event, yaml.ScalarEvent):
                _add(_scalar(event), event, open_nodes, anchors)
            elif isinstance(event, yaml.SequenceStartEvent | yaml.MappingStartEvent):
                node = _Sequence() if isinstance(event, yaml.SequenceStartEvent) else _Mapping()
                _add(node, event, open_nodes, anchors)
                open_nodes.append(node)
                _check_depth(len(open_nodes) - 1, name, settings)
            elif isinstance(event, yaml.SequenceEndEvent | yaml.MappingEndEvent):
                open_nodes.pop()
    except yaml.YAMLError as error:
        raise InputError(f"{name}: no YAML: {_reason(error)}; correct it there") from None
    if len(holder.items) > 1:
        raise InputError(f"{name}: {len(holder.items)} YAML documents; write one")
    return holder.items[0] if holder.items else None


def _add(
    node: _Node, event: yaml.NodeEvent, open_nodes: list[_Sequence | _Mapping], anchors: dict[str, _Node]
) -> None:
    open_nodes[-1].items.append(node)
    if event.anchor is not None:
        anchors[event.anchor] = node


def _anchored(event: yaml.AliasEvent, anchors: dict[str, _Node], name: str) -> _Node:
    if event.anchor not in anchors:
        raise InputError(f"{name}: no YAML: the alias *{event.anchor} has no anchor; correct it there")
    return anchors[event.anchor]


def _scalar(event: yaml.ScalarEvent) -> _Scalar:
    plain = event.implicit[0]
    return _Scalar(event.value, plain or (event.tag is not None and event.tag not in (_STRING, "!")))


def _check_depth(depth: int, name: str, settings: Settings) -> None:
    if depth > (most := settings.max_json_depth):
        raise LimitError(
            f"{name}: its metadata is nested deeper than {most:,} levels; flatten it or raise the setting "
            "max_json_depth"
        )


def _reason(error: yaml.YAMLError) -> str:
    problem = one_line(str(getattr(error, "problem", None) or getattr(error, "reason", None) or error))
    mark = getattr(error, "problem_mark", None)
    return problem if mark is None else f"{problem} (line {mark.line + 1})"


class _Walk:
    """The properties of a tree whose nodes may stand in several places, or inside themselves."""

    def __init__(self, name: str, settings: Settings) -> None:
        self._name = name
        self._settings = settings
        self._nodes = 0

    def of(self, node: _Node, key: str = "", depth: int = 0) -> Iterator[Property]:
        """The properties below a node, whose dotted key is `key`."""
        self._nodes += 1
        check_values(self._nodes, self._name, self._settings)
        _check_depth(depth, self._name, self._settings)
        if isinstance(node, _Scalar):
            found = property_of(key, node.text) if node.typed else text_property(key, node.text)
            if found is not None:
                yield found
        elif isinstance(node, _Sequence):
            for each in node.items:
                yield from self.of(each, key, depth + 1)
        else:
            for name, each in self._pairs(node):
                yield from self.of(each, joined(key, name), depth + 1)

    def _pairs(self, node: _Mapping) -> Iterator[tuple[str, _Node]]:
        """Names and values, with those of the maps that it merges (`<<`) under names that it lacks itself."""
        own = [(self._key(key), each) for key, each in node.pairs()]
        yield from ((name, each) for name, each in own if name != _MERGE)
        names = {name for name, _ in own}
        for name, merged in own:
            if name == _MERGE:
                for mapping in merged.items if isinstance(merged, _Sequence) else (merged,):
                    if isinstance(mapping, _Mapping):
                        self._nodes += len(mapping.items)
                        check_values(self._nodes, self._name, self._settings)
                        pairs = ((self._key(key), each) for key, each in mapping.pairs())
                        yield from (pair for pair in pairs if pair[0] not in names)

    def _key(self, node: _Node) -> str:
        if isinstance(node, _Scalar):
            return node.text
        raise InputError(f"{self._name}: no YAML: a key that is a list or a map; give it a name")
