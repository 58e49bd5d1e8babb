"""The contents of a web page's elements as numbers: text, links, controls, headings, paragraphs of prose.

What `boilerplate` decides by. Whether a paragraph is prose, jusText says.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import accumulate
from typing import Final, NamedTuple

from lxml import etree

from sage_ld.build.languages import normalised_tag

SILENT: Final = frozenset({"head", "script", "style", "template", "noscript"})
PARTS: Final = frozenset(
    {"aside", "details", "dialog", "div", "footer", "form", "header", "menu", "nav", "ol", "p", "search"}
    | {"section", "span", "table", "ul", "a"}
)
"""Elements that may be a part around the text, whose contents are counted."""
_BLOCKS: Final = (PARTS - {"a", "span"}) | {
    *("article", "blockquote", "body", "caption", "center", "dd", "dl", "dt", "fieldset", "figcaption"),
    *(
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "legend",
        "li",
        "main",
        "option",
        "pre",
        "td",
        "textarea",
        "th",
        "tr",
    ),
}
"""Elements at whose edges a paragraph ends."""
_COPYRIGHT: Final = re.compile(r"©|\(c\) ?[12]|all rights reserved", re.IGNORECASE)
_LEAST_STOP_WORDS: Final = 0.2
"""The share of stop words in running text; jusText asks for 0.3 where the rest is thrown away."""
_XML_LANG: Final = "{http://www.w3.org/XML/1998/namespace}lang"


class Counts(NamedTuple):
    """The contents of an element, or of a page up to a place, as numbers."""

    text: int = 0
    linked: int = 0
    """Characters of links."""
    links: int = 0
    away: int = 0
    """Links to other pages."""
    within: int = 0
    """Links to places in the page itself."""
    controls: int = 0
    headings: int = 0
    titles: int = 0
    """Headings of the first level."""
    mains: int = 0
    tables: int = 0
    cookies: int = 0
    """Texts that speak of cookies."""
    rights: int = 0
    """Texts that state a copyright."""
    paragraphs: int = 0
    """It is the last field, as `PageContent` counts it."""

    def since(self, earlier: Counts) -> Counts:
        """The numbers that came after some others."""
        return Counts(*(now - before for now, before in zip(self, earlier, strict=True)))

    @property
    def density(self) -> float:
        """The share of the text that is links."""
        return self.linked / self.text if self.text else 0.0


@dataclass(slots=True)
class _Paragraph:
    """The texts of a paragraph, and how many of its characters are links."""

    texts: list[str] = field(default_factory=list)
    linked: int = 0


@dataclass(slots=True)
class PageContent:
    """The contents of the elements that may be parts around the text, counted in one pass over the page."""

    language: str
    _total: list[int] = field(default_factory=lambda: [0] * len(Counts._fields))
    """The counts so far, in the end of the whole page."""
    _begins: dict[etree._Element, Counts] = field(default_factory=dict)
    counts: dict[etree._Element, Counts] = field(default_factory=dict)
    with_paragraphs: set[etree._Element] = field(default_factory=set)
    """Elements with paragraphs as children."""
    _paragraphs: list[_Paragraph] = field(default_factory=list)
    """All paragraphs; the last one is open."""
    _prose: Sequence[int] | None = None
    _open_links: int = 0

    @classmethod
    def of(cls, root: etree._Element) -> PageContent:
        """The contents of the elements under `root`."""
        content = cls(_language(root.get("lang") or root.get(_XML_LANG) or ""))
        content._take(root)
        return content

    @property
    def whole(self) -> Counts:
        """The numbers of the whole page."""
        return Counts(*self._total)

    def _take(self, root: etree._Element) -> None:
        self._end_paragraph()
        walker = etree.iterwalk(root, events=("start", "end", "comment", "pi"))
        for event, element in walker:
            if element.tag in SILENT:
                if event == "start":
                    walker.skip_subtree()
                    continue
            elif event == "start":
                self._start(element.tag, element)
            elif event == "end":
                self._end(element.tag, element)
            self._write(element.text if event == "start" else element.tail)

    def has_prose(self, element: etree._Element) -> bool:
        """Whether an element has a paragraph of running text."""
        if self._prose is None:  # how many there are before each
            self._prose = [0, *accumulate(map(int, _are_prose(self._paragraphs, self.language)))]
        begin = self._begins[element].paragraphs
        return self._prose[begin + self.counts[element].paragraphs] > self._prose[begin]

    def _start(self, tag: str, element: etree._Element) -> None:
        if tag in _BLOCKS:
            self._end_paragraph()
        if tag in PARTS:
            self._begins[element] = Counts(*self._total)
        if tag == "p" and (parent := element.getparent()) is not None:
            self.with_paragraphs.add(parent)
        for number, added in enumerate(_own(tag, element)):
            self._total[number] += added
        self._open_links += tag == "a"

    def _end(self, tag: str, element: etree._Element) -> None:
        self._open_links -= tag == "a"
        if tag in _BLOCKS:
            self._end_paragraph()
        if tag in PARTS:
            self.counts[element] = Counts(*self._total).since(self._begins[element])

    def _end_paragraph(self) -> None:
        if not self._paragraphs or self._paragraphs[-1].texts:
            self._paragraphs.append(_Paragraph())
        self._total[-1] = len(self._paragraphs) - 1

    def _write(self, text: str | None) -> None:
        if not text or not (length := len(text.strip())):
            return
        added = Counts(
            text=length,
            linked=length if self._open_links else 0,
            cookies=int("cookie" in text.casefold()),
            rights=int(_COPYRIGHT.search(text) is not None),
        )
        for number, each in enumerate(added):
            self._total[number] += each
        self._paragraphs[-1].texts.append(text)
        self._paragraphs[-1].linked += added.linked


def _are_prose(paragraphs: Sequence[_Paragraph], language: str) -> list[bool]:
    """Whether each paragraph is running text, by jusText, with its stop words where it has some."""
    import justext
    from justext.core import PathInfo, classify_paragraphs
    from justext.paragraph import Paragraph

    given = []
    for each in paragraphs:
        paragraph = Paragraph(PathInfo())
        for text in each.texts:
            paragraph.append_text(text)
        paragraph.chars_count_in_links = each.linked
        given.append(paragraph)
    name = _stop_lists().get(language)
    least = _LEAST_STOP_WORDS if name else 0.0
    words = justext.get_stoplist(name) if name else frozenset()
    classify_paragraphs(given, words, stopwords_low=least, stopwords_high=least)
    return [each.cf_class == "good" for each in given]


@cache
def _stop_lists() -> Mapping[str, str]:
    """Languages, by their tags, to the names of jusText's lists of stop words."""
    from justext import get_stoplists

    names = sorted(get_stoplists(), reverse=True)
    return {tag: name for name in names if (tag := _language(name))}


def _language(name: str) -> str:
    return (normalised_tag(name) or "").partition("-")[0]


def _own(tag: str, element: etree._Element) -> Counts:
    """The numbers that an element adds, apart from its text and from what is in it."""
    target = element.get("href", "").strip()
    is_link = tag == "a" and element.get("href") is not None
    control = tag in ("button", "select", "textarea") or element.get("role") == "button"
    control = control or (tag == "input" and element.get("type", "").lower() != "hidden")
    return Counts(
        links=int(is_link),
        away=int(is_link and not target.startswith("#")),
        within=int(is_link and target.startswith("#") and len(target) > 1),
        controls=int(control),
        headings=int(tag in ("h1", "h2", "h3")),
        titles=int(tag == "h1"),
        mains=int(tag == "main" or element.get("role") == "main"),
        tables=int(tag == "th" or tag == "caption"),
    )
