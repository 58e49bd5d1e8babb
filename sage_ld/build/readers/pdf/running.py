"""Headers and footers: lines at the edges of pages that come again on others, and page numbers."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

from sage_ld.build.readers.pdf.lines import LinePiece, rows

_MARGIN: Final = 0.14
"""The share of a page, at its top and at its bottom, in which headers and footers stand."""
_LINES: Final = 3
_LEAST_PAGES: Final = 3
"""Pages on which a line stands at the same place, at least, to be a header or a footer; of two pages both."""
_WIDE_MARGIN: Final = 0.25
"""The share of a page, at its top and at its bottom, in which a number alone may be that of the page."""
_LEAST_SHARE: Final = 0.3
"""The share of pages on which a number at an end goes on by one from page to page, at least."""
_NEAR: Final = 6
"""Points: places that are not further apart count as the same."""
_PAGE_NUMBER: Final = re.compile(
    r"(?:\w+\s)?[\-–—|\s]*([0-9]{1,4}|[ivxlc]{1,7}|[A-Z]-?[0-9]{1,4})[\-–—|\s]*(?:(?:of|von|de|/)\s?[0-9]{1,4})?",
)
_ALONE: Final = re.compile(r"[\-–—|\s]*([0-9]{1,4})[\-–—|\s]*")
_AT_AN_END: Final = re.compile(r"^([0-9]{1,4})\s|\s([0-9]{1,4})$")
_DIGITS: Final = re.compile(r"[0-9]+|\b[ivxlc]+\b")


class RunningLines:
    """The headers and footers of a document, from all of its pages."""

    def __init__(self, pages: Sequence[Sequence[LinePiece]], heights: Sequence[float]) -> None:
        seen: Counter[tuple[str, int]] = Counter()
        self._margins = [_margins(page, height) for page, height in zip(pages, heights, strict=True)]
        for margins in self._margins:
            seen.update({key for line in margins for key in _keys(line)})
        least = max(2, min(_LEAST_PAGES, len(pages)))
        self._known = {key for key, count in seen.items() if count >= least}
        self._numbered = _numbered(pages, heights, least)

    def of_page(self, number: int) -> tuple[frozenset[LinePiece], str]:
        """The pieces of a page's headers and footers, and the number that is printed there, or nothing."""
        numbered, printed = self._numbered.get(number, ([], ""))
        found = set(numbered)
        for line in self._margins[number]:
            if any(key in self._known for key in _keys(line)):
                found.update(line)
                for each in line:
                    if (match := _PAGE_NUMBER.fullmatch(each.text)) is not None:
                        printed = match[1]
        return frozenset(found), printed


def _numbered(
    pages: Sequence[Sequence[LinePiece]], heights: Sequence[float], least: int
) -> dict[int, tuple[list[LinePiece], str]]:
    """The first or last line of each page that shows the page's number, with that number.

    It is the page's if it goes on by one from page to page, whatever stands beside it.
    """
    ends = [list(_ends(page, height)) for page, height in zip(pages, heights, strict=True)]
    shifts = Counter(shift for number, lines in enumerate(ends) for shift in {at - number for _, at in lines})
    shift, count = max(shifts.items(), key=lambda each: each[1], default=(0, 0))
    if count < max(least, _LEAST_SHARE * len(pages)):
        return {}
    return {
        number: (line, str(at))
        for number, lines in enumerate(ends)
        for line, at in lines
        if at - number == shift
    }


def _ends(page: Sequence[LinePiece], height: float) -> Iterator[tuple[list[LinePiece], int]]:
    """The first and the last line of a page, each with the number that it is, begins or ends with."""
    lines = rows(each for each in page if each.upright)
    for line in (*lines[:1], *lines[1:][-1:]):
        text = " ".join(each.text for each in line)
        outside = min(line[0].base, height - line[0].base) / max(1.0, height)
        if (match := _ALONE.fullmatch(text)) is not None and outside < _WIDE_MARGIN:
            yield line, int(match[1])
        elif (match := _AT_AN_END.search(text)) is not None and outside < _MARGIN:
            yield line, int(match[1] or match[2])


def _margins(page: Sequence[LinePiece], height: float) -> list[list[LinePiece]]:
    """The first and the last lines of a page, as far as they stand in its margins."""
    lines = rows(each for each in page if each.upright)
    top = [line for line in lines[:_LINES] if line[0].base < _MARGIN * height]
    bottom = [line for line in lines[-_LINES:] if line[0].base > (1 - _MARGIN) * height]
    return [*top, *(line for line in bottom if line not in top)]


def _keys(line: Sequence[LinePiece]) -> list[tuple[str, int]]:
    """The keys of a line on other pages: its text without numbers, and its place to either side."""
    text = _DIGITS.sub("#", " ".join(each.text for each in line)).casefold()
    place = round(line[0].base / _NEAR)
    return [(text, place), (text, place + 1)]
