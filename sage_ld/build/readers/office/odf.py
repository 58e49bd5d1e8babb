"""Parts of all OpenDocument formats (ISO/IEC 26300): content, styles, text and properties."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from lxml import etree

from sage_ld.build.readers.inline import InlineBuilder
from sage_ld.build.readers.office.facts import Facts, facts
from sage_ld.build.readers.office.ooxml import attribute, child, local
from sage_ld.build.readers.office.package import Package
from sage_ld.foundation.errors import InputError
from sage_ld.foundation.model import Property

_META: Final = {
    "title": "title",
    "description": "description",
    "keyword": "keywords",
    "language": "language",
    "date": "modified",
    "subject": "subject",
    "initial-creator": "creator",
    "creator": "lastModifiedBy",
    "creation-date": "created",
    "coverage": "coverage",
    "publisher": "publisher",
    "rights": "rights",
    "identifier": "identifier",
}
_DATATYPES: Final = {"float": "double", "boolean": "boolean", "date": "dateTime"}
_TECHNICAL: Final = ("AppVersion",)  # of the program that wrote an office file before it was converted
_NOTES: Final = frozenset({"note", "annotation"})
_LEFT_OUT: Final = frozenset({"ruby-text", "tracked-changes", "annotation-end", "binary-data", "title"})
_LONGEST_BLANK: Final = 1_000
_AUTOMATIC: Final = re.compile(r"P[0-9]+")


@dataclass(frozen=True, slots=True)
class ParagraphStyle:
    """A style of paragraphs."""

    name: str = ""
    """The nearest named style that it is made of, in lower case, such as `preformatted text`."""
    new_page: bool = False
    """Whether its paragraphs begin a page."""


def check_odf(package: Package) -> None:
    """Raises InputError for a file that is encrypted, or is no OpenDocument."""
    if "META-INF/manifest.xml" in package:
        manifest = package.xml("META-INF/manifest.xml")
        if next(manifest.iter("{*}encryption-data"), None) is not None:
            raise InputError(f"{package.name}: needs a password; save it without one")
    if "content.xml" not in package:
        raise InputError(f"{package.name}: no OpenDocument file in this archive; check its format")


def odf_properties(package: Package) -> Facts:
    """The properties in `meta.xml`, with those that the user defined."""
    if "meta.xml" not in package:
        return Facts()
    meta = child(package.xml("meta.xml"), "meta")
    return facts(_properties(meta) if meta is not None else ())


def _properties(meta: etree._Element) -> Iterator[Property]:
    for each in meta:
        name, text = local(each), _moment(each.text or "")
        if name == "user-defined" and attribute(each, "name") not in _TECHNICAL:
            yield Property(
                attribute(each, "name"), text, _DATATYPES.get(attribute(each, "value-type"), "string")
            )
        elif name in _META:
            yield Property(_META[name], text, "dateTime" if name == "creation-date" else "string")


def _moment(text: str) -> str:
    """A time without the nine digits of a second's fraction that LibreOffice writes."""
    head, dot, fraction = text.partition(".")
    return head if dot and len(head) == 19 and fraction.isdigit() else text


def paragraph_styles(roots: list[etree._Element]) -> Mapping[str, ParagraphStyle]:
    """The styles of paragraphs, by name, of `styles.xml` and of `content.xml`."""
    elements = {
        attribute(each, "name"): each
        for root in roots
        for each in root.iter("{*}style")
        if attribute(each, "family") == "paragraph"
    }
    return {name: _paragraph_style(each, elements) for name, each in elements.items()}


def _paragraph_style(element: etree._Element, elements: Mapping[str, etree._Element]) -> ParagraphStyle:
    layout = child(element, "paragraph-properties")
    new_page = layout is not None and attribute(layout, "break-before") == "page"
    page_style = attribute(element, "master-page-name")
    name = attribute(element, "name")
    if _AUTOMATIC.fullmatch(name):  # the style that it is made of says more
        name = attribute(element, "parent-style-name")
    if (named := elements.get(name)) is not None:
        name = attribute(named, "display-name") or name
    return ParagraphStyle(readable(name), new_page or bool(page_style))


def readable(name: str) -> str:
    """The name of a style as a person reads it, in lower case.

    >>> readable("Text_20_body")
    'text body'
    """
    return name.replace("_20_", " ").lower()


class TextWriter:
    """Writes paragraphs, and keeps their notes and text boxes until they are taken."""

    def __init__(self, on_page: Callable[[], None] = lambda: None) -> None:
        self._on_page = on_page
        self._beside: list[etree._Element] = []

    def write(self, line: InlineBuilder, element: etree._Element, *, verbatim: bool = False) -> None:
        """Writes what is in a paragraph, a heading or a cell."""
        write = line.verbatim if verbatim else line.write
        write(element.text or "")
        for each in element:
            self._element(line, each, verbatim=verbatim)
            write(each.tail or "")

    def take(self) -> list[etree._Element]:
        """The notes and text boxes of what was written since the last time."""
        beside, self._beside = self._beside, []
        return beside

    def _element(self, line: InlineBuilder, element: etree._Element, *, verbatim: bool) -> None:
        name = local(element)
        if name in _NOTES or name == "text-box":
            self._beside.append(element)
        elif name == "soft-page-break":
            self._on_page()
        elif name == "a":
            line.open_link(attribute(element, "href"))
            self.write(line, element, verbatim=verbatim)
            line.close_link()
        elif name == "line-break":
            (line.verbatim if verbatim else lambda _: line.newline())("\n")
        elif name in ("s", "tab"):
            (line.verbatim if verbatim else line.write)(_blanks(element, name))
        elif name not in _LEFT_OUT:
            self._inner(line, element, name, verbatim=verbatim)

    def _inner(self, line: InlineBuilder, element: etree._Element, name: str, *, verbatim: bool) -> None:
        if name in ("p", "h", "list-item", "table-cell"):
            line.newline()
        self.write(line, element, verbatim=verbatim)


def _blanks(element: etree._Element, name: str) -> str:
    if name == "tab":
        return "\t"
    count = attribute(element, "c")
    return " " * (min(int(count), _LONGEST_BLANK) if count.isdecimal() and len(count) < 6 else 1)
