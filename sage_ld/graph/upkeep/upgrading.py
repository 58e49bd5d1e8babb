"""Bringing a graph of an earlier format version to the present one, in place."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import chain, islice
from pathlib import Path
from typing import Final

from pyoxigraph import Literal, NamedNode, Quad

from sage_ld.foundation import vocabulary as v
from sage_ld.foundation.progress import Progress
from sage_ld.graph.open_graph import OpenGraph
from sage_ld.graph.store import reading
from sage_ld.graph.store.configuration import FORMAT_VERSION
from sage_ld.graph.store.protocol import Store
from sage_ld.graph.store.terms import node
from sage_ld.graph.upkeep.backup import copy_graph
from sage_ld.graph.writing.writer import Writer

_BATCH: Final = 100_000  # statements that are moved at once
_ABOUT: Final = v.SCHEMA + "about"
"""Version 1: the topic of a chunk, as a literal."""
_NIF: Final = "http://persistence.uni-leipzig.org/nlp2rdf/ontologies/nif-core#"
_OFFSETS: Final = {_NIF + "beginIndex": v.BEGIN_INDEX, _NIF + "endIndex": v.END_INDEX}
"""Version 2: the offsets of sections, chunks, mentions and links."""


def upgrade(graph: OpenGraph, backup: Path, progress: Progress) -> int:
    """Brings a graph to the present format version, after a copy to `backup`."""
    with graph.writer(upgrades=True) as writer:
        copy_graph(graph.directory.path, backup)
        moved = move_statements(writer)
        graph.deriver(writer, progress).run_all()
        writer.publish()
        configuration = replace(graph.directory.configuration(), format_version=FORMAT_VERSION)
        graph.directory.configure(configuration)
    return moved


def move_statements(writer: Writer) -> int:
    """Has the store use the present properties for what earlier versions had others for; returns how many.

    The topic of a chunk is `sage:topic`, and was `schema:about`; the place of a column is
    `sage:columnNumber`, and was `schema:position`; offsets were those of NIF. Running it again moves nothing.
    """
    present = {_ABOUT: v.TOPIC, v.POSITION: v.COLUMN_NUMBER, **_OFFSETS}
    moved, former = 0, chain(_topics(writer.store), _columns(writer.store), _offsets(writer))
    while batch := list(islice(former, _BATCH)):
        writer.exchange(
            batch,
            [
                Quad(each.subject, node(present[each.predicate.value]), each.object, each.graph_name)
                for each in batch
            ],
        )
        moved += len(batch)
    return moved


def _offsets(writer: Writer) -> Iterator[Quad]:
    """The offsets of the graph's own resources; a user's RDF may have some of NIF, too."""
    for name in _OFFSETS:
        for quad in writer.store.quads_for_pattern(None, node(name), None, None):
            if isinstance(quad.subject, NamedNode) and quad.subject.value.startswith(writer.iris.base):
                yield quad


def _topics(store: Store) -> Iterator[Quad]:
    for quad in store.quads_for_pattern(None, node(_ABOUT), None, None):
        subject = quad.subject
        if not (isinstance(quad.object, Literal) and isinstance(subject, NamedNode)):
            continue
        if reading.chunk_iris(store, [subject.value]):
            yield quad


def _columns(store: Store) -> Iterator[Quad]:
    columns = store.quads_for_pattern(None, node(v.TYPE), node(v.CSVW_COLUMN), None)
    for column in dict.fromkeys(each.subject for each in columns):
        yield from store.quads_for_pattern(column, node(v.POSITION), None, None)
