"""The GraphML export, for tools that draw and measure networks.

Nodes are documents, chunks, entities and concepts; edges are all kinds of `sage:Edge` that have a target,
`isPartOf` from a chunk to its document, and `about` from a chunk to a concept. Node ids are IRIs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final
from xml.sax.saxutils import escape, quoteattr

from pyoxigraph import BlankNode, Literal, NamedNode, Triple

from sage_ld.foundation import vocabulary as v
from sage_ld.foundation.rdf_values import best_label, number_of
from sage_ld.graph.store.protocol import Store

HEAD: Final = """<?xml version="1.0" encoding="UTF-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
<key id="kind" for="all" attr.name="kind" attr.type="string"/>
<key id="label" for="node" attr.name="label" attr.type="string"/>
<key id="weight" for="edge" attr.name="weight" attr.type="double"/>
<graph edgedefault="directed">
"""
TAIL: Final = "</graph>\n</graphml>\n"
_NODES: Final = (
    (v.DOCUMENT, "Document", v.NAME),
    (v.CHUNK, "Chunk", v.NAME),
    (v.ENTITY, "Entity", v.PREF_LABEL),
    (v.CONCEPT, "Concept", v.PREF_LABEL),
)
_CHUNKS_ABOUT: Final = NamedNode(v.CHUNKS_ABOUT)
"""The property that only our concepts have; users state others."""
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def document(store: Store) -> Iterator[str]:
    """The text of the document, in pieces, in constant memory."""
    yield HEAD
    for cls, kind, label in _NODES:
        yield from _nodes(store, NamedNode(cls), kind, NamedNode(label))
    yield from _edges(store)
    yield from _parts(store)
    yield from _abouts(store)
    yield TAIL


def _nodes(store: Store, cls: NamedNode, kind: str, label: NamedNode) -> Iterator[str]:
    rdf_type = NamedNode(v.TYPE)
    for quad in store.quads_for_pattern(None, rdf_type, cls, None):
        graphs = (str(each.graph_name) for each in store.quads_for_pattern(quad.subject, rdf_type, cls, None))
        if str(quad.graph_name) != min(graphs):  # a node that several graphs type comes once
            continue
        if cls.value != v.CONCEPT or any(store.quads_for_pattern(quad.subject, _CHUNKS_ABOUT, None, None)):
            yield node_element(_id(quad.subject), kind, _label(store, quad.subject, label))


def _edges(store: Store) -> Iterator[str]:
    """Only one graph states an edge's target, so each edge comes once."""
    for quad in store.quads_for_pattern(None, NamedNode(v.TARGET), None, None):
        source = weight = kind = ""
        for statement in store.quads_for_pattern(quad.subject, None, None, None):
            predicate, value = statement.predicate.value, _id(statement.object)
            if predicate == v.SOURCE:
                source = value
            elif predicate in (v.WEIGHT, v.CONFIDENCE) and number_of(statement.object) is not None:
                weight = value
            elif predicate == v.TYPE:
                kind = value.removeprefix(v.SAGE)
        if source:
            yield edge_element(source, _id(quad.object), kind, weight)


def _parts(store: Store) -> Iterator[str]:
    for quad in store.quads_for_pattern(None, NamedNode(v.TYPE), NamedNode(v.CHUNK), None):
        for part in store.quads_for_pattern(quad.subject, NamedNode(v.IS_PART_OF), None, None):
            whole = part.object
            if isinstance(whole, NamedNode) and any(
                store.quads_for_pattern(whole, NamedNode(v.TYPE), NamedNode(v.DOCUMENT), None)
            ):
                yield edge_element(_id(part.subject), _id(part.object), "isPartOf", "")


def _abouts(store: Store) -> Iterator[str]:
    for concept in store.quads_for_pattern(None, _CHUNKS_ABOUT, None, None):
        for quad in store.quads_for_pattern(None, NamedNode(v.ABOUT), concept.subject, None):
            yield edge_element(_id(quad.subject), _id(concept.subject), "about", "")


def node_element(iri: str, kind: str, label: str) -> str:
    """The element of a node; `label` is its element `data` with the label, or empty."""
    return f'<node id={_attribute(iri)}><data key="kind">{text(kind)}</data>{label}</node>\n'


def edge_element(source: str, target: str, kind: str, weight: str) -> str:
    """The element of an edge; an empty `weight` is left out."""
    data = f'<data key="kind">{text(kind)}</data>'
    if weight:
        data += f'<data key="weight">{text(weight)}</data>'
    return f"<edge source={_attribute(source)} target={_attribute(target)}>{data}</edge>\n"


def _label(store: Store, subject: NamedNode | BlankNode | Triple, predicate: NamedNode) -> str:
    quads = store.quads_for_pattern(subject, predicate, None, None)
    labels = [quad.object for quad in quads if isinstance(quad.object, Literal)]
    return f'<data key="label">{text(best_label(labels))}</data>' if labels else ""


def _id(term: object) -> str:
    return str(getattr(term, "value", term))


def text(value: str) -> str:
    """`value` as the text of an element: what XML cannot hold is replaced."""
    return escape(_NOT_XML.sub("\ufffd", value))


def _attribute(value: str) -> str:
    return quoteattr(_NOT_XML.sub("\ufffd", value))
