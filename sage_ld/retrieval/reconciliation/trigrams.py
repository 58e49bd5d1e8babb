"""An index of short texts by the groups of three characters in their words: texts alike though misspelt.

The likeness of two texts is the cosine of their sets of trigrams, each weighted by how rare it is (inverse
document frequency). The order of the words makes no difference, nor do case and diacritics.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

_WORD: Final = re.compile(r"\w+")


def trigrams(text: str) -> set[str]:
    """The groups of three characters in the words of a text, blanks around each word included.

    >>> sorted(trigrams("Łódź, Oś"))
    [' os', ' ło', 'dz ', 'odz', 'os ', 'łod']
    """
    plain = unicodedata.normalize("NFKD", text.casefold())
    words = _WORD.findall("".join(each for each in plain if not unicodedata.combining(each)))
    padded = (f" {word} " for word in words)
    return {word[place : place + 3] for word in padded for place in range(len(word) - 2)}


def likeness(one: str, other: str) -> float:
    """The share of their trigrams that two texts have in common (Dice's coefficient).

    >>> likeness("Mira Tolland", "Tolland, Mira"), round(likeness("Mira Tolland", "Mira Toland"), 2)
    (1.0, 0.86)
    """
    left, right = trigrams(one), trigrams(other)
    return 2 * len(left & right) / (len(left) + len(right)) if left and right else 0.0


class TrigramIndex:
    """Some texts by their trigrams.

    >>> index = TrigramIndex(["Mira Tolland", "Piet Ansgar", "Tolland"])
    >>> index.likeness("tolland, mira").round(2).tolist()
    [1.0, 0.0, 0.66]
    """

    def __init__(self, texts: Sequence[str]) -> None:
        """Takes time and memory in proportion to the characters of all texts."""
        numbers: dict[str, int] = {}
        found, sizes = [], np.zeros(len(texts), np.int64)
        for row, text in enumerate(texts):
            mine = [numbers.setdefault(each, len(numbers)) for each in trigrams(text)]
            found.append(np.array(mine, np.int32))
            sizes[row] = len(mine)
        columns = np.concatenate([np.zeros(0, np.int32), *found])
        rows = np.repeat(np.arange(len(texts), dtype=np.int32), sizes)
        counts = np.bincount(columns, minlength=len(numbers))
        self._numbers = numbers
        self._rows: NDArray[np.int32] = rows[np.argsort(columns, kind="stable")]
        self._starts = np.concatenate([[0], np.cumsum(counts)])
        self._weights = np.square(np.log1p(len(texts) / np.maximum(counts, 1)))
        squares = np.bincount(rows, weights=self._weights[columns], minlength=len(texts))
        self._norms = np.sqrt(np.maximum(squares, np.finfo(np.float64).tiny))
        self._unknown = float(np.square(np.log1p(max(len(texts), 1))))

    def likeness(self, text: str) -> NDArray[np.float64]:
        """(n,) how like each text is, from 0 to 1; trigrams that none of them has count as the rarest."""
        mine = trigrams(text)
        known = [self._numbers[each] for each in mine if each in self._numbers]
        square = self._weights[known].sum() + self._unknown * (len(mine) - len(known))
        if not known:
            return np.zeros(len(self._norms))
        lists = [self._rows[self._starts[each] : self._starts[each + 1]] for each in known]
        weights = np.repeat(self._weights[known], [len(each) for each in lists])
        shared = np.bincount(np.concatenate(lists), weights=weights, minlength=len(self._norms))
        result: NDArray[np.float64] = np.minimum(shared / (self._norms * np.sqrt(square)), 1.0)
        return result
