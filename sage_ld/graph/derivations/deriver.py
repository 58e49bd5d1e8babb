"""The run of all derivations: everything again, or what a small change touches.

All of it is a function of what the store holds, so it can be derived again at any time.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import chain

from sage_ld.build.annotators.abstracts import Summarise
from sage_ld.build.annotators.skeletons import MakeSkeleton
from sage_ld.build.concepts.grouping import Judge
from sage_ld.foundation import extras
from sage_ld.foundation.progress import Progress
from sage_ld.foundation.recipes import Reasoning, Recipe
from sage_ld.graph.derivations.builds import last_chunk_count
from sage_ld.graph.derivations.derivation import Changes, Corpus, Derivation, DerivationResult
from sage_ld.graph.derivations.inference import INFERENCE
from sage_ld.graph.derivations.table import DERIVATIONS
from sage_ld.graph.writing.writer import Writer


@dataclass(frozen=True, slots=True)
class Deriver:
    """Derives into the writer's store."""

    writer: Writer
    recipe: Recipe
    encoder_name: str
    progress: Progress
    derivations: Sequence[Derivation] = DERIVATIONS
    judge: Judge | None = None
    summarise: Summarise | None = None
    """Writes the abstracts of documents that are stored, in place of the rule."""
    make_skeleton: MakeSkeleton | None = None
    """Makes the skeletons of chunks that are stored, in place of the rule."""

    def __post_init__(self) -> None:
        """Raises UnavailableError where the recipe needs a library that is not installed: before the work."""
        if self.recipe.reason is not Reasoning.NONE:
            extras.check("reasonable", extras.REASONING)

    def run_all(self) -> dict[str, int]:
        """Derives everything again; returns the number of edges by kind."""
        self.writer.repair_indexes()
        self.writer.merge_indexes()
        total = len(self.derivations)
        derived: dict[str, DerivationResult] = {}
        corpus = self._corpus()
        for number, each in enumerate(self.derivations):
            self.progress("linking", number, total)
            derived[each.name] = each.derive(corpus, derived)
        iris = self.writer.iris
        writing: dict[str, list[Iterable[str]]] = {}
        for each in self.derivations:
            if (lines := derived[each.name].lines) is not None:
                writing.setdefault(each.graph(iris), []).append(lines)
        for graph, parts in writing.items():
            self.writer.replace_graph(graph, chain.from_iterable(parts))
        self.writer.compact()
        self.progress("linking", total, total)
        return {kind: count for each in derived.values() for kind, count in each.counts.items()}

    def run(self, changes: Changes, relink_share: float, largest: float = math.inf) -> dict[str, int]:
        """Derives what `changes` touch; everything where that is over `relink_share` of the chunks.

        Never everything in a graph of more than `largest` chunks, whose writer others wait for.
        """
        changed = bool(changes.documents or changes.chunks or changes.removed)
        restated = self.writer.restated and self.recipe.reason is not Reasoning.NONE
        if not (changed or self.writer.joining or self.writer.identified or restated):
            return {}
        before = last_chunk_count(self.writer.store)
        if before is None and not changed:  # there is no document that users' statements could join
            return replace(self, derivations=(INFERENCE,)).follow(changes)
        if before is None or (
            len(changes.chunks) + changes.removed > relink_share * before
            and len(changes.chunks) + before <= largest
        ):
            return self.run_all()
        return self.follow(changes)

    def follow(self, changes: Changes) -> dict[str, int]:
        """Derives what `changes` touch, by the thresholds of the last build."""
        self.writer.flush_indexes()
        counts: dict[str, int] = {}
        corpus = self._corpus()
        for each in self.derivations:
            counts |= each.follow(corpus, changes)
        return counts

    def _corpus(self) -> Corpus:
        return Corpus(self.writer, self.recipe, self.encoder_name, self.judge)
