"""The links from and to some chunks, as arrays: what a learned ranking follows and weighs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray
from pyoxigraph import Literal

from sage_ld.graph import Snapshot
from sage_ld.indexes.positions import Spans
from sage_ld.model import DoubleArray, IntArray, PathStep
from sage_ld.recipes import LINK
from sage_ld.retrieval.catalogue import Catalogue
from sage_ld.retrieval.expansion import BACKWARD, FORWARD
from sage_ld.store import queries
from sage_ld.store.reading import select

Promise: TypeAlias = Callable[[IntArray, IntArray], DoubleArray]
"""From seeds and candidates, rows of shape (e,) each, to what hops between them are worth looking at (e,)."""


@dataclass(frozen=True, slots=True)
class Hops:
    """Hops over links, as parallel arrays of length e, in an order that only the graph decides."""

    seed: IntArray
    """The row that the hop starts from."""
    candidate: IntArray
    """The row that it leads to."""
    forward: NDArray[np.bool_]
    """Whether the seed has the link; else the candidate has it."""
    confidence: DoubleArray
    begin: IntArray
    """Where the link stands in its source's document."""
    edges: NDArray[np.object_]
    """The reifiers' IRIs."""

    @classmethod
    def joined(cls, parts: Sequence[Hops]) -> Hops:
        """The hops of all parts, one part after another."""
        return cls(*(np.concatenate([getattr(part, each.name) for part in parts]) for each in fields(cls)))

    def where(self, kept: NDArray[np.bool_]) -> Hops:
        """Those hops that `kept` (e,) names."""
        return Hops(*(getattr(self, each.name)[kept] for each in fields(self)))

    @property
    def source(self) -> IntArray:
        """The row that has the link."""
        return np.where(self.forward, self.seed, self.candidate)

    def surroundings(self, snapshot: Snapshot) -> tuple[Spans, Spans, Spans]:
        """What each link stands in, as runs of tokens: its unit, its window, its chunk's heading."""
        rows = snapshot.position_rows[self.source]
        unit, window = snapshot.positions.units(rows, self.begin)
        return unit, window, snapshot.positions.headings(rows)

    def step(self, hop: int, iris: Sequence[str]) -> PathStep:
        """One hop as part of a path; `iris` are the chunks'."""
        kind = FORWARD if self.forward[hop] else BACKWARD
        seed, chunk = iris[self.seed[hop]], iris[self.candidate[hop]]
        return PathStep(seed, chunk, LINK, kind, float(self.confidence[hop]), self.edges[hop])


def follow(
    snapshot: Snapshot, catalogue: Catalogue, seeds: IntArray, hub: int, promise: Promise, most: int
) -> Hops:
    """The hops from the seeds (rows) over links, in either direction, never from a chunk to itself.

    A link leads to every chunk of its document. Of documents that more than `hub` links lead to, the links
    are not followed back. Of the pairs of a chunk and a document that it links to, those `most` are followed
    whose hops have the highest `promise`.
    """
    iris = snapshot.vectors.iris
    at: dict[int, list[int]] = {}
    for row in seeds.tolist():
        at.setdefault(int(catalogue.documents[row]), []).append(row)
    followed = [number for number in at if not catalogue.is_hub(snapshot.store, number, hub)]
    text = queries.bind(
        "link_pairs",
        source=(iris[row] for row in seeds.tolist()),
        target=(catalogue.iris[number] for number in followed),
    )
    ends_of_pairs = ((row["source"].value, row["target"].value) for row in select(snapshot.store, text))
    pairs = sorted(
        (catalogue.rows[source], catalogue.numbers[target])
        for source, target in ends_of_pairs
        if source in catalogue.rows and target in catalogue.numbers  # an update may say it of anything
    )
    chosen, back = frozenset(seeds.tolist()), frozenset(followed)
    ends: list[tuple[int, int, int, bool]] = []
    for pair, (source, number) in enumerate(pairs):
        if source in chosen:
            ends += [(pair, source, to, True) for to in catalogue.chunks(number).tolist() if to != source]
        if number in back:
            ends += [(pair, seed, source, False) for seed in at[number] if seed != source]
    if not ends:
        return NO_HOPS
    of, seed, candidate = (np.array(column) for column in list(zip(*ends, strict=True))[:3])
    best = np.full(len(pairs), -np.inf)
    np.maximum.at(best, of, promise(seed, candidate))
    kept = np.sort(np.argsort(-best, kind="stable")[:most]).tolist()
    said = _evidence(snapshot, catalogue, {number: pairs[number] for number in kept})
    hops = [(*hop, *link) for pair, *hop in ends for link in said.get(pair, ())]
    return _hops(hops)


def _evidence(
    snapshot: Snapshot, catalogue: Catalogue, pairs: Mapping[int, tuple[int, int]]
) -> dict[int, list[tuple[float, int, str]]]:
    """For numbered pairs of a chunk and a document their links: confidence, offset, IRI."""
    iris = snapshot.vectors.iris
    named = (
        (Literal(number), iris[row], catalogue.iris[document]) for number, (row, document) in pairs.items()
    )
    found: dict[int, set[tuple[float, int, str]]] = {}
    for row in select(snapshot.store, queries.bind("link_evidence", pair_source_target=named)):
        link = float(row["confidence"].value), int(row["begin"].value), row["edge"].value
        found.setdefault(int(row["pair"].value), set()).add(link)
    return {number: sorted(links) for number, links in found.items()}


def _hops(rows: Sequence[tuple[object, ...]]) -> Hops:
    columns = list(zip(*rows, strict=True)) or [()] * len(fields(Hops))
    kinds = (np.int64, np.int64, np.bool_, np.float64, np.int64, np.object_)
    return Hops(*(np.array(column, kind) for column, kind in zip(columns, kinds, strict=True)))


NO_HOPS: Final = _hops(())
