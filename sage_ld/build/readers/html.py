"""HTML: headings as sections, paragraphs and lists as prose, tables; scripts and menus are left out."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import islice
from types import MappingProxyType
from typing import Final
from urllib.parse import urljoin

from lxml import etree

from sage_ld.build.readers.boilerplate import boilerplate
from sage_ld.build.readers.builder import DocumentBuilder
from sage_ld.build.readers.cell_values import TypedValue, stated_value
from sage_ld.build.readers.characters import decode, one_line, signed_number
from sage_ld.build.readers.content import content_hash, finished, moment
from sage_ld.build.readers.formulas import formula_text
from sage_ld.build.readers.grid import Cell, Row, add_grid
from sage_ld.build.readers.html_styles import passed_over_by_sheets, passed_over_by_style
from sage_ld.build.readers.inline import Inline, InlineBuilder
from sage_ld.build.readers.list_numbers import STYLES, written
from sage_ld.build.readers.metadata.embedded import with_embedded
from sage_ld.build.readers.metadata.properties import dated, limited, property_of
from sage_ld.build.readers.positions import Position
from sage_ld.build.readers.shown import (
    DRAWING,
    EMBEDDED_PAGE,
    HIDDEN,
    MENU,
    OBJECT,
    STRUCK_OUT,
    TICKED,
    UNTICKED,
)
from sage_ld.build.readers.source import Reader, Source
from sage_ld.foundation import vocabulary as v
from sage_ld.foundation.errors import LimitError
from sage_ld.foundation.model import Document, Property
from sage_ld.foundation.settings import Settings

_CELLS = ("td", "th")
_CONTAINERS = (*_CELLS, "caption")
_MOST_ROWS = 65_534  # HTML, §4.9.11: the most that rowspan takes


class TableBuilder:
    """Collects caption, rows and cells of one table; what is inside a cell is text, inner tables too."""

    def __init__(self, most_columns: int) -> None:
        self._most_columns = most_columns
        self._depth = 0
        self._rows: list[Row] = []
        self._cells: list[Cell] = []
        self._in_head = False
        self._caption = ""
        self.text = InlineBuilder(single_line=True)
        """Where the text goes that comes now. What comes between cells is in none of them, and is dropped."""

    def start(self, tag: str) -> None:
        """A tag of the table, or of one inside it, opens."""
        if tag == "table":
            self._depth += 1
        if self._depth > 1:
            self.text.newline()
        elif tag in ("thead", "tbody", "tfoot"):
            self._end_row()
            self._in_head = tag == "thead"
        elif tag == "tr":
            self._end_row()
        elif tag in _CONTAINERS:
            self.text = InlineBuilder(single_line=True)

    def end(self, tag: str, element: etree._Element) -> bool:
        """A tag closes; whether the table is complete."""
        if self._depth > 1:
            self.text.newline()
        elif tag in _CELLS:
            self._cells.append(self._cell(tag, element))
        elif tag == "caption":
            self._caption = self.text.finish().text
        elif tag in ("tr", "thead", "table"):
            self._end_row()
            self._in_head = False if tag == "thead" else self._in_head
        self._depth -= tag == "table"
        return not self._depth

    def add_to(self, builder: DocumentBuilder) -> None:
        """Adds the table. Raises LimitError if spans and short rows add more cells than `max_span_cells`."""
        add_grid(builder, self._rows, self._caption, likely=False)

    def _cell(self, tag: str, element: etree._Element) -> Cell:
        columns = min(max(_number(element.get("colspan")), 1), self._most_columns)
        rows = min(_number(element.get("rowspan")), _MOST_ROWS)
        content = self.text.finish()
        return Cell(replace(content, value=_stored(element, content.text)), tag == "th", columns, rows)

    def _end_row(self) -> None:
        if self._cells:
            self._rows.append(Row(tuple(self._cells), self._in_head))
            self._cells = []


_STORED: Final = {"data": "value", "time": "datetime", "meter": "value"}
"""Elements whose attribute says what their text means to a program (HTML, §4.5.13 and §4.5.14)."""


def _stored(cell: etree._Element, text: str) -> TypedValue | None:
    """The value of a cell whose text is that of one such element."""
    found = list(islice(cell.iter(*_STORED), 2))
    if len(found) != 1 or one_line("".join(map(str, found[0].itertext()))) != text:
        return None
    return stated_value(found[0].get(_STORED[str(found[0].tag)], ""))


def _number(value: str | None) -> int:
    if value is None:
        return 1
    digits = value.strip()
    return int(digits[:9]) if digits.isascii() and digits.isdigit() else 1


_MEDIA_TYPES = {".html": "text/html", ".htm": "text/html", ".xhtml": "application/xhtml+xml"}
_LEFT_OUT = frozenset({"head", "script", "style", "template", "noscript", "button"})
_PASSED_OVER = {
    "nav": MENU,
    "svg": DRAWING,
    "iframe": EMBEDDED_PAGE,
    "object": OBJECT,
    "canvas": DRAWING,
    "del": STRUCK_OUT,
    "s": STRUCK_OUT,
    "strike": STRUCK_OUT,
}
"""Elements that are counted and not read, each with the noun for it."""
_SIGNS = frozenset({"span", "i", "b", "em"})
"""Elements in which pages put icons, and a second form of a formula, for the eye only."""
_SIGNS_OF_HEADINGS = frozenset("¶#§🔗⚓")
_POSITIONS = {"sup": Position.RAISED, "sub": Position.LOWERED}
_BOXES = ("checkbox", "radio")
_TEXT_INPUTS = frozenset(
    {"text", "number", "date", "time", "datetime-local", "month", "week", "email", "url", "tel", "range"}
)
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_LISTS = frozenset({"ul", "ol", "dl", "menu"})
_BLOCKS = frozenset(
    {
        "address",
        "article",
        "aside",
        "blockquote",
        "body",
        "caption",
        "center",
        "dd",
        "details",
        "dialog",
        "div",
    }
    | {"dt", "fieldset", "figcaption", "figure", "footer", "form", "header", "hgroup", "hr", "legend", "li"}
    | {"main", "p", "pre", "section", "summary", "table", "td", "th", "tr"}
)
_EDGES = _BLOCKS | _LISTS | _HEADINGS.keys()
_MODIFIED = ("article:modified_time", "og:updated_time", "datemodified", "dcterms.modified", "last-modified")
_MODIFIED_IN_DATA = (v.SCHEMA + "datemodified", "datemodified", "date_modified")
_PUBLISHED = re.compile(r"publi|pubdate|(?:dc|dcterms)[.:](?:date|issued)|entry-date\Z", re.IGNORECASE)
_DEEPEST = 2_048  # libxml2, include/libxml/parserInternals.h: xmlParserMaxDepth for huge documents
_LONG_TAG = re.compile(r"<[a-zA-Z][^<>]{4000,}")
_ATTRIBUTE = re.compile(r"""(?<![\s/])[\s/]++[^\s/=]++(?:\s*+=\s*+(?:"[^"]*+"|'[^']*+'|[^\s"']++))?""")
_FOR_BROWSERS = re.compile(
    r"(?:viewport|robots|googlebot|referrer|theme-color|color-scheme|format-detection|generator|rating"
    r"|mobile-web-app-capable|handheldfriendly|twitter:card|fb:app_id)\Z"
    r"|(?:apple-|msapplication-|msvalidate|google-|csrf-|yandex-|application-)",
    re.IGNORECASE,
)
_NOTHING: Mapping[etree._Element, str] = MappingProxyType({})


def read_html(source: Source, settings: Settings) -> Iterator[Document]:
    """One document; its title is the first heading of the highest level, else `title`, else the file name."""
    data = source.read(settings)
    text = decode(data, source.identifier)
    builder = DocumentBuilder(source.identifier, settings)
    root = parse_html(text, source.identifier, settings)
    base = "" if root is None else _first(root, "//base/@href")
    if root is not None:
        around = _NOTHING if settings.whole_pages else boilerplate(root)
        add_html(builder, root, settings, around, base)
    title = builder.first_heading or _first(root, "//head/title/text()") or source.stem
    document = builder.build(
        title=title,
        media_type=_MEDIA_TYPES[source.suffix],
        content_hash=content_hash(data),
        types=(v.SCHEMA + "WebPage",),
    )
    if root is not None:
        document = _dated(with_embedded(_with_metadata(document, root, base, settings), root, settings), root)
    yield finished(document)


def parse_html(text: str, name: str, settings: Settings) -> etree._Element | None:
    """The root; LimitError if libxml2 stops at a limit of its own, for it would leave out the rest."""
    _check_attributes(text, name, settings.max_attributes)
    parser = etree.HTMLParser(encoding="utf-8", huge_tree=True, no_network=True)
    try:
        root = etree.fromstring(text.encode("utf-8", "replace"), parser)
    except etree.XMLSyntaxError:  # nothing in it that could be an element
        return None
    if any(entry.type_name == "ERR_RESOURCE_LIMIT" for entry in parser.error_log):
        raise LimitError(f"{name}: nested deeper than the {_DEEPEST:,} levels that are read; flatten it")
    return root


def _check_attributes(text: str, name: str, limit: int) -> None:
    """Raises LimitError if a tag has more attributes than that: libxml2 compares each with all others."""
    for tag in _LONG_TAG.finditer(text):
        count = sum(1 for _ in _ATTRIBUTE.finditer(tag[0]))
        if count > limit:
            line = text.count("\n", 0, tag.start()) + 1
            what = f"{name}: the tag {one_line(tag[0][:20])}… (line {line})"
            raise LimitError.of(what, count, limit, "attributes", "max_attributes", "remove some")


def add_fragment(builder: DocumentBuilder, text: str, settings: Settings) -> None:
    """Adds the content of HTML inside another format, such as a table in Markdown."""
    root = parse_html(f"<!doctype html><body>{text}", builder.identifier, settings)
    if root is not None:
        add_html(builder, root, settings)


def add_html(
    builder: DocumentBuilder,
    root: etree._Element,
    settings: Settings,
    around: Mapping[etree._Element, str] = _NOTHING,
    base: str = "",
) -> None:
    """Adds all that is under `root`, in one pass over its events, however deep it is nested.

    The elements `around` the text are counted by their nouns and not read; links are relative to `base`.
    """
    page = _Page(builder, settings, {**passed_over_by_sheets(root), **around}, base)
    walker = etree.iterwalk(root, events=("start", "end", "comment", "pi"))
    skipped: etree._Element | None = None
    for event, element in walker:
        tag = element.tag if isinstance(element.tag, str) else ""
        if event == "start" and page.takes_whole(tag, element):
            walker.skip_subtree()
            skipped = element
        elif event == "start":
            page.start(tag, element)
            page.write(element.text)
        else:
            if event == "end" and element is not skipped:
                page.end(tag, element)
            page.write(element.tail)
    page.flush()


def _is_hidden(element: etree._Element) -> bool:
    """Whether nobody sees an element, or only the eye does, which knows signs from text."""
    stated = element.get("hidden")
    if stated is not None and stated.lower() != "until-found":
        return True
    return element.get("aria-hidden") == "true" and element.tag in _SIGNS


def _is_sign_of_heading(element: etree._Element) -> bool:
    """Whether a link is the sign beside a heading that leads to the heading itself."""
    return (
        element.get("href", "").startswith("#")
        and not len(element)
        and (element.text or "").strip() in _SIGNS_OF_HEADINGS
        and bool((element.text or "").strip())
    )


def resolved(target: str, base: str) -> str:
    """A link's target, relative to the address that `<base>` states, if one does.

    >>> resolved("b.html", "https://example.org/docs/"), resolved("b.html", "")
    ('https://example.org/docs/b.html', 'b.html')
    """
    if not base:
        return target
    try:
        return urljoin(base, target)
    except ValueError:  # no address, such as `http://[`
        return target


def _field_state(tag: str, element: etree._Element) -> str:
    """The text that a field of a form shows by its state: a box, a value, a choice."""
    if tag == "input":
        kind = element.get("type", "text").lower()
        if kind in _BOXES:
            return f" {TICKED if element.get('checked') is not None else UNTICKED} "
        return f" {element.get('value', '')} " if kind in _TEXT_INPUTS else ""
    if tag == "select":
        options = list(element.iter("option"))
        chosen = [each for each in options if each.get("selected") is not None]
        if not chosen and element.get("multiple") is None:
            chosen = options[:1]
        return (
            f" {', '.join(filter(None, (one_line(''.join(map(str, each.itertext()))) for each in chosen)))} "
        )
    return f" {''.join(map(str, element.itertext()))} "


@dataclass(slots=True)
class _OpenList:
    """A list that is open, and the number that it has reached; None where its items have none."""

    style: str = "decimal"
    reached: int | None = None
    step: int = 1

    def label(self, item: etree._Element) -> str:
        """The number of the next item, with a blank after it."""
        if self.reached is None:
            return ""
        self.reached = signed_number((item.get("value") or "").strip(), self.reached + self.step)
        return f"{written(self.reached, self.style)}. "


def _list_of(tag: str, element: etree._Element) -> _OpenList:
    if tag != "ol":
        return _OpenList()
    step = 1 if element.get("reversed") is None else -1
    begin = 1 if step > 0 else sum(each.tag == "li" for each in element)
    style = STYLES.get(element.get("type", ""), "decimal")
    return _OpenList(style, signed_number((element.get("start") or "").strip(), begin) - step, step)


class _Page:
    """The paragraph, heading or table that is being read."""

    def __init__(
        self,
        builder: DocumentBuilder,
        settings: Settings,
        around: Mapping[etree._Element, str],
        base: str,
    ) -> None:
        self._builder = builder
        self._settings = settings
        self._around = around
        self._base = base
        self._paragraph = InlineBuilder()
        self._table: TableBuilder | None = None
        self._lists: list[_OpenList] = []
        """The lists that are open, the outermost first."""
        self._verbatim = 0

    @property
    def _text(self) -> InlineBuilder:
        return self._table.text if self._table is not None else self._paragraph

    def takes_whole(self, tag: str, element: etree._Element) -> bool:
        """Whether what is in an element is not read piece by piece: it is left out, or written here."""
        if tag in _LEFT_OUT or (tag == "a" and _is_sign_of_heading(element)):
            return True
        if (kind := self._around.get(element) or _PASSED_OVER.get(tag)) is not None:
            if len(element) or (element.text or "").strip() or tag == "iframe":
                self._builder.pass_over(kind)
            return True
        unshown = HIDDEN if _is_hidden(element) else passed_over_by_style(element.get("style"))
        if unshown:
            if any(map(str.strip, map(str, element.itertext()))):
                self._builder.pass_over(unshown)
            return True
        if tag == "math":
            self.write(f" {formula_text(element)}")
        elif tag in ("input", "select", "textarea"):
            self.write(_field_state(tag, element))
        else:
            return False
        return True

    def write(self, text: str | None) -> None:
        """Text at the place that is reached."""
        if text:
            (self._text.verbatim if self._verbatim else self._text.write)(text)

    def start(self, tag: str, element: etree._Element) -> None:
        """An element begins."""
        self._break(tag)
        if tag == "table" and self._table is None:
            self._table = TableBuilder(self._settings.max_table_columns + 1)
        if self._table is not None:
            self._table.start(tag)
        if tag == "a" and (target := element.get("href", "").strip()):
            self._text.open_link(resolved(target, self._base))
        elif tag == "br":
            self._text.newline()
        elif tag == "img":
            self.write(element.get("alt"))
        elif tag in _POSITIONS:
            self._text.open_position(_POSITIONS[tag])
        else:
            self._start_lines(tag, element)

    def _start_lines(self, tag: str, element: etree._Element) -> None:
        """An element of which lines are made begins: a list, an item, text that keeps its lines."""
        if tag in _LISTS:
            self._lists.append(_list_of(tag, element))
        elif tag == "li" and self._lists:
            self._text.write(self._lists[-1].label(element))
        else:
            self._verbatim += tag == "pre"

    def end(self, tag: str, element: etree._Element) -> None:
        """An element ends."""
        if tag == "a" and element.get("href", "").strip():
            self._text.close_link()
        elif tag in _HEADINGS and self._table is None:
            self._heading(_HEADINGS[tag])
        elif tag in _POSITIONS:
            self._text.close_position()
        elif tag == "pre":
            self._verbatim -= 1
        elif tag in _LISTS and self._lists:
            self._lists.pop()
        if self._table is not None:
            if self._table.end(tag, element):
                self._table.add_to(self._builder)
                self._table = None
        else:
            self._break(tag)

    def flush(self) -> None:
        """The paragraph ends; a link that is open goes on in the next, and one without text waits for it."""
        if not self._paragraph.empty:
            self._builder.prose(self._take())

    def _heading(self, level: int) -> None:
        if not self._paragraph.empty:
            self._builder.heading(self._take(), level)

    def _take(self) -> Inline:
        open_target = self._paragraph.open_target
        content = self._paragraph.finish()
        self._paragraph = InlineBuilder(open_target=open_target)
        return content

    def _break(self, tag: str) -> None:
        """Ends the paragraph at the edge of a block; within a list only the line: it is one block."""
        if tag not in _EDGES:
            return
        if self._table is not None:
            self._table.text.newline()
        elif tag in _HEADINGS or tag == "table" or not self._lists:
            self.flush()
        else:
            self._paragraph.newline()


def _with_metadata(document: Document, root: etree._Element, base: str, settings: Settings) -> Document:
    stated = _first(root, "//link[contains(concat(' ', @rel, ' '), ' canonical ')]/@href")
    url = resolved(stated or _meta(root, "og:url"), base)
    modified = (moment(_meta(root, name)) for name in _MODIFIED)
    return replace(
        document,
        url=url if url.startswith(("http://", "https://")) else None,
        language=_first(root, "/html/@lang") or _first(root, "/html/@xml:lang") or None,
        modified=next(filter(None, modified), None),
        description=_meta(root, "description") or _meta(root, "og:description"),
        keywords=tuple(word.strip() for word in _meta(root, "keywords").split(",") if word.strip()),
        metadata=limited(_stated(root), document.identifier, settings),
    )


def _dated(document: Document, root: etree._Element) -> Document:
    """The document with the dates that only its data or its `time` elements state."""
    dates = (each.value for each in document.metadata if each.key.lower() in _MODIFIED_IN_DATA)
    modified = document.modified or next(filter(None, map(moment, dates)), None)
    published = None
    if not any(_PUBLISHED.search(each.key) for each in document.metadata):
        published = next(filter(None, map(_publication, root.iter("time"))), None)
    added = () if published is None else (published,)
    return replace(document, modified=modified, metadata=(*document.metadata, *added))


def _publication(element: etree._Element) -> Property | None:
    """The date at which a page says that it was published."""
    names = f"{element.get('itemprop', '')} {element.get('class', '')}".lower()
    if element.get("pubdate") is None and not _PUBLISHED.search(names):
        return None
    return dated("published", element.get("datetime", "").strip())


def _stated(root: etree._Element) -> Iterator[Property]:
    """The properties in `meta` elements, except those for browsers and search engines."""
    for element in root.iter("meta"):
        content = one_line(element.get("content", ""))
        for name in (element.get("name", ""), *element.get("property", "").split()):
            stated = property_of(one_line(name), content) if name.strip() else None
            if stated is not None and not _FOR_BROWSERS.match(name.strip()):
                yield stated


def _meta(root: etree._Element, name: str) -> str:
    for element in root.iter("meta"):
        given = (element.get(key, "").lower() for key in ("name", "property", "itemprop", "http-equiv"))
        if name in given:
            return one_line(element.get("content", ""))
    return ""


def _first(root: etree._Element | None, path: str) -> str:
    matches = [] if root is None else root.xpath(path)
    return one_line(str(matches[0])) if isinstance(matches, list) and matches else ""


HTML = Reader("HTML", _MEDIA_TYPES, read_html, text=True)
