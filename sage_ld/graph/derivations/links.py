"""Links between documents: of new chunks, and of those whose text holds the title of a new document."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np
from pyoxigraph import Quad

from sage_ld import vocabulary as v
from sage_ld.annotators.links import Target, find_links
from sage_ld.graph.derivations.derivation import Changes, Corpus, Derivation, Derived
from sage_ld.graph.writer import Writer
from sage_ld.model import FloatArray, Link
from sage_ld.rdf_values import iri_of
from sage_ld.store import queries, reading
from sage_ld.store.derived import link_quads
from sage_ld.store.iris import Iris


def _derive(corpus: Corpus, _before: Mapping[str, Derived]) -> Derived:
    links = _links(corpus, range(len(corpus.chunks)))
    return Derived(_quads(corpus, links), _counts(links))


def _follow(corpus: Corpus, changes: Changes) -> Mapping[str, int]:
    store, chunks = corpus.writer.store, corpus.chunks
    new = [number for number, each in enumerate(chunks) if each.iri in changes.chunks]
    naming = _naming(corpus, changes)
    among = sorted([*new, *naming])
    for number, whole in zip(among, reading.chunks(store, [chunks[i].iri for i in among]), strict=True):
        chunks[number] = whole
    links = _links(corpus, among)
    corpus.writer.remove_edges(_links_from(corpus.writer, (chunks[number].iri for number in naming)))
    corpus.writer.extend(_quads(corpus, links))
    return _counts(links)


def _links(corpus: Corpus, among: Sequence[int]) -> list[Link]:
    """The links of the chunks `among`, which are positions in the corpus, to any of the documents.

    A document is known by its title and its first chunk, in words and as a vector.
    """
    chunks, writer = corpus.chunks, corpus.writer
    first: dict[str, int] = {}
    for i in sorted(range(len(chunks)), key=lambda i: chunks[i].chunk.position):
        first.setdefault(chunks[i].document, i)
    targets, iris = [], []
    for document in corpus.documents:
        lead = chunks[first[document.iri]] if document.iri in first else None
        text = lead.chunk.text if lead else ""
        targets.append(Target(document.identifier, document.name, text, document.url))
        iris.append(lead.iri if lead else None)
    links = find_links(
        [chunks[i].chunk for i in among],
        targets,
        chunk_vectors=_vectors(writer, [chunks[i].iri for i in among]),
        target_vectors=_vectors(writer, iris),
        settings=writer.settings,
    )
    return [replace(link, chunk=among[link.chunk]) for link in links]


def _vectors(writer: Writer, chunks: Sequence[str | None]) -> FloatArray | None:
    """(n, d) the vectors of chunks, zeros for None; None where they are not of length 1."""
    if not writer.encoder.unit_vectors:
        return None
    result = np.zeros((len(chunks), writer.encoder.dimensions), np.float32)
    known = [i for i, iri in enumerate(chunks) if iri is not None]
    result[known] = writer.vectors.vectors(str(chunks[i]) for i in known)
    return result


def _naming(corpus: Corpus, changes: Changes) -> list[int]:
    """The old chunks whose text holds the title of a new document: their links are found anew."""
    new = (each for each in corpus.documents if each.name and each.iri in changes.documents)
    titles = [each.name.casefold() for each in new]
    return [
        i
        for i, each in enumerate(corpus.chunks)
        if each.iri not in changes.chunks and any(title in each.chunk.text.casefold() for title in titles)
    ]


def _links_from(writer: Writer, chunks: Iterable[str]) -> list[str]:
    """The reifiers of the links of some chunks in the graph of edges."""
    rows = reading.select(writer.store, queries.bind("outgoing_links", chunk=chunks))
    return sorted(filter(None, (iri_of(row["link"]) for row in rows)))


def _quads(corpus: Corpus, links: Sequence[Link]) -> list[Quad]:
    chunks, documents = [each.iri for each in corpus.chunks], [each.iri for each in corpus.documents]
    return link_quads(links, chunks, documents, corpus.writer.iris)


def _counts(links: Sequence[Link]) -> dict[str, int]:
    return dict(Counter(str(link.kind) for link in links))


def _graph(iris: Iris) -> str:
    return iris.edges_graph


LINKS = Derivation("links", frozenset((v.CHUNK, v.DOCUMENT, v.LINK)), _graph, _derive, _follow)
