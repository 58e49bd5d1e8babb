"""Texts that the styles of a page hide or strike out: by attributes, and by style sheets inside the page."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final

import tinycss2
from cssselect import HTMLTranslator, SelectorError
from lxml import etree

from sage_ld.build.readers.shown import HIDDEN, STRUCK_OUT

_HIDING: Final = re.compile(r"(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*hidden)\b", re.IGNORECASE)
_STRIKING: Final = re.compile(r"(?:^|;)\s*text-decoration(?:-line)?\s*:[^;]*\bline-through\b", re.IGNORECASE)
_MOST_RULES: Final = 200
"""Rules that hide or strike out, the first of a page; each is looked for in the whole page."""


def passed_over_by_style(style: str | None) -> str:
    """The noun for text that has such declarations; empty where it is read.

    >>> passed_over_by_style("color: red; text-decoration: underline line-through")
    'struck-out text'
    >>> passed_over_by_style("display: none"), passed_over_by_style("text-decoration: none")
    ('hidden text', '')
    """
    if not style:
        return ""
    return HIDDEN if _HIDING.search(style) else STRUCK_OUT if _STRIKING.search(style) else ""


def passed_over_by_sheets(root: etree._Element) -> Mapping[etree._Element, str]:
    """The elements that the style sheets inside a page hide or strike out, each with the noun for it.

    Rules for certain media and those of other files do not count, nor does it which rule is stronger: a
    selector that one rule hides and a later one shows is shown, and so is the body, which a program shows.
    """
    rules: dict[str, str] = {}
    for sheet in root.iter("style"):
        for selector, declarations in _rules(sheet.text or ""):
            kind = passed_over_by_style(declarations)
            if kind and len(rules) < _MOST_RULES:
                rules[selector] = kind
            elif selector in rules and re.search("display|visibility|text-decoration", declarations):
                del rules[selector]
    return {
        element: kind
        for selector, kind in rules.items()
        for element in _selected(root, selector)
        if element.tag not in ("html", "body")
    }


def _rules(sheet: str) -> Iterator[tuple[str, str]]:
    """Each selector of a sheet with the declarations for it."""
    for rule in tinycss2.parse_stylesheet(sheet, skip_comments=True, skip_whitespace=True):
        if rule.type == "qualified-rule":
            declarations = tinycss2.serialize(rule.content).strip()
            for selector in tinycss2.serialize(rule.prelude).split(","):
                yield selector.strip(), declarations


def _selected(root: etree._Element, selector: str) -> list[etree._Element]:
    try:
        found = root.xpath(HTMLTranslator().css_to_xpath(selector, prefix="descendant-or-self::"))
    except (SelectorError, etree.XPathError):  # one for a moment, as of the pointer, or none at all
        return []
    return [each for each in found if isinstance(each, etree._Element)] if isinstance(found, list) else []
