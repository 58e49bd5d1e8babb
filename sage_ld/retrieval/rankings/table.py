"""The table of rankings: how seeds and neighbours become one list, one module each.

`docs/architecture.md` says how to add one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Final

from sage_ld.foundation.errors import InputError, UnavailableError
from sage_ld.foundation.lazy_imports import optional_module
from sage_ld.foundation.question import Mode
from sage_ld.foundation.recipes import Ranking, Retrieval
from sage_ld.foundation.settings import Settings
from sage_ld.retrieval.chunks.chunk_table import chunk_views
from sage_ld.retrieval.chunks.duplicates import distinct_ranked
from sage_ld.retrieval.questions import decomposition
from sage_ld.retrieval.rankings import fixed_share, learned
from sage_ld.retrieval.rankings.features import DECIMALS
from sage_ld.retrieval.rankings.method import Inquiry, Ranked, RankingMethod, flat, flat_bm25
from sage_ld.retrieval.rankings.reranker import Reranker

_OWN: Final[Mapping[Ranking, RankingMethod]] = {
    Ranking.LEARNED: RankingMethod(learned.order, learned.reach, learned=True),
    Ranking.SHARED: RankingMethod(fixed_share.order, fixed_share.reach, fixed_shares=True),
}


def _rankings() -> Mapping[Ranking, RankingMethod]:
    lab = optional_module("sage_ld.lab.rankings.table")
    return _OWN if lab is None else {**_OWN, **lab.rankings(_OWN)}


RANKINGS: Final = _rankings()
"""Ranking -> how it ranks: the default and the paper's, and those of the laboratory where it is installed."""


def ranking_method(ranking: Ranking) -> RankingMethod:
    """The method of a ranking. Raises UnavailableError for one of the laboratory where that was left out."""
    if ranking not in RANKINGS:
        raise UnavailableError(
            f"ranking {ranking} is part of sage_ld.lab, which this installation lacks; install it, or choose "
            f"from {', '.join(RANKINGS)}"
        )
    return RANKINGS[ranking]


def client_rankings(settings: Settings) -> list[Ranking]:
    """The rankings that the setting `client_rankings` names, in the table's order.

    Raises InputError for a name of none, and for `ensemble` without those that it fuses by default.

    >>> [str(each) for each in client_rankings(Settings(client_rankings="shared, learned"))]
    ['learned', 'shared']
    """
    names = [name for each in settings.client_rankings.split(",") if (name := each.strip())]
    for name in names:
        if name not in RANKINGS:
            known = ", ".join(RANKINGS)
            raise InputError(f"setting client_rankings: {name[:40]!r} is not a ranking; choose from {known}")
    fused = [name for name in Retrieval().members if name not in names]
    if Ranking.ENSEMBLE in names and fused:
        raise InputError(
            f"setting client_rankings: ensemble fuses {', '.join(fused)} too unless a request names its "
            "members; name these as well"
        )
    return [ranking for ranking in RANKINGS if ranking in names]


def ranked(inquiry: Inquiry) -> list[Ranked]:
    """The ranking that an answer shows, without what is read of the chunks."""
    asked, given = inquiry.asked, inquiry.parameters
    if inquiry.allowed is not None and not inquiry.allowed.any():
        return []
    inquiry.check()
    first: Callable[[int], list[Ranked]] = partial(_decomposed if given.decompose else _whole, inquiry)
    if inquiry.reranker is not None:
        first = partial(_reranked, first, inquiry, inquiry.reranker)
    if given.deduplicate and inquiry.snapshot.vectors.iris:
        similarity, threshold = inquiry.similarity, given.duplicate_threshold
        return distinct_ranked(first, inquiry.snapshot, similarity, threshold, asked.end, inquiry.check)[
            asked.offset :
        ]
    return first(asked.end)[asked.offset :]


def _whole(inquiry: Inquiry, most: int) -> list[Ranked]:
    """The first `most` chunks for a question as it is."""
    asked, iris = inquiry.asked, inquiry.snapshot.vectors.iris
    if asked.expands and iris:
        return ranking_method(inquiry.parameters.ranking).rank(inquiry, asked.seeds, most - asked.seeds)
    if asked.mode is Mode.BM25:
        return flat_bm25(inquiry, most)
    scores = inquiry.scores()
    ranked_by = scores.hybrid if asked.mode is Mode.SAGE else getattr(scores, str(asked.mode))
    return flat(scores, ranked_by, iris, most)


def _decomposed(inquiry: Inquiry, most: int) -> list[Ranked]:
    """The first `most` of a question's parts, fused; those of the whole, where it has no parts."""
    parts = decomposition.parts(inquiry.text, inquiry.language)
    if len(parts) == 1:
        return _whole(inquiry, most)
    asked = [replace(inquiry, asked=replace(inquiry.asked, text=part)) for part in parts]
    rankings = [_whole(each, max(most, decomposition.DEPTH)) for each in asked]
    return decomposition.fused(rankings, inquiry.parameters.rrf_constant)[:most]


def _reranked(
    first: Callable[[int], list[Ranked]], inquiry: Inquiry, reranker: Reranker, most: int
) -> list[Ranked]:
    """The first `most` of a ranking, its first candidates in the order of a reranker; the rest stays behind.

    Equal scores stay in the order of the ranking.
    """
    found = first(max(most, reranker.candidates))
    asked, rest = found[: reranker.candidates], found[reranker.candidates :]
    views = chunk_views(inquiry.snapshot.store, [each.iri for each in asked], inquiry.check)
    asked = [each for each in asked if each.iri in views]
    if not asked:
        return found[:most]
    inquiry.check()
    texts = [f"{views[each.iri].name}. {views[each.iri].text}" for each in asked]
    scores = reranker.scores(inquiry.text, texts)
    inquiry.check()
    ordered = sorted(
        (_scored(each, score) for each, score in zip(asked, scores, strict=True)),
        key=lambda each: -each.score,
    )
    behind = [replace(each, score=ordered[-1].score + each.score - rest[0].score) for each in rest]
    return [*ordered, *behind][:most]


def _scored(candidate: Ranked, score: float) -> Ranked:
    parts = {**candidate.parts, "rerank": round(score, DECIMALS)}
    return replace(candidate, score=score, parts=parts)
