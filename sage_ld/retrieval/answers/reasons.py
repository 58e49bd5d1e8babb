"""The reason why a chunk is, or is not, in an answer, in one sentence for a person."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from sage_ld.foundation.question import Mode
from sage_ld.retrieval.answers.explanation import ChunkExplanation, Remedy, Verdict


def reason(explained: ChunkExplanation) -> str:
    """The verdict, and the numbers that decide it."""
    return f"{explained.standing.verdict}: {_REASONS[explained.standing.verdict](explained)}"


def remedy_text(remedy: Remedy) -> str:
    """The change that would bring the chunk into the answer.

    >>> remedy_text(Remedy("k", 10, 17, 17))
    'k 17 (now 10): rank 17'
    """
    value, enough = (
        ",".join(map(str, each)) if isinstance(each, list) else each for each in (remedy.value, remedy.enough)
    )
    return f"{remedy.name} {enough} (now {value})" + ("" if remedy.rank is None else f": rank {remedy.rank}")


def _result(explained: ChunkExplanation) -> str:
    standing = explained.standing
    return f"rank {standing.rank} of the {standing.ranked:,} chunks that were ranked"


def _earlier(explained: ChunkExplanation) -> str:
    return f"rank {explained.standing.rank}, and this page begins at rank {explained.asked.offset + 1}"


def _low(explained: ChunkExplanation) -> str:
    standing = explained.standing
    return (
        f"rank {standing.rank} of the {standing.ranked:,} chunks that were ranked, and the answer ends at "
        f"rank {explained.asked.end}; its score is {standing.score:.3f}, and lacks "
        f"{standing.score_missing:.3f}"
    )


def _beyond(explained: ChunkExplanation) -> str:
    return f"it is not among the first {explained.most:,}, the setting max_results"


def _no_candidate(explained: ChunkExplanation) -> str:
    place = next(each.place for each in explained.standing.flat if each.ranking is Mode.HYBRID)
    return (
        f"place {place:,} of the flat ranking is too low by itself, and no edge of the channels that were "
        "followed leads to it from the chunks that the graph was followed from"
    )


def _duplicate(_explained: ChunkExplanation) -> str:
    return "a chunk with nearly the same text is ranked before it, and takes its place"


def _filtered(explained: ChunkExplanation) -> str:
    return "it does not meet " + "; ".join(explained.standing.excluded_by)


_REASONS: Final[Mapping[Verdict, Callable[[ChunkExplanation], str]]] = {
    Verdict.FILTERED: _filtered,
    Verdict.DUPLICATE: _duplicate,
    Verdict.NOT_A_CANDIDATE: _no_candidate,
    Verdict.BEYOND_LIMIT: _beyond,
    Verdict.RANKED_LOW: _low,
    Verdict.EARLIER_PAGE: _earlier,
    Verdict.RESULT: _result,
}
