"""Words that a file writes in other characters are the same words."""

from __future__ import annotations

import pytest

from sage_ld.build.languages.analysis import compared, terms


@pytest.mark.parametrize(
    ("written", "plain"),
    [
        ("Donau\u00addampf\u00adschiff", "Donaudampfschiff"),
        ("zero\u200bwidth", "zerowidth"),
        ("word\u2060joiner", "wordjoiner"),
        ("\ufeffmark", "mark"),
        ("\ufb01sh and \ufb02our", "fish and flour"),
        ("Ｗｉｄｅ", "Wide"),
        ("e\u0301tude", "étude"),
        ("light-\nhouse", "lighthouse"),
        ("thun- derstorm", "thunderstorm"),
        ("corpo\u2010 ration", "corporation"),
        ("㎏", "kg"),
        ("m²", "m2"),
    ],
)
def test_a_word_is_one_whatever_its_characters(written, plain):
    assert terms(written) == terms(plain)


@pytest.mark.parametrize(
    "text",
    ["a well-known mill", "Vor- und Nachteile", "pre- or post-war", "North- East", "A- b", "May - June"],
)
def test_words_that_no_line_has_cut_stay(text):
    assert compared(text) == text


@pytest.mark.parametrize(("text", "kept"), [("10⁶", "10 6"), ("3½", "3 1⁄2"), ("H₂O 5₂", "H2O 5 2")])
def test_numbers_that_only_their_form_keeps_apart_stay_apart(text, kept):
    assert compared(text) == kept
