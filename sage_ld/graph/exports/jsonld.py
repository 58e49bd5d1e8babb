"""RDF as a stream of JSON-LD node objects, written by hand from quads.

No library does it in constant memory: all hold the document, and PyLD's `from_rdf` takes quadratic time.

A client chooses one of our frames by name. Frames of clients' own would let them choose the work, too.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from functools import cache
from math import isfinite
from typing import Any, Final, cast

from pyld import jsonld
from pyoxigraph import BlankNode, Literal, NamedNode, Quad, Triple

from sage_ld.foundation import vocabulary as v
from sage_ld.foundation.errors import InputError
from sage_ld.graph.exports import jsonld_context
from sage_ld.graph.exports.jsonld_context import ContextTerm

_LARGEST_INTEGER = 2**53  # beyond it, a JSON number is not the same in every reader


def document(graphs: Iterable[tuple[str | None, Iterable[list[Quad]]]]) -> Iterator[str]:
    """The text of one document, in pieces; of each graph its name and its quads, a list for each subject.

    The default graph's name is None, and it comes first. A subject may come again: a reader merges the two.
    """
    yield f'{{"@context":{_dumps(jsonld_context.inline())},\n"@graph":['
    separator = "\n"
    for name, subjects in graphs:
        if name is not None:
            yield f'{separator}{{"id":{_dumps(name)},"@graph":['
            separator = "\n"
        for quads in subjects:
            yield separator + _dumps(node_object(quads))
            separator = ",\n"
        if name is not None:
            yield "\n]}"
            separator = ",\n"
    yield "\n]}\n"


def node_object(quads: list[Quad]) -> dict[str, object]:
    """The node object of one subject, from all or some of its quads, none with a triple term.

    >>> s, p = NamedNode("http://example.org/edge"), NamedNode(v.WEIGHT)
    >>> node_object([Quad(s, p, Literal("0.5", datatype=NamedNode(v.XSD + "double")))])
    {'id': 'http://example.org/edge', 'weight': 0.5}
    """
    node: dict[str, object] = {"id": _identifier(quads[0].subject)}
    for quad in sorted(quads, key=_order):
        if quad.predicate.value == v.TYPE and not isinstance(quad.object, Literal):
            _append(node, "type", _class(_identifier(quad.object)), always_list=True)
        else:
            term = _terms().get(quad.predicate.value)
            key = term.name if term else quad.predicate.value
            _append(node, key, _value(term, quad.object), always_list=bool(term and term.container))
    return node


def number(literal: str, kind: str) -> int | float | None:
    """The JSON number that a reader turns back into this double or integer; None if there is none.

    >>> number("0.7225", v.XSD + "double"), number("INF", v.XSD + "double"), number("7", v.XSD + "integer")
    (0.7225, None, 7)
    """
    try:
        value = int(literal) if kind == v.XSD + "integer" else float(literal)
    except ValueError:
        return None
    if isinstance(value, int):
        return value if abs(value) < _LARGEST_INTEGER and str(value) == literal else None
    return value if isfinite(value) else None


@cache
def _terms() -> dict[str, ContextTerm]:
    """The terms that say one statement a value; a list's term would say many."""
    return {iri: term for iri, term in jsonld_context.terms().items() if term.container != "@list"}


def _order(quad: Quad) -> tuple[bool, str, str]:
    return quad.predicate.value != v.TYPE, quad.predicate.value, str(quad.object)


def _append(node: dict[str, object], key: str, value: object, *, always_list: bool) -> None:
    before = node.get(key)
    if isinstance(before, list):
        before.append(value)
    elif before is None:
        node[key] = [value] if always_list else value
    else:
        node[key] = [before, value]


def _value(term: ContextTerm | None, value: NamedNode | BlankNode | Literal | Triple) -> object:
    coercion = term.coercion if term else None
    if not isinstance(value, Literal):
        return _identifier(value) if coercion == "@id" else {"id": _identifier(value)}
    if value.language is not None:
        directed = {} if value.direction is None else {"@direction": str(value.direction)}
        return {"@value": value.value, "@language": value.language, **directed}
    kind = value.datatype.value
    if kind == v.XSD + "string":
        return value.value if coercion is None else {"@value": value.value}
    if kind != coercion:
        return {"@value": value.value, "@type": kind}
    if kind in (v.XSD + "double", v.XSD + "integer"):
        parsed = number(value.value, kind)
        return value.value if parsed is None else parsed
    return value.value


def _identifier(term: NamedNode | BlankNode | Literal | Triple) -> str:
    return term.value if isinstance(term, NamedNode) else str(term)


def _class(iri: str) -> str:
    term = jsonld_context.terms().get(iri)
    return term.name if term else iri


def _dumps(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


_PARTS: Final = {"hasPart": {"@reverse": v.IS_PART_OF, "@container": "@set"}}
_MENTIONED: Final = {"mentionedIn": {"@reverse": v.MENTIONS, "@container": "@set"}}
_NAMED_ONLY: Final = {"@explicit": True, "name": {}}

FRAMES: Final[dict[str, tuple[dict[str, Any], dict[str, Any]]]] = {
    "chunks": ({}, {"type": "Chunk", "@embed": "@always"}),
    "documents": (
        _PARTS,
        {"type": "Document", "hasPart": {"type": "Chunk", "isPartOf": {"@embed": "@never"}}},
    ),
    "entities": (
        _MENTIONED,
        {"prefLabel": {}, "mentionedIn": {"type": "Chunk", **_NAMED_ONLY}},
    ),
    "paths": ({}, {"type": "PathStep", "@embed": "@always"}),
}
"""Name to the terms that the frame adds to the context of answers, and the frame."""


def frame(document: dict[str, object], name: str) -> dict[str, object]:
    """The JSON-LD document of an answer, framed. Raises InputError for a name of no frame."""
    if name not in FRAMES:
        raise InputError(f"frame={name[:40]!r}: unknown frame; choose from {', '.join(FRAMES)}")
    terms, shape = FRAMES[name]
    context = {**cast(dict[str, Any], document["@context"]), **terms}
    options = {"documentLoader": _load_nothing, "omitGraph": False, "processingMode": "json-ld-1.1"}
    framed: dict[str, object] = jsonld.frame(document, {"@context": context, **shape}, options)
    return framed


def _load_nothing(url: str, options: object) -> dict[str, object]:
    """A document loader that refuses every document: all contexts are inline, so none is needed."""
    raise jsonld.JsonLdError(
        f"{url}: no document is loaded from anywhere",
        "jsonld.LoadDocumentError",
        code="loading document failed",
    )
