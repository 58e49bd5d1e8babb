"""Paragraph styles of Word documents, and their meaning: headings, lists, code, captions."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from lxml import etree

from sage_ld.build.readers.office.ooxml import attribute, child, descend, local, number_of, related
from sage_ld.build.readers.office.package import Package

_HEADING: Final = re.compile(r"heading ([1-9])")
_CODE: Final = frozenset(
    {"source code", "html preformatted", "preformatted text", "code", "macro", "plain text"}
)
_CAPTIONS: Final = frozenset({"caption", "table caption", "table"})
_CONTENTS: Final = re.compile(r"toc heading|toc [1-9]|table of figures|contents (heading|[0-9]+)")
_LONGEST_CHAIN: Final = 20  # styles that are based on each other


@dataclass(frozen=True, slots=True)
class Style:
    """The meaning of one paragraph style."""

    level: int | None = None
    """Of a heading, counted from 1."""
    listed: bool = False
    verbatim: bool = False
    caption: bool = False
    contents: bool = False
    """Whether it is a line of a table of contents."""


def styles(package: Package, part: str) -> Mapping[str, Style]:
    """The paragraph styles by their ids; the default one has an empty id."""
    if (member := related(package, part, "styles")) is None:
        return {}
    elements = {attribute(each, "styleId"): each for each in package.xml(member) if local(each) == "style"}
    by_id = {key: _style(key, elements) for key in elements}
    default = next((key for key, each in elements.items() if _is_default(each)), None)
    return {**by_id, "": by_id[default]} if default is not None else by_id


def _is_default(element: etree._Element) -> bool:
    return attribute(element, "type") == "paragraph" and attribute(element, "default") in ("1", "true")


def _style(key: str, elements: Mapping[str, etree._Element]) -> Style:
    chain = list(_chain(key, elements))
    names = [attribute(name, "val").lower() for each in chain if (name := child(each, "name")) is not None]
    return Style(
        _level(chain, names),
        listed=any(descend(each, "pPr", "numPr") is not None for each in chain),
        verbatim=any(name in _CODE for name in names),
        caption=bool(names) and names[0] in _CAPTIONS,
        contents=bool(names) and _CONTENTS.fullmatch(names[0]) is not None,
    )


def _chain(key: str, elements: Mapping[str, etree._Element]) -> list[etree._Element]:
    """A style and those that it is based on, the nearest first."""
    chain: list[etree._Element] = []
    while key in elements and len(chain) < _LONGEST_CHAIN:
        chain.append(elements[key])
        base = child(elements[key], "basedOn")
        key = "" if base is None else attribute(base, "val")
    return chain


def _level(chain: list[etree._Element], names: list[str]) -> int | None:
    for each in chain:
        if (outline := descend(each, "pPr", "outlineLvl")) is not None:
            return number_of(attribute(outline, "val"), 9) + 1
    for name in names:
        if (heading := _HEADING.fullmatch(name)) is not None:
            return int(heading[1])
    return 1 if names and names[0] == "title" else None
