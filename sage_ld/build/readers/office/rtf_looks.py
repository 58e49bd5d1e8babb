r"""The looks of rich text (RTF 1.9.1) that change what it says, written out before its codes are taken away.

The library that takes the codes away knows no looks: `25{\super 2}` becomes 252. So what is struck out,
deleted or hidden is taken out here, a raised number is set apart, notes stand behind the text as paragraphs,
and the cells and rows of tables end in signs of their own, a row in the right edges of its cells. Where a
file has such a sign itself, in whatever way it writes it, that becomes a blank.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from sage_ld.build.readers.builder import DocumentBuilder
from sage_ld.build.readers.positions import CONTEXT, STROKES, Position, numerator, placed_text
from sage_ld.build.readers.shown import DELETED, HIDDEN, STRUCK_OUT

CELL_END: Final = "\x1f"
ROW_BEGIN: Final = "\x1d"
ROW_END: Final = "\x1e"
EDGES: Final = "\x19"
_RAISED: Final = ("\x1c", "\x1b", "\x1a")
"""Signs around a raised number, as it stands in the file and as it is written where no stroke follows."""
_SIGNS: Final = frozenset(map(ord, (CELL_END, ROW_BEGIN, ROW_END, EDGES, *_RAISED)))
_BLANKS: Final = dict.fromkeys(_SIGNS, " ")
_TOKEN: Final = re.compile(
    r"\\(?P<word>[a-zA-Z]{1,32})(?P<number>-?[0-9]{1,10})? ?|\\'[0-9a-fA-F]{2}|\\."
    r"|(?P<brace>[{}])|[^\\{}]+|\\",
    re.DOTALL,
)
_OFF: Final = "0"
_CODES: Final = 1 << 16
"""`\\u` names a character by a number of 16 bits, which may be written as a negative one."""
_PASSED_OVER: Final = {"strike": STRUCK_OUT, "striked": STRUCK_OUT, "v": HIDDEN, "deleted": DELETED}
_POSITIONS: Final = {"super": Position.RAISED, "sub": Position.LOWERED, "nosupersub": None}


@dataclass(frozen=True, slots=True)
class _Look:
    """The look of the text of a group."""

    position: Position | None = None
    passed_over: frozenset[str] = frozenset()
    """The nouns for which it is left out; none for text that is read."""


def without_looks(text: str, builder: DocumentBuilder) -> str:
    """Rich text whose looks are written out; what is left out is counted in `builder`."""
    return "".join(_LookWriter(builder).parts(text))


_NUMERATOR: Final = re.compile(
    rf"(?P<before>.?){_RAISED[0]}(?P<number>[0-9]+){_RAISED[1]}(?P<shown>[^{_RAISED[2]}]*){_RAISED[2]}"
    rf"(?P<stroke>(?=[{STROKES}][0-9]))?",
    re.DOTALL,
)


def with_fractions(text: str) -> str:
    """A text without codes in which raised numbers before a stroke and a number are numerators."""
    return _NUMERATOR.sub(_numerator, text)


def _numerator(match: re.Match[str]) -> str:
    before = match["before"]
    return before + (match["shown"] if match["stroke"] is None else numerator(before, match["number"]))


class _LookWriter:
    """The looks of the groups that are open, and the end of the line so far."""

    def __init__(self, builder: DocumentBuilder) -> None:
        self._builder = builder
        self._look = _Look()
        self._outer: list[_Look] = []
        self._before = ""
        self._in_row = False
        self._edges: list[str] = []
        """The right edges of the cells of the row, in twips."""

    def parts(self, text: str) -> Iterator[str]:
        """The tokens of a rich text, as they are passed on."""
        for token in _TOKEN.finditer(text):
            if token["brace"]:
                self._brace(token["brace"])
                yield token[0]
            elif token["word"]:
                yield self._word(token["word"], token["number"], token[0])
            elif self._look.passed_over:
                self._builder.pass_over(min(self._look.passed_over), bool(token[0].strip()))
            else:
                yield self._text(token[0])

    def _brace(self, brace: str) -> None:
        if brace == "{":
            self._outer.append(self._look)
        elif self._outer:
            self._look = self._outer.pop()

    def _word(self, word: str, number: str | None, token: str) -> str:
        """A control word: what it changes of the look, and what is passed on of it."""
        if word == "plain":
            self._look = _Look()
        elif word in _POSITIONS:
            self._look = replace(self._look, position=_POSITIONS[word] if number != _OFF else None)
        elif noun := _PASSED_OVER.get(word):
            others = self._look.passed_over - {noun}
            self._look = replace(self._look, passed_over=others if number == _OFF else others | {noun})
        elif word in ("cell", "row", "trowd"):
            return self._table(word, token)
        elif word == "cellx":
            self._edges.append(number or "0")
        elif word == "u" and self._look.passed_over:
            return ""
        elif word == "u" and int(number or 0) % _CODES in _SIGNS:
            return "\\u32 "
        return "\\par " if word == "footnote" else token

    def _table(self, word: str, token: str) -> str:
        """The sign of the end of a cell, or of the begin or end of a row, as an escaped character."""
        if word == "cell":
            return "\\'1f"
        edges, self._edges = " ".join(self._edges), []
        begins, self._in_row = word == "trowd" and not self._in_row, word == "trowd"
        return f"{token}\\'1d" if begins else token if word == "trowd" else f"\\'19{edges}\\'1e"

    def _text(self, text: str) -> str:
        if text.startswith("\\'") and len(text) == 4 and int(text[2:], 16) in _SIGNS:
            return "\\'20"
        shown = text = text.translate(_BLANKS)
        position, inner = self._look.position, text.strip()
        if position is None or not inner or text.startswith("\\"):
            self._before = (self._before + shown)[-CONTEXT:]
            return shown
        shown = "".join(placed_text(position, self._before.rstrip(), inner))
        self._before = (self._before + shown)[-CONTEXT:]
        if position is Position.RAISED and inner.isdecimal():
            signs = [f"\\'{ord(sign):02x}" for sign in _RAISED]
            shown = f"{signs[0]}{inner}{signs[1]}{shown}{signs[2]}"
        return text[: len(text) - len(text.lstrip())] + shown  # a blank ends the code before it
