"""Kept retrievals as linked data: one as JSON-LD, many as the N-Quads of their named graph.

A retrieval is a `prov:Activity`; its answer, results and judgements have IRIs below its own, so that nothing
in the graph is a blank node. Kept calls of the language model are in that graph, too.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from functools import cache
from typing import Any, Final

import pyoxigraph as ox

from sage_ld.foundation import vocabulary as v
from sage_ld.graph.exports import jsonld_context
from sage_ld.graph.provenance import Judgement, KeptModelCall, KeptResult, KeptRetrieval
from sage_ld.retrieval.answers.results import answer_context, retrieval_node

_TERMS: Final = frozenset(
    {
        *("startedAtTime", "endedAtTime", "feedback", "dateCreated"),
        *("Review", "Rating", "reviewRating", "ratingValue", "bestRating", "worstRating", "reviewBody"),
    }
)
_INTEGER: Final = f"^^<{v.XSD}integer>"
_DOUBLE: Final = f"^^<{v.XSD}double>"
_MILLISECONDS: Final = "milliseconds"


def document(kept: KeptRetrieval) -> dict[str, object]:
    """The answer that was given, as its list of results, with the retrieval and the judgements."""
    node = activity(kept)
    return {
        "@context": context(node),
        "id": answer_iri(kept),
        "type": ["ItemList"],
        "numberOfItems": len(kept.results),
        "wasGeneratedBy": node,
        "itemListElement": [_result(kept, each) for each in kept.results],
    }


def context(*nodes: Mapping[str, object]) -> dict[str, object]:
    """The JSON-LD context of kept retrievals, with the terms of options that one of the `nodes` has."""
    return answer_context(*nodes) | jsonld_context.inline(_TERMS)


def activity(kept: KeptRetrieval) -> dict[str, object]:
    """The node of the retrieval: its question and parameters, and when it was asked."""
    times = {"startedAtTime": moment(kept.time - kept.seconds), "endedAtTime": moment(kept.time)}
    return retrieval_node(kept.answer()) | times


def answer_iri(kept: KeptRetrieval) -> str:
    """The IRI of the list of results."""
    return f"{kept.iri}/answer"


def judgement_node(retrieval: str, judgement: Judgement) -> dict[str, object]:
    """A judgement of a result of the retrieval with this IRI, as a review."""
    iri = f"{retrieval}/feedback/{judgement.number}"
    return {
        "id": iri,
        "type": ["Review"],
        "reviewRating": {
            "id": f"{iri}/rating",
            "type": ["Rating"],
            "ratingValue": int(judgement.helped),
            "worstRating": 0,
            "bestRating": 1,
        },
        **({"reviewBody": judgement.comment} if judgement.comment else {}),
        "dateCreated": moment(judgement.time),
    }


def moment(seconds: float) -> str:
    """A time in seconds since 1970 as xsd:dateTime, in UTC.

    >>> moment(1795402800.25)
    '2026-11-23T03:00:00.250Z'
    """
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec=_MILLISECONDS).replace("+00:00", "Z")


def plain_retrieval(kept: KeptRetrieval) -> dict[str, object]:
    """A retrieval in flat JSON: its IRI, its question and parameters, and when it was asked."""
    node = {name: value for name, value in activity(kept).items() if name not in ("id", "type", "query")}
    return {"retrieval": kept.iri, "question": kept.answer().question, **node}


def plain_document(kept: KeptRetrieval) -> dict[str, object]:
    """A retrieval with its results and the judgements of them in flat JSON."""
    judgements: dict[int, list[dict[str, object]]] = {}
    for each in kept.judgements:
        judgements.setdefault(each.rank, []).append(plain_judgement(kept.iri, each))
    results = [
        {
            "rank": each.rank,
            "role": each.role,
            "score": each.score,
            "chunk": each.chunk,
            "feedback": judgements.get(each.rank, []),
        }
        for each in kept.results
    ]
    return {**plain_retrieval(kept), "results": results}


def plain_judgement(retrieval: str, judgement: Judgement) -> dict[str, object]:
    """A judgement of a result of the retrieval with this IRI, in flat JSON."""
    return {
        "id": f"{retrieval}/feedback/{judgement.number}",
        "rank": judgement.rank,
        "helped": judgement.helped,
        **({"comment": judgement.comment} if judgement.comment else {}),
        "dateCreated": moment(judgement.time),
    }


def nquads(retrievals: Iterable[KeptRetrieval], graph: str) -> Iterator[str]:
    """The statements of retrievals in N-Quads, a text for each; they say what `document` says.

    Written here, since a parser of JSON-LD takes some milliseconds for each.
    """
    end = f" <{graph}> .\n"
    for kept in retrievals:
        yield "".join(f"{statement}{end}" for statement in _statements(kept))


def model_call_nquads(calls: Iterable[KeptModelCall], graph: str) -> Iterator[str]:
    """The statements of calls of the language model in N-Quads, a text for each."""
    end = f" <{graph}> .\n"
    for call in calls:
        yield "".join(f"{statement}{end}" for statement in _call_statements(call))


def _call_statements(call: KeptModelCall) -> Iterator[str]:
    """Subject, predicate and object of each statement: the activity, what it used and what it generated."""
    iri, prompt, answer = f"<{call.iri}>", f"<{call.iri}/prompt>", f"<{call.iri}/answer>"
    yield f"{iri} <{v.TYPE}> <{v.MODEL_CALL}>"
    yield f"{iri} <{v.TASK}> {_literal(call.task, None)}"
    yield f"{iri} <{v.LANGUAGE_MODEL}> {_literal(call.model, None)}"
    yield f'{iri} <{v.TOKENS}> "{call.tokens}"{_INTEGER}'
    yield f"{iri} <{v.STARTED_AT}> {_literal(moment(call.time - call.seconds), f'{v.XSD}dateTime')}"
    yield f"{iri} <{v.ENDED_AT}> {_literal(moment(call.time), f'{v.XSD}dateTime')}"
    yield f"{iri} <{v.USED}> {prompt}"
    yield f"{prompt} <{v.VALUE}> {_literal(call.prompt, None)}"
    yield f"{answer} <{v.GENERATED_BY}> {iri}"
    yield f"{answer} <{v.VALUE}> {_literal(call.answer, None)}"


def _result(kept: KeptRetrieval, result: KeptResult) -> dict[str, object]:
    judged = [judgement_node(kept.iri, each) for each in kept.judgements if each.rank == result.rank]
    return {
        "id": _result_iri(kept, result.rank),
        "type": ["Result"],
        "rank": result.rank,
        "role": result.role,
        "score": result.score,
        "item": {"id": result.chunk},
        **({"feedback": judged} if judged else {}),
    }


def _result_iri(kept: KeptRetrieval, rank: int) -> str:
    return f"{kept.iri}/{rank}"


def _statements(kept: KeptRetrieval) -> Iterator[str]:
    """Subject, predicate and object of each statement."""
    answer = f"<{answer_iri(kept)}>"
    yield f"{answer} <{v.TYPE}> <{v.SCHEMA_ITEM_LIST}>"
    yield f'{answer} <{v.NUMBER_OF_ITEMS}> "{len(kept.results)}"{_INTEGER}'
    yield f"{answer} <{v.GENERATED_BY}> <{kept.iri}>"
    yield from _node(f"<{kept.iri}>", activity(kept))
    for result in kept.results:
        each = f"<{_result_iri(kept, result.rank)}>"
        yield f"{answer} <{v.ITEM_LIST_ELEMENT}> {each}"
        yield f"{each} <{v.TYPE}> <{v.RESULT}>"
        yield f'{each} <{v.RANK}> "{result.rank}"{_INTEGER}'
        yield f'{each} <{v.ROLE}> "{result.role}"'
        yield f'{each} <{v.SCORE}> "{result.score!r}"{_DOUBLE}'
        yield f"{each} <{v.ITEM}> <{result.chunk}>"
    for judgement in kept.judgements:
        review = judgement_node(kept.iri, judgement)
        yield f"<{_result_iri(kept, judgement.rank)}> <{v.FEEDBACK}> <{review['id']}>"
        yield from _node(f"<{review['id']}>", review)


def _node(subject: str, node: Mapping[str, Any]) -> Iterator[str]:
    """The statements of a node of JSON-LD whose members are all terms of the published context."""
    names = _terms_by_name()
    for name, value in node.items():
        if name == "id":
            continue
        for each in value if isinstance(value, list) else [value]:
            if name == "type":
                yield f"{subject} <{v.TYPE}> <{names[each].iri}>"
            elif isinstance(each, dict):
                yield f"{subject} <{names[name].iri}> <{each['id']}>"
                yield from _node(f"<{each['id']}>", each)
            else:
                yield f"{subject} <{names[name].iri}> {_literal(each, names[name].coercion)}"


def _literal(value: object, datatype: str | None) -> str:
    return str(ox.Literal(str(value), datatype=None if datatype is None else ox.NamedNode(datatype)))


@cache
def _terms_by_name() -> dict[str, jsonld_context.ContextTerm]:
    return {term.name: term for term in jsonld_context.terms().values()}
