"""SPARQL's tokens are those of the grammar, and any text takes time in proportion to its length."""

from __future__ import annotations

import pytest
from fuzz.growth import assert_linear

from sage_ld.graph.store.tokenizer import tokens

LARGEST = 2**16  # the default of max_query_bytes


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("?s a ex:p.q:r", ["variable ?s", "word a", "name ex:p.q:r"]),
        ("?o.ex:a", ["variable ?o", "sign .", "name ex:a"]),
        (":.SERVICE", ["name :", "sign .", "word SERVICE"]),
        ("ex:a.b.. _:c.d.", ["name ex:a.b", "sign .", "sign .", "blank _:c.d", "sign ."]),
        (r"ex:a\,b%20c", [r"name ex:a\,b%20c"]),
        ("true.:b", ["word true", "sign .", "name :b"]),
        ("a.b-1.5", ["word a", "sign .", "word b", "sign -", "number 1.5"]),
        ("1.e1SERVICE", ["number 1.e1", "word SERVICE"]),
        ("1.5.2 .5e+3", ["number 1.5", "number .2", "number .5e+3"]),
        ("'a\\'b' '''c'd''e'''", ["string 'a\\'b'", "string '''c'd''e'''"]),
        ('""""a""" ""', ['string """"a"""', 'string ""']),
        ("'a\n'", ["unclosed 'a", "unclosed '"]),
        ("'''a'", ["unclosed '''a'"]),
        ("'x'@en--ltr", ["string 'x'", "language @en--ltr"]),
        ("?a<?b", ["variable ?a", "sign <", "variable ?b"]),
        ("<<(<a>", ["sign <<(", "iri <a>"]),
        ("é·x:ø", ["name é·x:ø"]),
        ("#a\r\n?b #", ["variable ?b"]),
    ],
)
def test_the_tokens_are_those_of_the_grammar(text: str, expected: list[str]) -> None:
    assert [f"{token.kind} {token.text}" for token in tokens(text)] == expected


@pytest.mark.parametrize(
    "shape",
    [
        *("a.", "a.b", "a-", "a-b.", "é.", "a:", "a:b.", "a:..", "a:%2", "a:\\", ":.", "_:a.", "_:a..", "_:"),
        *("'", "'\\", "'\\'", '"\\"', "'''a", "'''\\", "''''", '"""a""', "''\n", "<", "<a", "<<", "<a\\u"),
        *("1.", "1.1", "1e", "1.e", "@a-", "@", "?", "?a", "((", "\\", "#", "#\n", "{|", "^", ".", "a "),
    ],
)
def test_a_repeated_shape_takes_linear_time(shape: str) -> None:
    check_linear(shape)


@pytest.mark.parametrize("beginning", ["'", '"', "'''", "<", "a", "a:", "_:", "1", "@a"])
@pytest.mark.parametrize("shape", ["\\'", "a.", ".", "-a", "%20"])
def test_a_beginning_without_its_end_is_sought_once(beginning: str, shape: str) -> None:
    check_linear(f"{beginning}{shape * 500}")


def check_linear(shape: str) -> None:
    def run(size: int) -> None:
        text = (shape * (size // len(shape) + 1))[:size]
        assert sum(len(token.text) for token in tokens(text)) <= size

    assert_linear(run, LARGEST)
