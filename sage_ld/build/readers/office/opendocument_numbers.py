"""The numbers of OpenDocument's lists and headings (OpenDocument 1.3, part 3, §5.3 and §16.30), as text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from lxml import etree

from sage_ld.build.readers.list_numbers import STYLES, ListLevel, label
from sage_ld.build.readers.office.ooxml import attribute, child, local, number_of

_MOST_LEVELS: Final = 10
"""Levels of a list, as many as programs have; deeper ones have no numbers."""
_OUTLINE: Final = "outline-style"
_PLACE: Final = re.compile(r"%([0-9]{1,2})%")


@dataclass(slots=True)
class _Counts:
    """The numbers that a list has reached, by level."""

    reached: dict[int, int] = field(default_factory=dict)

    def next(self, levels: Mapping[int, ListLevel], level: int, stated: int | None) -> str:
        """The label of the next item at a level."""
        start = levels.get(level, ListLevel()).start
        self.reached[level] = self.reached.get(level, start - 1) + 1 if stated is None else stated
        for deeper in [each for each in self.reached if each > level]:
            del self.reached[deeper]
        return label(levels, self.reached, level)


def write_numbers(body: etree._Element, roots: Sequence[etree._Element]) -> None:
    """Writes the numbers that a program shows into the paragraphs of `body`, by the styles in `roots`."""
    _NumberWriter({name: levels for root in roots for name, levels in _styles(root)}).write(body)


def _styles(root: etree._Element) -> Iterator[tuple[str, dict[int, ListLevel]]]:
    """The styles of lists, and that of headings, each with its levels, counted from 0."""
    for each in root.iter("{*}list-style", "{*}outline-style"):
        name = _OUTLINE if local(each) == _OUTLINE else attribute(each, "name")
        levels = ((number_of(attribute(level, "level"), 1), level) for level in each)
        yield name, {number - 1: _level(level, number) for number, level in levels if number <= _MOST_LEVELS}


def _level(element: etree._Element, level: int) -> ListLevel:
    """The numbers of a level, counted from 1; each shows those of at most all levels above it."""
    numbered = local(element) in ("list-level-style-number", "outline-level-style")
    shape = attribute(element, "num-format")
    if not numbered or not shape:
        return ListLevel(format="none")
    shown = min(max(number_of(attribute(element, "display-levels"), 1), 1), level)
    places = ".".join(f"%{each}" for each in range(level - shown + 1, level + 1))
    text = f"{attribute(element, 'num-prefix')}{places}{attribute(element, 'num-suffix')}"
    if stated := attribute(element, "num-list-format"):  # LibreOffice, since 7.1
        text = _PLACE.sub(r"%\1", stated)
    start = number_of(attribute(element, "start-value"), 1)
    return ListLevel(start, STYLES.get(shape, "decimal"), text)


class _NumberWriter:
    """The lists of a text, with the numbers that are reached."""

    def __init__(self, styles: Mapping[str, Mapping[int, ListLevel]]) -> None:
        self._styles = styles
        self._headings = _Counts()
        self._last: dict[str, _Counts] = {}
        """Of each style, the list before."""
        self._named: dict[str, _Counts] = {}
        """By their `xml:id`."""

    def write(self, container: etree._Element) -> None:
        """Numbers what is in a container, in its order."""
        for each in container:
            name = local(each)
            if name == "list":
                self._list(each, attribute(each, "style-name"), 0, None)
            elif name == "h":
                self._heading(each)
            elif name not in ("p", "tracked-changes"):
                self.write(each)

    def _heading(self, element: etree._Element) -> None:
        level = number_of(attribute(element, "outline-level"), 1) - 1
        levels = self._styles.get(_OUTLINE, {})
        if not 0 <= level < _MOST_LEVELS or attribute(element, "is-list-header") == "true":
            return
        _prefix(element, self._headings.next(levels, level, None))

    def _list(self, element: etree._Element, style: str, level: int, counts: _Counts | None) -> None:
        if level >= _MOST_LEVELS:
            return
        if counts is None:
            counts = self._counts(element, style)
        for item in element:
            numbered = local(item) == "list-item"
            stated = attribute(item, "start-value")
            for place, each in enumerate(item):
                if local(each) == "list":
                    self._list(each, attribute(each, "style-name") or style, level + 1, counts)
                elif place == 0 and numbered and local(each) in ("p", "h"):
                    levels = self._styles.get(style, {})
                    _prefix(each, counts.next(levels, level, number_of(stated, 1) if stated else None))

    def _counts(self, element: etree._Element, style: str) -> _Counts:
        """The numbers of a list, which may go on with another one."""
        counts = self._named.get(attribute(element, "continue-list"))
        if counts is None:
            goes_on = attribute(element, "continue-numbering") == "true"
            counts = self._last.get(style) if goes_on else None
        counts = counts or _Counts()
        self._last[style] = counts
        if name := attribute(element, "id"):
            self._named[name] = counts
        return counts


def _prefix(paragraph: etree._Element, text: str) -> None:
    """Writes a label before a paragraph that has text, and none that its program wrote."""
    has_text = any(str(each).strip() for each in paragraph.itertext())
    if text and has_text and child(paragraph, "number") is None:
        paragraph.text = f"{text} {paragraph.text or ''}"
