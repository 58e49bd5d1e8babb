"""Detection: real paragraphs have a language, lists of names have none."""

from __future__ import annotations

from pathlib import Path

import pytest
from build.languages.documents import DOCUMENTS, LANGUAGES, QUESTIONS

from sage_ld.build.languages import analysis
from sage_ld.build.languages.analysis import (
    SAMPLE,
    detected_language,
    detected_question_language,
    has_function_words,
    is_function_word,
)
from sage_ld.build.languages.tags import STEMMERS
from sage_ld.foundation.settings import Settings

CERTAINTY = Settings().min_language_certainty
LETTERS = Settings().min_detected_letters
COUNTS = {"en": 20, "de": 9, "es": 5, "fr": 5}


@pytest.mark.parametrize("name", DOCUMENTS)
def test_the_language_of_a_document_is_detected(name: str) -> None:
    assert detected_language(DOCUMENTS[name], CERTAINTY, LETTERS) == LANGUAGES[name]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Die Brücke.",
        "Hamburg, Bremen, Lübeck, Kiel, Flensburg, Schwerin, Rostock, Wismar, Stralsund, Greifswald, Stettin",
        "name: Roberth Björknesjö; club: IF Brommapojkarna; town: Göteborg; born: 1973; goals: 17; club: AIK",
        "def main():\n    return sum(value for value in values if value.name.startswith(prefix)) or None\n"
        * 3,
        "The Laos national football team ( Lao : ທິມຊາດ ບານເຕະ ແຫ່ງຊາດ ລາວ ; ທິມຊາດ ບານເຕະ ; French : Équipe du "
        "Laos de football ) is the national team of Laos .",
        "2001 2002 2003 2004; 12.5 %; 13.5 %; 1 2 3 4 5 6 7 8 9 10 11 12",
    ],
)
def test_nothing_is_said_of_what_is_no_paragraph(text: str) -> None:
    assert detected_language(text, CERTAINTY, LETTERS) in (None, "en" if "football" in text else None)


def test_a_language_without_a_list_of_function_words_is_known_by_its_script() -> None:
    text = "Το γεφύρι χτίστηκε από πέτρα πάνω από το ποτάμι και στέκει ακόμη σήμερα κοντά στο παλιό χωριό."
    assert not has_function_words("el")
    assert detected_language(text, CERTAINTY, LETTERS) == "el"


def test_only_the_beginning_is_looked_at() -> None:
    text = DOCUMENTS["mill.md"]
    german = DOCUMENTS["bruecke.md"] * 20
    assert len(german) > 5 * SAMPLE
    assert detected_language(german + text * 40, CERTAINTY, LETTERS) == "de"


@pytest.mark.parametrize("question", QUESTIONS)
def test_the_language_of_a_question_is_detected(question: str) -> None:
    certainty = Settings().min_question_certainty
    assert detected_question_language(question, COUNTS, certainty) == LANGUAGES[QUESTIONS[question]]


def test_where_nothing_is_certain_a_question_is_in_the_main_language() -> None:
    for question in ("Brücken", "Osmere 1876", "", "???"):
        assert detected_question_language(question, COUNTS, 0.8) == "en"
        assert detected_question_language(question, {"fr": 2, "de": 1}, 0.8) == "fr"
    assert detected_question_language("Wo steht die Brücke?", {"en": 3}, 0.8) == "en"
    assert detected_question_language("Wo steht die Brücke?", {"en": 3, "gsw": 1}, 0.8) == "en"


def test_every_language_that_says_so_has_function_words() -> None:
    common = {"da": "og", "de": "und", "en": "and", "es": "y", "fi": "ja", "fr": "et", "hu": "és", "it": "e"}
    common |= {"nl": "en", "no": "og", "pt": "e", "ru": "и", "sv": "och"}
    assert common.keys() == {tag for tag in STEMMERS if has_function_words(tag)}
    assert [tag for tag, word in common.items() if not is_function_word(word, tag)] == []


@pytest.mark.parametrize("content", [None, b"PK\x03\x04 the first half"])
def test_the_model_is_kept_unpacked_and_a_damaged_file_of_it_is_replaced(
    tmp_path: Path, content: bytes | None
) -> None:
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    detected_language(DOCUMENTS["bruecke.md"], CERTAINTY, LETTERS, tmp_path)
    analysis._identifier.cache_clear()
    (file,) = tmp_path.iterdir()
    size = file.stat().st_size
    if content is not None:
        file.write_bytes(content)
    assert detected_language(DOCUMENTS["bruecke.md"], CERTAINTY, LETTERS, tmp_path) == "de"
    assert [each.stat().st_size for each in tmp_path.iterdir()] == [size]
    own = LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
    for text in QUESTIONS:
        assert analysis._identifier(tmp_path).rank(text) == own.rank(text)
    analysis._identifier.cache_clear()
