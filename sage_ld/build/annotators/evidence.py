"""Evidence for and against a candidate, as numbers; how much each counts is in `link_weights.json`.

First what candidate and cell say by themselves (`OWN`), from which comes a first probability; then, with the
first probabilities of all candidates at hand, how it stands against its rivals in the same cell and agrees
with the other rows of its column (`JOINT`). Sums of IDF are divided by 8, near the IDF of a rare word, so
that all evidence is of one size.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence, Set
from math import log, log1p
from typing import Final, NamedTuple

import numpy as np

from sage_ld.build.annotators.candidates import Candidate, boundaries
from sage_ld.build.annotators.cells import TextCell
from sage_ld.build.annotators.targets import TargetIndex
from sage_ld.build.annotators.titles import AliasKind, Word, words
from sage_ld.build.annotators.words import STOP_WORDS
from sage_ld.foundation.model import DoubleArray

OWN: Final = (
    "constant",
    "segment",  # the words are a whole part of the cell's list
    "whole",  # the words are the whole cell
    "share of cell",
    "share of title",
    "left",  # the title's words that nothing explains
    "left share",
    "left number",  # one of them is a number: another year
    "in heading",  # the title's words that the table's heading explains
    "in column",
    "in row",
    "ambiguity",
    "nested",  # a longer name stands around it
    "name goes on",  # the word before or after is capitalised
    "lead in heading",  # the target's text and the table's heading share words
    "lead in column",
    "lead in row",
    "number",
    "single word",
    "capital",
    "rarity",
    "one-word title",
    "title mass",
    "lead alias",
    "other alias",
)
JOINT: Final = (
    "first logit",
    "rival",  # the first logit of the best other candidate for the same words
    "longer rival",
    "rank in cell",
    "share of rivals",
    "column links",  # how sure the column's other rows are of their best candidates
    "column words",  # the title's words that the titles of the column's other rows have too
    "column type",  # what it is, and what those of the other rows are
    "column kind",  # how their names were found
    "left of column",
    "same value",  # in how many rows the cell reads the same
)
SIMILARITY: Final = "similarity"  # of the vectors of chunk and target, where there are vectors
_UNIT = 8.0
_CEILING = 20.0
_FLOOR = -6.0


class CellWords(NamedTuple):
    """A cell as its words."""

    cell: TextCell
    words: list[Word]
    forms: list[str]
    bounds: list[int]


class Surroundings(NamedTuple):
    """The words around a cell."""

    heading: Set[str]
    columns: Mapping[str, Set[str]]
    rows: Mapping[int | None, Set[str]]


def cell_words(cell: TextCell) -> CellWords:
    """The cell as its words."""
    split = words(cell.text)
    return CellWords(cell, split, [word.form for word in split], boundaries(cell.text, split))


def own_evidence(
    index: TargetIndex, around: Surroundings, reading: CellWords, candidates: Sequence[Candidate]
) -> list[list[float]]:
    """For each candidate of a cell, its evidence in the order of `OWN`."""
    names = {(each.begin, each.end) for each in candidates if each.kind is not None}
    return [_own(index, around, reading, each, names) for each in candidates]


def _own(
    index: TargetIndex,
    around: Surroundings,
    reading: CellWords,
    candidate: Candidate,
    names: Set[tuple[int, int]],
) -> list[float]:
    begin, end, target = candidate.begin, candidate.end, candidate.target
    held = frozenset(reading.forms[begin:end])
    count = len(reading.forms)
    idf, mass = index.title_idf, float(index.mass[target]) or 1.0
    column = around.columns.get(reading.cell.column, frozenset())
    row = around.rows[reading.cell.row]
    heading_sum, column_sum, row_sum, left, left_number = _explained(
        index, target, held, (around.heading, column, row)
    )
    lead = index.leads[target] - held - frozenset(index.titles[target])
    return [
        1.0,
        float(begin in reading.bounds and end in reading.bounds),
        float(end - begin == count),
        (end - begin) / count,
        sum(idf[word] for word in sorted(set(index.titles[target]) & held)) / mass,
        left / _UNIT,
        left / mass,
        left_number,
        heading_sum / _UNIT,
        column_sum / _UNIT,
        row_sum / _UNIT,
        log1p(candidate.shared),
        float(any(a <= begin and end <= b and b - a > end - begin for a, b in names)),
        _goes_on(reading, begin, end),
        _overlap(index, lead & around.heading),
        _overlap(index, lead & column),
        _overlap(index, lead & (row - frozenset(reading.forms))),
        float(all(reading.forms[at].isdigit() for at in range(begin, end))),
        float(end - begin == 1),
        float(_is_capital(reading, begin)),
        min(sum(idf.get(word, 0.0) for word in sorted(held)), _CEILING) / _UNIT,
        float(len(index.titles[target]) == 1),
        mass / _UNIT,
        float(candidate.kind is AliasKind.LEAD),
        float(candidate.kind is AliasKind.OTHER),
    ]


def _explained(
    index: TargetIndex, target: int, held: Set[str], places: Sequence[Set[str]]
) -> tuple[float, float, float, float, float]:
    """The IDF of the title's other words: in heading, column, row, in none; 1 where a number is in none."""
    sums = [0.0, 0.0, 0.0, 0.0]
    number = 0.0
    for word in dict.fromkeys(index.titles[target]):
        if word in held or word in STOP_WORDS:
            continue
        place = next((at for at, there in enumerate(places) if word in there), 3)
        sums[place] += index.title_idf[word]
        if place == 3 and word[0].isdigit():
            number = 1.0
    return sums[0], sums[1], sums[2], sums[3], number


