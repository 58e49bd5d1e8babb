"""Explanation of a chunk's place among the results of a question: `Retriever.explain`.

What would change it is not guessed: each remedy has been tried, and says at which rank the chunk would be.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any, Final

import numpy as np

from sage_ld.foundation.channels import CHANNEL_NAMES, RELATION
from sage_ld.foundation.errors import NotFoundError
from sage_ld.foundation.model import ChunkView, DoubleArray, FloatArray, PathStep, Role
from sage_ld.foundation.question import Mode, Question
from sage_ld.foundation.recipes import Ranking
from sage_ld.graph import Snapshot
from sage_ld.retrieval.answers.highlights import Highlights
from sage_ld.retrieval.channels.relations import followed_relations
from sage_ld.retrieval.rankings.method import Inquiry, Ranked, Reach
from sage_ld.retrieval.rankings.table import ranked, ranking_method
from sage_ld.retrieval.scoring.scores import Scores

FLAT: Final = (Mode.BM25, Mode.DENSE, Mode.HYBRID)
_WIDER: Final = 10
"""How many times its value a limit is tried at."""
_MOST_HOPS: Final = 10
"""The most hops that a recipe allows."""
_FOLLOWING: Final = (Ranking.LEARNED, Ranking.SHARED)
"""The rankings that read the edges of the chunks which they start from, and no others."""
_WIDENED: Final = ("max_links", "link_hub", "entity_hub", "statement_hub")


class Verdict(StrEnum):
    """The fate of a chunk, in the order in which retrieval decides it."""

    FILTERED = "filtered out"
    DUPLICATE = "a near-duplicate"
    NOT_A_CANDIDATE = "not a candidate"
    BEYOND_LIMIT = "beyond the limit"
    RANKED_LOW = "ranked too low"
    EARLIER_PAGE = "on an earlier page"
    RESULT = "a result"


@dataclass(frozen=True, slots=True)
class FlatPlace:
    """The place of a chunk in one flat ranking."""

    ranking: Mode
    score: float
    place: int | None
    """From 1, among the chunks that the filter lets through; None if BM25 finds no word of the question."""


@dataclass(frozen=True, slots=True)
class Remedy:
    """A change by which the chunk would be ranked, tried out."""

    name: str
    """The parameter or setting."""
    value: object
    enough: object
    """A value in its place that is enough, though a nearer one might be, too."""
    rank: int | None
    """The rank of the chunk then; None where that was not tried."""


@dataclass(frozen=True, slots=True)
class Standing:
    """The place of a chunk in the ranking of a question, and the reasons."""

    verdict: Verdict
    flat: tuple[FlatPlace, ...]
    rank: int | None = None
    score: float | None = None
    role: Role | None = None
    parts: dict[str, float] | None = None
    path: tuple[PathStep, ...] = ()
    """The best path from a seed to it; empty where none leads there, or it is a seed."""
    is_start: bool = False
    """Whether the graph was followed from it."""
    is_reached: bool = False
    """Whether the graph led to it from another chunk."""
    ranked: int = 0
    """How many chunks were ranked, the limit max_results at most."""
    score_missing: float | None = None
    """What its score lacks to that of the last result."""
    excluded_by: tuple[str, ...] = ()
    """The conditions of the filter that it does not meet."""
    remedies: tuple[Remedy, ...] = ()


@dataclass(frozen=True, slots=True)
class ChunkExplanation:
    """The reasons why a chunk is, or is not, in the answer to a question."""

    asked: Question
    revision: int
    ranking: str
    most: int
    """The setting max_results: how deep anybody may ask."""
    standing: Standing
    view: ChunkView
    highlights: Highlights


def reach(inquiry: Inquiry, seed_count: int) -> Reach:
    """The chunks from which the graph is followed for a question, and those to which that leads."""
    return ranking_method(inquiry.parameters.ranking).reach(inquiry, seed_count)


def chunk_iri(snapshot: Snapshot, text: str) -> str:
    """The IRI of the chunk that is given by its IRI, or by the part of it after `chunk/`.

    Raises NotFoundError if the revision has none.
    """
    for iri in (text, f"{snapshot.configuration.base_iri}chunk/{text}"):
        if snapshot.vectors.rows([iri])[0] >= 0:
            return iri
    raise NotFoundError(
        f"no chunk {text[:100]!r} in this graph; give the IRI of one, as a search or the page of its "
        "document shows it, or the part of it after chunk/"
    )


def standing(inquiry: Inquiry, most: int, iri: str, excluded_by: Sequence[str]) -> Standing:
    """The place of a chunk in the ranking, among `most` results.

    `excluded_by` are the conditions of the filter that it breaks.
    """
    asked, inquiry = inquiry.asked, replace(inquiry, asked=_deepest(inquiry.asked, most))
    scores = inquiry.scores()
    row = int(inquiry.snapshot.vectors.rows([iri])[0])
    places = tuple(_flat_place(inquiry.snapshot, scores, each, row) for each in FLAT)
    if excluded_by:
        return Standing(Verdict.FILTERED, places, excluded_by=tuple(excluded_by))
    found_by_rank = ranked(inquiry)
    found = _place(found_by_rank, iri)
    known: dict[str, Any] = {"flat": places, "ranked": len(found_by_rank)}
    if asked.expands:
        reached = reach(inquiry, asked.seeds)
        known |= {"is_start": row in reached.seeds, "is_reached": row in reached.reached}
    if found is None and (repeated := _place(ranked(_undeduplicated(inquiry)), iri)) is not None:
        allowed = Remedy("deduplicate", True, False, repeated)
        return Standing(Verdict.DUPLICATE, remedies=(allowed,), **known)
    if found is None:
        missed = Verdict.BEYOND_LIMIT if len(found_by_rank) >= most else Verdict.NOT_A_CANDIDATE
        return Standing(missed, remedies=tuple(_remedies(inquiry, most, iri, places)), **known)
    here = found_by_rank[found - 1]
    known |= {"rank": found, "score": here.score, "role": here.role, "parts": here.parts, "path": here.path}
    if asked.offset < found <= asked.end:
        return Standing(Verdict.RESULT, **known)
    if found <= asked.offset:
        earlier = Remedy("offset", asked.offset, found - 1, found)
        return Standing(Verdict.EARLIER_PAGE, remedies=(earlier,), **known)
    missing = found_by_rank[asked.end - 1].score - here.score
    enough = Remedy("k", asked.end - asked.offset, found - asked.offset, found)
    return Standing(Verdict.RANKED_LOW, score_missing=missing, remedies=(enough,), **known)


def _deepest(asked: Question, most: int) -> Question:
    """The question whose ranking begins with the answer, and is as deep as anybody may ask for it."""
    if not asked.expands:
        return replace(asked, k=most, from_graph=0, offset=0)
    return replace(asked, k=most, from_graph=max(most - asked.seeds, 1), offset=0)


def _undeduplicated(inquiry: Inquiry) -> Inquiry:
    return replace(inquiry, parameters=replace(inquiry.parameters, deduplicate=False))


def _flat_place(snapshot: Snapshot, scores: Scores, mode: Mode, row: int) -> FlatPlace:
    every: FloatArray | DoubleArray = getattr(scores, mode)
    score = every[row]
    if mode is Mode.BM25 and score <= 0:
        return FlatPlace(mode, 0.0, None)
    may = np.ones(len(every), np.bool_) if scores.allowed is None else scores.allowed
    iris = snapshot.vectors.iris
    level = np.flatnonzero(may & (every == score)).tolist()
    before = int(np.count_nonzero(may & (every > score))) + sum(iris[each] < iris[row] for each in level)
    return FlatPlace(mode, float(score), before + 1)


def _place(ranked: Sequence[Ranked], iri: str) -> int | None:
    return next((rank for rank, each in enumerate(ranked, 1) if each.iri == iri), None)


def _remedies(inquiry: Inquiry, most: int, iri: str, places: Sequence[FlatPlace]) -> Iterator[Remedy]:
    """The changes by which a chunk would be ranked that is not."""
    mode = inquiry.asked.mode
    by = Mode.HYBRID if mode is Mode.SAGE else mode
    place = next(each.place for each in places if each.ranking is by)
    if place is None or place > most:
        yield Remedy("max_results", most, place, None)
    elif mode is Mode.SAGE:
        yield Remedy("mode", str(mode), str(Mode.HYBRID), place)
    if not inquiry.asked.expands or inquiry.parameters.ranking not in _FOLLOWING:
        return  # the others read all edges of the graph again for other parameters
    for remedy, changed in _changes(inquiry):
        inquiry.check()
        if (place := _place(ranked(changed), iri)) is not None:
            yield replace(remedy, rank=place)


def _changes(inquiry: Inquiry) -> Iterator[tuple[Remedy, Inquiry]]:
    """Each channel that was not followed, and each limit of the recipe that keeps edges from being so."""
    followed, given = tuple(inquiry.channels), inquiry.parameters
    for name in CHANNEL_NAMES:
        if name not in followed:
            added = (*followed, name)
            relations = followed_relations(inquiry.snapshot) if name == RELATION else inquiry.relations
            changed = replace(inquiry, channels=added, relations=relations)
            yield Remedy("channels", list(followed), list(added), None), changed
    wider = {name: _WIDER * getattr(given, name) for name in _WIDENED}
    further = {"hops": given.hops + 1} if given.hops < _MOST_HOPS else {}
    for name, value in {"tie_pool": given.pool, **wider, **further}.items():
        changed = replace(inquiry, parameters=replace(given, **{name: value}))
        yield Remedy(name, getattr(given, name), value, None), changed
