"""Links between documents: of new chunks, and of old ones whose links a change may have changed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np
from pyoxigraph import NamedNode, Quad

from sage_ld import vocabulary as v
from sage_ld.annotators.hyperlinks import ReferenceIndex
from sage_ld.annotators.links import Target, find_links, index_targets
from sage_ld.annotators.titles import forms
from sage_ld.graph.derivations.derivation import Changes, Corpus, Derivation, Derived
from sage_ld.graph.writer import Writer
from sage_ld.model import FloatArray, Link
from sage_ld.rdf_values import iri_of, text_of
from sage_ld.store import queries, reading
from sage_ld.store.derived import link_quads
from sage_ld.store.iris import Iris
from sage_ld.store.protocol import Store
from sage_ld.store.terms import node


def _derive(corpus: Corpus, _before: Mapping[str, Derived]) -> Derived:
    links = _links(corpus, range(len(corpus.chunks)))
    return Derived(_quads(corpus, links), _counts(links))


def _follow(corpus: Corpus, changes: Changes) -> Mapping[str, int]:
    """Finds the links of the new chunks, and of old ones that led to, refer to or name a changed document."""
    if not (changes.documents or changes.linking):
        return {}
    store, chunks = corpus.writer.store, corpus.chunks
    new = _new_targets(corpus, changes)
    touched = changes.linking | (_referring(corpus, new) | _naming(corpus, new) if new else set())
    old = [i for i, each in enumerate(chunks) if each.iri in touched - changes.chunks]
    among = sorted([*old, *(i for i, each in enumerate(chunks) if each.iri in changes.chunks)])
    for number, whole in zip(among, reading.chunks(store, [chunks[i].iri for i in among]), strict=True):
        chunks[number] = whole
    links = _links(corpus, among)
    corpus.writer.remove_edges(_links_from(corpus.writer, (chunks[number].iri for number in old)))
    corpus.writer.extend(_quads(corpus, links))
    return _counts(links)


def _links(corpus: Corpus, among: Sequence[int]) -> list[Link]:
    """The links of the chunks `among`, which are positions in the corpus, to any of the documents."""
    chunks, writer = corpus.chunks, corpus.writer
    targets, iris = _targets(corpus)
    links = find_links(
        [chunks[i].chunk for i in among],
        targets,
        chunk_vectors=_vectors(writer, [chunks[i].iri for i in among]),
        target_vectors=_vectors(writer, iris),
        settings=writer.settings,
    )
    return [replace(link, chunk=among[link.chunk]) for link in links]


def _targets(corpus: Corpus) -> tuple[list[Target], list[str | None]]:
    """The documents, each known by its title and its first chunk, and the IRIs of those chunks."""
    first: dict[str, int] = {}
    for i in sorted(range(len(corpus.chunks)), key=lambda i: corpus.chunks[i].chunk.position):
        first.setdefault(corpus.chunks[i].document, i)
    targets, iris = [], []
    for document in corpus.documents:
        lead = corpus.chunks[first[document.iri]] if document.iri in first else None
        text = lead.chunk.text if lead else ""
        targets.append(Target(document.identifier, document.name, text, document.url))
        iris.append(lead.iri if lead else None)
    return targets, iris


def _vectors(writer: Writer, chunks: Sequence[str | None]) -> FloatArray | None:
    """(n, d) the vectors of chunks, zeros for None; None if they are not of length 1."""
    if not writer.encoder.unit_vectors:
        return None
    result = np.zeros((len(chunks), writer.encoder.dimensions), np.float32)
    known = [i for i, iri in enumerate(chunks) if iri is not None]
    result[known] = writer.vectors.vectors(str(chunks[i]) for i in known)
    return result


def _new_targets(corpus: Corpus, changes: Changes) -> list[Target]:
    targets, _ = _targets(corpus)
    pairs = zip(targets, corpus.documents, strict=True)
    return [target for target, document in pairs if document.iri in changes.documents]


def _referring(corpus: Corpus, new: Sequence[Target]) -> set[str]:
    """The chunks (IRIs) whose files carry a link that may lead to a new document.

    The references of all files are compared by their last name; only those that share it are resolved.
    """
    store, references = corpus.writer.store, ReferenceIndex(new)
    sources = {each.identifier: Target(each.identifier, each.name, url=each.url) for each in corpus.documents}
    holders = {each.iri: each.chunk.document for each in corpus.chunks}
    referring: set[str] = set()
    for quad in store.quads_for_pattern(None, node(v.HREF), None, None):
        href = text_of(quad.object)
        if isinstance(quad.subject, NamedNode) and references.may_lead(href):
            for chunk in _sources(store, quad.subject) & holders.keys():
                source = sources.get(holders[chunk], Target(holders[chunk], ""))
                if references.leads(href, source):
                    referring.add(chunk)
    return referring


def _sources(store: Store, link: NamedNode) -> set[str]:
    quads = store.quads_for_pattern(link, node(v.SOURCE), None, None)
    return {quad.object.value for quad in quads if isinstance(quad.object, NamedNode)}


def _naming(corpus: Corpus, new: Sequence[Target]) -> set[str]:
    """The chunks (IRIs) whose text holds a name of a new document, word for word."""
    index = index_targets(new)
    return {each.iri for each in corpus.chunks if index.matches(forms(each.chunk.text))}


def _links_from(writer: Writer, chunks: Iterable[str]) -> list[str]:
    """The reifiers of the links of some chunks in the graph of edges."""
    rows = reading.select(writer.store, queries.bind("outgoing_links", chunk=chunks))
    return sorted(filter(None, (iri_of(row["link"]) for row in rows)))


def _quads(corpus: Corpus, links: Sequence[Link]) -> Iterator[Quad]:
    chunks, documents = [each.iri for each in corpus.chunks], [each.iri for each in corpus.documents]
    return link_quads(links, chunks, documents, corpus.writer.iris)


def _counts(links: Sequence[Link]) -> dict[str, int]:
    return dict(Counter(str(link.kind) for link in links))


def _graph(iris: Iris) -> str:
    return iris.edges_graph


LINKS = Derivation("links", _graph, _derive, _follow)
