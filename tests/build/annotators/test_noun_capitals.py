"""Names in German, where every noun has a capital."""

from __future__ import annotations

import pytest
from build.languages.documents import DOCUMENTS

from sage_ld.build.annotators.keywords import keywords
from sage_ld.build.annotators.names import find_names


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (DOCUMENTS["bruecke.md"].partition("\n\n")[2], ["Osmere", "Baumeister Lukas Amery"]),
        ("Die Häuser am Markt haben Giebel aus Holz, und die Bürger bauten neue Häuser.", []),
        ("Sie fuhr nach Bremen. In Bremen traf sie Johann von Hask, und Hask schwieg.",
         ["Bremen", "Bremen", "Johann von Hask", "Hask"]),
        ("Die Zahl von Menschen stieg, als im Mai die NATO kam; der Turm ist 40 Meter hoch.", ["NATO"]),
        ("Die Deutsche Bank zog um. Am Montag kam das Rote Kreuz.", ["Deutsche Bank", "Rote Kreuz"]),
        ("Das Wasser stieg. Wasser stand in Hütten, und die alten Hütten fielen.", []),
    ],
)  # fmt: skip
def test_nouns_are_no_names(text: str, expected: list[str]) -> None:
    assert [text[span.begin : span.end] for span in find_names(text, language="de")] == expected


def test_the_words_of_the_title_are_names_unless_an_article_precedes_them() -> None:
    text = "Alle kennen Osmere. Wer die Brücke sieht, kennt Osmere und Brücke."
    known = frozenset(("osmere", "brücke"))
    assert [text[span.begin : span.end] for span in find_names(text, known, "de")] == ["Osmere", "Osmere"]


def test_an_elided_article_is_no_part_of_a_name() -> None:
    text = "On parle de l'Espagne et d'Henri Vaublanc. L'été est chaud."
    assert [text[span.begin : span.end] for span in find_names(text, language="fr")] == [
        "Espagne",
        "Henri Vaublanc",
    ]


def test_function_words_of_the_language_cut_keywords() -> None:
    french = "L'époque des grands chevaux du port et des chevaux de trait"
    assert keywords(french, 3, "fr") == ("grands chevaux", "chevaux", "époque")
    assert "des grands chevaux" in " ".join(keywords(french, 3))
    assert keywords("Die Brücke wurde aus Stein gebaut", 3, "de") == ("stein gebaut", "brücke")
