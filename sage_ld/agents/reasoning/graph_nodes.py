"""Nodes of a graph that may help with a question: found by words, sampled by kind, or a step away."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, Final

from pyoxigraph import NamedNode

from sage_ld.agents.reasoning.parameters import ReasoningParameters
from sage_ld.foundation import vocabulary as v
from sage_ld.foundation.deadline import Check
from sage_ld.foundation.errors import NotFoundError
from sage_ld.foundation.rdf_values import iri_of
from sage_ld.graph import KnowledgeGraph, Snapshot
from sage_ld.graph.store import reading
from sage_ld.graph.store.documents import CHUNK_CLASS
from sage_ld.graph.store.terms import node
from sage_ld.retrieval import Mode, Retriever

TYPES: Final[Mapping[str, str]] = {
    **{iri.removeprefix(v.SCHEMA): iri for iri in v.ENTITY_CLASSES},
    **{str(kind): iri for kind, iri in CHUNK_CLASS.items()},
    "document": v.DOCUMENT,
}
"""The types of nodes that an analysis may ask for, with their classes."""
_WORD: Final = re.compile(r"\w{2,}")
_FAN_OUT: Final = 25
"""Edges that are followed from a node."""
_ENTITY: Final = "entity"


@dataclass(frozen=True, slots=True)
class ReasoningNode:
    """A node, with what speaks for it."""

    iri: str
    kind: str
    """`text`, `table` or `record` of a chunk, else `entity`, `document`, `section`, `concept`, `resource`."""
    label: str
    text: str = ""
    """Of a chunk."""
    relation: str = ""
    """How it was found: by which kind of edge, or `words`, `name`, `type`."""
    score: float = 0.0
    """In 0..10: by its words and kind, until the model has scored it."""
    aggregates: bool = False
    """Whether its label is a value in a table at hand (`[DATA_AGGR_KEY]`)."""

    def as_json(self) -> dict[str, Any]:
        """The node without its text."""
        members = {"id": self.iri, "kind": self.kind, "label": self.label, "relation": self.relation}
        return {**members, "score": round(self.score, 3), "aggregates": self.aggregates}


class NodeFinder:
    """Finds nodes of one revision for one question, each once."""

    def __init__(
        self,
        graph: KnowledgeGraph,
        snapshot: Snapshot,
        question: str,
        parameters: ReasoningParameters,
    ) -> None:
        self._graph, self._snapshot, self._question = graph, snapshot, question
        self._parameters = parameters
        self._words = _words(question)
        self._seen: set[str] = set()

    def initial(
        self, target_types: Sequence[str], key_entities: Sequence[str], check: Check
    ) -> list[ReasoningNode]:
        """The nodes to begin with, best first: by words, by names, and where these are few, by type."""
        most = self._parameters.max_candidates_to_score
        text = " ".join([self._question, *key_entities])
        nodes = [*self._named(check), *self._by_words(text, most, check)]
        if len(nodes) < self._parameters.top_k:
            nodes += self._of_types(target_types, self._parameters.top_k - len(nodes), check)
        return self._best(nodes)

    def beyond(self, nodes: Iterable[ReasoningNode], check: Check) -> list[ReasoningNode]:
        """The nodes that an edge joins to some, without those that were found before; best first."""
        reached: dict[str, ReasoningNode] = {}
        for each in nodes:
            for near in self._near(each, check):
                reached.setdefault(near.iri, near)
        return self._best(self._with_texts(reached.values()))

    def _best(self, nodes: Iterable[ReasoningNode]) -> list[ReasoningNode]:
        fresh = {each.iri: each for each in nodes if each.iri not in self._seen}
        scored = [replace(each, score=self._score(each)) for each in fresh.values()]
        ordered = sorted(scored, key=lambda each: (-each.score, each.iri))
        best = ordered[: self._parameters.max_candidates_to_score]
        self._seen.update(each.iri for each in best)
        return [replace(each, score=min(each.score, 10.0)) for each in best]

    def _score(self, each: ReasoningNode) -> float:
        """Ten times what its words and kind are worth; without an index, its share of all words asked."""
        share = len(self._words & _words(f"{each.label} {each.text}")) / max(len(self._words), 1)
        return (each.score or 10 * share) + 10 * self._parameters.boosts.get(each.kind, 0)

    def _by_words(self, text: str, most: int, check: Check) -> list[ReasoningNode]:
        """Chunks by the keyword index; the best has 10."""
        answer = Retriever(self._graph).retrieve(
            text, most, 0, mode=Mode.BM25, at=self._snapshot, check=check
        )
        top = max((result.score for result in answer.results), default=0.0)
        return [
            ReasoningNode(
                result.view.iri,
                str(result.view.kind),
                f"{result.view.name} ({result.view.identifier})",
                result.view.text,
                "words",
                10 * result.score / top,
            )
            for result in answer.results
            if result.score > 0
        ]

    def _named(self, check: Check) -> list[ReasoningNode]:
        """The entities that the question names; that is worth as much as all its words."""
        analysis = Retriever(self._graph).analyse(self._question, at=self._snapshot, check=check)
        return [ReasoningNode(each.iri, _ENTITY, each.label, "", "name", 10.0) for each in analysis.nodes]

    def _of_types(self, target_types: Sequence[str], most: int, check: Check) -> list[ReasoningNode]:
        """Some nodes of each type, as many of one as of another."""
        classes = [TYPES[each] for each in target_types if each in TYPES]
        share = -(-most // max(len(classes), 1))
        sampled = []
        for iri in classes:
            quads = self._snapshot.store.quads_for_pattern(None, node(v.TYPE), NamedNode(iri), None)
            subjects = (iri_of(quad.subject) for quad in islice(quads, share))
            nodes = dict.fromkeys(filter(None, subjects))
            sampled += [self._described(each, "type", check) for each in nodes]
        return self._with_texts(sampled)

    def _described(self, iri: str, relation: str, check: Check) -> ReasoningNode:
        around = self._graph.neighbourhood(iri, nodes=1, at=self._snapshot, check=check)
        return ReasoningNode(iri, around.nodes[0].kind, around.nodes[0].label, "", relation)

    def _near(self, each: ReasoningNode, check: Check) -> Iterator[ReasoningNode]:
        try:
            around = self._graph.neighbourhood(each.iri, fan_out=_FAN_OUT, at=self._snapshot, check=check)
        except NotFoundError:
            return
        kinds = {end: edge.kind for edge in around.edges for end in (edge.source, edge.target)}
        for near in around.nodes[1:]:
            yield ReasoningNode(near.iri, near.kind, near.label, "", kinds.get(near.iri, ""))

    def _with_texts(self, without_texts: Iterable[ReasoningNode]) -> list[ReasoningNode]:
        """The nodes, chunks with their kind and text."""
        nodes = list(without_texts)
        iris = [each.iri for each in nodes if each.kind == "chunk"]
        chunks = {each.iri: each.chunk for each in reading.chunks(self._snapshot.store, iris, links=False)}
        return [
            replace(each, kind=str(chunks[each.iri].kind), text=chunks[each.iri].text)
            if each.iri in chunks
            else each
            for each in nodes
        ]


def marked(nodes: Iterable[ReasoningNode], values: Collection[str]) -> list[ReasoningNode]:
    """The nodes, those marked whose label, or the name of a chunk, is one of the values of tables."""

    def is_value(label: str) -> bool:
        return label in values or label.partition(" (")[0] in values

    return [replace(each, aggregates=is_value(each.label.casefold())) for each in nodes]


def _words(text: str) -> set[str]:
    return set(_WORD.findall(text.casefold()))
