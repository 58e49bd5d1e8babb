"""The plain form of answers: flat JSON for programs that have no use for linked data.

`sage-ld search --format json` prints the results of an answer in it, and the service sends it to clients that
take `application/json`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Final

from sage_ld.foundation.model import ChunkView, PathStep, Result
from sage_ld.foundation.question import Answer
from sage_ld.retrieval.answers.explanation import ChunkExplanation
from sage_ld.retrieval.answers.highlights import Highlights
from sage_ld.retrieval.answers.outline import OutlineNode
from sage_ld.retrieval.answers.reasons import reason
from sage_ld.retrieval.questions.question_analysis import QuestionAnalysis

_DECIMALS: Final = 6
_STEP_KEYS: Final = {"edges": "edge", "via": "entity"}


def plain_answer(answer: Answer, found: Mapping[str, Highlights] | None = None) -> dict[str, object]:
    """An answer as plain JSON: the question, the revision, whether it matched, and the results.

    With highlights, by the IRI of each chunk, the results say which of their words match.

    >>> from sage_ld.foundation.question import Question
    >>> plain_answer(Answer(Question("Who?", channels=["link"]), "default", 3, ()))
    {'question': 'Who?', 'revision': 3, 'matched': False, 'results': []}
    """
    return {
        "question": answer.question,
        "revision": answer.revision,
        **({"retrieval": answer.identifier} if answer.identifier else {}),
        "matched": answer.matched,
        "results": plain_results(answer.results, found),
    }


def plain_answers(answers: Iterable[dict[str, object]]) -> dict[str, object]:
    """Several plain answers, in the order of their questions."""
    return {"answers": list(answers)}


def plain_results(
    results: Sequence[Result], found: Mapping[str, Highlights] | None = None
) -> list[dict[str, object]]:
    """The results, each an object without further nodes but the steps of its path, and what matches."""
    plain = [_result(each) for each in results]
    if found is not None:
        for each, result in zip(plain, results, strict=True):
            each["matches"] = plain_matches(found[result.view.iri])
    return plain


def plain_chunk(view: ChunkView) -> dict[str, object]:
    """A chunk as results show it, and the entities that it mentions."""
    return _chunk(view) | {"entities": [{"id": iri, "label": label} for iri, label in view.mentions]}


def plain_matches(found: Highlights) -> dict[str, list[dict[str, object]]]:
    """The words that match in each part: offsets in code points, the end exclusive, and the term."""
    parts = {"question": found.question, "name": found.name, "text": found.text}
    return {part: [span._asdict() for span in spans] for part, spans in parts.items()}


def plain_explanation(explained: ChunkExplanation) -> dict[str, object]:
    """The reasons why a chunk is, or is not, in an answer, as plain JSON."""
    standing, asked, view = explained.standing, explained.asked, explained.view
    return {
        "question": asked.text,
        "revision": explained.revision,
        "mode": str(asked.mode),
        "ranking": explained.ranking,
        "k": asked.k,
        "neighbours": asked.neighbours,
        "offset": asked.offset,
        "chunk": view.iri,
        "document": view.identifier,
        "name": view.name,
        "text": view.text,
        "verdict": str(standing.verdict),
        "reason": reason(explained),
        "rank": standing.rank,
        "ranked": standing.ranked,
        "score": _rounded(standing.score),
        "scoreMissing": _rounded(standing.score_missing),
        "role": None if standing.role is None else str(standing.role),
        "parts": standing.parts or {},
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


def plain_outline(nodes: Sequence[OutlineNode], revision: int) -> dict[str, object]:
    """The sections of a document with their scores, as plain JSON."""
    return {"revision": revision, "sections": [_with_rounded(asdict(each)) for each in nodes]}


def plain_analysis(analysed: QuestionAnalysis) -> dict[str, object]:
    """The difficulty of a question, and the reasons, as plain JSON."""
    return {
        "question": analysed.question,
        "revision": analysed.revision,
        "nodes": [{"id": each.iri, "label": each.label, "chunks": each.chunks} for each in analysed.nodes],
        "features": _with_rounded(analysed.features),
        "points": dict(analysed.points),
        "total": analysed.total,
        "difficulty": str(analysed.difficulty),
    }


def _with_rounded(values: Mapping[str, object]) -> dict[str, object]:
    """The values by name, fractions rounded."""
    return {
        name: round(value, _DECIMALS) if isinstance(value, float) else value for name, value in values.items()
    }


def _rounded(score: float | None) -> float | None:
    return None if score is None else round(score, _DECIMALS)


def plain_step(step: PathStep) -> dict[str, object]:
    """The fields that say something; of edges and nodes the only one, or a list of several."""
    plain: dict[str, object] = {}
    for name in PathStep.__slots__:
        value = getattr(step, name)
        if isinstance(value, tuple):
            value = value[0] if len(value) == 1 else list(value) or None
        if value is not None:
            plain[_STEP_KEYS.get(name, name)] = value
    return plain


def _result(result: Result) -> dict[str, object]:
    return {
        "rank": result.rank,
        "score": round(result.score, _DECIMALS),
        "role": str(result.role),
        **_chunk(result.view),
        "parts": result.parts,
        "path": [plain_step(step) for step in result.path],
        **_window(result),
    }


def _chunk(view: ChunkView) -> dict[str, object]:
    abstracts = {"documentAbstract": view.document_abstract, "sectionAbstract": view.section_abstract}
    return {
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
        **{name: text for name, text in abstracts.items() if text is not None},
    }


def _window(result: Result) -> dict[str, object]:
    """The chunks before and after a result, where a window has some."""
    sides = {"before": result.before, "after": result.after}
    return {
        name: [{"chunk": view.iri, "name": view.name, "text": view.text} for view in views]
        for name, views in sides.items()
        if views
    }
