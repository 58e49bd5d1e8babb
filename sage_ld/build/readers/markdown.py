"""Markdown (CommonMark with pipe tables): headings as sections, inline markup as plain text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from markdown_it import MarkdownIt
from markdown_it.token import Token

from sage_ld.build.readers.builder import DocumentBuilder
from sage_ld.build.readers.characters import decode
from sage_ld.build.readers.content import file_document
from sage_ld.build.readers.html import add_fragment
from sage_ld.build.readers.inline import Inline, InlineBuilder
from sage_ld.build.readers.metadata.front_matter import front_matter, stated, without
from sage_ld.build.readers.positions import Position
from sage_ld.build.readers.section_rows import section_rows, sectioned
from sage_ld.build.readers.shown import STRUCK_OUT, TICKED, UNTICKED
from sage_ld.build.readers.source import Reader, Source
from sage_ld.foundation import vocabulary as v
from sage_ld.foundation.model import Document, PlaceKind
from sage_ld.foundation.settings import Settings

_MEDIA_TYPES = {".md": "text/markdown", ".markdown": "text/markdown"}
_HTML_LINK = re.compile(r"""<a\s[^>]*?href\s*=\s*["']?([^"'\s>]+)""", re.IGNORECASE)
_STRUCK = re.compile(r"<(/?)(?:del|s|strike)\b", re.IGNORECASE)
_POSITIONS = {"<sup>": Position.RAISED, "<sub>": Position.LOWERED}
_MARKS = re.compile(
    r"\[\^(?P<note>[\w-]{1,40})\](?P<colon>:\s*)?|(?<=\w)(?:\^(?P<raised>[+−-]?[0-9]{1,4})\^|~(?P<lowered>[0-9]{1,4})~)"
)
_BOX = re.compile(r"\[([ xX])\](?=\s)")
_LISTS = frozenset({"bullet_list", "ordered_list"})
_WITHIN_BLOCKS = frozenset({"inline", "thead_open", "tbody_open", "tr_open", "th_open", "td_open"})

_PARSER = MarkdownIt("commonmark").enable(["table", "strikethrough"])


def read_markdown(source: Source, settings: Settings) -> Iterator[Document]:
    """One document; its title is that of the front matter, else the first heading of the highest level."""
    data = source.read(settings)
    text = decode(data, source.identifier)
    properties, body, warnings = front_matter(text, source.identifier, settings)
    builder = DocumentBuilder(source.identifier, settings)
    add_markdown(builder, body, settings, text.count("\n", 0, len(text) - len(body)))
    document = file_document(
        builder,
        data,
        stated(properties, "title") or builder.first_heading or source.stem,
        "text/markdown",
        v.SCHEMA + "TextDigitalDocument",
    )
    yield replace(document, metadata=without(properties, "title"), warnings=(*document.warnings, *warnings))


def add_markdown(
    builder: DocumentBuilder, text: str, settings: Settings, lines_before: int | None = None
) -> None:
    """Adds Markdown to a document; if the number of the file's lines before it is given, with its lines."""
    _MarkdownPage(builder, settings, lines_before).add(_PARSER.parse(text))


class _MarkdownPage:
    """The paragraph, list or table that is being read."""

    def __init__(self, builder: DocumentBuilder, settings: Settings, lines_before: int | None) -> None:
        self._builder = builder
        self._settings = settings
        self._lines_before = lines_before
        self._lists = 0
        self._list = InlineBuilder()
        self._label = ""
        """The number of the item that begins, until its text has come."""
        self._begins_item = False
        self._rows: list[list[Inline]] = []

    def add(self, tokens: Sequence[Token]) -> None:
        """Adds all blocks, in one pass over the parser's flat stream."""
        for number, token in enumerate(tokens):
            self._place(token)
            if token.type == "inline":
                self._inline(tokens[number - 1], token.children or [])
            elif token.type.rpartition("_")[0] in (*_LISTS, "list_item"):
                self._nest(token)
            elif token.type in ("fence", "code_block"):
                self._code(token.content.rstrip("\n"))
            elif token.type == "html_block":
                self._flush()
                add_fragment(self._builder, token.content, self._settings)
            elif token.type == "tr_open":
                self._rows.append([])
            elif token.type == "table_close":
                self._table()

    def _place(self, token: Token) -> None:
        """Says which lines a block stands in: of a table its rows, of code what is between its fences."""
        before = self._lines_before
        if before is None or not token.map or self._lists or token.type in _WITHIN_BLOCKS:
            return
        begin, end = token.map
        first, last = begin + 1, end
        if token.type == "table_open":
            first += 2
        elif token.type == "fence":
            first, last = begin + 2, begin + 1 + token.content.count("\n")
        self._builder.at(PlaceKind.LINE, before + first, before + max(first, last))

    def _inline(self, opened: Token, children: Sequence[Token]) -> None:
        if opened.type in ("th_open", "td_open"):
            self._rows[-1].append(self._rendered(children, single_line=True))
        elif self._lists:
            self._list.newline()
            self._list.write(self._label)
            if children and self._begins_item and (box := _BOX.match(children[0].content)) is not None:
                self._list.write(UNTICKED if box[1] == " " else TICKED)
                children = [children[0].copy(content=children[0].content[box.end() :]), *children[1:]]
            self._label, self._begins_item = "", False
            self._builder.pass_over(STRUCK_OUT, _write(self._list, children))
        elif opened.type == "heading_open":
            self._builder.heading(self._rendered(children), int(opened.tag[1]))
        else:
            self._builder.prose(self._rendered(children))

    def _rendered(self, tokens: Sequence[Token], *, single_line: bool = False) -> Inline:
        line = InlineBuilder(single_line=single_line)
        self._builder.pass_over(STRUCK_OUT, _write(line, tokens))
        return line.finish()

    def _nest(self, token: Token) -> None:
        """A list or an item of one begins or ends."""
        if token.type == "list_item_open":
            self._label = f"{token.info}{token.markup} " if token.info else ""
            self._begins_item = True
        elif token.type != "list_item_close":
            self._lists += token.nesting
            if not self._lists:
                self._flush()

    def _flush(self) -> None:
        """Ends the list as far as it goes: a list is one block, but for a table or HTML inside it."""
        self._builder.prose(self._list.finish())
        self._list = InlineBuilder()

    def _code(self, code: str) -> None:
        if self._lists:
            self._list.newline()
            self._list.verbatim(code)
        else:
            self._builder.prose(code)

    def _table(self) -> None:
        self._flush()
        header, *rows = self._rows
        self._rows = []
        heads = section_rows([[cell.text for cell in row] for row in rows])
        self._builder.table(*sectioned([cell.text for cell in header], rows, heads, Inline("")))


def _write(line: InlineBuilder, tokens: Sequence[Token]) -> int:
    """Inline markup as plain text, but for what is struck out; returns how often that is.

    Of HTML in it, links, line breaks, positions and struck-out text count.
    """
    struck_out, depth = 0, 0
    for token in tokens:
        opens, closes = _struck(token)
        if opens:
            struck_out += not depth
        depth += opens - (closes and depth > 0)
        if not depth:
            _write_token(line, token)
    return struck_out


def _write_token(line: InlineBuilder, token: Token) -> None:
    if token.type == "link_open":
        line.open_link(str(token.attrs.get("href", "")))
    elif token.type == "link_close":
        line.close_link()
    elif token.type == "softbreak":
        line.write(" ")
    elif token.type == "hardbreak":
        line.newline()
    elif token.type == "html_inline":
        _write_html(line, token.content)
    elif token.type == "text":
        _write_text(line, token.content)
    else:  # code, the description of an image; marks of emphasis have no content
        line.write(token.content)


def _write_text(line: InlineBuilder, text: str) -> None:
    """Text with marks of notes, and raised and lowered numbers, as GitHub and Pandoc write them."""
    begin = 0
    for mark in _MARKS.finditer(text):
        line.write(text[begin : mark.start()])
        if mark["note"]:
            line.write(f" [{mark['note']}]" if mark["colon"] is None else f"[{mark['note']}] ")
        else:
            with line.placed(Position.RAISED if mark["raised"] else Position.LOWERED):
                line.write(mark["raised"] or mark["lowered"])
        begin = mark.end()
    line.write(text[begin:])


def _struck(token: Token) -> tuple[bool, bool]:
    """Whether a token begins, or ends, text that is struck out."""
    if token.type == "html_inline" and (tag := _STRUCK.match(token.content)) is not None:
        return not tag[1], bool(tag[1])
    return token.type == "s_open", token.type == "s_close"


def _write_html(line: InlineBuilder, tag: str) -> None:
    if (link := _HTML_LINK.match(tag)) is not None:
        line.open_link(link[1])
    elif tag.lower() == "</a>":
        line.close_link()
    elif tag.lower().startswith("<br"):
        line.newline()
    elif tag.lower() in _POSITIONS:
        line.open_position(_POSITIONS[tag.lower()])
    elif tag.lower() in ("</sup>", "</sub>"):
        line.close_position()


MARKDOWN = Reader("Markdown", _MEDIA_TYPES, read_markdown, text=True)
