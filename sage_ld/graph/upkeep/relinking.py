"""Relinking: all derived data is derived again, by another recipe or from another encoder's vectors.

Re-encoding changes the vectors of the chunks, and the weights that follow from them alone.

The chunks stay as they are, though another encoder counts other word pieces and would have cut some
elsewhere: the store has the text of each chunk and not what stands between two, such as blank lines and
headings, so a document's whole text cannot be had again; and their IRIs, which users and links name, stay
good. A chunk that is too long for the encoder is encoded in parts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

from pyoxigraph import NamedNode, Quad

from sage_ld.build.chunkers import encoding_text
from sage_ld.build.edges import next_weights
from sage_ld.build.encoders.cache import CachedEncoder, load_cached
from sage_ld.build.encoders.stored import encode_stored
from sage_ld.foundation import vocabulary as v
from sage_ld.foundation.progress import Progress
from sage_ld.foundation.recipes import changed_recipe, write_recipe
from sage_ld.graph.changes.summaries import RelinkSummary
from sage_ld.graph.derivations.deriver import Deriver
from sage_ld.graph.open_graph import OpenGraph
from sage_ld.graph.store import reading
from sage_ld.graph.store.terms import double, node
from sage_ld.graph.upkeep.rebuilding import placed_chunks
from sage_ld.graph.writing.writer import Writer

_BATCH = 1024  # chunks encoded between two reports of progress


def relink(graph: OpenGraph, recipe: Path | None, progress: Progress) -> RelinkSummary:
    """Derives all edges, labels, concepts and thresholds again, by the recipe in a file if there is one."""
    if recipe is None:
        with graph.writer() as writer:
            return _published(writer, graph.deriver(writer, progress))
    with graph.writer() as writer:
        wanted = changed_recipe(graph.reread_recipe(), recipe)
        deriver = replace(graph.deriver(writer, progress), recipe=wanted)
        summary = _published(writer, deriver, write_recipe(wanted))
        if graph.reread_recipe() != wanted:  # nothing that is derived differs
            graph.keep_recipe(wanted)
    graph.reread_configuration()
    return summary


def reencode(graph: OpenGraph, encoder: str, progress: Progress) -> RelinkSummary:
    """Encodes all chunks with the encoder of a name, and derives edges and thresholds again."""
    if graph.configure_while_empty(lambda before: replace(before, encoder=encoder)):
        return RelinkSummary({}, None)
    with graph.writer() as writer:
        encode_anew(writer, load_cached(encoder, graph.settings), progress)
        summary = _published(writer, replace(graph.deriver(writer, progress), encoder_name=encoder))
    graph.reread_configuration()
    return summary


def _published(writer: Writer, deriver: Deriver, recipe: str = "") -> RelinkSummary:
    edges = deriver.run_all()
    return RelinkSummary(edges, writer.publish(recipe), tuple(writer.warnings))


def encode_anew(writer: Writer, encoder: CachedEncoder, progress: Progress) -> None:
    """Has the writer use another encoder: all vectors, and the weights of `sage:next`, are made again.

    What else follows from the vectors is derived from them afterwards.
    """
    writer.merge_indexes()
    chunks = list(writer.vectors.iris)
    writer.use_encoder(encoder)
    for begin in range(0, len(chunks), _BATCH):
        progress("encoding", begin, len(chunks))
        placed = placed_chunks(writer.store, writer.settings.default_language, chunks[begin : begin + _BATCH])
        vectors = encode_stored(encoder, [encoding_text(each.chunk) for each in placed.values()])
        writer.add_vectors(list(placed), vectors)
    progress("encoding", len(chunks), len(chunks))
    for document in reading.documents(writer.store):
        _weigh_order(writer, document.iri)


def _weigh_order(writer: Writer, document: str) -> None:
    """Replaces the weight of each `sage:next` in a document, where it has one."""
    iris, store = writer.iris, writer.change()
    chunks = _in_order(writer, document)
    weights = next_weights(writer.vectors.vectors(chunks), writer.encoder.similarity).tolist()
    weight, graph = node(v.WEIGHT), NamedNode(iris.document_graph(document))
    for (first, second), value in zip(pairwise(chunks), weights, strict=True):
        reifier = NamedNode(iris.order(first, second))
        for quad in list(store.quads_for_pattern(reifier, weight, None, graph)):
            store.remove(quad)
            store.extend((Quad(reifier, weight, double(value), graph),))


def _in_order(writer: Writer, document: str) -> Sequence[str]:
    """The chunks (IRIs) of a document that are indexed, by their position."""
    parts = reading.chunks(writer.store, reading.chunks_of(writer.store, document), links=False)
    indexed = writer.vectors.rows(each.iri for each in parts).tolist()
    known = [each for each, row in zip(parts, indexed, strict=True) if row >= 0]
    return [each.iri for each in sorted(known, key=lambda each: each.chunk.position)]
