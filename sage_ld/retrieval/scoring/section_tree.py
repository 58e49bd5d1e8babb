"""The section trees of a revision: the words of each document and section, and how well they fit a question.

The roots are the documents, below them stand their sections as the graph has them. A node has the keywords of
the chunks in it and below it, and the words of its own heading; `docs/structure.md` gives the formulas.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from sage_ld.build.languages.analysis import asked_words
from sage_ld.foundation.model import DoubleArray, IntArray
from sage_ld.foundation.rdf_values import integer_of, iri_of, text_of
from sage_ld.foundation.recipes import Retrieval
from sage_ld.graph import Snapshot
from sage_ld.graph.indexes.strings import HashedLists, Numbers, grouped, text_numbers
from sage_ld.graph.store import queries, reading
from sage_ld.retrieval.chunks.chunk_table import ChunkTable
from sage_ld.retrieval.questions.question_nodes import SECTION_KINDS, named_nodes
from sage_ld.retrieval.rankings.features import DECIMALS
from sage_ld.retrieval.rankings.method import Inquiry
from sage_ld.retrieval.scoring.scores import relative

DEEPEST: Final = 64
"""Sections stand in at most so many others; deeper ones stand beside the last of these."""


@dataclass(frozen=True, slots=True)
class WordSets:
    """The words of m nodes: which nodes have each word, and how many words each node has."""

    nodes: HashedLists
    sizes: IntArray
    """(m,)"""

    @classmethod
    def of(cls, numbers: Numbers, nodes: IntArray, size: int) -> WordSets:
        """From pairs of a word and a node, each pair once."""
        return cls(HashedLists.of(grouped(numbers, nodes)), np.bincount(nodes, minlength=size))

    def shared(self, asked: Sequence[Numbers]) -> IntArray:
        """(m,) how many of the words asked for each node has; each of these is given as all its forms."""
        counts = np.zeros(len(self.sizes), np.int64)
        for forms in asked:
            parts = [self.nodes.rows[self.nodes.find(form)] for form in forms.tolist()]
            counts[np.unique(np.concatenate(parts)) if parts else []] += 1
        return counts


@dataclass(frozen=True, slots=True)
class SectionNodes:
    """All documents and sections of a revision as m nodes, the documents first, in the order of `ChunkTable`.

    The sections of a document follow one another in the order of its text.
    """

    iris: Sequence[str]
    names: Sequence[str]
    """Titles of documents and names of sections."""
    parents: IntArray
    """(m,) the node that each stands in; -1 for a document."""
    roots: Sequence[int]
    """(m,) the document of each."""
    chunk_nodes: IntArray
    """(n,) the innermost node of each chunk."""

    @classmethod
    def of(cls, snapshot: Snapshot) -> SectionNodes:
        """The nodes of a revision: read once, and kept as long as the revision is open."""
        return snapshot.derived(_read_nodes)


@dataclass(frozen=True, slots=True)
class SectionTree:
    """The documents and sections of a revision with their words."""

    nodes: SectionNodes
    keywords: WordSets
    """Of the chunks in a node and below it."""
    headings: WordSets
    """Of each node's own name, without function words."""

    @classmethod
    def of(cls, snapshot: Snapshot) -> SectionTree:
        """The tree of a revision: read once, and kept as long as the revision is open."""
        return snapshot.derived(_read)


@dataclass(frozen=True, slots=True)
class SectionScores:
    """The scores of the m nodes of a tree for a question, (m,) each."""

    keyword: DoubleArray
    """The fit of the keywords."""
    heading: DoubleArray
    """The fit of the heading."""
    own: DoubleArray
    """Both, blended."""
    score: DoubleArray
    """With what is inherited from the nodes above; the highest is 1."""


