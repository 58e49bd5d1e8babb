"""Sentences: none is lost or cut within, and the time that cutting takes grows as the text."""

from __future__ import annotations

import pytest
from fuzz.growth import assert_linear, repeated
from hypothesis import given
from hypothesis import strategies as st

from sage_ld.build.annotators.sentences import sentence_spans


@given(st.text(st.sampled_from("Dr. no 7\n!?。aB")))
def test_all_but_blanks_is_in_a_sentence(text: str) -> None:
    spans = sentence_spans(text)
    assert "".join("".join(text[begin:end].split()) for begin, end in spans) == "".join(text.split())
    assert all(text[begin:end] == text[begin:end].strip() != "" for begin, end in spans)
    assert spans == sorted(spans)


@pytest.mark.parametrize("words", ["Dr. ", "no. 7 ", "It ran. ", "a", "\n"])
def test_the_time_grows_as_the_text(words: str) -> None:
    assert_linear(lambda size: sentence_spans(repeated(words, size)), 2**18)
