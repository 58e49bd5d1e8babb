"""A line of running text with the links that stand in it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sage_ld.readers.characters import one_line, printable


@dataclass(frozen=True, slots=True)
class Anchor:
    """A link's target, and where its text stands in the `Inline` around it."""

    target: str
    begin: int
    end: int


@dataclass(frozen=True, slots=True)
class Inline:
    """Text with links in it; offsets are into `text`."""

    text: str
    anchors: tuple[Anchor, ...] = ()


class InlineBuilder:
    """Collects the text of a paragraph or a cell: runs of blanks become one, links keep their place.

    >>> line = InlineBuilder()
    >>> line.write("See  ")
    >>> line.open_link("part2.md")
    >>> line.write("part 2")
    >>> line.close_link()
    >>> line.write(" .")
    >>> line.finish()
    Inline(text='See part 2 .', anchors=(Anchor(target='part2.md', begin=4, end=10),))
    """

    def __init__(self, *, single_line: bool = False, open_targets: Sequence[str] = ()) -> None:
        self._single_line = single_line
        self._parts: list[str] = []
        self._length = 0
        self._gap = ""
        self._open: list[tuple[str, int | None]] = [(target, None) for target in open_targets]
        self._carried = len(open_targets)  # they have text before this, so need none here
        self._anchors: list[Anchor] = []

    @property
    def empty(self) -> bool:
        """Whether no text has been written."""
        return not self._length

    @property
    def open_targets(self) -> tuple[str, ...]:
        """The links that are open, outermost first."""
        return tuple(target for target, _ in self._open)

    def write(self, text: str) -> None:
        """Running text, its blanks collapsed also with those before and after it."""
        if not text:
            return
        words = one_line(text)
        if not words or text[0].isspace():
            self._gap = self._gap or " "
        if words:
            self._emit(words)
            self._gap = " " if text[-1].isspace() else ""

    def newline(self) -> None:
        """The end of a line; a blank where the text must stay on one line."""
        self._gap = " " if self._single_line else "\n"

    def verbatim(self, text: str) -> None:
        """Text that keeps its blanks and lines, such as code."""
        if self._single_line:
            self.write(text)
        elif text:
            self._emit(printable(text))

    def open_link(self, target: str) -> None:
        """What is written from here on is the text of a link to `target`."""
        self._open.append((one_line(target), None))

    def close_link(self) -> None:
        """Ends the innermost open link; nothing where none is open."""
        if not self._open:
            return
        target, begin = self._open.pop()
        carried = len(self._open) < self._carried
        self._carried = min(self._carried, len(self._open))
        if begin is not None or not carried:
            self._anchors.append(Anchor(target, self._length if begin is None else begin, self._length))

    def finish(self) -> Inline:
        """The text so far; open links end here."""
        while self._open:
            self.close_link()
        return Inline("".join(self._parts), tuple(sorted(self._anchors, key=lambda each: each.begin)))

    def _emit(self, text: str) -> None:
        if self._length and self._gap:
            self._parts.append(self._gap)
            self._length += 1
        self._gap = ""
        self._open = [(target, self._length if begin is None else begin) for target, begin in self._open]
        self._parts.append(text)
        self._length += len(text)