def scores_of_sections(inquiry: Inquiry) -> SectionScores:
    """The scores of all documents and sections of the revision."""
    snapshot, given = inquiry.snapshot, inquiry.parameters
    tree = SectionTree.of(snapshot)
    inquiry.check()
    named = named_nodes(snapshot, inquiry.text, inquiry.language, SECTION_KINDS)
    languages = list(snapshot.lexical.language_counts)
    words = asked_words(inquiry.text, languages, inquiry.language or languages[0])
    asked = {word.terms for word in words if not word.is_function_word}
    forms = [text_numbers(filter(None, each)) for each in sorted(asked)]
    keyword = _fit(tree.keywords, [each[None] for each in named.numbers], given)
    heading = _fit(tree.headings, forms, given)
    own = (1 - given.heading_share) * keyword + given.heading_share * heading
    reached = effective(own, tree.nodes.parents, given.inheritance_decay)
    return SectionScores(keyword, heading, own, relative(reached))


def chunk_scores(inquiry: Inquiry) -> DoubleArray:
    """(n,) the score of the section in which each chunk of the revision stands."""
    return inquiry.once(scores_of_sections).score[SectionNodes.of(inquiry.snapshot).chunk_nodes]


def _fit(words: WordSets, asked: Sequence[Numbers], given: Retrieval) -> DoubleArray:
    return overlap(words.shared(asked), len(asked), words.sizes, given.coverage_share)


def _read_nodes(snapshot: Snapshot) -> SectionNodes:
    chunk_table = ChunkTable.of(snapshot)
    titles = {each.iri: each.name for each in reading.documents(snapshot.store)}
    children = _children(snapshot)
    iris = list(chunk_table.iris)
    names, parents, roots = [titles.get(iri, "") for iri in iris], [-1] * len(iris), list(range(len(iris)))
    depths = [0] * len(iris)
    numbers: dict[str, int] = {}
    for root in range(len(iris)):
        inner = [(each, root) for each in children.pop(iris[root], ())]
        while inner:
            (_, section, name), parent = inner.pop()
            parent = parent if depths[parent] < DEEPEST else parents[parent]
            numbers[section] = here = len(iris)
            iris.append(section)
            names.append(name)
            parents.append(parent)
            roots.append(root)
            depths.append(depths[parent] + 1)
            inner += [(each, here) for each in children.pop(section, ())]
    chunk_nodes = _chunk_nodes(snapshot, chunk_table, numbers, roots)
    return SectionNodes(iris, names, np.array(parents, np.int64), roots, chunk_nodes)


def _read(snapshot: Snapshot) -> SectionTree:
    tree = SectionNodes.of(snapshot)
    rows, referred = zip(*(kind.pairs(snapshot) for kind in SECTION_KINDS), strict=True)
    vocabulary, keyword = np.unique(np.concatenate(referred), return_inverse=True)
    nodes, keyword = inherited(tree.parents, tree.chunk_nodes[np.concatenate(rows)], keyword)
    keywords = WordSets.of(vocabulary[keyword], nodes, len(tree.iris))
    headings = _headings(snapshot, tree.names, tree.roots, tree.chunk_nodes)
    return SectionTree(tree, keywords, headings)


def _children(snapshot: Snapshot) -> dict[str, list[tuple[int, str, str]]]:
    """The sections of each document and section (IRIs), the last first: position, IRI and name."""
    children: defaultdict[str, list[tuple[int, str, str]]] = defaultdict(list)
    for row in queries.first_rows(queries.select(snapshot.store, queries.text("sections")), "section"):
        if (whole := iri_of(row["whole"])) is not None:
            position = integer_of(row["position"]) or 0
            children[whole].append((position, row["section"].value, text_of(row["name"])))
    return {whole: sorted(each, reverse=True) for whole, each in children.items()}


def _chunk_nodes(
    snapshot: Snapshot, chunk_table: ChunkTable, numbers: Mapping[str, int], roots: Sequence[int]
) -> IntArray:
    """(n,) the section of each chunk in its document, or that; of several sections the last in order."""
    nodes = chunk_table.documents.astype(np.int64)
    for row in queries.select(snapshot.store, queries.text("section_chunks")):
        section, chunk = numbers.get(text_of(row["section"])), chunk_table.rows.get(text_of(row["chunk"]))
        if section is not None and chunk is not None and roots[section] == chunk_table.documents[chunk]:
            nodes[chunk] = max(nodes[chunk], section)
    return nodes


