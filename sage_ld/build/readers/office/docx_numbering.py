"""The numbers that Word makes for paragraphs: WordprocessingML, ISO/IEC 29500-1, §17.9."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from lxml import etree

from sage_ld.build.readers.list_numbers import ListLevel, label
from sage_ld.build.readers.office.ooxml import attribute, child, children, is_on, local, number_of, related
from sage_ld.build.readers.office.package import Package

LEVELS: Final = 9


@dataclass(slots=True)
class _List:
    """A list with the numbers that are reached; several `num` may go on with it."""

    levels: dict[int, ListLevel]
    reached: dict[int, int] = field(default_factory=dict)


class Numbering:
    """The lists of a document, with the numbers that are reached."""

    def __init__(self, package: Package, part: str) -> None:
        self._lists: dict[str, _List] = {}
        self._levels: dict[str, dict[int, ListLevel]] = {}
        self._starts: dict[str, dict[int, int]] = {}
        """Levels that a `num` restarts, until it has."""
        if (member := related(package, part, "numbering")) is None:
            return
        abstract: dict[str, _List] = {}
        root = package.xml(member)
        for each in children(root, "abstractNum"):
            abstract[attribute(each, "abstractNumId")] = _List(_levels(each))
        for each in children(root, "num"):
            base = child(each, "abstractNumId")
            found = None if base is None else abstract.get(attribute(base, "val"))
            if found is not None:
                self._add(attribute(each, "numId"), each, found)

    def label(self, number: str, level: int) -> str:
        """The number of the next paragraph at a level (from 0) of a list; empty for a bullet, or no list."""
        found = self._lists.get(number)
        if found is None or not 0 <= level < LEVELS:
            return ""
        levels = self._levels[number]
        for each, start in list(self._starts.get(number, {}).items()):
            if each <= level:
                found.reached[each] = start - 1
                del self._starts[number][each]
        found.reached[level] = found.reached.get(level, levels.get(level, ListLevel()).start - 1) + 1
        for deeper in [each for each in found.reached if each > level]:
            del found.reached[deeper]
        return label(levels, found.reached, level)

    def _add(self, number: str, element: etree._Element, found: _List) -> None:
        levels, starts = dict(found.levels), dict[int, int]()
        for each in children(element, "lvlOverride"):
            if (level := number_of(attribute(each, "ilvl"))) >= LEVELS:
                continue
            if (own := child(each, "lvl")) is not None:
                levels[level] = _level(own)
            if (start := child(each, "startOverride")) is not None:
                starts[level] = number_of(attribute(start, "val"), 1)
        self._lists[number], self._levels[number], self._starts[number] = found, levels, starts


def _levels(element: etree._Element) -> dict[int, ListLevel]:
    levels = ((number_of(attribute(each, "ilvl")), each) for each in children(element, "lvl"))
    return {level: _level(each) for level, each in levels if level < LEVELS}


def _level(element: etree._Element) -> ListLevel:
    said = {local(each): attribute(each, "val") for each in element}
    return ListLevel(
        number_of(said.get("start", "1"), 1),
        said.get("numFmt", "decimal"),
        said.get("lvlText", ""),
        is_on(child(element, "isLgl")),
    )
