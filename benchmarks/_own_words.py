"""Questions made of the words of one chunk, which answers them alone.

Published sets of questions over several documents reward what links lead to, and a model that is learned from
them alone puts a row of a table behind the page that the row names. Such questions teach it the other case:
where one chunk holds what was asked, that chunk is the answer (an inverse cloze task; Lee et al. 2019,
arXiv:1906.00300, section 4.1, with single words in the place of the sentence).
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

import numpy as np

from sage_ld import KnowledgeGraph, Retriever
from sage_ld.foundation.model import ChunkKind
from sage_ld.graph.store import reading
from sage_ld.graph.store.reading import StoredChunk
from sage_ld.lab.tuning import Example, evidence, parameters

KINDS: Final = (ChunkKind.TEXT, ChunkKind.TABLE)
COUNT: Final = 250
"""Questions of a kind of chunk; a graph with fewer such chunks has none."""
GAIN: Final = 7.0
_SAMPLED: Final = 40
"""How many times as many chunks are looked at, of which most may be of the other kind."""
_ASK: Final = (
    "which",
    "what",
    "who",
    "when did",
    "where is",
    "how many",
    "in which year",
    "how long did",
    "name the",
)
_STOP: Final = frozenset((
    "the", "a", "an", "of", "and", "or", "in", "on", "at", "to", "for", "with", "by", "from", "as",
    "is", "was", "were", "are", "be", "been", "it", "its", "he", "she", "his", "her", "they", "that",
    "which", "who", "this", "these", "had", "has", "have", "not", "but", "also", "their", "into",
    "than", "first", "after",
))  # fmt: skip
_SHORTEST_SENTENCE: Final = 20  # characters
_WITH_HEADING: Final = 0.6  # the share of questions that name the heading, too
_FOREIGN_WORDS: Final = 2  # at most, from other chunks: a question is seldom of a text's own words alone


def own_words(
    graph: KnowledgeGraph, kind: ChunkKind, changes: Mapping[str, Any] | None = None
) -> list[Example]:
    """The candidates of generated questions on chunks of a kind; none where the graph has few of these.

    They are those of the default recipe, with the values that `changes` names.
    """
    chunks = _sample(graph, kind)
    if len(chunks) < COUNT:
        return []
    given = replace(parameters(graph.recipe.retrieval), **(changes or {}))
    retriever = Retriever(graph, given)
    snapshot = retriever.graph.snapshot()
    iris = snapshot.vectors.iris
    examples = []
    for text, answer in _questions(chunks):
        found = evidence(retriever, snapshot, text)
        names = np.array([iris[row] for row in found.candidates.tolist()], dtype=object)
        gains = np.where(names == answer, GAIN, 0.0)
        examples.append(Example(text, found.values, names, gains, frozenset([answer])))
    return examples


def _sample(graph: KnowledgeGraph, kind: ChunkKind) -> list[StoredChunk]:
    """Chunks of a kind in any order, the same each time."""
    snapshot = graph.snapshot()
    iris = sorted(snapshot.vectors.iris)
    chosen = random.Random(0).sample(iris, min(len(iris), _SAMPLED * COUNT))
    chunks = [each for each in reading.chunks(snapshot.store, chosen, links=False) if each.chunk.kind is kind]
    random.Random(1).shuffle(chunks)
    return chunks


def _questions(chunks: list[StoredChunk]) -> Iterator[tuple[str, str]]:
    """Pairs of a question and the IRI of its chunk."""
    chance = random.Random(2)
    foreign = [word for each in chunks[:400] for word in re.findall(r"[A-Za-z]{4,}", each.chunk.text)]
    count = 0
    for each in chunks:
        words = _words(each, chance)
        if words:
            for _ in range(chance.randint(0, _FOREIGN_WORDS)):
                words.insert(chance.randrange(len(words)), chance.choice(foreign))
            yield f"{chance.choice(_ASK)} {' '.join(words)}?", each.iri
            count += 1
        if count == COUNT:
            return


def _words(stored: StoredChunk, chance: random.Random) -> list[str]:
    """Three to seven words of a sentence or a row, often with the heading; none where there are fewer."""
    text = stored.chunk.text
    sentences = [each for each in re.split(r"(?<=[.!?;])\s+|\n", text) if len(each) > _SHORTEST_SENTENCE]
    sentence = chance.choice(sentences or [text])
    words = [each for each in re.findall(r"[\w'-]+", sentence) if each.lower() not in _STOP and len(each) > 1]
    if len(words) < 3:
        return []
    kept = sorted(chance.sample(range(len(words)), min(len(words), chance.randint(3, 7))))
    question = [words[at] for at in kept]
    if stored.chunk.heading and chance.random() < _WITH_HEADING:
        question += [chance.choice(("of", "in", "for")), *stored.chunk.heading.split(" > ")[0].split()[:5]]
    return question
