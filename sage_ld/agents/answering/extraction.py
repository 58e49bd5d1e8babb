"""Extraction: the passages of retrieved chunks that answer a question best, as they stand in the documents.

`scorer` scores the passages. `docs/answers.md` says how the thresholds were found.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain, zip_longest
from typing import Final, NamedTuple

import numpy as np

from sage_ld.agents.answering.answer import Citation, CitedAnswer, CitedSentence
from sage_ld.agents.answering.passages import Passage
from sage_ld.agents.answering.question_parts import NOUNS, clauses
from sage_ld.agents.answering.scorer import Scorer, scorer_of
from sage_ld.build.languages.identifiers import find_codes, keyed_identifiers
from sage_ld.foundation.deadline import Check, unchecked
from sage_ld.foundation.question import Answer, Mode
from sage_ld.graph import Snapshot
from sage_ld.retrieval import Retriever

LEAST_COVERAGE: Final = 0.40
"""Share of the question's telling words, by their weights, that one chunk has to carry."""
LEAST_EVIDENCE: Final = 0.47
"""Likewise of the mean of this share and the highest cosine, where the encoder is one of `_MEASURED`."""
_MEASURED: Final = ("minilm",)
"""Encoders of whose cosines the threshold was measured."""
ALIKE: Final = 0.8
"""Share of common terms, of all terms of two passages, from which the second one is left out."""


class _RankedPassages(NamedTuple):
    """The passages that were looked at, whether they carry what is asked for, and what scored them."""

    passages: list[Passage]
    in_graph: bool
    scorer: Scorer
    missing: tuple[str, ...]
    """The codes that the question names and the graph lacks."""


def extracted_answer(
    retriever: Retriever, snapshot: Snapshot, retrieval: Answer, sentences: int, check: Check = unchecked
) -> CitedAnswer:
    """The at most `sentences` passages that answer best, from what was retrieved from a revision.

    Of several questions in one, at most `sentences` are searched, each by itself, and the best passages of
    each take turns. None, where no chunk carries enough of the question's telling words. `check` ends the
    work by raising an error.
    """
    asked = clauses(retrieval.question)
    asked, left = asked[:sentences], asked[sentences:]
    found = [retrieval]
    if asked != [retrieval.question]:
        each_asked = [replace(retrieval.asked, text=each) for each in asked]
        found = [retriever.retrieve(each, at=snapshot, check=check) for each in each_asked]
    most_terms = retriever.graph.settings.max_query_terms
    ranked = [_ranked(snapshot, each, most_terms, check) for each in found]
    answering = [each.passages if each.in_graph else [] for each in ranked]
    in_turn = filter(None, chain.from_iterable(zip_longest(*answering)))
    views = {result.view.iri: result.view for each in found for result in each.results}
    chosen = list(_distinct(in_turn, sentences))
    return CitedAnswer(
        tuple(
            CitedSentence(
                each.text,
                (Citation(views[each.source.iri], each.begin, each.end, each.quote),),
                each.cells,
            )
            for each in chosen
        ),
        retrieval,
        note="; ".join([*_notes(asked, ranked, chosen), *(f"ask by itself: {each}?" for each in left)]),
    )


def _notes(
    asked: Sequence[str], ranked: Sequence[_RankedPassages], chosen: Sequence[Passage]
) -> Iterator[str]:
    """The lacks of the chosen passages: what each of the questions asks for and none of them has."""
    for question, each in zip(asked, ranked, strict=True):
        if each.missing:
            yield f"not in the graph: {', '.join(each.missing)}"
        if chosen and not each.in_graph:
            yield f"the graph does not say: {question}?"
        elif missing := _missing(each.scorer, chosen):
            yield missing


def _missing(scorer: Scorer, chosen: Sequence[Passage]) -> str:
    """The kind of answer that is asked for and that no chosen passage has; empty where one has it."""
    kind = scorer.kind
    if not chosen or kind not in NOUNS or any(map(scorer.has_kind, chosen)):
        return ""
    return f"none of these sentences has {NOUNS[kind]}, which the question asks for"


def _ranked(snapshot: Snapshot, retrieval: Answer, most_terms: int, check: Check) -> _RankedPassages:
    """All passages, that which answers best first."""
    scorer, cut = scorer_of(snapshot, retrieval, most_terms)
    scored: list[tuple[float, Passage]] = []
    for of_chunk in cut:
        check()
        answering = (each for each in of_chunk if not each.is_head or scorer.has_kind(each))
        scored += [(scorer.score(each), each) for each in answering]
    ordered = sorted(
        _of_others_behind(scored, scorer), key=lambda each: (-each[0], each[1].rank, each[1].number)
    )
    is_named = any(each.named for each in scorer.found)
    is_named = is_named or sum(scorer.is_item(each) for _, each in scored) == 1
    missing = _missing_identifiers(snapshot, retrieval.question)
    in_graph = is_named or _answers(snapshot, retrieval, [each.coverage for each in scorer.found])
    in_graph = in_graph and not (missing and not scorer.identifiers)
    return _RankedPassages([each for _, each in ordered], in_graph, scorer, missing)


def _of_others_behind(
    scored: Sequence[tuple[float, Passage]], scorer: Scorer
) -> Iterator[tuple[float, Passage]]:
    """Passages with their scores, those with another identifier than is asked for below all that have it."""
    identified = [scorer.is_identified(each) for _, each in scored]
    own = (score for (score, _), is_own in zip(scored, identified, strict=True) if is_own)
    most = np.nextafter(min(own, default=np.inf), -np.inf)
    for (score, each), is_own in zip(scored, identified, strict=True):
        yield (min(score, most) if is_own is False else score), each


def _missing_identifiers(snapshot: Snapshot, question: str) -> tuple[str, ...]:
    """The codes of a question that no chunk has in any spelling."""
    found = (question[begin:end] for begin, end in find_codes(question))
    return tuple(
        each
        for each in dict.fromkeys(found)
        if any(keyed_identifiers(each)) and not snapshot.lexical.matches(each).names
    )


def _answers(snapshot: Snapshot, retrieval: Answer, coverages: Iterable[float]) -> bool:
    """Whether what was found carries enough of the question."""
    coverage = max(coverages, default=0.0)
    cosines = [result.parts[Mode.DENSE] for result in retrieval.results if Mode.DENSE in result.parts]
    if cosines and snapshot.configuration.encoder.partition(":")[0] in _MEASURED:
        return (coverage + max(cosines)) / 2 >= LEAST_EVIDENCE
    return coverage >= LEAST_COVERAGE


def _distinct(ranked: Iterable[Passage], most: int) -> Iterator[Passage]:
    """The first `most` passages of which none says again what one before it says."""
    chosen: list[frozenset[str]] = []
    for passage in ranked:
        if len(chosen) == most:
            return
        words = frozenset(passage.text.casefold().split())
        if all(len(words & other) < ALIKE * len(words | other) for other in chosen):
            chosen.append(words)
            yield passage
