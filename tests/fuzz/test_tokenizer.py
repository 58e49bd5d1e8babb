"""The SPARQL tokenizer takes any text: nothing is lost, and the work grows with the length."""

from __future__ import annotations

import re

from fuzz.corpus import seeds
from fuzz.growth import assert_linear, repeated
from hypothesis import given
from hypothesis import strategies as st

from sage_ld.graph.store.tokenizer import tokens

SEEDS = [content.decode() for content in seeds("sparql")]
PIECES = sorted({piece for text in SEEDS for piece in re.findall(r"\w+|\s+|.", text)})
TEXTS = st.one_of(
    st.text(max_size=200),
    st.lists(st.one_of(st.sampled_from(PIECES), st.characters())).map("".join),
    st.tuples(st.sampled_from(SEEDS), st.integers(0, 200)).map(lambda each: each[0][each[1] :]),
)


@given(TEXTS)
def test_tokens_and_the_space_between_them_are_the_text(text: str) -> None:
    end = 0
    for token in tokens(text):
        assert re.fullmatch(r"(?:[ \t\r\n]|#[^\r\n]*)*", text[end : token.begin])
        assert token.text
        assert text[token.begin : token.end] == token.text
        end = token.end
    assert re.fullmatch(r"(?:[ \t\r\n]|#[^\r\n]*)*", text[end:])


@given(st.lists(st.one_of(st.sampled_from(PIECES), st.characters()), min_size=1, max_size=6).map("".join))
def test_a_repeated_fragment_takes_linear_time(fragment: str) -> None:
    assert_linear(lambda size: sum(1 for _ in tokens(repeated(fragment, size))), 2**13)
