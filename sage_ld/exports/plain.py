"""The plain form of answers: flat JSON for programs that have no use for linked data.

`sage-ld search --format json` prints the results of an answer in it, and `/v1/retrieve` sends it to clients
that take `application/json`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from sage_ld.model import Answer, PathStep, Result

_DECIMALS: Final = 6
_STEP_KEYS: Final = {"edges": "edge", "via": "entity"}


def plain_answer(answer: Answer) -> dict[str, object]:
    """An answer as plain JSON: the question, the revision, and the results by rank.

    >>> plain_answer(Answer("Who?", "sage", "default", 5, 5, ("link",), 3, ()))
    {'question': 'Who?', 'revision': 3, 'results': []}
    """
    return {
        "question": answer.question,
        "revision": answer.revision,
        **({"retrieval": answer.identifier} if answer.identifier else {}),
        "results": plain_results(answer.results),
    }


def plain_answers(answers: Sequence[Answer]) -> dict[str, object]:
    """Several answers, in the order of their questions."""
    return {"answers": [plain_answer(each) for each in answers]}


def plain_results(results: Sequence[Result]) -> list[dict[str, object]]:
    """The results, each an object without further nodes but the steps of its path."""
    return [_result(each) for each in results]


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
    view = result.view
    return {
        "rank": result.rank,
        "score": round(result.score, _DECIMALS),
        "role": str(result.role),
        "document": view.identifier,
        "chunk": view.iri,
        "kind": str(view.kind),
        "name": view.name,
        "title": view.title,
        "url": view.url,
        "place": view.place,
        "text": view.text,
        "parts": result.parts,
        "path": [plain_step(step) for step in result.path],
        **_window(result),
    }


def _window(result: Result) -> dict[str, object]:
    """The chunks before and after a result, where a window has some."""
    sides = {"before": result.before, "after": result.after}
    return {
        name: [{"chunk": view.iri, "name": view.name, "text": view.text} for view in views]
        for name, views in sides.items()
        if views
    }
