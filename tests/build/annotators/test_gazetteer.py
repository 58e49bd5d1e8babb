"""Names of a list in texts: what may stand between their words, and how the work grows."""

from __future__ import annotations

import pytest

from sage_ld.build.annotators.gazetteer import find_listed, name_key


@pytest.mark.parametrize(
    ("label", "text"),
    [
        ("St. John's wort", "a tea of st. john's wort helps"),
        ("AT&T cable", "he cut the at&t cable"),
        ("salt & vinegar", "with salt & vinegar"),
        ("viola d.amore", "a viola d.amore of 1720"),
        ("café noir", "a cafe\u0301 noir, please"),
        ("हिन्दी भाषा", "यह हिन्दी भाषा है।"),
    ],
)
def test_a_label_is_found_as_it_is_written(label: str, text: str) -> None:
    (place,) = find_listed(text, {name_key(label): "x"}.get)
    assert name_key(text[place.begin : place.end]) == name_key(label)


@pytest.mark.parametrize("text", ["a viola; amore", "salt, vinegar", "salt\n\nvinegar", "salt (vinegar)"])
def test_other_signs_divide_names(text: str) -> None:
    assert list(find_listed(text, {"viola amore": "x", "salt vinegar": "x"}.get)) == []


def test_a_word_is_looked_up_with_those_after_it_alone() -> None:
    asked: list[str] = []
    assert list(find_listed("a " * 2_000, lambda key: asked.append(key))) == []
    assert len(asked) <= 6 * 2_000
    assert max(map(len, asked)) == len("a a a a a a")
