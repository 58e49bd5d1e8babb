"""Links from the cells of a table, and the fields of a record, to the documents that they name.

One for candidates that a title names, one for those that another name does, one for those that a part of a
title does: evidence means different things for the three. The numbers are in `link_weights.json`.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Sequence, Set
from enum import StrEnum
from functools import lru_cache
from importlib import resources
from typing import NamedTuple

import numpy as np

from sage_ld.build.annotators.candidates import Candidate, candidates, context
from sage_ld.build.annotators.cells import cells_of
from sage_ld.build.annotators.evidence import (
    JOINT,
    OWN,
    CellWords,
    Surroundings,
    cell_words,
    joint_evidence,
    own_evidence,
)
from sage_ld.build.annotators.link_selection import PossibleLink
from sage_ld.build.annotators.targets import TargetIndex, TargetVectors
from sage_ld.build.annotators.titles import AliasKind, forms
from sage_ld.foundation.model import Chunk, DoubleArray, FloatArray

FILE = "link_weights.json"


class Stage(StrEnum):
    """The evidence that a regression weighs."""

    OWN = "own"
    JOINT = "joint"
    SIMILARITY = "similarity"
    """Own, joint, and the similarity of vectors."""


def group(candidate: Candidate) -> int:
    """The number of the regression, of three, that weighs a candidate."""
    if candidate.kind is None:
        return 2
    return 0 if candidate.kind is AliasKind.TITLE else 1


def probabilities(stage: Stage, candidates: Sequence[Candidate], evidence: DoubleArray) -> DoubleArray:
    """The probability of each candidate, shape (n,), from its evidence, shape (n, e)."""
    weights = _weights()[stage][[group(each) for each in candidates]]
    odds = np.einsum("ij,ij->i", weights, evidence)
    return np.asarray(1.0 / (1.0 + np.exp(-odds)), np.float64)


@lru_cache(maxsize=1)
def _weights() -> dict[Stage, DoubleArray]:
    """For each stage the weights, shape (3, e)."""
    text = resources.files("sage_ld.build.annotators").joinpath(FILE).read_text(encoding="utf-8")
    return {Stage(name): np.array(rows, np.float64) for name, rows in json.loads(text)["weights"].items()}


_HOPELESS = 0.004  # first probability below which a candidate is dropped before it is weighed against others


class CellCandidates(NamedTuple):
    """The candidates of a chunk's cells with their own evidence; parallel to the readings."""

    readings: list[CellWords]
    found: list[list[Candidate]]
    own: list[DoubleArray]


class WeighedCandidates(NamedTuple):
    """The candidates worth weighing, with all evidence except the similarity; parallel to the readings."""

    readings: list[CellWords]
    found: list[list[Candidate]]
    evidence: list[DoubleArray]


def cell_links(
    index: TargetIndex, chunk: Chunk, vector: FloatArray | None, vectors: TargetVectors | None
) -> list[PossibleLink]:
    """The candidates of a chunk's cells, each with its probability.

    `vector` is the chunk's, of shape (d,), `vectors` the targets', of shape (m, d).
    """
    gathered = gather(index, chunk)
    if not any(gathered.found):
        return []
    first = [probabilities(Stage.OWN, *each) for each in zip(gathered.found, gathered.own, strict=True)]
    weighed = join(index, gathered, first)
    stage = Stage.JOINT if vector is None or vectors is None else Stage.SIMILARITY
    out: list[PossibleLink] = []
    for reading, targets, evidence in zip(*weighed, strict=True):
        if vector is not None and vectors is not None:
            similar = vectors[np.array([each.target for each in targets], np.int64)] @ vector
            evidence = np.hstack([evidence, similar[:, None]])
        for candidate, probability in zip(
            targets, probabilities(stage, targets, evidence).tolist(), strict=True
        ):
            out.append(_found(reading, candidate, probability))
    return out


def gather(index: TargetIndex, chunk: Chunk) -> CellCandidates:
    """The candidates of each cell, and what cell and candidate say by themselves."""
    heading = frozenset(forms(chunk.heading))
    cells = cells_of(chunk)
    columns = {column: frozenset(forms(column)) for column in dict.fromkeys(cell.column for cell in cells)}
    readings = [reading for cell in cells if (reading := cell_words(cell)).words]
    around = Surroundings(heading, columns, _row_words(readings))
    shared = context(index, heading.union(*columns.values()))
    known: dict[str, list[Candidate]] = {}
    out = CellCandidates(readings, [], [])
    for reading in readings:
        text = reading.cell.text
        if text not in known:
            every = candidates(index, reading.forms, reading.bounds, shared)
            known[text] = [each for each in every if index.targets[each.target].identifier != chunk.document]
        out.found.append(known[text])
        out.own.append(_matrix(own_evidence(index, around, reading, known[text]), len(OWN)))
    return out


def join(index: TargetIndex, gathered: CellCandidates, first: Sequence[DoubleArray]) -> WeighedCandidates:
    """Drops the hopeless candidates and adds what those that stay say of each other."""
    kept = [np.flatnonzero(each >= _HOPELESS) for each in first]
    by_cell = [[each[at] for at in places] for each, places in zip(gathered.found, kept, strict=True)]
    left = [each[places] for each, places in zip(first, kept, strict=True)]
    joint = joint_evidence(index, gathered.readings, by_cell, left)
    evidence = [
        np.hstack([own[places], _matrix(rows, len(JOINT))])
        for own, places, rows in zip(gathered.own, kept, joint, strict=True)
    ]
    return WeighedCandidates(gathered.readings, by_cell, evidence)


def _matrix(rows: Sequence[Sequence[float]], width: int) -> DoubleArray:
    return np.array(rows, np.float64).reshape(len(rows), width)


def _row_words(readings: Sequence[CellWords]) -> dict[int | None, Set[str]]:
    out: defaultdict[int | None, set[str]] = defaultdict(set)
    for reading in readings:
        out[reading.cell.row].update(reading.forms)
    return dict(out)


def _found(reading: CellWords, candidate: Candidate, probability: float) -> PossibleLink:
    cell = reading.cell
    begin = cell.begin + reading.words[candidate.begin].begin
    end = cell.begin + reading.words[candidate.end - 1].end
    return PossibleLink(candidate.target, begin, end, probability, cell.row, cell.column)