def _overlap(index: TargetIndex, shared: Set[str]) -> float:
    return min(sum(index.lead_idf[word] for word in sorted(shared)), _CEILING) / _UNIT


def _is_capital(reading: CellWords, at: int) -> bool:
    first = reading.cell.text[reading.words[at].begin]
    return first.isupper() or first.isdigit()


def _goes_on(reading: CellWords, begin: int, end: int) -> float:
    before = begin > 0 and begin not in reading.bounds and _is_capital(reading, begin - 1)
    after = end < len(reading.words) and end not in reading.bounds and _is_capital(reading, end)
    return float(before) + float(after)


def joint_evidence(
    index: TargetIndex,
    readings: Sequence[CellWords],
    candidates: Sequence[Sequence[Candidate]],
    first: Sequence[DoubleArray],
) -> list[list[list[float]]]:
    """For each candidate of each cell, its evidence in the order of `JOINT`; `first`: its probability."""
    columns: defaultdict[str, list[int]] = defaultdict(list)
    for number, reading in enumerate(readings):
        columns[reading.cell.column].append(number)
    out: list[list[list[float]]] = [[] for _ in readings]
    for numbers in columns.values():
        profiles = {at: _profile(index, readings[at], candidates[at], first[at]) for at in numbers}
        total: Counter[tuple[str, str]] = Counter()
        for at in numbers:
            total.update(profiles[at])
        same = Counter(readings[at].cell.text for at in numbers)
        for at in numbers:
            others = _Others(total, profiles[at], max(len(numbers) - 1, 1))
            repeated = log(same[readings[at].cell.text])
            out[at] = _joint(index, readings[at], candidates[at], first[at], others, repeated)
    return out


class _Others(NamedTuple):
    """The contents of a column's other rows, as means over them."""

    total: Counter[tuple[str, str]]
    own: Mapping[tuple[str, str], float]
    rows: int

    def mean(self, what: str, word: str) -> float:
        key = (what, word)
        return (self.total[key] - self.own.get(key, 0.0)) / self.rows


def _profile(
    index: TargetIndex, reading: CellWords, candidates: Sequence[Candidate], first: DoubleArray
) -> dict[tuple[str, str], float]:
    """The profile of a cell's candidates: each trait with the probability of the best that has it."""
    out: defaultdict[tuple[str, str], float] = defaultdict(float)
    for candidate, probability in zip(candidates, first.tolist(), strict=True):
        held = reading.forms[candidate.begin : candidate.end]
        traits = [("word", word) for word in index.titles[candidate.target] if word not in held]
        traits += [("type", word) for word in index.types[candidate.target]]
        traits += [("kind", _kind(candidate)), ("any", "")]
        for trait in traits:
            out[trait] = max(out[trait], probability)
    return out


def _kind(candidate: Candidate) -> str:
    return "part" if candidate.kind is None else candidate.kind.name


def _joint(
    index: TargetIndex,
    reading: CellWords,
    candidates: Sequence[Candidate],
    first: DoubleArray,
    others: _Others,
    repeated: float,
) -> list[list[float]]:
    probabilities = first.tolist()
    ranks = np.empty(len(probabilities))
    ranks[np.argsort(-first, kind="stable")] = np.arange(len(probabilities))
    out = []
    for number, candidate in enumerate(candidates):
        rivals, longer = _rivals(candidates, probabilities, number)
        words_sum, left, type_share = _agreement(index, reading, candidate, others)
        out.append(
            [
                logit(probabilities[number]),
                logit(max(rivals)) if rivals else _FLOOR,
                logit(max(longer)) if longer else _FLOOR,
                log1p(ranks[number]),
                probabilities[number] / (probabilities[number] + sum(rivals) + 1e-6),
                others.mean("any", ""),
                words_sum / _UNIT,
                type_share,
                others.mean("kind", _kind(candidate)),
                left / _UNIT,
                repeated,
            ]
        )
    return out


def _rivals(
    candidates: Sequence[Candidate], probabilities: Sequence[float], number: int
) -> tuple[list[float], list[float]]:
    """The probabilities of the candidates that overlap this one, and of those that hold it and more."""
    begin, end = candidates[number].begin, candidates[number].end
    rivals = [
        (probability, each)
        for at, (probability, each) in enumerate(zip(probabilities, candidates, strict=True))
        if at != number and each.begin < end and begin < each.end
    ]
    longer = [
        probability
        for probability, each in rivals
        if each.begin <= begin and end <= each.end and each.end - each.begin > end - begin
    ]
    return [probability for probability, _ in rivals], longer


def _agreement(
    index: TargetIndex, reading: CellWords, candidate: Candidate, others: _Others
) -> tuple[float, float, float]:
    """The shares of the title's other words that the column's other rows have and lack; and of the type."""
    held = reading.forms[candidate.begin : candidate.end]
    shared = left = 0.0
    for word in dict.fromkeys(index.titles[candidate.target]):
        if word not in held and word not in STOP_WORDS:
            mean = others.mean("word", word)
            shared += index.title_idf[word] * mean
            left += index.title_idf[word] * (1.0 - mean)
    weights = {word: index.lead_idf[word] for word in sorted(index.types[candidate.target])}
    agreed = sum(weight * others.mean("type", word) for word, weight in weights.items())
    return shared, left, agreed / (sum(weights.values()) or 1.0)


def logit(probability: float) -> float:
    """The log-odds of a probability, kept finite.

    >>> logit(0.5)
    0.0
    """
    bounded = min(max(probability, 1e-4), 1 - 1e-4)
    return log(bounded / (1 - bounded))
