"""Language tags as files write them."""

from __future__ import annotations

import pytest
from pyoxigraph import Literal

from sage_ld.build.languages import checked_tag, indexed_language, normalised_tag
from sage_ld.build.languages.tags import STEMMERS
from sage_ld.foundation.errors import InputError


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("de", "de"),
        (" EN-gb ", "en-GB"),
        ("pt_BR.UTF-8", "pt-BR"),
        ("zh-hant-tw", "zh-Hant-TW"),
        ("es-419", "es-419"),
        ("de-1996", "de-1996"),
        ("Deutsch", "de"),
        ("french", "fr"),
        ("ger", "de"),
        ("gsw", "gsw"),
        ("en-x-private", "en"),
        ('"de"', "de"),
        ("de, en", None),
        ("und", None),
        ("mul", None),
        ("", None),
        ("klingonisch", None),
        ("e", None),
        ("de-" + "abcdefgh-" * 9, "de"),
    ],
)
def test_a_tag_is_normalised(written: str, expected: str | None) -> None:
    assert normalised_tag(written) == expected
    if expected:
        assert normalised_tag(expected) == expected
        Literal("", language=expected)  # a ValueError if it is not well-formed


def test_a_users_tag_is_checked() -> None:
    assert checked_tag("de_AT", "question_language") == "de-AT"
    with pytest.raises(InputError, match="default_language: 'none' is not a language"):
        indexed_language(None, "none")


def test_both_norwegians_are_analysed_alike() -> None:
    assert {indexed_language(tag) for tag in ("nb-NO", "nn", "no")} == {"no"}
    assert all(indexed_language(tag) == tag for tag in STEMMERS)
