"""The JSON-LD of answers: a `schema:ItemList` of results, each with its chunk and its path.

Written by hand with one static context, without a JSON-LD library. What it says about chunks, documents,
entities and edges is what the graph says, no more; the list, its results and their steps are its own nodes.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields
from functools import cache
from typing import Any, Final

import pyoxigraph as ox

from sage_ld.foundation import vocabulary as v
from sage_ld.foundation.channels import CHANNELS
from sage_ld.foundation.model import ChunkKind, ChunkView, PathStep, Result
from sage_ld.foundation.parameters import Parameter, parameters
from sage_ld.foundation.question import Answer, Filter, Question
from sage_ld.foundation.recipes import Ranking, Retrieval, named_model
from sage_ld.graph.exports import jsonld_context
from sage_ld.retrieval.rankings.table import RANKINGS

_CHUNK_TYPES: Final = {
    ChunkKind.TEXT: "TextChunk",
    ChunkKind.TABLE: "TableChunk",
    ChunkKind.RECORD: "RecordChunk",
}
_PARTS: Final = {
    "bm25": "bm25Score",
    "dense": "denseScore",
    "hybrid": "hybridScore",
    "coverage": "coverageScore",
    "likeness": "likenessScore",
    "pair_coverage": "pairCoverageScore",
    "pair_dense": "pairDenseScore",
    "vector": "vectorScore",
    "graph": "graphScore",
    "connectivity": "connectivityScore",
    "centrality": "centralityScore",
    "relationship": "relationshipScore",
    "section": "sectionScore",
    "summary": "summaryScore",
    "rerank": "rerankScore",
}
_LEARNED: Final = frozenset(each for each, method in RANKINGS.items() if method.learned)
_MODEL: Final = "rankingModel"
_TOLD_OF: Final = {
    record: {name: each for name, each in parameters(record).items() if each.told}
    for record in (Question, Retrieval, Filter)
}
"""The fields of each record by which an answer says how it was asked."""
_TOLD: Final = tuple(each for told in _TOLD_OF.values() for each in told.values())
_OPTIONAL_TERMS: Final = frozenset(
    {
        *("vectorScore", "connectivityScore", "centralityScore", "relationshipScore"),
        *("contextBefore", "contextAfter", "abstract", "sectionScore", "summaryScore"),
        "rerankScore",
        *(each.term for each in _TOLD if not each.always),
    }
)
"""Terms that only answers with certain rankings and options use: the context of others is without them."""
_TERMS: Final = frozenset(
    {
        *("ItemList", "itemListElement", "numberOfItems", "item", "wasGeneratedBy"),
        *("Retrieval", "recipe", "revision", _MODEL, *(each.term for each in _TOLD)),
        *("Result", "rank", "role", "score", "path", *_PARTS.values()),
        *_OPTIONAL_TERMS,
        *("PathStep", "seed", "reaches", "relation", "evidence", "edge", "via", "propertyPath", "readFrom"),
        *("source", "target", "weight", "confidence", "row"),
        *(iri.removeprefix(v.SAGE) for channel in CHANNELS.values() for iri in channel.edge_classes),
        *("Chunk", *_CHUNK_TYPES.values(), "name", "text", "place", "isPartOf", "mentions", "prefLabel"),
        *("Document", "identifier", "url", "Section"),
    }
)


def answer_jsonld(answer: Answer, iri: str | None = None) -> dict[str, object]:
    """The JSON-LD document of an answer; with `iri`, the list has that name.

    >>> answer = Answer(Question.of("Who?", channels=["link"]), "default", 3, ())
    >>> answer_jsonld(answer)["wasGeneratedBy"]["query"]
    'Who?'
    """
    retrieval = retrieval_node(answer)
    document: dict[str, object] = {"@context": answer_context(retrieval)}
    if iri is not None:
        document["id"] = iri
    document["type"] = ["ItemList"]
    document["numberOfItems"] = len(answer.results)
    document["wasGeneratedBy"] = retrieval
    document["itemListElement"] = [result_node(each) for each in answer.results]
    return document


def answers_jsonld(answers: Sequence[Answer]) -> dict[str, object]:
    """The JSON-LD document of several answers, in the order of their questions, below `@graph`."""
    documents = [answer_jsonld(each) for each in answers]
    return {
        "@context": answer_context(*map(retrieval_node, answers)),
        "@graph": [
            {name: value for name, value in document.items() if name != "@context"} for document in documents
        ],
    }


def answer_summary(answer: Answer) -> dict[str, object]:
    """The ranking, of chunks that events before it have shown."""
    retrieval = retrieval_node(answer)
    return {
        "@context": answer_context(retrieval),
        "type": ["ItemList"],
        "numberOfItems": len(answer.results),
        "wasGeneratedBy": retrieval,
        "itemListElement": [
            {
                "type": ["Result"],
                "rank": result.rank,
                "role": str(result.role),
                "score": result.score,
                "item": {"id": result.view.iri},
            }
            for result in answer.results
        ],
    }


def answer_context(*nodes: Mapping[str, object]) -> dict[str, object]:
    """The context that every answer carries: the terms that answers use, with absolute IRIs.

    The terms of options are in it where one of the `nodes` has one of them; a retrieval's node has one
    wherever its results do.
    """
    return dict(_context(any(not _OPTIONAL_TERMS.isdisjoint(node) for node in nodes)))


@cache
def _context(with_options: bool) -> dict[str, object]:
    return jsonld_context.inline(_TERMS if with_options else _TERMS - _OPTIONAL_TERMS)


def retrieval_node(answer: Answer) -> dict[str, object]:
    """The node of the retrieval: the question and all parameters, enough to repeat it."""
    return {
        **({"id": answer.identifier} if answer.identifier else {}),
        "type": ["Retrieval"],
        "recipe": answer.recipe,
        **_said(answer.asked),
        **_parameters(answer),
        **_said(answer.filter),
        "revision": answer.revision,
    }


def _parameters(answer: Answer) -> dict[str, object]:
    given = answer.parameters
    used = _used(given)
    said: dict[str, object] = {
        each.term: _told(given[name])
        for name, each in _TOLD_OF[Retrieval].items()
        if name in given and _is_told(each, given, used)
    }
    if not _LEARNED.isdisjoint(used) and "model" in given:
        said[_MODEL] = named_model(str(given["model"]))
    return said


def _used(given: Mapping[str, object]) -> list[Ranking]:
    """The ranking that was used; of an ensemble, it and its members."""
    if (name := given.get("ranking")) is None:
        return []
    ranking = Ranking(str(name))
    members = given["members"] if ranking is Ranking.ENSEMBLE else {}
    return [ranking, *map(Ranking, members if isinstance(members, Mapping) else ())]


def _told(value: object) -> object:
    """A parameter as one literal: a table of weights in one text."""
    if isinstance(value, Mapping):
        return ", ".join(f"{name}={weight:g}" for name, weight in value.items())
    return value


def _is_told(each: Parameter, given: Mapping[str, object], used: Sequence[Ranking]) -> bool:
    """Whether a parameter was in use, with the rankings that were `used`."""
    is_on = not each.switch or bool(given.get(each.switch))
    if each.always or not each.rankings:
        return is_on
    if not set(each.rankings).isdisjoint(used):
        return is_on or each.switch != each.name
    return is_on and each.switch not in ("", each.name)


def _said(given: Question | Filter) -> dict[str, object]:
    """The fields of a record by their terms: those that are always said, and those that are given."""
    usual = {each.name: each.default for each in fields(given)}
    return {
        each.term: list(value) if isinstance(value, tuple) else value
        for name, each in _TOLD_OF[type(given)].items()
        if (value := getattr(given, name)) != usual[name] or each.always
    }


def triples(document: Mapping[str, object]) -> Iterator[ox.Triple]:
    """An answer's document in RDF; its own nodes are numbered in their order: equal answers are equal."""
    names: dict[ox.BlankNode, ox.BlankNode] = {}

    def named(term: Any) -> Any:
        if isinstance(term, ox.BlankNode):
            return names.setdefault(term, ox.BlankNode(f"n{len(names):05d}"))
        return term

    for quad in ox.parse(json.dumps(document).encode(), ox.RdfFormat.JSON_LD):
        yield ox.Triple(named(quad.subject), quad.predicate, named(quad.object))


