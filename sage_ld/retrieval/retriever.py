"""SAGE: seeds by fused text scores, their neighbours over the graph, and the union of both.

Paper: arXiv:2602.16964, section 2.2. `docs/retrieval.md` gives the formulas.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from sage_ld.errors import InputError, LimitError
from sage_ld.graph import KnowledgeGraph, Snapshot
from sage_ld.indexes.selection import best
from sage_ld.model import Answer, DoubleArray, FloatArray, PathStep, Result, Role
from sage_ld.recipes import Retrieval
from sage_ld.retrieval.expansion import checked, expand
from sage_ld.retrieval.scores import FUSIONS
from sage_ld.retrieval.views import views


class Mode(StrEnum):
    """How a question is answered."""

    SAGE = "sage"
    HYBRID = "hybrid"
    DENSE = "dense"
    BM25 = "bm25"


@dataclass(frozen=True, slots=True)
class Scores:
    """All chunks' scores for one question, shape (n,), in the row order of the vector index."""

    bm25: FloatArray
    dense: FloatArray
    hybrid: DoubleArray


@dataclass(frozen=True, slots=True)
class Ranked:
    """One chunk of a ranking, before anything is read of it."""

    iri: str
    role: Role
    score: float
    parts: dict[str, float]
    path: tuple[PathStep, ...] = ()


class Retriever:
    """Answers questions from the newest revision of a graph; each question sees one revision.

    >>> from sage_ld.retrieval.retriever import Mode
    >>> Mode("sage")
    <Mode.SAGE: 'sage'>
    """

    def __init__(self, graph: KnowledgeGraph, parameters: Retrieval | None = None) -> None:
        self.graph = graph
        self.parameters = parameters or graph.recipe.retrieval

    def retrieve(
        self,
        question: str,
        k: int = 5,
        neighbours: int = 5,
        *,
        mode: Mode | str = Mode.SAGE,
        channels: Sequence[str] | None = None,
    ) -> Answer:
        """The `k` best seeds and the `neighbours` best of what the graph joins to them.

        Every other mode than `sage` gives the first `k + neighbours` of one ranking: equal budgets.

        Raises InputError for an empty question, an unknown mode or channel, or a budget below its minimum;
        LimitError for one above the setting max_results; NotFoundError where the graph is empty.
        """
        chosen = checked(self.parameters.channels if channels is None else channels)
        self._check(question, k, neighbours)
        snapshot = self.graph.snapshot()
        ranking = self.rank(snapshot, question, k, neighbours, _mode(mode), chosen)
        shown = views(snapshot.store, [each.iri for each in ranking])
        results = tuple(
            Result(rank, each.role, each.score, each.parts, each.path, shown[each.iri])
            for rank, each in enumerate(ranking, 1)
        )
        recipe = self.graph.configuration.recipe
        return Answer(question, _mode(mode), recipe, k, neighbours, chosen, snapshot.number, results)

    def rank(
        self, snapshot: Snapshot, question: str, k: int, neighbours: int, mode: Mode, channels: Sequence[str]
    ) -> list[Ranked]:
        """The ranking that `retrieve` shows, without what is read of the chunks."""
        scores = self.scores(snapshot, question)
        iris = snapshot.vectors.iris
        if mode is not Mode.SAGE:
            flat = getattr(scores, str(mode))
            return [
                self._seed(row, iris, scores, float(flat[row])) for row in best(flat, iris, k + neighbours)
            ]
        rows = best(scores.hybrid, iris, k)
        seeds = [self._seed(row, iris, scores, float(scores.hybrid[row])) for row in rows]
        steps = expand(
            snapshot.store, [seed.iri for seed in seeds], channels, len(iris), self.parameters.entity_hub
        )
        found = self._neighbours(snapshot, scores, seeds, steps)
        return seeds + sorted(found, key=lambda each: (-each.score, each.iri))[:neighbours]

    def scores(self, snapshot: Snapshot, question: str) -> Scores:
        """BM25, dense and fused scores of all chunks."""
        dense = snapshot.vectors.scores(
            self.graph.encoder.encode_query(question), self.graph.encoder.similarity
        )
        bm25 = snapshot.lexical.all_scores(question)[snapshot.lexical_rows]
        hybrid = FUSIONS[self.parameters.fusion](bm25, dense, self.parameters.bm25_weight)
        return Scores(bm25, dense, hybrid)

    def _seed(self, row: int, iris: Sequence[str], scores: Scores, score: float) -> Ranked:
        return Ranked(iris[row], Role.SEED, score, _parts(scores, row))

    def _neighbours(
        self, snapshot: Snapshot, scores: Scores, seeds: Sequence[Ranked], steps: Sequence[PathStep]
    ) -> list[Ranked]:
        """Each neighbour at its own score plus a share of its best seed's, times the evidence."""
        own = {seed.iri: seed.score for seed in seeds}
        best_step: dict[str, tuple[float, PathStep]] = {}
        for step in steps:
            gain = own[step.seed] * step.weight
            if step.chunk not in own and (step.chunk not in best_step or gain > best_step[step.chunk][0]):
                best_step[step.chunk] = (gain, step)
        rows = snapshot.vectors.rows(best_step)
        result = []
        for row, (iri, (gain, step)) in zip(rows.tolist(), best_step.items(), strict=True):
            parts = _parts(scores, row) | {"graph": self.parameters.seed_share * gain}
            score = float(scores.hybrid[row]) + parts["graph"]
            result.append(Ranked(iri, Role.NEIGHBOUR, score, parts, (step,)))
        return result

    def _check(self, question: str, k: int, neighbours: int) -> None:
        settings = self.graph.settings
        if not question.strip():
            raise InputError("the question is empty; ask something")
        if len(question) > (limit := settings.max_question_length):
            raise LimitError.of("question", len(question), limit, "characters", "max_question_length")
        if k < 1 or neighbours < 0:
            raise InputError(
                f"k is {k}, neighbours is {neighbours}; k must be at least 1, neighbours at least 0"
            )
        if k + neighbours > (limit := settings.max_results):
            raise LimitError.of("k + neighbours", k + neighbours, limit, "results", "max_results")


def _mode(name: Mode | str) -> Mode:
    try:
        return Mode(name)
    except ValueError:
        raise InputError(f"unknown mode {name!r}; the modes are {', '.join(Mode)}") from None


def _parts(scores: Scores, row: int) -> dict[str, float]:
    return {name: round(float(getattr(scores, name)[row]), 6) for name in ("bm25", "dense", "hybrid")}
