"""Abstracts of documents and sections, extracted: the sentences that cover most of what their chunks name.

A node is a document or a section, with the chunks in it and below it. Its terms are the keywords of these
chunks and the names of the entities that they mention; a term counts as often as chunks have it. Sentences
are chosen greedily, the one with most newly covered weight for its length first, as in Lin and Bilmes,
"Multi-document summarization via budgeted maximization of submodular functions" (2010).
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final, TypeAlias

import numpy as np

from sage_ld.build.annotators.sentences import sentence_spans
from sage_ld.foundation.errors import InputError
from sage_ld.foundation.model import (
    WHOLE_DOCUMENT,
    Annotation,
    Chunk,
    ChunkKind,
    DoubleArray,
    IntArray,
    Section,
)

Summarise: TypeAlias = Callable[[str, Sequence[str], int], str | None]
"""Writes an abstract: from the name of a document or section, the texts of its chunks in order, and the most
words that the abstract may have. An empty one is left out; None leaves it to the rule."""

LENGTH_POWER: Final = 0.5
"""Power of its words by which the gain of a sentence is divided: between 0, which prefers long sentences, and
1, which prefers headlines."""
LETTERS: Final = 0.85
"""Least share of letters and blanks in what reads as a sentence; code, formulas and numbers have fewer."""
_LINE: Final = re.compile(r"\n+")
_ENDS: Final = (".", "?", "!", "。", "？", "！", '."', ".”", ".)")
_WORD: Final = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class _Sentence:
    text: str
    words: int
    terms: tuple[str, ...]
    reads: bool
    """Whether it reads as a sentence: code, and lines of tables and records, do not."""


def abstracts(
    title: str,
    sections: Sequence[Section],
    chunks: Sequence[Chunk],
    annotations: Sequence[Annotation],
    max_words: int,
    summarise: Summarise | None = None,
) -> dict[int, str]:
    """The abstracts of a document, under `WHOLE_DOCUMENT`, and of its sections with text, by their numbers.

    `summarise` writes them in place of the rule.
    """

    @cache
    def sentences(number: int) -> list[_Sentence]:
        return _sentences(chunks[number], annotations[number])

    below: defaultdict[int, list[int]] = defaultdict(list)
    for number, chunk in enumerate(chunks):
        at = chunk.section
        while at is not None:
            below[at].append(number)
            at = sections[at].parent
        below[WHOLE_DOCUMENT].append(number)
    by_section: dict[int, str] = {}
    for node in sorted(below):
        name = title if node == WHOLE_DOCUMENT else sections[node].name
        texts = [chunks[number].text for number in below[node]]
        written = None if summarise is None else _written(summarise, name, texts, max_words)
        if written is None:
            written = _extracted([sentences(number) for number in below[node]], max_words)
        by_section[node] = written
    return {node: text for node, each in by_section.items() if (text := each.strip())}


def _written(summarise: Summarise, name: str, texts: Sequence[str], max_words: int) -> str | None:
    text: object = summarise(name, texts, max_words)
    if text is None:
        return None
    if not isinstance(text, str):
        raise InputError(
            f"summarise: {repr(text)[:60]} for {name[:60]!r} is not a string; return the abstract, '' for "
            "none, or None for the one that the rule makes"
        )
    return _shortened(text, max_words)


def greedy_cover(
    sentences: IntArray, terms: IntArray, weights: DoubleArray, words: IntArray, budget: int
) -> list[int]:
    """The numbers of the sentences that cover terms of most weight within a budget of words, as chosen.

    (e,) pairs say which of s `sentences` has which of t `terms`, whose weights are (t,); (s,) `words` are the
    lengths. The next sentence is that with the highest weight of terms that none before it has, divided by
    the square root of its words; the first of equal ones.

    >>> pairs = np.array([0, 0, 1, 2, 2]), np.array([0, 1, 1, 1, 2])
    >>> greedy_cover(*pairs, np.array([3.0, 1.0, 2.0]), np.array([9, 1, 4]), 13)
    [2, 0]
    """
    left, open_pairs, chosen = budget, np.ones(len(terms), np.bool_), list[int]()
    cost = np.maximum(words, 1) ** LENGTH_POWER
    while True:
        gain = np.bincount(sentences, weights[terms] * open_pairs, minlength=len(words))
        worth = np.where(words <= left, gain / cost, 0.0)
        best = int(worth.argmax()) if len(worth) else 0
        if not len(worth) or worth[best] <= 0:
            return chosen
        chosen.append(best)
        left -= int(words[best])
        open_pairs &= ~np.isin(terms, terms[sentences == best])


def _extracted(chunks: Sequence[Sequence[_Sentence]], max_words: int) -> str:
    """The sentences of some chunks that cover most, in the order of the text; the first where none does."""
    sentences = [each for chunk in chunks for each in chunk]
    words = np.array([each.words for each in sentences], np.int64)
    if words.sum() <= max_words:
        return " ".join(each.text for each in sentences)
    if any(each.reads for each in sentences):
        sentences = [each for each in sentences if each.reads]
        words = np.array([each.words for each in sentences], np.int64)
    weights = Counter(term for chunk in chunks for term in {term for each in chunk for term in each.terms})
    numbers = {term: number for number, term in enumerate(weights)}
    pairs = [(at, numbers[term]) for at, each in enumerate(sentences) for term in each.terms]
    having, terms = np.array(pairs, np.int64).reshape(-1, 2).T
    chosen = sorted(greedy_cover(having, terms, np.array([*weights.values()], np.float64), words, max_words))
    if not chosen:
        return _shortened(sentences[0].text, max_words)
    return " ".join(sentences[at].text for at in chosen)


def _shortened(text: str, max_words: int) -> str:
    """The first words of a text."""
    words = text.split()
    return text if len(words) <= max_words else " ".join(words[:max_words]) + " …"


def _sentences(chunk: Chunk, annotation: Annotation) -> list[_Sentence]:
    """The sentences of a text, or the lines of a table or record, with the terms of the chunk in each."""
    names = {each.surface for each in annotation.mentions}
    terms = sorted({_folded(each) for each in (*annotation.keywords, *names)} - {""})
    is_text = chunk.kind is ChunkKind.TEXT
    sentences = []
    text = chunk.text
    parts = [text[begin:end] for begin, end in sentence_spans(text)] if is_text else _LINE.split(text)
    for part in parts:
        if folded := _folded(part):
            held = tuple(term for term in terms if term in folded)
            shown = " ".join(part.split())
            reads = is_text and _reads(shown)
            sentences.append(_Sentence(shown, folded.count(" ") - 1, held, reads))
    return sentences


def _reads(text: str) -> bool:
    """Whether a text ends as a sentence does, and is made of words.

    >>> _reads("An internal node has keys."), _reads("return *node(keys, 0) - 1;"), _reads("Next steps")
    (True, False, False)
    """
    letters = sum(each.isalpha() or each == " " for each in text)
    return text.endswith(_ENDS) and letters >= LETTERS * len(text)


def _folded(text: str) -> str:
    """The words of a text in lower case, each between blanks; empty where it has none."""
    words = _WORD.findall(text.casefold())
    return f" {' '.join(words)} " if words else ""