def turtle(document: Mapping[str, object]) -> str:
    """An answer's document in Turtle, a subject's triples together, prefixes in order."""
    ordered = sorted({ox.Quad(*triple) for triple in triples(document)}, key=str)
    text = ox.serialize((quad.triple for quad in ordered), format=ox.RdfFormat.TURTLE, prefixes=v.PREFIXES)
    lines = (text or b"").decode().splitlines(keepends=True)
    return "".join(sorted(lines[: len(v.PREFIXES)]) + lines[len(v.PREFIXES) :])


def result_node(result: Result) -> dict[str, object]:
    """One result, with its chunk and the steps that led to it."""
    return {
        "type": ["Result"],
        "rank": result.rank,
        "role": str(result.role),
        "score": result.score,
        **{_PARTS[name]: result.parts[name] for name in _PARTS if name in result.parts},
        "path": [_step(step) for step in result.path],
        "item": chunk_node(result.view),
        **_around(result),
    }


def _around(result: Result) -> dict[str, object]:
    """The chunks before and after a result, where a window has some."""
    sides = {"contextBefore": result.before, "contextAfter": result.after}
    return {name: [chunk_node(view) for view in views] for name, views in sides.items() if views}


def _step(step: PathStep) -> dict[str, object]:
    node: dict[str, object] = {
        "type": ["PathStep"],
        "channel": [step.channel],
        "relation": step.kind,
        "evidence": step.weight,
        "seed": step.seed,
        "reaches": step.chunk,
    }
    if step.edges:
        node["edge"] = _one_or_all([_edge(step, place) for place in range(len(step.edges))])
    if step.via:
        node["via"] = _one_or_all(step.via)
    if step.properties:
        node["propertyPath"] = "/".join(map(_path_element, step.properties))
    if step.index:
        node["readFrom"] = step.index
    return node


