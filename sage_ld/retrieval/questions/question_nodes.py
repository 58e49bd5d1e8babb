"""The nodes of the graph that a question names: entities by their labels, keywords by their words.

A kind of node is a row of a table: how a question names such a node, and which chunks refer to it. The names
are looked for among all runs of words of the question; of those that are found, a run within a longer one
does not count.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
from pyoxigraph import NamedNode

from sage_ld.build.annotators.gazetteer import label_keys
from sage_ld.build.annotators.words import is_ordinary
from sage_ld.build.languages.analysis import asked_words, terms
from sage_ld.foundation import vocabulary as v
from sage_ld.foundation.model import IntArray
from sage_ld.foundation.rdf_values import iri_of, text_of
from sage_ld.graph import Snapshot
from sage_ld.graph.indexes.layout import concatenated_ranges
from sage_ld.graph.indexes.mentions import Mentioning
from sage_ld.graph.indexes.strings import HashedLists, Numbers, grouped, text_number
from sage_ld.graph.store.iris import Iris
from sage_ld.graph.store.terms import node

_LONGEST_NAME: Final = 10
"""Words of an entity's name."""
_LONGEST_LABEL: Final = 120
"""Characters of an entity's label."""
_LONGEST_KEYWORD: Final = 4
"""Words of a keyword."""
MOST_ENTRIES: Final = 32
"""Nodes that a question names and from which the graph is followed at most: those with the fewest chunks."""
_BETWEEN_SPACES: Final = re.compile(r"\S+")
_WORD: Final = re.compile(r"\w+")


class Naming(NamedTuple):
    """A run of words of a question that may name a node."""

    begin: int
    end: int
    """The places of its words, the end exclusive."""
    number: int
    """The number of the node, if there is such a node."""


@dataclass(frozen=True, slots=True)
class NodeKind:
    """One kind of node that a question can name."""

    namings: Callable[[Snapshot, str, str], Iterable[Naming]]
    """From a question and its language to what may name a node of the kind."""
    chunks: Callable[[Snapshot, Numbers], Mentioning]
    """The chunks, by rows of the vector index, that refer to some nodes."""
    pairs: Callable[[Snapshot], tuple[IntArray, Numbers]]
    """(e,) the rows of all chunks that refer to a node, and the numbers of the nodes."""


@dataclass(frozen=True, slots=True)
class NamedNodes:
    """The g nodes that a question names, each once, and the chunks that refer to them."""

    numbers: Numbers
    """(g,) ascending."""
    rows: IntArray
    """(e,) the rows of the chunks."""
    nodes: IntArray
    """(e,) the place of the node that each refers to among the g."""

    def chunks(self, place: int) -> IntArray:
        """The rows of the chunks that refer to one node, given by its place; ascending."""
        return np.unique(self.rows[self.nodes == place])

    def rarest(self) -> IntArray:
        """The places of the `MOST_ENTRIES` nodes with the fewest chunks, the fewest first."""
        counts = np.bincount(self.nodes, minlength=len(self.numbers))
        return np.argsort(counts, kind="stable")[:MOST_ENTRIES]


def named_nodes(
    snapshot: Snapshot, question: str, language: str | None, kinds: Sequence[NodeKind]
) -> NamedNodes:
    """The nodes of some kinds that a question names, and at least one chunk refers to.

    `language` is that of the question; None: that of most chunks.
    """
    asked_in = language or next(iter(snapshot.lexical.language_counts))
    rows, numbers = [np.zeros(0, np.int64)], [np.zeros(0, np.uint64)]
    for kind in kinds:
        namings = list(kind.namings(snapshot, question, asked_in))
        candidates = np.unique(np.array([each.number for each in namings], np.uint64))
        chunks = kind.chunks(snapshot, candidates)
        known = set(candidates[np.unique(chunks.places)].tolist())
        longest = np.array(_longest(each for each in namings if each.number in known), np.uint64)
        kept = np.isin(candidates, longest)[chunks.places]
        rows.append(chunks.rows[kept])
        numbers.append(candidates[chunks.places[kept]])
    distinct, nodes = np.unique(np.concatenate(numbers), return_inverse=True)
    return NamedNodes(distinct, np.concatenate(rows), nodes)


def _longest(namings: Iterable[Naming]) -> list[int]:
    """The numbers of those that are not within a longer one.

    >>> _longest([Naming(0, 1, 5), Naming(0, 2, 7), Naming(1, 2, 8), Naming(1, 3, 9)])
    [7, 9]
    """
    kept: list[Naming] = []
    for each in sorted(namings, key=lambda each: (each.begin, -each.end)):
        if not kept or each.end > kept[-1].end or each[:2] == kept[-1][:2]:
            kept.append(each)
    return [each.number for each in kept]


