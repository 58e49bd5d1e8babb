"""Words that a page strikes out: a thin line goes through the middle of their letters, and ends there."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from typing import Final

import numpy as np

from sage_ld.build.readers.pdf.shapes import Shape
from sage_ld.build.readers.pdf.words import Box, PageView, PlacedWord

_THICKEST: Final = 0.35
"""The thickness of a line through letters, in heights of the line of text, at most; PDFium doubles it."""
_LOWEST: Final = 0.1
"""How far it is above that on which the letters stand, in heights of the line of text, at least."""
_HIGHEST: Final = 0.45
_COVERED: Final = 0.7
"""The share of a word's width that it goes through, at least."""
_BEYOND: Final = 1.5
"""How far it goes beyond the words that it strikes, in heights of the line of text, at most."""
_FILLED: Final = 0.5
"""The share of it that goes through words, at least: else it is a line of a drawing."""
_STEP: Final = 0.5
"""Points down the page at which it is looked up which line is there."""
_WIDTH: Final = 2.0
"""Points across the page."""
_MOST_STEPS: Final = 4_000
_WHITE: Final = 250
"""Of 255, in red, green and blue: a line that nobody sees."""


def struck_by_lines(words: Sequence[PlacedWord], shapes: Sequence[Shape], view: PageView) -> set[int]:
    """The numbers of the words that thin lines or thin filled rectangles strike out.

    The work is that of drawing the lines once, and of a look at each word.
    """
    if not shapes:
        return set()
    thickest = _THICKEST * max((word.size for word in words), default=0)
    thin = (each for each in shapes if each.is_simple and _is_line(each.box, thickest))
    lines = [each.box for each in thin if _is_seen(each)]
    if not lines:
        return set()
    down = max(_STEP, view.height / _MOST_STEPS)
    across = max(_WIDTH, view.width / _MOST_STEPS)
    drawn = np.zeros((int(view.height / down) + 2, int(view.width / across) + 2), dtype=np.int32)
    for number, line in enumerate(lines, 1):
        row = min(max(0, int((line.top + line.bottom) / 2 / down)), len(drawn) - 1)
        drawn[row, max(0, int(line.left / across)) : max(0, math.ceil(line.right / across))] = number
    has_line = np.concatenate([[0], np.cumsum(drawn.any(axis=1))])
    struck: dict[int, list[int]] = defaultdict(list)
    for at, word in enumerate(words):
        low = max(0, int((word.base - _HIGHEST * word.size) / down))
        high = max(0, int((word.base - _LOWEST * word.size) / down) + 1)
        if word.is_turned or has_line[min(low, len(drawn))] == has_line[min(high, len(drawn))]:
            continue
        begin, end = max(0, int(word.box.left / across)), max(0, math.ceil(word.box.right / across))
        band = drawn[low:high, begin:end]
        if band.size and (covered := (band > 0).mean(axis=1)).max() >= _COVERED:
            for number in set(band[int(covered.argmax())].tolist()) - {0}:
                struck[number].append(at)
    return {
        at
        for number, ats in struck.items()
        if _is_strike(lines[number - 1], [words[at] for at in ats])
        for at in ats
    }


def _is_line(box: Box, thickest: float) -> bool:
    high = box.bottom - box.top
    return high <= thickest and box.right - box.left > 2 * high


def _is_seen(shape: Shape) -> bool:
    colour = shape.colour()
    return colour is None or (min(colour[:3]) < _WHITE and colour[3] > 0)


def _is_strike(line: Box, words: Sequence[PlacedWord]) -> bool:
    """Whether a line through these words ends where they do, and is thin beside them."""
    size = max(word.size for word in words)
    left, right = min(word.box.left for word in words), max(word.box.right for word in words)
    if left - line.left > _BEYOND * size or line.right - right > _BEYOND * size:
        return False
    if line.bottom - line.top > _THICKEST * size:
        return False
    through = sum(word.box.right - word.box.left for word in words)
    return through >= _FILLED * (line.right - line.left)