def _edge(step: PathStep, place: int) -> dict[str, object]:
    """One of the step's edges as the graph has it."""
    describe = CHANNELS[step.channel].edge
    return {"id": step.edges[place]} | (describe(step, place) if describe else {})


def _one_or_all(values: Sequence[object]) -> object:
    return values[0] if len(values) == 1 else list(values)


def _path_element(element: str) -> str:
    """A property, which may be followed backward, as a SPARQL property path writes it."""
    inverse = element.startswith("^")
    return f"{'^' * inverse}<{element[inverse:]}>"


def chunk_node(view: ChunkView) -> dict[str, object]:
    """A chunk with its document, section and entities."""
    node: dict[str, object] = {
        "id": view.iri,
        "type": ["Chunk", _CHUNK_TYPES[view.kind]],
        "name": view.name,
        "text": view.text,
        "isPartOf": _wholes(view),
        "mentions": [{"id": entity, "prefLabel": label} for entity, label in view.mentions],
    }
    return node if view.place is None else node | {"place": view.place}


def _wholes(view: ChunkView) -> list[dict[str, object]]:
    document: dict[str, object] = {
        "id": view.document,
        "type": ["Document"],
        "identifier": view.identifier,
    }
    if view.title != view.identifier:  # the view's title of a document without a name is its identifier
        document["name"] = view.title
    if view.url is not None:
        document["url"] = view.url
    if view.document_abstract is not None:
        document["abstract"] = view.document_abstract
    if view.section is None:
        return [document]
    section: dict[str, object] = {"id": view.section, "type": ["Section"]}
    if view.section_name is not None:
        section["name"] = view.section_name
    if view.section_abstract is not None:
        section["abstract"] = view.section_abstract
    return [document, section]
