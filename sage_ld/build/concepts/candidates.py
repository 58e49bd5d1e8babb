"""Pairs of terms that may be aliases: those that share a key of the rules, and those whose vectors are near.

No rule joins terms that share no key, so looking at these pairs gives what looking at all pairs gives; but a
key by which very many terms ask says nothing.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations
from typing import Final, TypeAlias

import numpy as np

from sage_ld.build.concepts.terms import LONG_WORD, TermForm, american
from sage_ld.build.edges.candidate_pairs import nearest as highest_of_rows
from sage_ld.foundation.model import FloatArray, IntArray

Nearest: TypeAlias = Callable[[FloatArray, FloatArray, int], IntArray]
"""For each of (a, d) vectors about the nearest `count` rows of (b, d) others, as (a, count); -1 for none."""
MOST_SHARING: Final = 100
"""Terms that ask by one key, up to which it says anything: beyond, they would be compared in n² pairs."""
_BLOCK: Final = 4_000_000  # similarities held at once


def keys(form: TermForm) -> Iterator[tuple[tuple[str, ...], bool]]:
    """The keys of a term, each with whether the term asks for others by it.

    Two terms that a rule may join share a key by which at least one of them asks: an acronym asks for what
    has its initials, which do not ask for each other.

    >>> from sage_ld.build.concepts.terms import term_form
    >>> (("acronym", "who"), True) in keys(term_form("WHO"))
    True
    >>> (("acronym", "who"), False) in keys(term_form("World Health Organization"))
    True
    """
    for each in form.spellings:
        yield ("spelling", each), True
    if form.stems:
        yield ("stems", *form.stems), True
    if form.acronym:
        yield ("acronym", form.acronym), True
    for each in form.initials - {form.acronym}:
        yield ("acronym", each), False
    if len(form.words) > 1:
        begins = "".join(word[0] for word in form.words)
        yield ("last word", begins, form.words[-1]), bool(form.abbreviated)
        yield ("first word", begins, form.words[0]), bool(form.abbreviated)
    for rest in _edits(form.words):
        yield ("edit", *rest), True


def _edits(words: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Each long word as it is and without any one letter inside, with the other words."""
    for place, word in enumerate(words):
        if len(word) >= LONG_WORD - 1:
            rest = sorted([*words[:place], *words[place + 1 :]])
            spelled = american(word)
            yield spelled, *rest
            for letter in range(1, len(spelled) - 1):
                yield spelled[:letter] + spelled[letter + 1 :], *rest


def sharing(forms: Sequence[TermForm]) -> set[tuple[int, int]]:
    """The pairs of numbers of terms, the lower first, of which one asks by a key that the other has.

    None by a key that more than `MOST_SHARING` ask by: the work is in proportion to the keys, whatever terms
    a file makes up.
    """
    pairs: set[tuple[int, int]] = set()
    for asking, asked in _by_key(forms):
        if len(asking) <= MOST_SHARING:
            pairs.update(combinations(asking, 2))
            pairs.update((min(one, other), max(one, other)) for one in asking for other in asked)
    return pairs


def crowded(forms: Sequence[TermForm], most: int) -> set[int]:
    """The numbers of the terms with a key that 1 to `most` terms too many ask by, so it says nothing.

    >>> from sage_ld.build.concepts.terms import term_form
    >>> same = [term_form("WHO")] * (MOST_SHARING + 2)
    >>> len(crowded(same, 1)), len(crowded(same, 2))
    (0, 102)
    """
    numbers: set[int] = set()
    for asking, asked in _by_key(forms):
        if MOST_SHARING < len(asking) <= MOST_SHARING + most:
            numbers.update(asking, asked)
    return numbers


