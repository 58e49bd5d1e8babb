"""Answers of the graph as JSON."""

from __future__ import annotations

from typing import Any, Final

from sage_ld.agents.text_to_sparql.answers import GraphAnswer, RowCell, RowSource
from sage_ld.retrieval.answers.plain import plain_results

_DECIMALS: Final = 3


def graph_answer_json(answer: GraphAnswer) -> dict[str, Any]:
    """An answer as `/v1/query` returns it: each row a list by column, a resource as `{"id": …}`."""
    node: dict[str, Any] = {
        "question": answer.question,
        "revision": answer.revision,
        "way": str(answer.way),
        "sure": answer.is_sure,
        "confidence": round(answer.confidence, _DECIMALS),
        "language": None if answer.language is None else str(answer.language),
        "query": answer.query,
        "columns": list(answer.columns),
        "rows": [[_cell(cell) for cell in row] for row in answer.rows],
        "complete": answer.is_complete,
        "sources": [_source(each) for each in answer.sources],
        "bindings": [each._asdict() for each in answer.bindings],
        "unused": list(answer.unused),
        "missing": [{"words": each.words, "nearest": list(each.nearest)} for each in answer.missing],
        "attempts": [{"query": each.query, "error": each.error} for each in answer.attempts],
    }
    if answer.fallback is not None:
        node["fallback"] = plain_results(answer.fallback.results)
    return node


def _cell(cell: RowCell) -> Any:
    return cell.value if cell.iri is None else {"id": cell.iri}


def _source(each: RowSource) -> dict[str, Any]:
    node: dict[str, Any] = {}
    if each.graph is not None:
        node["graph"] = each.graph
    if each.document is not None:
        node |= {"document": each.document, "identifier": each.identifier}
    if each.chunks:
        node["chunks"] = list(each.chunks)
    return node
