r"""The looks of rich text (RTF 1.9.1) that change what it says, written out before its codes are taken away.

The library that takes the codes away knows no looks: `25{\super 2}` becomes 252. So what is struck out,
deleted or hidden is taken out here, as are pictures, headers and footers; a raised number is set apart;
notes, comments and text boxes stand behind their paragraph; headings, and the cells and rows of tables, end
in signs of their own, a row in the right edges of its cells. Where a file has such a sign itself, in whatever
way it writes it, that becomes a blank.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from sage_ld.build.readers.builder import DocumentBuilder
from sage_ld.build.readers.positions import CONTEXT, STROKES, Position, numerator, placed_text
from sage_ld.build.readers.shown import DELETED, HIDDEN, OBJECT, PICTURE, RUNNING_LINE, STRUCK_OUT

CELL_END: Final = "\x1f"
ROW_BEGIN: Final = "\x1d"
ROW_END: Final = "\x1e"
EDGES: Final = "\x19"
HEADING_END: Final = "\x18"
"""Behind the text of a heading, before its level."""
_RAISED: Final = ("\x1c", "\x1b", "\x1a")
"""Signs around a raised number, as it stands in the file and as it is written where no stroke follows."""
_SIGNS: Final = frozenset(map(ord, (CELL_END, ROW_BEGIN, ROW_END, EDGES, HEADING_END, *_RAISED)))
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
_RUNNING: Final = frozenset(
    f"{part}{pages}" for part in ("header", "footer") for pages in ("", "l", "r", "f")
)
_SHAPES: Final = frozenset({"shp", "shpgrp", "shpinst", "do"})
_BEHIND: Final = frozenset({"shptxt", "dptxbxtext", "footnote", "annotation"})
"""Groups that are read behind the paragraph which they stand in."""
_LEFT_OUT: Final = {"pict": PICTURE, "object": OBJECT}
_TWICE: Final = frozenset({"nonshppict", "shprslt", "listpicture", "background"})
"""Groups that older programs show in place of others, and those without text of the document."""
_GROUPS: Final = _RUNNING | _SHAPES | _BEHIND | _TWICE | _LEFT_OUT.keys()
_SHAPE, _OTHER = "shape", "other"
_CELLS_AS_LINES: Final = {"cell": "\\tab ", "row": "\\par ", "trowd": "{}"}
"""Control words in place of those of tables, in a text that stands behind another."""
_OF_PARAGRAPHS: Final = frozenset({"pard", "outlinelevel", "line", "par"})
_BODY_LEVEL: Final = 9


@dataclass(frozen=True, slots=True)
class _Look:
    """The look of the text of a group."""

    position: Position | None = None
    passed_over: frozenset[str] = frozenset()
    """The nouns for which it is left out; none for text that is read."""
    left_out: str = ""
    """The kind of group that is left out whole; of a shape, what is in its text box is read."""
    behind: bool = False
    """Whether it stands behind the paragraph."""
    level: int = 0
    """Of the heading that its paragraph is, counted from 1; 0 for other text."""


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
        self._star = ""
        """The sign, just read, of a group that older programs leave out."""
        self._behind: list[str] = []
        """Tokens of the texts that stand behind the paragraph."""
        self._is_counted = True
        """Whether the header or footer that is read is counted as left out."""

    def parts(self, text: str) -> Iterator[str]:
        """The tokens of a rich text, as they are passed on."""
        place = 0
        while token := _TOKEN.match(text, place):
            place = token.end()
            if token["word"] == "bin":  # bytes of a picture, in whatever group
                place += max(int(token["number"] or 0), 0)
                continue
            behind, left_out = self._look.behind, self._look.left_out
            shown = self._token(token)
            if token[0] == "}":  # it stands where its group does
                behind, left_out = self._look.behind, self._look.left_out
                if not self._outer:
                    shown = self._taken() + shown
            if behind and not left_out:
                self._behind.append(shown)
            elif not left_out:
                yield shown
        yield self._taken()

    def _token(self, token: re.Match[str]) -> str:
        """The part of a token that is passed on; it changes the look."""
        star, self._star = self._star, ""
        if token["brace"]:
            self._brace(token["brace"])
            return token[0]
        if token["word"] in _GROUPS:
            self._group(token["word"])
            return ""
        if token[0] == "\\*":
            self._star = token[0]
            return ""
        if self._look.left_out:
            self._count_running(token)
            return ""
        if token["word"]:
            return star + self._word(token["word"], token["number"], token[0])
        if self._look.passed_over:
            self._builder.pass_over(min(self._look.passed_over), bool(token[0].strip()))
            return ""
        return star + ("\\'5c" if token[0] == "\\\\" else self._text(token[0]))

    def _brace(self, brace: str) -> None:
        if brace == "{":
            self._outer.append(self._look)
        elif self._outer:
            self._look = self._outer.pop()

    def _group(self, word: str) -> None:
        """A group begins that is left out, or read behind the paragraph."""
        look = self._look
        if word in _BEHIND:
            if look.left_out in ("", _SHAPE):
                self._behind += ["}\\par\\par {"] if self._behind else []
                self._look = replace(look, left_out="", behind=True, level=0)
        elif look.left_out in ("", _SHAPE):
            if word in _LEFT_OUT:
                self._builder.pass_over(_LEFT_OUT[word])
            kind = _SHAPE if word in _SHAPES else RUNNING_LINE if word in _RUNNING else _OTHER
            self._is_counted = self._is_counted and kind != RUNNING_LINE
            self._look = replace(look, left_out=kind)
        elif word in _LEFT_OUT:
            self._look = replace(look, left_out=_OTHER)

    def _count_running(self, token: re.Match[str]) -> None:
        if self._look.left_out == RUNNING_LINE and not self._is_counted and not token["word"]:
            self._is_counted = bool(token[0].strip())
            self._builder.pass_over(RUNNING_LINE, self._is_counted)

    def _taken(self) -> str:
        """The texts that stand behind a paragraph, as paragraphs of their own."""
        behind, self._behind = "".join(self._behind), []
        return f"\\par\\par {{{behind}}}\\par\\par " if behind else ""

    def _word(self, word: str, number: str | None, token: str) -> str:
        """A control word: what it changes of the look, and what is passed on of it."""
        if word == "plain":
            self._look = _Look(behind=self._look.behind, level=self._look.level)
        elif word in _POSITIONS:
            self._look = replace(self._look, position=_POSITIONS[word] if number != _OFF else None)
        elif noun := _PASSED_OVER.get(word):
            others = self._look.passed_over - {noun}
            self._look = replace(self._look, passed_over=others if number == _OFF else others | {noun})
        elif word in _CELLS_AS_LINES:
            return _CELLS_AS_LINES[word] if self._look.behind else self._table(word, token)
        elif word in _OF_PARAGRAPHS:
            return self._paragraph(word, number, token)
        elif word == "cellx":
            self._edges.append(number or "0")
        elif word == "u":
            return self._character(int(number or 0), token)
        return "{}" if word.startswith("bin") else token  # trays for paper, which the library takes for bytes

    def _character(self, code: int, token: str) -> str:
        if self._look.passed_over:
            return ""
        return "\\u32 " if code % _CODES in _SIGNS else token

    def _paragraph(self, word: str, number: str | None, token: str) -> str:
        """A word on a paragraph: its level, a line in it, or its end, with what stands behind it."""
        level = self._look.level
        if word == "par" and not (self._look.behind or self._in_row):
            sign = f"{{\\'{ord(HEADING_END):02x}{level}}}" if level else ""
            return sign + token + self._taken()
        if word in ("pard", "outlinelevel"):
            level = int(number or 0) + 1 if word == "outlinelevel" else 0
            self._look = replace(self._look, level=level if 0 <= level <= _BODY_LEVEL else 0)
        return "\\tab " if word == "line" and level else token

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
