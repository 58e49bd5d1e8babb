"""A graph in English alone: what the ranking was learned on, and so the same to the last bit."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from build.languages.documents import DOCUMENTS, LANGUAGES, QUESTIONS

from sage_ld.build.languages.analysis import terms
from sage_ld.foundation.model import FloatArray
from sage_ld.graph.indexes import LexicalIndex
from sage_ld.graph.indexes.lexical import K1, B, Postings

TEXTS = {name: text for name, text in sorted(DOCUMENTS.items()) if LANGUAGES[name] == "en"}
LONG = "Who carved the wheels of the mills, and did the keepers of the light die at the mill of Osmere?"


def former_scores(question: str) -> FloatArray:
    """BM25 as it was before there were languages: stems of English, in this order of operations."""
    rows = [Counter(terms(text)) for text in TEXTS.values()]
    lengths = np.array([row.total() for row in rows], np.int32)
    average = int(lengths.sum()) / len(rows)
    norm = (K1 * (1 - B + B * lengths / average)).astype(np.float32)
    scores = np.zeros(len(rows), np.float32)
    asked = Counter(terms(question))
    for term in sorted(asked):
        holding = np.array([number for number, row in enumerate(rows) if term in row])
        idf = np.log1p((len(rows) - len(holding) + 0.5) / (len(holding) + 0.5))
        if len(holding):
            counts = np.array([rows[number][term] for number in holding], np.float32)
            scores[holding] += np.float32(idf * (K1 + 1) * asked[term]) * (counts / (counts + norm[holding]))
    return scores


@pytest.mark.parametrize("question", [LONG, *QUESTIONS])
def test_the_scores_of_an_english_index_are_what_they_were(tmp_path: Path, question: str) -> None:
    index = LexicalIndex.create(tmp_path)
    index.update(TEXTS.items(), [])
    assert np.array_equal(index.all_scores(question), former_scores(question))
    assert np.array_equal(index.matches(question).scores, former_scores(question))


def test_an_english_index_holds_nothing_but_stems(tmp_path: Path) -> None:
    index = LexicalIndex.create(tmp_path)
    index.update(TEXTS.items(), [])
    (segment,) = index._directory.segments
    dictionary = Postings.of(segment.arrays).terms
    expected = {term.encode() for text in TEXTS.values() for term in terms(text)}
    assert {dictionary[number] for number in range(len(dictionary))} == expected


def test_texts_of_another_language_leave_the_words_of_english_as_they_are(tmp_path: Path) -> None:
    """Only the counts that all languages share change: how many chunks there are, and how long."""
    index = LexicalIndex.create(tmp_path)
    others = {name: tag for name, tag in LANGUAGES.items() if tag != "en"}
    index.update(DOCUMENTS.items(), [], {name: others[name] for name in ("bruecke.md",)})
    matches = index.matches("Who carved the wheels of the mills?")
    assert [word[0] for word in matches.terms] == sorted({"carv", "mill", "of", "the", "wheel", "who"})
    english = [name for name in index.iris if LANGUAGES[name] == "en"]
    assert all(matches.scores[index.rows(english)] > 0)
