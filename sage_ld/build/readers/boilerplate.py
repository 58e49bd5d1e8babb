"""The parts of a web page around its text: menus, page headers and footers, sidebars, cookie notices.

Only a page of a site has them: one with a menu to other pages, a footer with links or a copyright, or a
notice about cookies. Any other page is a plain document, of which nothing is left out.

What an element says of itself decides first: its tag and its role, else its class and identifier together
with how much of it is links. Where that leaves room for running text (in a sidebar, a page header, offers),
jusText decides by length, links and stop words: a part with a paragraph of prose stays.

Libraries that extract the main text (trafilatura, readability) return a new tree, from which no section,
table or link of the page can be found again, and leave out authors, dates and a quarter of plain tables.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from lxml import etree

from sage_ld.build.readers.page_content import SILENT, Counts, PageContent
from sage_ld.build.readers.shown import COOKIES, FOOTER, HEADER, MENU, PROMOTION, SEARCH, SIDEBAR

_MAIN: Final = frozenset({"main", "article"})
_SECTIONING: Final = frozenset({"article", "aside", "blockquote", "figure", "main", "nav", "section", "td"})
"""HTML, §4.3: a header or footer inside one of these is its own, and not the page's."""
_ROLES: Final = {
    "navigation": MENU,
    "menubar": MENU,
    "menu": MENU,
    "banner": HEADER,
    "contentinfo": FOOTER,
    "complementary": SIDEBAR,
    "search": SEARCH,
}
_TAGS: Final = {"nav": MENU, "header": HEADER, "footer": FOOTER, "aside": SIDEBAR, "search": SEARCH}
_WORD: Final = re.compile(r"[A-Z]?[a-z]+|[A-Z]+")
_OF_PAGES: Final = re.compile(
    r"(?:(?:site|page|main|global|mw|doc|print|blog)[-_]?)?"
    r"(?:(header|masthead|topbar|kopfzeile)|(footer|colophon|fusszeile|pied[-_]de[-_]page|pie[-_]de[-_]pagina))"
    r"(?:[-_]?(?:wrapper|wrap|container|inner|area|menu|nav|links|widgets|content|top|bottom))?",
    re.IGNORECASE,
)
_MENUS: Final = frozenset(
    {"nav", "navbar", "navigation", "navbox", "menu", "menubar", "submenu", "topnav", "sidenav", "breadcrumb"}
    | {"breadcrumbs", "pagination", "pager", "skiplinks", "editsection", "portlet"}
)
_LEAPS: Final = frozenset({"skip", "skiplink", "skipnav", "jump"})
_SIDEBARS: Final = frozenset({"sidebar", "sidenav", "sphinxsidebar", "widgets", "rail"})
_PROMOTIONS: Final = frozenset(
    {"related", "recommended", "recommendations", "share", "sharing", "social", "newsletter", "subscribe"}
    | {"signup", "popular", "trending", "teasers", "outbrain", "taboola"}
)
_ADVERTISEMENTS: Final = frozenset({"ad", "ads", "advert", "advertisement", "sponsored", "promo"})
_CONSENT_TOOLS: Final = frozenset(
    {"cmplz", "cky", "cookiebot", "cybot", "didomi", "iubenda", "onetrust", "truste", "usercentrics"}
)
"""Names that programs which ask for consent give to their elements."""
_NOTICES: Final = frozenset(
    {"alert", "banner", "bar", "law", "message", "modal", "notice", "notification", "overlay", "popup"}
    | {"toast"}
)
_REMARKS: Final = frozenset(
    {"admonition", "callout", "caution", "footnote", "footnotes", "hint", "important", "infobox", "note"}
    | {"notes", "tip", "topic", "warning"}
)
"""Names of asides that belong to the text."""
_DENSE: Final = 0.75
"""The share of an element's characters from which on it is a list of links."""
_HALF: Final = 0.5
"""Likewise for links with words between them, such as `Next:`."""
_TRAILS: Final = frozenset({"breadcrumb", "breadcrumbs", "pagination", "pager"})
_LONGEST_TRAIL: Final = 300


def boilerplate(root: etree._Element) -> Mapping[etree._Element, str]:
    """The elements of a page that are not its text, each with the noun for it; none inside another.

    >>> root = etree.fromstring('<body><nav><a href="/">A</a> <a href="/b">B</a></nav><p>Text.</p></body>')
    >>> [(each.tag, kind) for each, kind in boilerplate(root).items()]
    [('nav', 'menu')]
    """
    content = PageContent.of(root)
    page = _PageParts(content)
    page.walk(root)
    taken = sum(content.counts[each].text for each in page.parts)
    return page.parts if page.is_of_site and taken < page.whole.text else {}


@dataclass(frozen=True, slots=True)
class _Candidate:
    """An element that may be a part around the text, with its names and where it stands."""

    element: etree._Element
    counts: Counts
    names: frozenset[str]
    """The words of its class and identifier, in lower case."""
    role: str
    in_text: bool
    """Whether it stands in a main text or an article."""
    in_section: bool
    content: PageContent

    @property
    def tag(self) -> str:
        return str(self.element.tag)

    @property
    def is_between_paragraphs(self) -> bool:
        return self.element.getparent() in self.content.with_paragraphs

    @property
    def has_content(self) -> bool:
        """Whether it may say something that nothing else on the page says: in a table, or in running text."""
        return self.counts.tables > 0 or self.content.has_prose(self.element)

    def is_dense(self, least: float = _DENSE) -> bool:
        """Whether it is links, and little else."""
        return self.counts.links > 0 and self.counts.density >= least


