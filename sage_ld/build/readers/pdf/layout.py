"""A page cut into what is read one after the other: lines, tables, fields of forms."""

from __future__ import annotations

from bisect import bisect
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final, TypeAlias

from pypdfium2 import PdfDocument, PdfPage

from sage_ld.build.readers.grid import Row
from sage_ld.build.readers.inline import Anchor
from sage_ld.build.readers.pdf.annotations import Annotations, PlacedText, page_annotations
from sage_ld.build.readers.pdf.columns import tables
from sage_ld.build.readers.pdf.lines import LinePiece, in_order, pieces, rows
from sage_ld.build.readers.pdf.rules import is_rule, ruled_tables
from sage_ld.build.readers.pdf.shapes import PageObjects
from sage_ld.build.readers.pdf.strikes import struck_by_lines
from sage_ld.build.readers.pdf.visibility import unseen_words
from sage_ld.build.readers.pdf.words import Box, Centres, PageText, PageView, PlacedWord, is_on_page

_LONGEST_LINK: Final = 100
"""Words of a link, at most; what covers more is a page that can be clicked."""


@dataclass(frozen=True, slots=True)
class PageTable:
    """A table of a page, and its place."""

    rows: list[Row]
    box: Box
    is_named: bool = True
    """Whether its first rows may name its columns."""


@dataclass(frozen=True, slots=True)
class Page:
    """A page, read."""

    pieces: list[LinePiece]
    """Its text but that of tables with lines, in the order of the file."""
    ruled: list[PageTable]
    comments: list[str]
    height: float
    unseen: int
    """Words that nobody can see."""
    struck_out: int
    """Words with a stroke through them."""
    unread: list[str]
    """Nouns of the annotations that are not read, each as often as there are such."""
    rules: Sequence[Box] = ()
    """Lines across it."""

    @property
    def has_text(self) -> bool:
        """Whether anything can be read on it."""
        return bool(self.pieces or self.ruled)


Part: TypeAlias = list[LinePiece] | PageTable
"""A line, whose pieces stand side by side, or a table."""


def read_page(pdf: PdfDocument, number: int) -> Page:
    """A page of a PDF, counted from 0."""
    page = pdf[number]
    try:
        view = PageView(page)
        text = PageText(page, view)
        try:
            return _read(pdf, page, view, text)
        finally:
            text.close()
    finally:
        page.close()


def _read(pdf: PdfDocument, page: PdfPage, view: PageView, text: PageText) -> Page:
    found = page_annotations(pdf, page, view)
    all_words = list(text.words())
    placed = [word for word in all_words if is_on_page(word, view)]
    objects = PageObjects(page, view)
    hidden = unseen_words(page, view, objects, placed, found.covers, text)
    seen = [word for word in placed if word.first not in hidden]
    struck = _struck_out(seen, found.strokes) | struck_by_lines(seen, objects.shapes, view)
    words = [word for number, word in enumerate(seen) if number not in struck]
    ruled: list[PageTable] = []
    taken: set[int] = set()
    for box, made, inside in ruled_tables(objects.shapes, words):
        ruled.append(PageTable(made, box))
        taken.update(word.first for word in inside)
    left = [word for word in words if word.first not in taken]
    lines = [_with_look(each, text) for each in pieces(left)]
    return Page(
        [*_linked(lines, left, found.links), *_marks(found, lines, len(text.text))],
        ruled,
        [each.text for each in found.comments],
        view.height,
        len(all_words) - len(seen),
        len(struck),
        found.unread,
        [each.box for each in objects.shapes if is_rule(each)],
    )


def _with_look(line: LinePiece, text: PageText) -> LinePiece:
    bold = text.is_bold(line.first) and text.is_bold(line.sign)
    return replace(line, is_bold=bold, font_size=text.font_size(line.sign))


def _struck_out(words: Sequence[PlacedWord], strokes: Sequence[Box]) -> set[int]:
    """The numbers of the words that annotations strike out."""
    if not strokes:
        return set()
    centres = Centres(words)
    return {number for stroke in strokes for number in centres.inside(stroke)}


def _linked(
    lines: Sequence[LinePiece], words: Sequence[PlacedWord], links: Sequence[PlacedText]
) -> list[LinePiece]:
    """The lines, with the links that lie over their words."""
    out = list(lines)
    if not links:
        return out
    firsts = [line.first for line in out]
    centres = Centres(words)
    for link in links:
        inside: dict[int, list[str]] = {}
        covered = centres.inside(link.box)
        for each in covered if len(covered) <= _LONGEST_LINK else ():
            word = words[each]
            inside.setdefault(bisect(firsts, word.first) - 1, []).append(word.text)
        for number, texts in inside.items():
            line, text = out[number], " ".join(texts).rstrip(".,;:")
            begin = line.text.find(text)
            if begin >= 0:
                anchor = Anchor(link.text, begin, begin + len(text))
                out[number] = replace(line, anchors=(*line.anchors, anchor))
    return out


def _marks(found: Annotations, lines: Sequence[LinePiece], first: int) -> Iterator[LinePiece]:
    """The states of fields, and what was typed onto the page, as pieces of its text.

    A field that nothing stands beside says its own label.
    """
    for number, each in enumerate([*found.fields, *found.typed]):
        beside = [
            line for line in lines if line.box.top < (each.box.top + each.box.bottom) / 2 < line.box.bottom
        ]
        text = f"{each.label}: {each.text}" if each.label and not beside else each.text
        near = min(
            (line for line in beside), key=lambda line: abs(line.box.left - each.box.left), default=None
        )
        base = near.base if near is not None else each.box.bottom
        box = each.box if near is None else each.box._replace(top=near.box.top, bottom=near.box.bottom)
        spans = ((text, box.left, box.right),)
        at = near.first if near is not None else first + number
        yield LinePiece(text, box, base, spans, at, is_field=number < len(found.fields))


def parts(page: Page, running: frozenset[LinePiece]) -> Iterator[Part]:
    """The lines and tables of a page in the order in which they are read, without headers and footers."""
    left = [each for each in page.pieces if each not in running]
    waiting = sorted(page.ruled, key=lambda table: table.box.top)
    for column in in_order(left):
        yield from _column(column, waiting, page.rules)
    yield from waiting


def _column(column: Sequence[LinePiece], waiting: list[PageTable], rules: Sequence[Box]) -> Iterator[Part]:
    """The parts of one column; a table that waits comes before the first line that stands below it."""
    found = tables(column, rules)
    at = {id(piece): each for each in found for piece in each.pieces}
    told: set[int] = set()
    lines = {id(line[0]): line for line in rows(each for each in column if id(each) not in at)}
    later = {id(each) for line in lines.values() for each in line[1:]}
    for each in column:
        while waiting and _is_above(waiting[0], each):
            yield waiting.pop(0)
        table = at.get(id(each))
        if table is not None and id(table) not in told:
            told.add(id(table))
            yield PageTable(table.rows, each.box, table.is_named)
        elif table is None and id(each) not in later:
            yield lines[id(each)]


def _is_above(table: PageTable, piece: LinePiece) -> bool:
    beside = table.box.right <= piece.box.left or piece.box.right <= table.box.left
    return table.box.top < piece.box.top and not beside
