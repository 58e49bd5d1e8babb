"""The plain form of answers: flat JSON for programs that have no use for linked data.

`sage-ld search --format json` prints the results of an answer in it, and the service sends it to clients that
take `application/json`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from sage_ld.foundation.model import ChunkView, PathStep, Result
from sage_ld.foundation.question import Answer
from sage_ld.retrieval.answers.explanation import ChunkExplanation
from sage_ld.retrieval.answers.highlights import Highlights, MatchedWord
from sage_ld.retrieval.answers.outline import OutlineNode
from sage_ld.retrieval.answers.reasons import reason
from sage_ld.retrieval.answers.records import (
    ExplanationJson,
    MatchesJson,
    NeighbourTextJson,
    OutlineJson,
    PlainAnswerJson,
    PlainAnswersJson,
    PlainChunkJson,
    PlainPassageJson,
    PlainRankingJson,
    PlainResultJson,
    PlainStepJson,
    PlainSummaryJson,
    QuestionAnalysisJson,
    SpanJson,
)
from sage_ld.retrieval.questions.question_analysis import QuestionAnalysis

_DECIMALS: Final = 6


def plain_answer(answer: Answer, found: Mapping[str, Highlights] | None = None) -> PlainAnswerJson:
    """An answer as plain JSON: the question, the revision, whether it matched, and the results.

    With highlights, by the IRI of each chunk, the results say which of their words match.

    >>> from sage_ld.foundation.question import Question
    >>> plain_answer(Answer(Question("Who?", channels=["link"]), "default", 3, ()))
    {'question': 'Who?', 'revision': 3, 'matched': False, 'results': []}
    """
    return {**_summary(answer), "results": plain_results(answer.results, found)}


def plain_ranking(answer: Answer) -> PlainRankingJson:
    """The ranking of an answer, of chunks that events before it have shown."""
    return {
        **_summary(answer),
        "results": [
            {
                "rank": each.rank,
                "role": str(each.role),
                "score": round(each.score, _DECIMALS),
                "chunk": each.view.iri,
                "parts": dict(each.parts),
            }
            for each in answer.results
        ],
    }


def _summary(answer: Answer) -> PlainSummaryJson:
    summary: PlainSummaryJson = {
        "question": answer.question,
        "revision": answer.revision,
        "matched": answer.matched,
    }
    if answer.identifier:
        summary["retrieval"] = answer.identifier
    return summary


def plain_answers(answers: Iterable[PlainAnswerJson]) -> PlainAnswersJson:
    """Several plain answers, in the order of their questions."""
    return {"answers": list(answers)}


def plain_results(
    results: Sequence[Result], found: Mapping[str, Highlights] | None = None
) -> list[PlainResultJson]:
    """The results, each an object without further nodes but the steps of its path, and what matches."""
    plain = [_result(each) for each in results]
    if found is not None:
        for each, result in zip(plain, results, strict=True):
            each["matches"] = plain_matches(found[result.view.iri])
    return plain


def plain_chunk(view: ChunkView) -> PlainChunkJson:
    """A chunk as results show it, and the entities that it mentions."""
    return {**_passage(view), "entities": [{"id": iri, "label": label} for iri, label in view.mentions]}


def plain_matches(found: Highlights) -> MatchesJson:
    """The words that match in each part: offsets in code points, the end exclusive, and the term."""
    return {"question": _spans(found.question), "name": _spans(found.name), "text": _spans(found.text)}


def _spans(spans: Iterable[MatchedWord]) -> list[SpanJson]:
    return [{"begin": each.begin, "end": each.end, "term": each.term} for each in spans]


def plain_explanation(explained: ChunkExplanation) -> ExplanationJson:
    """The reasons why a chunk is, or is not, in an answer, as plain JSON."""
    standing, asked, view = explained.standing, explained.asked, explained.view
    return {
        "question": asked.text,
        "revision": explained.revision,
        "mode": str(asked.mode),
        "ranking": explained.ranking,
        "k": asked.k,
        "from_graph": asked.from_graph or 0,
        "offset": asked.offset,
        "chunk": view.iri,
        "document": view.identifier,
        "name": view.name,
        "text": view.text,
        "verdict": str(standing.verdict),
        "reason": reason(explained),
        "rank": standing.rank,
        "ranked": standing.ranked,
        "score": _rounded_or_none(standing.score),
        "scoreMissing": _rounded_or_none(standing.score_missing),
        "role": None if standing.role is None else str(standing.role),
        "parts": dict(standing.parts or {}),
        "flat": {
            str(each.ranking): {"place": each.place, "score": _rounded(each.score)} for each in standing.flat
        },
        "isStart": standing.is_start,
        "isReached": standing.is_reached,
        "path": [plain_step(step) for step in standing.path],
        "excludedBy": list(standing.excluded_by),
        "remedies": [
            {"name": each.name, "value": each.value, "enough": each.enough, "rank": each.rank}
            for each in standing.remedies
        ],
        "matches": plain_matches(explained.highlights),
    }


def plain_outline(nodes: Sequence[OutlineNode], revision: int) -> OutlineJson:
    """The sections of a document with their scores, as plain JSON."""
    return {
        "revision": revision,
        "sections": [
            {
                "iri": each.iri,
                "name": each.name,
                "depth": each.depth,
                "chunks": each.chunks,
                "keyword": _rounded(each.keyword),
                "heading": _rounded(each.heading),
                "own": _rounded(each.own),
                "score": _rounded(each.score),
            }
            for each in nodes
        ],
    }


def plain_analysis(analysed: QuestionAnalysis) -> QuestionAnalysisJson:
    """The difficulty of a question, and the reasons, as plain JSON."""
    return {
        "question": analysed.question,
        "revision": analysed.revision,
        "nodes": [{"id": each.iri, "label": each.label, "chunks": each.chunks} for each in analysed.nodes],
        "features": {name: _rounded(value) for name, value in analysed.features.items()},
        "points": dict(analysed.points),
        "total": analysed.total,
        "difficulty": str(analysed.difficulty),
    }


def _rounded(score: float) -> float:
    return round(score, _DECIMALS)


def _rounded_or_none(score: float | None) -> float | None:
    return None if score is None else _rounded(score)


def plain_step(step: PathStep) -> PlainStepJson:
    """The fields that say something; of edges, nodes and properties the only one, or a list of several."""
    plain: PlainStepJson = {
        "seed": step.seed,
        "chunk": step.chunk,
        "channel": step.channel,
        "kind": step.kind,
        "weight": step.weight,
    }
    if step.edges:
        plain["edge"] = _one_or_all(step.edges)
    if step.via:
        plain["entity"] = _one_or_all(step.via)
    if step.row is not None:
        plain["row"] = step.row
    if step.properties:
        plain["properties"] = _one_or_all(step.properties)
    if step.index:
        plain["readFrom"] = step.index
    return plain


def _one_or_all(values: Sequence[str]) -> str | list[str]:
    return values[0] if len(values) == 1 else list(values)


def _result(result: Result) -> PlainResultJson:
    plain: PlainResultJson = {
        "rank": result.rank,
        "score": round(result.score, _DECIMALS),
        "role": str(result.role),
        **_passage(result.view),  # type: ignore[typeddict-item]  # it has no member of a result
        "parts": dict(result.parts),
        "path": [plain_step(step) for step in result.path],
    }
    if result.before:
        plain["before"] = _texts(result.before)
    if result.after:
        plain["after"] = _texts(result.after)
    return plain


def _passage(view: ChunkView) -> PlainPassageJson:
    passage: PlainPassageJson = {
        "document": view.identifier,
        "chunk": view.iri,
        "kind": str(view.kind),
        "name": view.name,
        "title": view.title,
        "url": view.url,
        "place": view.place,
        "begin": view.begin,
        "end": view.end,
        "text": view.text,
    }
    if view.document_abstract is not None:
        passage["documentAbstract"] = view.document_abstract
    if view.section_abstract is not None:
        passage["sectionAbstract"] = view.section_abstract
    return passage


def _texts(views: Iterable[ChunkView]) -> list[NeighbourTextJson]:
    return [{"chunk": view.iri, "name": view.name, "text": view.text} for view in views]
