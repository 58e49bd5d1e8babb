"""Skeletons of chunks: by the rule, and by a function that takes its place."""

from __future__ import annotations

from sage_ld.build.annotators.skeletons import LEAST_WORDS, MOST_WORDS, by_rule, skeletons
from sage_ld.foundation.model import Chunk, ChunkKind

MECHANISM = (
    "because demand increased, supply declined until reserves collapsed. it consumed its source and "
    "depended on what it depleted."
)


def chunk(text: str, kind: ChunkKind = ChunkKind.TEXT) -> Chunk:
    return Chunk("d", kind, 0, "d", "", text, 0, len(text))


def test_a_skeleton_has_no_names_numbers_or_words_of_the_domain() -> None:
    domain = MECHANISM.replace("supply", "Guano supply").replace("reserves", "phosphorus reserves of 1870")
    assert by_rule(domain) == by_rule(MECHANISM) != ""
    assert "guano" not in by_rule(domain)


def test_a_text_that_tells_of_no_mechanism_has_no_skeleton() -> None:
    assert by_rule("The ferry lies at the quay. It has two funnels.") == ""
    assert by_rule(MECHANISM, "de") == ""
    assert by_rule("increase " * (LEAST_WORDS - 1)) == ""
    assert len(by_rule("increase " * 200).split()) == MOST_WORDS


def test_chunks_of_prose_have_one_and_tables_and_records_none() -> None:
    chunks = (chunk("A quay."), chunk(MECHANISM, ChunkKind.TABLE), chunk(MECHANISM))
    assert skeletons(chunks, "en") == {2: by_rule(MECHANISM)}
    assert skeletons(chunks, "de") == {}


def test_another_function_takes_the_place_of_the_rule() -> None:
    asked = []

    def mechanism(text: str, language: str) -> str:
        asked.append((text, language))
        return " a shape " if text == MECHANISM else " "

    chunks = (chunk("A quay."), chunk(MECHANISM), chunk("row", ChunkKind.RECORD))
    assert skeletons(chunks, "fr", mechanism) == {1: "a shape"}
    assert asked == [("A quay.", "fr"), (MECHANISM, "fr")]