def _by_key(forms: Sequence[TermForm]) -> Iterator[tuple[list[int], list[int]]]:
    """For each key that terms ask by: the numbers of those that do, and of those that only have it."""
    asking: defaultdict[tuple[str, ...], list[int]] = defaultdict(list)
    asked: defaultdict[tuple[str, ...], list[int]] = defaultdict(list)
    for number, form in enumerate(forms):
        for key, asks in dict(keys(form)).items():
            (asking if asks else asked)[key].append(number)
    return ((ours, asked.get(key, [])) for key, ours in asking.items())


def partners(form: TermForm, others: Sequence[TermForm]) -> list[int]:
    """The numbers of those among `others` that share a key with a term, by which one of the two asks.

    >>> from sage_ld.build.concepts.terms import term_form
    >>> partners(term_form("WHO"), [term_form("World Health Organization"), term_form("opera")])
    [0]
    """
    ours = dict(keys(form))
    return [
        number
        for number, other in enumerate(others)
        if any(key in ours and (asks or ours[key]) for key, asks in keys(other))
    ]


def near_pairs(vectors: FloatArray, threshold: float) -> tuple[IntArray, FloatArray]:
    """(p, 2) the pairs of rows whose inner product is at or above `threshold`, and (p,) the products.

    The lower row comes first; products are rounded to six decimals. Exact, in blocks: n²d/2 multiplications.

    >>> near_pairs(np.array([[1, 0], [0.6, 0.8], [0, 1]], np.float32), 0.7)[0].tolist()
    [[1, 2]]
    """
    count = len(vectors)
    height = max(1, _BLOCK // max(count, 1))
    pairs: list[IntArray] = [np.zeros((0, 2), np.int64)]
    values: list[FloatArray] = [np.zeros(0, np.float32)]
    for begin in range(0, count, height):
        products = np.round(vectors[begin : begin + height] @ vectors[begin:].T, 6)
        rows, columns = np.nonzero(products >= threshold)
        upper = columns > rows
        rows, columns = rows[upper], columns[upper]
        pairs.append(np.stack([rows + begin, columns + begin], axis=1))
        values.append(products[rows, columns])
    return np.concatenate(pairs), np.concatenate(values)


def nearest_pairs(vectors: FloatArray, threshold: float, count: int) -> tuple[IntArray, FloatArray]:
    """As `near_pairs`, of the pairs in which one is among the `count` nearest of the other.

    >>> nearest_pairs(np.ones((3, 1), np.float32), 0.5, 1)[0].tolist()
    [[0, 1], [0, 2]]
    """
    size = len(vectors)
    height = max(1, _BLOCK // max(size, 1))
    batches: list[IntArray] = [np.zeros((0, 2), np.int64)]
    for begin in range(0, size, height):
        products = np.round(vectors[begin : begin + height] @ vectors.T, 6)
        products[products < threshold] = 0
        products[np.arange(len(products)), begin + np.arange(len(products))] = 0
        rows, columns = highest_of_rows(products, count)
        batches.append(np.sort(np.stack([rows + begin, columns], axis=1), axis=1))
    pairs = np.unique(np.concatenate(batches), axis=0)
    return pairs, np.round(np.einsum("ij,ij->i", vectors[pairs[:, 0]], vectors[pairs[:, 1]]), 6)


def indexed_pairs(
    vectors: FloatArray, threshold: float, nearest: Nearest, count: int
) -> tuple[IntArray, FloatArray]:
    """As `near_pairs`, of the pairs in which an index finds one among the `count` nearest of the other."""
    neighbours = nearest(vectors, vectors, count + 1)
    rows = np.repeat(np.arange(len(vectors)), neighbours.shape[1])
    columns = neighbours.ravel()
    real = (columns >= 0) & (columns != rows)
    pairs = np.unique(np.sort(np.stack([rows[real], columns[real]], axis=1), axis=1), axis=0)
    values = np.round(np.einsum("ij,ij->i", vectors[pairs[:, 0]], vectors[pairs[:, 1]]), 6)
    kept = values >= threshold
    return pairs[kept], values[kept]
