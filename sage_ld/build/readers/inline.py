"""A line of running text with the links that stand in it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace

from sage_ld.build.readers.cell_values import TypedValue
from sage_ld.build.readers.characters import one_line, printable
from sage_ld.build.readers.positions import CONTEXT, STROKES, Position, numerator, placed_text


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
    value: TypedValue | None = None
    """What the file stores of a cell that shows this text."""


def joined(parts: Iterable[tuple[str, Inline]]) -> Inline:
    """Pieces of running text as one, each behind the signs that part it from the one before.

    >>> joined([("", Inline("See")), (" ", Inline("part 2", (Anchor("part2.md", 0, 6),)))])
    Inline(text='See part 2', anchors=(Anchor(target='part2.md', begin=4, end=10),), value=None)
    """
    texts: list[str] = []
    anchors: list[Anchor] = []
    length = 0
    for number, (before, inline) in enumerate(parts):
        begin = length + len(before) * bool(number)
        texts += [before, inline.text] if number else [inline.text]
        anchors += [Anchor(each.target, begin + each.begin, begin + each.end) for each in inline.anchors]
        length = begin + len(inline.text)
    return Inline("".join(texts), tuple(anchors))


def folded_away(name: Inline) -> Inline:
    """The name of a part that the file keeps and a program does not show: a hidden slide or sheet.

    >>> folded_away(Inline("Reserve")).text
    'Reserve (hidden)'
    """
    return joined([("", name), (" ", Inline("(hidden)"))])


class InlineBuilder:
    """Collects the text of a paragraph or a cell: runs of blanks become one, links keep their place.

    Links do not nest, as in HTML: one that opens ends the one before it. `open_target` is a link that goes on
    from the paragraph before.

    >>> line = InlineBuilder()
    >>> line.write("See  ")
    >>> line.open_link("part2.md")
    >>> line.write("part 2")
    >>> line.close_link()
    >>> line.write(" .")
    >>> line.finish()
    Inline(text='See part 2 .', anchors=(Anchor(target='part2.md', begin=4, end=10),), value=None)
    """

    def __init__(self, *, single_line: bool = False, open_target: str | None = None) -> None:
        self._single_line = single_line
        self._parts: list[str] = []
        self._length = 0
        self._gap = ""
        self._target = open_target
        self._begin: int | None = None
        """Where the text of the open link begins."""
        self._carried = open_target is not None  # it has text before this, so needs none here
        self._anchors: list[Anchor] = []
        self._position: Position | None = None
        """The position of what is written next, until text has come."""
        self._after = ""
        """What the end of a raised text adds."""
        self._raised: _Raised | None = None
        """The raised number that the text so far ends with, or it and a stroke."""

    @property
    def empty(self) -> bool:
        """Whether no text has been written."""
        return not self._length

    def __len__(self) -> int:
        """The characters so far."""
        return self._length

    @property
    def open_target(self) -> str | None:
        """The target of the link that is open, if one is."""
        return self._target

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

    def open_position(self, position: Position) -> None:
        """Text from here on is raised or lowered; what stands before it says what is written of that.

        >>> line = InlineBuilder()
        >>> line.write("4 × 10")
        >>> line.open_position(Position.RAISED)
        >>> line.write("6")
        >>> line.close_position()
        >>> line.finish().text
        '4 × 10^6'
        """
        self.close_position()
        self._position = position

    def close_position(self) -> None:
        """Ends a raised or lowered text; nothing if none is open."""
        self._position = None
        if self._after:
            after, self._after = self._after, ""
            self._append(after)

    @contextmanager
    def placed(self, position: Position | None) -> Iterator[None]:
        """The place of text that is written inside: raised, lowered, or None for neither."""
        if position is None:
            yield
            return
        self.open_position(position)
        yield
        self.close_position()

    def open_link(self, target: str) -> None:
        """Opens a link: text written from here on belongs to a link to `target`."""
        self.close_link()
        self._target = one_line(target)

    def close_link(self) -> None:
        """Ends the open link; nothing if none is open."""
        if self._target is None:
            return
        if self._begin is not None or not self._carried:
            begin = self._length if self._begin is None else self._begin
            self._anchors.append(Anchor(self._target, begin, self._length))
        self._target, self._begin, self._carried = None, None, False

    def finish(self) -> Inline:
        """The text so far; an open link ends here."""
        self.close_position()
        self.close_link()
        return Inline("".join(self._parts), tuple(self._anchors))

    def _emit(self, text: str) -> None:
        raised, self._raised = self._raised, None
        if raised is not None and not self._gap and self._position is not Position.RAISED:
            self._raised = self._divided(raised, text)
        if self._length and self._gap:
            self._append(self._gap)
        elif self._position is not None and self._length:
            before = "".join(self._parts[-CONTEXT:])[-CONTEXT:]
            if self._position is Position.RAISED and text.isdecimal():
                self._raised = _Raised(len(self._parts), text)
            mark, text, self._after = placed_text(self._position, before, text)
            self._append(mark)
        self._gap, self._position = "", None
        if self._target is not None and self._begin is None:
            self._begin = self._length
        self._append(text)

    def _append(self, text: str) -> None:
        self._parts.append(text)
        self._length += len(text)

    def _divided(self, raised: _Raised, text: str) -> _Raised | None:
        """Writes a raised number as the numerator of a fraction where a stroke and a number follow it.

        Returns the number where only the stroke has come.
        """
        stroke = raised.has_stroke or text[0] in STROKES
        rest = text if raised.has_stroke else text[1:]
        if not stroke or self._target is not None:
            return None
        if not rest:
            return replace(raised, has_stroke=True)
        if rest[0].isdecimal():
            before = "".join(self._parts[: raised.place][-1:])
            shown = "".join(self._parts[raised.place :])
            strokes = shown[-1:] if raised.has_stroke else ""
            self._parts[raised.place :] = [numerator(before, raised.text) + strokes]
            self._length += len(self._parts[-1]) - len(shown)
        return None


@dataclass(frozen=True, slots=True)
class _Raised:
    """A raised number, and the place among the parts of a line where it begins."""

    place: int
    text: str
    has_stroke: bool = False