def _names(element: etree._Element) -> frozenset[str]:
    stated = f"{element.get('class', '')} {element.get('id', '')}"
    return frozenset(word.lower() for word in _WORD.findall(stated[:1_000]))


class _PageParts:
    """The parts of one page that are found, and whether they show that it is a page of a site."""

    def __init__(self, content: PageContent) -> None:
        self._content = content
        self.whole = content.whole
        self.parts: dict[etree._Element, str] = {}
        self.is_of_site = False
        self._away = 0
        """Links to other pages in the menus so far."""

    def walk(self, root: etree._Element) -> None:
        """Finds the parts, the outermost of those inside each other."""
        texts = sections = 0
        walker = etree.iterwalk(root, events=("start", "end"))
        for event, element in walker:
            tag = element.tag
            step = 1 if event == "start" else -1
            if event == "start" and tag in SILENT:
                walker.skip_subtree()
            elif event == "start" and element in self._content.counts and element is not root:
                part = self._part(element, texts > 0, sections > 0)
                if (kind := self._kind(part)) is not None:
                    self.parts[element] = kind
                    self._away += part.counts.away if kind == MENU else 0
                    self.is_of_site = self.is_of_site or self._away > 1 or _shows_site(kind, part)
            texts += step * (tag in _MAIN or element.get("role") == "main")
            sections += step * (tag in _SECTIONING or element.get("role") == "main")
            if event == "start" and element in self.parts:
                walker.skip_subtree()

    def _part(self, element: etree._Element, in_text: bool, in_section: bool) -> _Candidate:
        counts = self._content.counts[element]
        return _Candidate(
            element,
            counts,
            _names(element),
            element.get("role", "").strip().lower(),
            in_text,
            in_section,
            self._content,
        )

    def _kind(self, part: _Candidate) -> str | None:
        """The noun for a part; None for any other element, in which there may be parts."""
        counts = part.counts
        if not counts.text and not counts.controls:
            return None
        if _is_cookie_notice(part):
            return COOKIES
        if counts.mains or (counts.titles and counts.titles == self.whole.titles):
            return None
        stated = _ROLES.get(part.role) or (None if part.role else _TAGS.get(part.tag))
        if stated in (MENU, SEARCH):
            return stated
        if part.tag in ("a", "span", "p"):
            return MENU if _is_small_menu(part) else None
        return self._of_place(part, stated) or self._of_links(part)

    def _of_place(self, part: _Candidate, stated: str | None) -> str | None:
        """The header, footer or sidebar that an element is by its place beside the text."""
        if part.in_section or part.role.startswith("doc-") or part.names & _REMARKS:
            return None
        words = f"{part.element.get('class', '')} {part.element.get('id', '')}"[:1_000].split()
        named = next(filter(None, map(_OF_PAGES.fullmatch, words)), None)
        if stated is FOOTER or (named is not None and named[2]):
            return FOOTER
        if stated is HEADER or (named is not None and named[1]):
            is_title = part.counts.headings and not self.whole.titles
            return HEADER if part.counts.away and not is_title and not part.has_content else None
        if stated is SIDEBAR or part.names & _SIDEBARS:
            return None if part.is_between_paragraphs or part.has_content else SIDEBAR
        return None

    def _of_links(self, part: _Candidate) -> str | None:
        """The menu or list of offers that an element is by its names and its links."""
        counts, names = part.counts, part.names
        if names & _LEAPS and part.is_dense() and not counts.away:
            return MENU
        if names & _MENUS and (part.is_dense() or _is_trail(part)):
            return MENU
        if names & _ADVERTISEMENTS or (names & _PROMOTIONS and (part.is_dense() or counts.controls)):
            return None if part.has_content else PROMOTION
        if counts.within > 1 and counts.within == counts.links and part.is_dense():  # a table of contents
            return MENU
        is_beside = self.whole.mains > 0 and not part.in_text
        return MENU if is_beside and counts.away > 2 and part.is_dense() else None


def _shows_site(kind: str, part: _Candidate) -> bool:
    """Whether only a page of a site has such a part."""
    if kind is FOOTER:
        return part.counts.away > 0 or part.counts.rights > 0
    if kind is HEADER:
        return part.counts.away > 1 and part.is_dense(_HALF)
    return kind is COOKIES


def _is_cookie_notice(part: _Candidate) -> bool:
    """Whether it asks about cookies: by its names, or as a dialog or banner that speaks of them."""
    counts, names = part.counts, part.names
    if not (counts.controls or counts.links) or counts.mains or counts.titles or part.tag in ("a", "span"):
        return False
    if names & _CONSENT_TOOLS:
        return True
    is_named = any(name.startswith(("cookie", "consent", "gdpr")) for name in names)
    is_notice = bool(names & _NOTICES) or part.tag == "dialog" or part.role in ("dialog", "alertdialog")
    if part.in_text:
        asks = is_named and is_notice and counts.controls > 0
    else:
        asks = (is_named and (is_notice or counts.controls > 0)) or (is_notice and counts.controls > 0)
    return asks and counts.cookies > 0


def _is_small_menu(part: _Candidate) -> bool:
    """Whether an element of running text is a trail, or a link that leaps over a menu or edits a section."""
    if part.tag == "a":
        return bool(part.names & _LEAPS) and part.element.get("href", "").startswith("#")
    return bool(part.names & _MENUS) and (part.is_dense(_HALF) or _is_trail(part))


def _is_trail(part: _Candidate) -> bool:
    """Whether it is the way from the first page to this one, or numbers of pages: not all of it are links."""
    return bool(part.names & _TRAILS) and part.counts.away > 0 and part.counts.text <= _LONGEST_TRAIL
