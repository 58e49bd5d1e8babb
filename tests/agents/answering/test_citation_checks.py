"""Where a quotation stands in a chunk, whatever its form, found in time in proportion to the chunk."""

from __future__ import annotations

import pytest
from fuzz.growth import assert_linear, repeated
from hypothesis import given
from hypothesis import strategies as st

from sage_ld.agents.answering.model_answer import numbers_stand, quoted_span
from sage_ld.foundation.model import Chunk, ChunkKind
from sage_ld.graph.store.reading import StoredChunk

TEXT = "“Straße 7”  is\n a film — it ran for 90 minutes, and nobody left. It was shown again in 1931."
BEGIN = 100


def stored(text: str) -> StoredChunk:
    chunk = Chunk("d", ChunkKind.TEXT, 0, "", "", text, BEGIN, BEGIN + len(text))
    return StoredChunk("x:c", "x:d", chunk, "", (), "")


def quoted(text: str, quote: str) -> str | None:
    """What of the text a quotation is found to be."""
    if (span := quoted_span(stored(text), quote)) is None:
        return None
    return text[span[0] - BEGIN : span[1] - BEGIN]


@pytest.mark.parametrize(
    ("quote", "found"),
    [
        ("It was shown again", "It was shown again"),
        ('"STRASSE 7" is a film - it ran', "Straße 7”  is\n a film — it ran"),
        ("nobody left it was shown", None),
        ("90 minutes", "90 minutes"),
        ("0 minutes", None),
        ("90 minute", None),
        ("It was", None),
        ("It was shown again in about 1931", "It was shown again in 1931."),
        ("it was shown again in 1932", None),
        ("", None),
    ],
)
def test_where_a_quotation_stands(quote: str, found: str | None) -> None:
    assert quoted(TEXT, quote) == found


@given(st.text(), st.integers(0, 50), st.integers(1, 50))
def test_what_is_found_lies_in_the_chunk(text: str, begin: int, length: int) -> None:
    found = quoted(text, text[begin : begin + length])
    assert found is None or found in text


@pytest.mark.parametrize("words", ["a", "a b ", "ﬃ", "“", " ", "Dr. "])
def test_the_time_grows_as_the_chunk(words: str) -> None:
    for quote in ("a b a b c", "aaaaaaaaaaaab", "one two three four five"):
        assert_linear(lambda size, quote=quote: quoted_span(stored(repeated(words, size)), quote), 2**16)


@pytest.mark.parametrize(
    ("sentence", "texts", "stand"),
    [
        ("It has 1,200 seats.", ["Seats: 1,200"], True),
        ("It has 1200 seats.", ["Seats: 1,200"], True),
        ("It has 1200 seats.", ["12 00"], False),
        ("It is 1.5 m long.", ["15 m"], False),
        ("It has seats.", [], True),
        ("In 1931 and 1932.", ["1931", "1932"], True),
    ],
)
def test_numbers(sentence: str, texts: list[str], stand: bool) -> None:
    assert numbers_stand(sentence, texts) is stand
