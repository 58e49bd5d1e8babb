"""Quads of what follows from several documents: links, similarity edges, entities' labels, builds."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from pyoxigraph import Literal, NamedNode, Quad

from sage_ld import vocabulary as v
from sage_ld.annotators.labels import preferred_form
from sage_ld.edge_kinds import EDGE_KINDS
from sage_ld.model import EdgeSet, Link, LinkKind
from sage_ld.store.iris import Iris
from sage_ld.store.terms import QuadCollector, double, integer, moment

_MAX_SHARED_ENTITIES = 8  # as many as a person reads; the rest follows from the mentions


def link_quads(
    links: Iterable[Link],
    chunks: Sequence[str] | Mapping[int, str],
    documents: Sequence[str] | Mapping[int, str],
    iris: Iris,
) -> Iterator[Quad]:
    """The links to documents of the graph; `chunks` and `documents` are the IRIs that `links` count in.

    A hyperlink is described in its document's graph, and gets its target and confidence here; a link by title
    is described here in full. So no two graphs make the same statement, which a query would count twice.
    """
    out = QuadCollector(iris.edges_graph)
    for link in links:
        chunk, target = NamedNode(chunks[link.chunk]), NamedNode(documents[link.document])
        reifier = NamedNode(_link_iri(link, chunk.value, target.value, iris))
        if link.kind is LinkKind.HYPERLINK:
            out.reified(reifier, chunk, v.LINKS_TO, target)
            out.add(reifier, v.TARGET, target)
        else:
            _title_link(out, reifier, link, chunk, target)
        out.add(reifier, v.CONFIDENCE, double(round(link.confidence, 6)))
        yield from out.take()


def _title_link(
    out: QuadCollector, reifier: NamedNode, link: Link, chunk: NamedNode, target: NamedNode
) -> None:
    out.edge(reifier, v.LINK, chunk, v.LINKS_TO, target)
    out.add(reifier, v.LINK_KIND, Literal(str(link.kind)))
    out.text(reifier, v.ANCHOR_TEXT, link.anchor)
    out.add(reifier, v.BEGIN_INDEX, integer(link.begin))
    out.add(reifier, v.END_INDEX, integer(link.end))
    if link.row is not None:
        out.add(reifier, v.ROW, integer(link.row))
    out.text(reifier, v.COLUMN_NAME, link.column)


def _link_iri(link: Link, chunk: str, target: str, iris: Iris) -> str:
    if link.kind is LinkKind.HYPERLINK:
        return iris.hyperlink(chunk, link.href or "", link.begin, link.end)
    return iris.title_link(chunk, target, link.begin, link.end)


def similarity_quads(
    edges: EdgeSet, chunks: Sequence[str] | Mapping[int, str], shared: Iterable[Sequence[str]], iris: Iris
) -> Iterator[Quad]:
    """The similarity edges of one kind; `shared` are the IRIs of the entities that both chunks name.

    `chunks` are IRIs by the numbers in which `edges` count. The relation is symmetric and stored once: the
    chunk with the smaller IRI is the source.
    """
    out = QuadCollector(iris.edges_graph)
    edge_class = EDGE_KINDS[edges.kind].edge_class
    signals = {name: values.tolist() for name, values in edges.signals.items()}
    pairs = zip(edges.source.tolist(), edges.target.tolist(), edges.weight.tolist(), shared, strict=True)
    for i, (source, target, weight, entities) in enumerate(pairs):
        first, second = sorted((chunks[source], chunks[target]))
        reifier = NamedNode(iris.edge(str(edges.kind), first, second))
        out.edge(reifier, edge_class, NamedNode(first), v.SIMILAR_TO, NamedNode(second))
        out.add(reifier, v.WEIGHT, double(weight))
        for name, values in signals.items():
            out.add(reifier, v.SAGE + name, double(values[i]))
        for entity in entities[:_MAX_SHARED_ENTITIES]:
            out.add(reifier, v.SHARED_ENTITY, NamedNode(entity))
        yield from out.take()


def entity_quads(
    surfaces: Mapping[str, Mapping[str, int]], classes: Mapping[str, Mapping[str, int]], iris: Iris
) -> Iterator[Quad]:
    """The labels of entities: entity IRI -> surface form -> in how many chunks it is written so.

    `preferred_form` is the preferred label, the others are alternative ones. `classes` are, in the same way,
    those that mentions give; the entity has the one that more than half of these mentions agree on.
    """
    out = QuadCollector(iris.entities_graph)
    for entity, forms in sorted(surfaces.items()):
        node = NamedNode(entity)
        preferred = preferred_form(forms)
        out.typed(node, v.CONCEPT, v.SCHEMA_THING, *agreed_class(classes.get(entity, {})))
        out.text(node, v.PREF_LABEL, preferred)
        for form in sorted(forms.keys() - {preferred}):
            out.text(node, v.ALT_LABEL, form)
        out.add(node, v.CHUNK_FREQUENCY, integer(sum(forms.values())))
        yield from out.take()


def agreed_class(votes: Mapping[str, int]) -> list[str]:
    """The class that has more than half of the votes, alone in a list; else none.

    >>> agreed_class({"a:Person": 2, "a:Place": 1}), agreed_class({"a:Person": 1, "a:Place": 1})
    (['a:Person'], [])
    """
    return [name for name, count in votes.items() if 2 * count > sum(votes.values())]


@dataclass(frozen=True, slots=True)
class BuildRecord:
    """The record of one derivation of all edges."""

    encoder: str
    recipe: str
    code_version: str
    chunks: int
    ended: str
    """`xsd:dateTime`; the one statement in which two builds of the same input differ."""


def build_quads(build: BuildRecord, edges: Sequence[EdgeSet], iris: Iris) -> list[Quad]:
    """The build with one threshold node for each kind of edge and signal."""
    out = QuadCollector(iris.builds_graph)
    node = NamedNode(iris.build(build.encoder, build.recipe, build.code_version))
    out.typed(node, v.BUILD)
    out.text(node, v.ENCODER, build.encoder)
    out.text(node, v.RECIPE, build.recipe)
    out.text(node, v.CODE_VERSION, build.code_version)
    out.add(node, v.CHUNK_COUNT, integer(build.chunks))
    out.add(node, v.ENDED_AT, moment(build.ended))
    for edge_set in edges:
        for signal, value in sorted(edge_set.thresholds.items()):
            threshold = NamedNode(iris.build(node.value, str(edge_set.kind), signal))
            out.add(node, v.HAS_THRESHOLD, threshold)
            out.typed(threshold, v.THRESHOLD)
            out.text(threshold, v.EDGE_KIND, str(edge_set.kind))
            out.text(threshold, v.SIGNAL, signal)
            if edge_set.percentile is not None:
                out.add(threshold, v.PERCENTILE, double(edge_set.percentile))
            out.add(threshold, v.THRESHOLD_VALUE, double(value))
            out.add(threshold, v.CANDIDATE_COUNT, integer(edge_set.candidates))
            out.add(threshold, v.EDGE_COUNT, integer(len(edge_set.weight)))
            if (distribution := edge_set.distributions.get(signal)) is not None:
                out.text(threshold, v.SAMPLED_VALUES, " ".join(map(str, distribution.values)))
                out.add(threshold, v.SAMPLED_PERCENTILE, double(distribution.percentile))
    return out.quads