def _entity_namings(snapshot: Snapshot, question: str, language: str) -> Iterator[Naming]:
    """Runs of words as labels of entities, or of the users' resources that took an entity's place."""
    words = [match.span() for match in _BETWEEN_SPACES.finditer(question)]
    iris, replaced = Iris(snapshot.configuration.base_iri), snapshot.derived(_replaced)
    for first, (begin, _) in enumerate(words):
        for last, (_, end) in enumerate(words[first : first + _LONGEST_NAME], first):
            if end - begin > 2 * _LONGEST_LABEL:
                break
            for label in label_keys(question[begin:end]):
                if 2 <= len(label) <= _LONGEST_LABEL and _tells(label, language):
                    number = text_number(iris.entity(label))
                    yield Naming(first, last + 1, replaced.get(number, number))


def _tells(label: str, language: str) -> bool:
    """Whether a label has a word that is neither a number nor a function word."""
    return any(not word.isdigit() and not is_ordinary(word, language) for word in _WORD.findall(label))


def _replaced(snapshot: Snapshot) -> Mapping[int, int]:
    """The number of an entity -> that of the user's resource to which its mentions belong."""
    graph = node(Iris(snapshot.configuration.base_iri).resources_graph)
    quads = snapshot.stores.named.quads_for_pattern(None, node(v.IS_REPLACED_BY), None, graph)
    return {
        text_number(quad.subject.value): text_number(quad.object.value)
        for quad in quads
        if isinstance(quad.subject, NamedNode) and isinstance(quad.object, NamedNode)
    }


def _entity_chunks(snapshot: Snapshot, numbers: Numbers) -> Mentioning:
    chunks = snapshot.mentions.mentioning(numbers)
    rows = snapshot.mentioning_rows[chunks.rows]
    return Mentioning(rows[rows >= 0], chunks.places[rows >= 0])


def _entity_pairs(snapshot: Snapshot) -> tuple[IntArray, Numbers]:
    entities, rows = snapshot.mentions.of_rows(snapshot.mention_rows)
    return rows, entities


def _keyword_namings(snapshot: Snapshot, question: str, language: str) -> Iterator[Naming]:
    """Runs of stems, in each language of the index."""
    languages = list(snapshot.lexical.language_counts)
    words = [word.terms for word in asked_words(question, languages, language)]
    for column in range(len(languages)):
        stems = [each[column] for each in words]
        for first in range(len(stems)):
            for last in range(first, min(first + _LONGEST_KEYWORD, len(stems))):
                if not stems[last]:
                    break
                yield Naming(first, last + 1, text_number(" ".join(stems[first : last + 1])))


def _keyword_lists(snapshot: Snapshot) -> HashedLists:
    """The rows of the chunks that have each keyword, which is known by its stems in the chunk's language."""
    quads = snapshot.store.quads_for_pattern(None, node(v.KEYWORDS), None, None)
    said = [
        (iri, text)
        for quad in quads
        if (iri := iri_of(quad.subject)) is not None and (text := text_of(quad.object))
    ]
    rows = snapshot.vectors.rows([iri for iri, _ in said])
    spoken = snapshot.lexical.languages([iri for iri, _ in said])
    numbers: dict[tuple[str, str], int] = {}
    lists = []
    for (_, text), language in zip(said, spoken, strict=True):
        if (number := numbers.get((text, language))) is None:
            number = numbers[text, language] = text_number(" ".join(terms(text, language)))
        lists.append(number)
    chunks = rows >= 0
    return HashedLists.of(grouped(np.array(lists, np.uint64)[chunks], rows[chunks]))


def _keyword_chunks(snapshot: Snapshot, numbers: Numbers) -> Mentioning:
    lists = snapshot.derived(_keyword_lists)
    places = np.flatnonzero(lists.contain(numbers))
    at = np.searchsorted(lists.numbers, numbers[places])
    begin = lists.starts[at]
    counts = lists.starts[at + 1] - begin
    return Mentioning(
        lists.rows[concatenated_ranges(begin, counts)].astype(np.int64), np.repeat(places, counts)
    )


def _keyword_pairs(snapshot: Snapshot) -> tuple[IntArray, Numbers]:
    lists = snapshot.derived(_keyword_lists)
    return lists.rows.astype(np.int64), lists.expanded()


ENTITY_NODES: Final = NodeKind(_entity_namings, _entity_chunks, _entity_pairs)
KEYWORD_NODES: Final = NodeKind(_keyword_namings, _keyword_chunks, _keyword_pairs)

ENTRY_KINDS: Final = (ENTITY_NODES,)
"""The kinds from which the ranking `bfs` starts."""
SECTION_KINDS: Final = (ENTITY_NODES, KEYWORD_NODES)
"""The kinds that are the keywords of a section."""
