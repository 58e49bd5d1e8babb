"""Terms by language, and which of them a question is looked up by."""

from __future__ import annotations

from sage_ld.build.languages.analysis import ENGLISH_FUNCTION_WORDS, asked_words, terms
from sage_ld.build.languages.tags import STEMMERS


def test_each_language_has_its_stems() -> None:
    assert terms("Häuser Hauses", "de") == ["de:haus", "de:haus"]
    assert terms("chevaux cheval", "fr") == ["fr:cheval", "fr:cheval"]
    assert terms("cultivaban cultivaba", "es") == ["es:cultiv", "es:cultiv"]
    assert terms("houses", "en") == terms("houses") == ["hous"]
    assert terms("Houses", "pl") == ["pl:houses"]


def test_the_terms_of_a_text_are_as_many_in_each_language() -> None:
    text = "L’été 2003: Cafe\u0301s, naïve Äpfel — houses " + "x" * 50
    assert {len(terms(text, language)) for language in (*STEMMERS, "pl")} == {7}


def test_an_index_of_one_language_is_asked_for_every_word() -> None:
    question = "Who built the bridges of the town?"
    asked = asked_words(question, ["en"], "en")
    assert [word.terms for word in asked] == [(term,) for term in terms(question)]
    assert [word.is_function_word for word in asked] == [
        word in ENGLISH_FUNCTION_WORDS for word in ["who", "built", "the", "bridges", "of", "the", "town"]
    ]
    german = asked_words("Wer baute die Brücke?", ["de"], "de")
    assert [word.terms for word in german] == [("de:wer",), ("de:baut",), ("de:die",), ("de:bruck",)]
    assert [word.is_function_word for word in german] == [True, False, True, False]


def test_function_words_are_looked_for_in_the_main_language_alone() -> None:
    """The English verb is asked for in English; German has the same word in every sentence."""
    asked = asked_words("Where did he die?", ["en", "de"], "en")
    assert [word.terms for word in asked] == [("where", ""), ("did", ""), ("he", ""), ("die", "")]
    asked = asked_words("die Brücke", ["en", "de"], "de")
    assert [word.terms for word in asked] == [("brücke", "de:bruck")]
    asked = asked_words("the bridge", ["de", "en"], "en")
    assert [word.terms for word in asked] == [("de:bridg", "bridg")]


def test_a_question_of_function_words_alone_is_looked_for() -> None:
    assert [word.terms for word in asked_words("The Who", ["de", "en"], "en")] == [
        ("de:the", "the"),
        ("de:who", "who"),
    ]
