"""The ranking of a question: by its mode or the recipe's ranking, part by part, without near-duplicates."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from sage_ld.foundation.question import Mode
from sage_ld.retrieval.chunks.duplicates import distinct_ranked
from sage_ld.retrieval.inquiry import Inquiry
from sage_ld.retrieval.questions import decomposition
from sage_ld.retrieval.rankings.ranked import Ranked, flat
from sage_ld.retrieval.rankings.table import ranking_method


def ranked(inquiry: Inquiry) -> list[Ranked]:
    """The ranking that an answer shows, without what is read of the chunks."""
    asked, given = inquiry.asked, inquiry.parameters
    if inquiry.allowed is not None and not inquiry.allowed.any():
        return []
    inquiry.check()
    first = partial(_decomposed if given.decompose else _whole, inquiry)
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
        return ranking_method(inquiry.parameters.ranking).rank(inquiry, asked.k, most - asked.k)
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