def _headings(
    snapshot: Snapshot, names: Sequence[str], roots: Sequence[int], chunk_nodes: IntArray
) -> WordSets:
    """The words of each name, in the language of a chunk of its document."""
    documents, first = np.unique(np.array(roots)[chunk_nodes], return_index=True)
    chunks = [snapshot.vectors.iris[row] for row in first.tolist()]
    spoken = dict(zip(documents.tolist(), snapshot.lexical.languages(chunks), strict=True))
    numbers, nodes = [np.zeros(0, np.uint64)], [np.zeros(0, np.int64)]
    for number, (name, root) in enumerate(zip(names, roots, strict=True)):
        words = asked_words(name, [spoken[root]], spoken[root])
        forms = {term for word in words if not word.is_function_word for term in word.terms}
        numbers.append(text_numbers(forms))
        nodes.append(np.full(len(forms), number))
    return WordSets.of(np.concatenate(numbers), np.concatenate(nodes), len(names))


def inherited(parents: IntArray, nodes: IntArray, keywords: IntArray) -> tuple[IntArray, IntArray]:
    """The pairs of a node and a keyword, (e,) each, and those of all nodes above: each pair once, by keyword.

    >>> [each.tolist() for each in inherited(np.array([-1, 0, 0]), np.array([1, 2, 2]), np.array([5, 5, 9]))]
    [[0, 1, 2, 0, 2], [5, 5, 5, 9, 9]]
    """
    size = max(len(parents), 1)
    reached = front = np.unique(keywords.astype(np.int64) * size + nodes)
    while len(front):
        above = parents[front % size]
        front = np.unique((front - front % size + above)[above >= 0])
        reached = np.union1d(reached, front)
    return reached % size, reached // size


def overlap(shared: IntArray, asked: int, sizes: IntArray, coverage_share: float) -> DoubleArray:
    """(m,) how well the words of each node fit those of a question.

    Of the `asked` words of the question each node has `shared` (m,), among `sizes` (m,) words of its own.
    Coverage is the share of the question's words that the node has, specificity the share of the node's words
    that the question has; coverage counts for `coverage_share`, specificity for the rest.

    >>> overlap(np.array([1, 2, 0]), 2, np.array([2, 8, 0]), 0.5).tolist()
    [0.5, 0.625, 0.0]
    """
    coverage = shared / max(asked, 1)
    return np.asarray(coverage_share * coverage + (1 - coverage_share) * shared / np.maximum(sizes, 1))


def effective(own: DoubleArray, parents: IntArray, decay: float) -> DoubleArray:
    """(m,) the score of each node and what it inherits, its own + decay · that of its parent.

    >>> effective(np.array([1.0, 0.5, 0.0]), np.array([-1, 0, 1]), 0.5).tolist()
    [1.0, 1.0, 0.5]
    """
    scores = own.astype(np.float64)
    share, above = decay, parents
    while (held := above >= 0).any():
        scores[held] += share * own[above[held]]
        above = np.where(held, parents[above], -1)
        share *= decay
    return scores


@dataclass(frozen=True, slots=True)
class SectionPart:
    """The section scores of all chunks, where the recipe gives them a weight."""

    weight: float
    scores: DoubleArray
    """(n,), empty where the weight is 0: nothing is read then."""

    @classmethod
    def of(cls, inquiry: Inquiry) -> SectionPart:
        """The section scores for a question; empty where the recipe's `section_weight` is 0."""
        weight = inquiry.parameters.section_weight
        return cls(weight, chunk_scores(inquiry) if weight else np.zeros(0))

    def blended(self, scores: DoubleArray, rows: IntArray | slice = slice(None)) -> DoubleArray:
        """Both scores of the chunks with some rows: weight · section + (1 − weight) · score / highest."""
        if not self.weight:
            return scores
        return np.asarray(self.weight * self.scores[rows] + (1 - self.weight) * relative(scores))

    def said(self, row: int) -> dict[str, float]:
        """The part that an answer tells of a chunk."""
        return {"section": round(float(self.scores[row]), DECIMALS)} if self.weight else {}
