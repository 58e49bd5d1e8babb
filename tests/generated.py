"""A generated graph of a given size, written with the project's own functions."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from pyoxigraph import NamedNode, Quad, Store

from sage_ld.foundation import vocabulary as v
from sage_ld.foundation.model import (
    Annotation,
    Chunk,
    ChunkKind,
    Document,
    EdgeKind,
    EdgeSet,
    Link,
    LinkKind,
    Mention,
    Prose,
    Section,
)
from sage_ld.graph.store.curated_edges import CuratedEdge, edge_quads
from sage_ld.graph.store.derived import (
    BuildRecord,
    build_lines,
    edge_thresholds,
    entity_lines,
    link_lines,
    similarity_lines,
)
from sage_ld.graph.store.documents import PreparedDocument, document_lines
from sage_ld.graph.store.iris import Iris
from sage_ld.graph.store.nquads import LineCollector, integer, minted, quads_of
from sage_ld.graph.store.reading import mentioned_entities, surface_forms
from sage_ld.graph.store.terms import node

IRIS = Iris()


def prepared(number: int, chunks: int, entities: int, rng: np.random.Generator) -> PreparedDocument:
    """A document of `chunks` sentences in one section; each names four of `entities` entities."""
    texts, mentions, cuts = [], [], []
    position = len("Heading\n\n")
    for _ in range(chunks):
        names = [f"Entity {n}" for n in sorted(set(rng.integers(entities, size=4).tolist()))]
        text = f"Document {number} names {', '.join(names)}."
        found = tuple(
            Mention(name.lower(), name, position + text.index(name), position + text.index(name) + len(name))
            for name in names
        )
        texts.append(text)
        mentions.append(found)
        cuts.append((position, position + len(text)))
        position += len(text) + 2
    identifier = f"generated/{number}"
    document = Document(
        identifier=identifier,
        title=f"Document {number}",
        text="Heading\n\n" + "\n\n".join(texts),
        blocks=tuple(Prose(begin, end, 0) for begin, end in cuts),
        media_type="text/plain",
        content_hash=f"{number:064x}",
        sections=(Section("Heading", 1, None, 0, position - 2),),
    )
    pieces = tuple(
        Chunk(
            identifier,
            ChunkKind.TEXT,
            i,
            document.title,
            f"Document {number} — Heading",
            text,
            *cuts[i],
            section=0,
        )
        for i, text in enumerate(texts)
    )
    notes = tuple(Annotation(f"topic {number}", ("generated",), found) for found in mentions)
    return PreparedDocument(document, pieces, tuple(IRIS.chunks(pieces)), notes, (0.5,) * (chunks - 1))


def add_statements(store: Store, chunks: Sequence[str], *, seed: int = 0) -> None:
    """Adds a resource for each chunk but every third, and statements among them, some over bare nodes."""
    rng = np.random.default_rng(seed)
    resource, properties = (IRIS.base.replace("id/", name) for name in ("thing/", "property/"))
    graph = NamedNode("http://example.org/statements")
    quads = [
        Quad(NamedNode(chunk), node(v.MAIN_ENTITY), NamedNode(f"{resource}{number}"), graph)
        for number, chunk in enumerate(chunks)
        if number % 3
    ]
    named = [NamedNode(f"{properties}{number}") for number in range(4)]
    joining = node(v.STATEMENT_PROPERTY)
    quads += [Quad(each, node(v.TYPE), joining, graph) for each in named]
    for number in range(len(chunks)):
        for other, name in zip(rng.integers(len(chunks), size=2), rng.integers(4, size=2), strict=True):
            ends = (NamedNode(f"{resource}{each}") for each in (number, other))
            quads.append(Quad(next(ends), named[name], next(ends), graph))
        quads.append(Quad(NamedNode(f"{resource}{number}"), named[0], NamedNode(f"{resource}0"), graph))
    store.bulk_extend(quads)


def add_concepts(store: Store, chunks: Sequence[str], *, count: int, seed: int = 0) -> None:
    """Adds concepts that two to twenty chunks each are about."""
    rng = np.random.default_rng(seed)
    out = LineCollector(IRIS.concepts_graph)
    for number in range(count):
        about = sorted(set(rng.integers(len(chunks), size=rng.integers(2, 21)).tolist()))
        concept = minted(IRIS.concept(f"concept {number}"))
        out.typed(concept, v.CONCEPT)
        out.text(concept, v.PREF_LABEL, f"concept {number}")
        out.add(concept, v.CHUNKS_ABOUT, integer(len(about)))
        for chunk in about:
            out.add(minted(chunks[chunk]), v.ABOUT, concept)
    store.bulk_extend(out.quads())


def add_relations(store: Store, chunks: Sequence[str], documents: int, *, count: int, seed: int = 0) -> None:
    """Adds edges that a user states between documents, chunks, entities and resources, some with a period."""
    rng = np.random.default_rng(seed)
    kinds = [
        list(chunks),
        [IRIS.document(f"generated/{number}") for number in range(documents)],
        [IRIS.entity(f"entity {number}") for number in range(documents)],
        [f"{IRIS.base.replace('id/', 'thing/')}{number}" for number in range(len(chunks))],
    ]
    for number in range(count):
        source, target = (kind[rng.integers(len(kind))] for kind in (kinds[rng.integers(4)] for _ in "12"))
        name = f"https://w3id.org/sage-ld/relations#{('uses', 'partOf', 'relatedTo')[number % 3]}"
        since = "2020-01-01" if number % 2 else None
        through = "2024-12-31" if number % 5 == 0 else None
        iri = IRIS.relation(source, name, target)
        if source != target:
            edge = CuratedEdge(iri, source, name, target, 0.5, since, through)
            store.bulk_extend(edge_quads(edge, IRIS))


def generate(
    store: Store, documents: int, edges: int, *, chunks: int = 4, links: int = 2, seed: int = 0
) -> list[str]:
    """Fills `store` and gives the chunks' IRIs, sorted. About `edges` similarity edges, `links` a chunk."""
    rng = np.random.default_rng(seed)
    everything = [prepared(i, chunks, documents * 2, rng) for i in range(documents)]
    store.bulk_extend(quads_of(line for each in everything for line in document_lines(each, IRIS)))
    iris = sorted(iri for each in everything for iri in each.iris)
    pairs = np.unique(np.sort(rng.integers(len(iris), size=(edges, 2)), axis=1), axis=0)
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    weight = np.round(rng.random(len(pairs)), 6)
    similar = EdgeSet(
        EdgeKind.DOCUMENT_DOCUMENT,
        pairs[:, 0],
        pairs[:, 1],
        weight,
        {"contentSimilarity": weight},
        95.0,
        {"contentSimilarity": 0.5},
        2 * len(pairs),
    )
    store.bulk_extend(quads_of(similarity_lines(similar, iris, [()] * len(pairs), IRIS)))
    targets = [IRIS.document(each.document.identifier) for each in everything]
    chosen = rng.integers(documents, size=(len(iris), links))
    found = (
        Link(i, int(t), LinkKind.TITLE, "anchor", 0.8, n, n + 1)
        for i, row in enumerate(chosen)
        for n, t in enumerate(row)
    )
    store.bulk_extend(quads_of(link_lines(found, iris, targets, IRIS)))
    store.bulk_extend(quads_of(entity_lines(surface_forms(store, mentioned_entities(store)), {}, IRIS)))
    build = BuildRecord("generated", "default", "0", len(iris), "2026-01-01T00:00:00Z")
    store.bulk_extend(quads_of(build_lines(build, edge_thresholds([similar]), IRIS)))
    return iris
