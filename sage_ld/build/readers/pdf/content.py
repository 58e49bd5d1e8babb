"""The content of pages on its way into a document: headings, paragraphs and tables."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import groupby
from operator import itemgetter
from typing import Final

from sage_ld.build.readers.builder import DocumentBuilder
from sage_ld.build.readers.grid import add_grid
from sage_ld.build.readers.pdf.headings import Headings, Outline, headings
from sage_ld.build.readers.pdf.layout import Page, PageTable, Part, parts
from sage_ld.build.readers.pdf.paragraphs import Line, paragraphs, text_of
from sage_ld.build.readers.pdf.running import RunningLines
from sage_ld.build.readers.shown import EMPTY_PAGE, HIDDEN, RUNNING_LINE, STRUCK_OUT
from sage_ld.foundation.model import PlaceKind

_PROSE: Final = -1
_TABLE: Final = 0
_CLOSE: Final = 1.3
"""How far apart the lines of one heading stand, in heights of a line, at most."""
_LONGEST_NUMBER: Final = 20
_CAPTION: Final = re.compile(r"(?:Table|Tabelle|Tableau|Tabla|Tab\.)\s+[0-9A-Z]", re.IGNORECASE)


class PagedContent:
    """The pages of a file, and the document that they are added to."""

    def __init__(
        self, builder: DocumentBuilder, pages: Sequence[Page], outline: Outline, labels: Sequence[str] = ()
    ) -> None:
        self._builder, self._pages, self._labels = builder, pages, labels
        pieces = [page.pieces for page in pages]
        self._running = RunningLines(pieces, [page.height for page in pages])
        self._headings: Headings = headings(pieces, outline)
        self._caption = ""

    def add(self) -> None:
        """Adds all pages."""
        margins = [self._running.of_page(number) for number in range(len(self._pages))]
        made = [
            [(self._kind(part, number), part) for part in parts(page, running)]
            for number, (page, (running, _)) in enumerate(zip(self._pages, margins, strict=True))
        ]
        has_headings = any(kind > _TABLE for some in made for kind, _ in some)
        for number, (some, (running, printed)) in enumerate(zip(made, margins, strict=True)):
            self._builder.pass_over(RUNNING_LINE, len(running), f"page {number + 1}")
            name = "" if has_headings else f"Page {number + 1}"
            self._add_page(number, some, self._printed(number, printed), name)

    def _add_page(self, number: int, some: list[tuple[int, Part]], printed: str, name: str) -> None:
        """Adds the parts of a page, each with its kind, below a heading for the page if it has a name."""
        page, builder = self._pages[number], self._builder
        place = f"page {number + 1}"
        builder.pass_over(HIDDEN, page.unseen, place)
        builder.pass_over(STRUCK_OUT, page.struck_out, place)
        for kind in page.unread:
            builder.pass_over(kind, place=place)
        if not page.has_text:
            builder.pass_over(EMPTY_PAGE, place=place)
            return
        builder.at(PlaceKind.PAGE, number + 1, printed=printed)
        builder.heading(name, 1)
        for kind, group in groupby(some, key=itemgetter(0)):
            self._add_parts(kind, [part for _, part in group])
        self._add_caption()
        for comment in page.comments:
            builder.prose(comment)

    def _printed(self, number: int, seen: str) -> str:
        """The number that a page shows, from the file's table of them, else as it is seen on the page."""
        stated = self._labels[number] if number < len(self._labels) else ""
        printed = stated if stated not in ("", str(number + 1)) else seen
        return "" if printed == str(number + 1) else printed[:_LONGEST_NUMBER]

    def _add_parts(self, kind: int, some: list[Part]) -> None:
        """Adds parts of one kind that follow one another."""
        if kind == _TABLE:
            for table in some:
                if isinstance(table, PageTable):
                    add_grid(self._builder, table.rows, self._caption, likely=table.is_named)
                    self._caption = ""
            return
        self._add_caption()
        lines = [line for line in some if not isinstance(line, PageTable)]
        if kind == _PROSE:
            self._add_prose(lines)
        else:
            self._add_headings(lines, kind)

    def _add_caption(self) -> None:
        """Adds the caption of a table that was none, as prose."""
        self._builder.prose(self._caption)
        self._caption = ""

    def _kind(self, part: Part, number: int) -> int:
        """The level of a heading, or what else a part is."""
        if isinstance(part, PageTable):
            return _TABLE
        if not part[0].upright:
            return _PROSE
        return self._headings.level(text_of(part).text, part[0], number) or _PROSE

    def _add_headings(self, lines: list[Line], level: int) -> None:
        """Adds the headings that lines of one level make; those close below each other are one."""
        text = ""
        for above, line in zip([None, *lines], lines, strict=False):
            if above is not None and (line[0].base - above[0].base) > _CLOSE * line[0].size:
                self._builder.heading(text, level)
                text = ""
            text = f"{text} {text_of(line).text}".strip()
        self._builder.heading(text, level)

    def _add_prose(self, lines: list[Line]) -> None:
        """Adds the paragraphs that lines make; a last one that is the caption of a table waits for it."""
        *some, last = paragraphs(lines)
        for paragraph in some:
            self._builder.prose(paragraph)
        if _CAPTION.match(last.text):
            self._caption = last.text
        else:
            self._builder.prose(last)
