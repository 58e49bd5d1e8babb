"""Abstracts that are extracted: which sentences are chosen, of which chunks, and within which budget."""

from __future__ import annotations

from dataclasses import replace
from typing import cast

import numpy as np
import pytest

from sage_ld.build.annotators.abstracts import Summarise, abstracts, greedy_cover
from sage_ld.foundation.errors import InputError
from sage_ld.foundation.model import WHOLE_DOCUMENT, Annotation, Chunk, ChunkKind, Mention, Section

SECTIONS = (Section("Prize", 1, None, 0, 90), Section("Winners", 2, 0, 90, 200))
TEXTS = (
    "The prize is from Osmere. It rained on that day, as it does in many towns of the coast.",
    "Nils Garrow won the prize. Ruth Calloway of Osmere won the prize of the festival in June.",
)
TERMS = (("prize", "osmere"), ("prize", "festival"))


def chunk(number: int, section: int | None = 0, kind: ChunkKind = ChunkKind.TEXT) -> Chunk:
    return Chunk("d", kind, number, "name", "", TEXTS[number], 0, len(TEXTS[number]), section)


def note(*keywords: str, names: tuple[str, ...] = ()) -> Annotation:
    return Annotation("", keywords, tuple(Mention(name.lower(), name, 0, 1) for name in names))


NOTES = (note(*TERMS[0]), note(*TERMS[1], names=("Ruth Calloway", "Nils Garrow")))


def test_sentences_are_chosen_by_what_they_add_for_their_length() -> None:
    """Weights 2, 1, 1 and 3, lengths 4, 9, 1 and 16, of which the roots divide.

    Worth at first: 0 has terms 0 and 1, (2 + 1) / 2 = 1.5; 1 has term 1, 1 / 3; 2 has term 2, 1; 3 has terms
    0 and 3, (2 + 3) / 4 = 1.25. After 0: 2 has 1, 3 has 3 / 4. After 2, 5 of 10 words are left.
    """
    sentences, terms = np.array([0, 0, 1, 2, 3, 3]), np.array([0, 1, 1, 2, 0, 3])
    weights, words = np.array([2.0, 1.0, 1.0, 3.0]), np.array([4, 9, 1, 16])
    assert greedy_cover(sentences, terms, weights, words, 10) == [0, 2]
    assert greedy_cover(sentences, terms, weights, words, 21) == [0, 2, 3]
    assert greedy_cover(sentences, terms, weights, words, 3) == [2]


def test_a_section_has_what_stands_below_it_and_a_short_text_is_its_own_abstract() -> None:
    found = abstracts("Prize", SECTIONS, (chunk(0), chunk(1, 1)), NOTES, 100)
    assert found == {WHOLE_DOCUMENT: " ".join(TEXTS), 0: " ".join(TEXTS), 1: TEXTS[1]}


def test_the_sentences_that_cover_most_stand_in_their_order() -> None:
    """Prize counts twice, as two chunks have it; sentences have 5, 14, 5 and 12 words.

    Worth: prize and Osmere 3 / 5 ** 0.5, as prize and Nils Garrow; 4 / 12 ** 0.5 of Ruth Calloway's. Then
    the latter adds 2 / 12 ** 0.5, Nils Garrow's 1 / 5 ** 0.5.
    """
    found = abstracts("Prize", SECTIONS, (chunk(0), chunk(1, 1)), NOTES, 17)
    calloway = "Ruth Calloway of Osmere won the prize of the festival in June."
    assert found == {
        WHOLE_DOCUMENT: f"The prize is from Osmere. {calloway}",
        0: found[WHOLE_DOCUMENT],
        1: TEXTS[1],
    }
    assert abstracts("Prize", SECTIONS, (chunk(0), chunk(1, 1)), NOTES, 6)[1] == "Nils Garrow won the prize."


def test_without_a_term_the_beginning_is_the_abstract() -> None:
    assert abstracts("", (), (chunk(1, None),), (note(),), 3) == {WHOLE_DOCUMENT: "Nils Garrow won …"}


def test_a_record_is_cut_by_lines() -> None:
    lines = Chunk("d", ChunkKind.RECORD, 0, "n", "", "year: 1987\nfilm: Night Bus. A film\n", 0, 36)
    assert abstracts("", (), (lines,), (note("film"),), 5) == {WHOLE_DOCUMENT: "film: Night Bus. A film"}


def test_a_function_writes_them_in_place_of_the_rule() -> None:
    asked = []

    def summarise(name: str, texts: list[str], words: int) -> str:
        asked.append((name, len(texts), words))
        return "" if name == "Winners" else f" {name}! "

    def wordy(*_: object) -> str:
        return "word " * 5000

    found = abstracts("Title", SECTIONS, (chunk(0), chunk(1, 1)), NOTES, 9, summarise)
    assert found == {WHOLE_DOCUMENT: "Title!", 0: "Prize!"}
    assert asked == [("Title", 2, 9), ("Prize", 2, 9), ("Winners", 1, 9)]
    cut = abstracts("Title", (), (chunk(0, None),), (note(),), 3, wordy)
    assert cut == {WHOLE_DOCUMENT: "word word word …"}


def test_a_function_that_writes_no_text_is_an_error_that_says_so() -> None:
    with pytest.raises(InputError, match="summarise: 7 for 'Prize' is not a string; return"):
        abstracts("Prize", (), (chunk(0, None),), (note(),), 9, cast(Summarise, lambda *_: 7))


def test_a_function_may_leave_some_to_the_rule() -> None:
    def summarise(name: str, texts: list[str], words: int) -> str | None:
        return None if name == "Title" else name

    ruled = abstracts("Title", SECTIONS, (chunk(0), chunk(1, 1)), NOTES, 9)
    found = abstracts("Title", SECTIONS, (chunk(0), chunk(1, 1)), NOTES, 9, summarise)
    assert found == {WHOLE_DOCUMENT: ruled[WHOLE_DOCUMENT], 0: "Prize", 1: "Winners"}


def test_an_abbreviation_ends_no_sentence() -> None:
    texts = (
        "Order the missing sign no. 12 from the office of the town.",
        "The jury said no. Nobody left the hall.",
    )
    found = abstracts(
        "", (), tuple(replace(chunk(0, None), text=text) for text in texts), (note("sign"), note()), 12
    )
    assert found == {WHOLE_DOCUMENT: texts[0]}
