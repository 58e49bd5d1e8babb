"""Statements of what follows from several documents: links, similarity edges, entities' labels, builds."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Final, NamedTuple

from pyoxigraph import Literal, NamedNode

from sage_ld.build.annotators.labels import bare_title, entity_label, preferred_form
from sage_ld.build.readers.rdf_resources import local_name
from sage_ld.foundation import vocabulary as v
from sage_ld.foundation.edge_kinds import ANALOGOUS, CONTENT, EDGE_KINDS, SKELETON
from sage_ld.foundation.model import Distribution, EdgeSet, Link, LinkKind
from sage_ld.foundation.rdf_values import text_of
from sage_ld.graph.store import resources
from sage_ld.graph.store.iris import Iris
from sage_ld.graph.store.nquads import LineCollector, Resource, double, integer, minted, string
from sage_ld.graph.store.protocol import Store
from sage_ld.graph.store.reading import entity_classes, mentioned_entities, surface_forms
from sage_ld.graph.store.resources import ResourceLabels
from sage_ld.graph.store.terms import moment, node

_MAX_SHARED_ENTITIES = 8  # as many as a person reads; the rest follows from the mentions


def link_lines(
    links: Iterable[Link],
    chunks: Sequence[str] | Mapping[int, str],
    documents: Sequence[str] | Mapping[int, str],
    iris: Iris,
) -> Iterator[str]:
    """The links to documents, as N-Quads; `chunks` and `documents` are the IRIs that `links` count in.

    A hyperlink is described in its document's graph, and gets its target and confidence here; a link by title
    is described here in full. So no two graphs make the same statement, which a query would count twice.
    """
    out = LineCollector(iris.edges_graph)
    for link in links:
        chunk, target = chunks[link.chunk], documents[link.document]
        reifier, source, end = minted(_link_iri(link, chunk, target, iris)), minted(chunk), minted(target)
        if link.kind is LinkKind.HYPERLINK:
            out.reified(reifier, source, v.LINKS_TO, end)
            out.add(reifier, v.TARGET, end)
        else:
            _title_link(out, reifier, link, source, end)
        out.add(reifier, v.CONFIDENCE, double(round(link.confidence, 6)))
        yield from out.take()


def _title_link(out: LineCollector, reifier: Resource, link: Link, chunk: Resource, target: Resource) -> None:
    out.edge(reifier, v.LINK, chunk, v.LINKS_TO, target)
    out.add(reifier, v.LINK_KIND, string(str(link.kind)))
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


def similarity_lines(
    edges: EdgeSet, chunks: Sequence[str] | Mapping[int, str], shared: Iterable[Sequence[str]], iris: Iris
) -> Iterator[str]:
    """The similarity edges of one kind, as N-Quads.

    `shared` are the IRIs of the entities that both chunks name, `chunks` IRIs by the numbers in which `edges`
    count. The relation is symmetric and stored once: the chunk with the smaller IRI is the source.
    """
    out = LineCollector(iris.edges_graph)
    edge_class = EDGE_KINDS[edges.kind].edge_class
    signals = {name: values.tolist() for name, values in edges.signals.items()}
    pairs = zip(edges.source.tolist(), edges.target.tolist(), edges.weight.tolist(), shared, strict=True)
    for i, (source, target, weight, entities) in enumerate(pairs):
        first, second = sorted((chunks[source], chunks[target]))
        reifier = minted(iris.edge(str(edges.kind), first, second))
        out.edge(reifier, edge_class, minted(first), v.SIMILAR_TO, minted(second))
        out.add(reifier, v.WEIGHT, double(weight))
        for name, values in signals.items():
            out.add(reifier, v.SAGE + name, double(values[i]))
        for entity in entities[:_MAX_SHARED_ENTITIES]:
            out.add(reifier, v.SHARED_ENTITY, minted(entity))
        yield from out.take()


def entity_lines(
    surfaces: Mapping[str, Mapping[str, int]], classes: Mapping[str, Mapping[str, int]], iris: Iris
) -> Iterator[str]:
    """The labels of entities, as N-Quads: entity IRI -> surface form -> in how many chunks it is written so.

    `preferred_form` is the preferred label, the others are alternative ones. `classes` are, in the same way,
    those that mentions give; the entity has the one that more than half of these mentions agree on.
    """
    out = LineCollector(iris.entities_graph)
    scheme = minted(iris.entity_scheme)
    for entity, forms in sorted(surfaces.items()):
        node = minted(entity)
        preferred = preferred_form(forms)
        out.typed(node, v.ENTITY, v.SCHEMA_THING, *agreed_class(classes.get(entity, {})))
        out.add(node, v.IN_SCHEME, scheme)
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


class BuildThreshold(NamedTuple):
    """A threshold of a build."""

    kind: str
    """The kind of edge."""
    signal: str
    value: float
    percentile: float | None
    """None if the recipe gives the threshold itself."""
    candidates: int
    """The number of pairs compared."""
    edges: int
    """The number of pairs kept."""
    distribution: Distribution | None = None


def edge_thresholds(edges: Iterable[EdgeSet]) -> list[BuildThreshold]:
    """The thresholds of similarity edges, by kind and signal."""
    return [
        BuildThreshold(
            str(each.kind),
            signal,
            value,
            each.percentile,
            each.candidates,
            len(each.weight),
            each.distributions.get(signal),
        )
        for each in edges
        for signal, value in sorted(each.thresholds.items())
    ]


def analogy_lines(
    rows: Iterable[tuple[int, int, float, float, float]], chunks: Mapping[int, str], iris: Iris
) -> Iterator[str]:
    """Analogous edges as N-Quads: source, target, delta, skeleton and raw similarity of each.

    `chunks` are the IRIs of sources and targets. The chunk with the smaller IRI is the source.
    """
    out = LineCollector(iris.edges_graph)
    for source, target, delta, skeleton, raw in rows:
        first, second = sorted((chunks[source], chunks[target]))
        reifier = minted(iris.edge(ANALOGOUS, first, second))
        out.edge(reifier, v.ANALOGOUS_EDGE, minted(first), v.ANALOGOUS_TO, minted(second))
        out.add(reifier, v.WEIGHT, double(delta))
        out.add(reifier, v.SAGE + SKELETON, double(skeleton))
        out.add(reifier, v.SAGE + CONTENT, double(raw))
        yield from out.take()


def maker_lines(
    encoder: str, recipe: str, code_version: str, methods: Mapping[str, str], iris: Iris
) -> list[str]:
    """N-Quads of a build, its methods (text by the class that it makes), and the graphs that it derived.

    A graph of a document names the build by which it was made itself. So the maker of each statement follows
    from its graph and its class, without a statement for each mention and edge.
    """
    out = LineCollector(iris.builds_graph)
    iri = iris.build(encoder, recipe, code_version)
    build = minted(iri)
    out.typed(build, v.BUILD)
    out.text(build, v.ENCODER, encoder)
    out.text(build, v.RECIPE, recipe)
    out.text(build, v.CODE_VERSION, code_version)
    for name, text in methods.items():
        method = minted(f"{iri}#{name.rpartition('#')[2]}")
        out.add(build, v.USED, method)
        out.typed(method, v.METHOD)
        out.add(method, v.MAKES, minted(name))
        out.text(method, v.NAME, f"method for {name.rpartition('#')[2]}")
        out.text(method, v.COMMENT, text)
    for graph in iris.derived_graphs:
        out.add(minted(graph), v.GENERATED_BY, build)
    return out.take()


def build_lines(build: BuildRecord, thresholds: Iterable[BuildThreshold], iris: Iris) -> list[str]:
    """N-Quads of the derivation of all edges by a build, one threshold node for each kind and signal."""
    out = LineCollector(iris.builds_graph)
    iri = iris.build(build.encoder, build.recipe, build.code_version)
    node = minted(iri)
    for scheme, title in ((iris.entity_scheme, "Entities"), (iris.concept_scheme, "Concepts")):
        out.typed(minted(scheme), v.CONCEPT_SCHEME)
        out.add(minted(scheme), v.NAME, string(title, "en"))
    out.add(node, v.CHUNK_COUNT, integer(build.chunks))
    out.add(node, v.ENDED_AT, moment(build.ended))
    for each in thresholds:
        threshold = minted(iris.build(iri, each.kind, each.signal))
        out.add(node, v.HAS_THRESHOLD, threshold)
        out.typed(threshold, v.THRESHOLD)
        out.text(threshold, v.EDGE_KIND, each.kind)
        out.text(threshold, v.SIGNAL, each.signal)
        if each.percentile is not None:
            out.add(threshold, v.PERCENTILE, double(each.percentile))
        out.add(threshold, v.THRESHOLD_VALUE, double(each.value))
        out.add(threshold, v.CANDIDATE_COUNT, integer(each.candidates))
        out.add(threshold, v.EDGE_COUNT, integer(each.edges))
        if each.distribution is not None:
            out.text(threshold, v.SAMPLED_VALUES, " ".join(map(str, each.distribution.values)))
            out.add(threshold, v.SAMPLED_PERCENTILE, double(each.distribution.percentile))
    return out.take()


_BATCH_ENTITIES: Final = 5_000  # entities whose forms and classes are in memory at once


def label_lines(store: Store, iris: Iris, entities: Iterable[str] | None = None) -> Iterator[str]:
    """Labels, classes and frequencies of some entities (IRIs), or of all that chunks mention, as N-Quads."""
    wanted = iter(mentioned_entities(store) if entities is None else sorted(set(entities)))
    while batch := list(islice(wanted, _BATCH_ENTITIES)):
        yield from _lines(store, iris, batch)


def _lines(store: Store, iris: Iris, entities: list[str]) -> Iterator[str]:
    forms = surface_forms(store, entities)
    own = {
        entity: _whole_names(store, entity, each, iris)
        for entity, each in forms.items()
        if entity.startswith(iris.base)
    }
    yield from entity_lines(own, entity_classes(store, entities), iris)
    for resource in sorted(forms.keys() - own.keys()):
        labels = resources.labels(store, resource, iris)
        yield from resource_lines(resource, forms[resource], _frequency(store, resource), labels, iris)


def _whole_names(store: Store, entity: str, forms: Mapping[str, int], iris: Iris) -> dict[str, int]:
    """The forms of an entity, with the title in the place of a part of it, which names something else."""
    whole = {form: count for form, count in forms.items() if iris.entity(entity_label(form)) == entity}
    if partial := forms.keys() - whole.keys():
        title = _title(store, entity, iris)
        for form in partial:
            whole[title or form] = whole.get(title or form, 0) + forms[form]
    return whole


def _title(store: Store, entity: str, iris: Iris) -> str | None:
    """The title, without its qualifier, of the documents that name an entity by it; the first of several."""
    mentions = store.quads_for_pattern(None, node(v.TARGET), NamedNode(entity), None)
    names = {
        bare_title(text_of(name.object))
        for graph in {each.graph_name for each in mentions}
        for document in store.quads_for_pattern(None, node(v.TYPE), node(v.DOCUMENT), graph)
        for name in store.quads_for_pattern(document.subject, node(v.NAME), None, graph)
    }
    return min((name for name in names if iris.entity(entity_label(name)) == entity), default=None)


def resource_lines(
    resource: str, forms: Iterable[str], frequency: int, labels: ResourceLabels, iris: Iris
) -> list[str]:
    """N-Quads of what a user's resource has as an entity, without what the user's RDF says itself.

    Its best label in each language is the preferred one there (SKOS, S14), unless the RDF has a
    `skos:prefLabel` in this language; one without a language, if it is the best of all. Its other labels, and
    `forms` in which texts write it, are alternative ones, but for hidden ones. Nothing makes it a
    `skos:Concept`: it may be a scheme or a collection, and these are disjoint from concepts (S9, S37).
    """
    out = LineCollector(iris.entities_graph)
    subject = NamedNode(resource)
    out.typed(subject, *(each for each in (v.ENTITY, v.SCHEMA_THING) if each not in labels.types))
    hidden = {entity_label(each.value) for each in labels.hidden}
    written = [Literal(each) for each in sorted(forms) if entity_label(each) not in hidden]
    names = (*labels.preferred, *labels.others, *written)
    unused = (each for each in names if each not in labels.alt_labels)
    preferred = _preferred(labels, next(unused, Literal(local_name(resource))))
    for label in preferred:
        out.add(subject, v.PREF_LABEL, label)
    taken = {each.value for each in (*labels.pref_labels, *labels.alt_labels, *preferred)}
    for label in names:
        if label.value not in taken:
            taken.add(label.value)
            out.add(subject, v.ALT_LABEL, label)
    out.add(subject, v.CHUNK_FREQUENCY, integer(frequency))
    return out.take()


def _preferred(labels: ResourceLabels, best: Literal) -> list[Literal]:
    """The preferred labels beside those that the RDF states: the best of each language that has none."""
    taken = {_language(each) for each in labels.pref_labels}
    chosen = [] if taken else [best]
    taken.update(map(_language, chosen))
    for label in labels.preferred:
        if label.language and _language(label) not in taken and label not in labels.alt_labels:
            taken.add(_language(label))
            chosen.append(label)
    return chosen


def _language(label: Literal) -> str:
    """The language of a label in lower case; none is one too."""
    return (label.language or "").lower()


def _frequency(store: Store, entity: str) -> int:
    """The number of chunks that mention an entity, which two labels of it may do."""
    quads = store.quads_for_pattern(None, node(v.MENTIONS), NamedNode(entity), None)
    return len({quad.subject for quad in quads})
