"""A graph of documents in four languages: each question finds the document in its own."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from build.languages.documents import DOCUMENTS, LANGUAGES, QUESTIONS
from pyoxigraph import Literal

from sage_ld import KnowledgeGraph, Retriever
from sage_ld.foundation import vocabulary as v
from sage_ld.foundation.errors import InputError
from sage_ld.foundation.question import Answer, Filter
from sage_ld.graph.indexes import LexicalIndex
from sage_ld.graph.indexes.files import read_arrays
from sage_ld.graph.shapes.shacl import validate
from sage_ld.graph.store import reading
from sage_ld.retrieval.answers.results import answer_jsonld


def write(folder: Path, documents: dict[str, str] = DOCUMENTS) -> Path:
    folder.mkdir(parents=True)
    for name, text in documents.items():
        (folder / name).write_text(text, encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def graph(tmp_path_factory: pytest.TempPathFactory) -> KnowledgeGraph:
    """Read-only."""
    folder = tmp_path_factory.mktemp("languages")
    made = KnowledgeGraph.create(folder / "graph", encoder="jaccard")
    made.ingest(write(folder / "files"))
    return made


def first(answer: Answer) -> str:
    return answer.results[0].view.identifier


def test_each_document_has_its_language(graph: KnowledgeGraph) -> None:
    snapshot = graph.snapshot()
    assert {each.identifier: each.language for each in reading.documents(snapshot.store)} == LANGUAGES
    assert snapshot.lexical.language_counts == Counter(LANGUAGES.values())


@pytest.mark.parametrize("mode", ["bm25", "sage"])
@pytest.mark.parametrize("question", QUESTIONS)
def test_a_question_finds_the_document_in_its_language(
    graph: KnowledgeGraph, question: str, mode: str
) -> None:
    assert first(Retriever(graph).retrieve(question, 6, 3, mode=mode)) == QUESTIONS[question]


FORMS = [
    ("Apfel", "haeuser.md"),
    ("Fasses", "haeuser.md"),
    ("Bogen", "bruecke.md"),
    ("erneuerte", "bruecke.md"),
    ("journal", "chevaux.md"),
    ("tirait", "chevaux.md"),
    ("cueillait", "vendanges.md"),
    ("anidaban", "garzas.md"),
    ("protegía", "garzas.md"),
    ("regaba", "naranjas.md"),
    ("envolvía", "naranjas.md"),
]
"""Words that stand in a document in another form alone, which English stems do not bring together."""


@pytest.mark.parametrize(("word", "document"), FORMS)
def test_a_word_is_found_in_a_form_that_english_stems_miss(
    graph: KnowledgeGraph, tmp_path: Path, word: str, document: str
) -> None:
    assert first(Retriever(graph).retrieve(word, 1, 0, mode="bm25")) == document
    english = LexicalIndex.create(tmp_path)
    english.update(DOCUMENTS.items(), [])
    assert english.scores(word, [document]).tolist() == [0.0]


def test_languages_restrict_the_answer(graph: KnowledgeGraph) -> None:
    for language in ("de", "fr", "es", "en"):
        answer = Retriever(graph).retrieve(
            "Osmere Vaublanc Valdemora", 5, 5, only=Filter(languages=(language,))
        )
        assert {each.view.identifier for each in answer.results} == {
            name for name, own in LANGUAGES.items() if own == language
        }


def test_the_language_of_a_question_can_be_given(graph: KnowledgeGraph) -> None:
    """As an English word, `die` is the keeper's; as a German one it is an article."""
    retriever = Retriever(graph)
    found = retriever.retrieve("keepers die", 1, 0, mode="bm25", question_language="en-GB")
    assert first(found) == "lighthouse.md"
    assert found.question_language == "en"
    assert answer_jsonld(found)["wasGeneratedBy"]["questionLanguage"] == "en"  # type: ignore[index]
    assert retriever.retrieve("Wo steht die Brücke?").question_language == "de"
    snapshot = graph.snapshot()
    german, english = (snapshot.lexical.matches("keepers die", tag) for tag in ("de", "en"))
    assert sum(german.function_words) == 1
    assert not any(english.function_words)
    assert "die" in {term for word in english.terms for term in word}
    assert "die" not in {term for word in german.terms for term in word}
    with pytest.raises(InputError, match="question_language: 'Elvish' is not a language"):
        retriever.retrieve("Brücke", question_language="Elvish")


def test_what_a_file_names_goes_before_what_is_detected(tmp_path: Path) -> None:
    named = {
        "named.md": "---\nlang: deu\n---\n" + DOCUMENTS["mill.md"],
        "wrong.md": "---\nlanguage: elvish\n---\n" + DOCUMENTS["mill.md"],
        "page.html": f"<html lang=fr_CA><title>x</title><p>{DOCUMENTS['mill.md']}",
        "short.txt": "Nur ein paar Wörter.",
    }
    made = KnowledgeGraph.create(tmp_path / "graph", encoder="jaccard")
    made.ingest(write(tmp_path / "files", named))
    snapshot = made.snapshot()
    languages = {each.identifier: each.language for each in reading.documents(snapshot.store)}
    assert languages == {"named.md": "de", "page.html": "fr-CA", "short.txt": None, "wrong.md": "en"}
    assert snapshot.lexical.language_counts == {"en": 2, "de": 1, "fr": 1}


def test_texts_have_the_tag_of_the_language_that_the_file_states(tmp_path: Path) -> None:
    stated = "---\nlang: de_AT\ndescription: Eine Brücke\n---\nDie Brücke führt über den Fluss.\n"
    folder = write(tmp_path / "files", {"stated.md": stated, "detected.md": DOCUMENTS["bruecke.md"]})
    graph = KnowledgeGraph.create(tmp_path / "graph", encoder="jaccard")
    graph.ingest(folder)
    texts = {
        quad.object.language: quad.object.value
        for quad in graph.snapshot().store
        if quad.predicate.value in (v.TEXT, v.DESCRIPTION) and isinstance(quad.object, Literal)
    }
    assert texts["de-at"] in ("Eine Brücke", "Die Brücke führt über den Fluss.")
    assert texts.keys() == {"de-at", None}
    assert validate(graph.snapshot().store).conforms
    answer = Retriever(graph).retrieve("Brücke", 2, 0)
    assert {type(each["item"]["text"]) for each in answer_jsonld(answer)["itemListElement"]} == {str}


def test_the_default_language_is_a_setting(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SAGE_LD_DEFAULT_LANGUAGE", "German")
    made = KnowledgeGraph.create(tmp_path / "graph", encoder="jaccard")
    made.ingest(write(tmp_path / "files", {"short.txt": "Zwei Häuser."}))
    assert made.snapshot().lexical.language_counts == {"de": 1}
    assert first(Retriever(made).retrieve("Haus", 1, 0, mode="bm25")) == "short.txt"


def test_an_index_from_which_a_language_was_deleted_never_had_it(tmp_path: Path) -> None:
    made = KnowledgeGraph.create(tmp_path / "graph", encoder="jaccard")
    folder = write(tmp_path / "files")
    made.ingest(folder)
    made.delete([name for name, language in LANGUAGES.items() if language != "en"])
    english = {name: text for name, text in DOCUMENTS.items() if LANGUAGES[name] == "en"}
    fresh = KnowledgeGraph.create(tmp_path / "fresh", encoder="jaccard")
    fresh.ingest(write(tmp_path / "english", english))
    for question in QUESTIONS:
        ours, theirs = (each.snapshot().lexical.matches(question) for each in (made, fresh))
        assert ours.terms == theirs.terms
        assert np.array_equal(ours.scores, theirs.scores)
        assert np.array_equal(ours.idf, theirs.idf)


def test_a_graph_of_an_earlier_release_opens_and_is_brought_up_to_date(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It had no array of languages, and took every text for English, whatever its document named."""
    made = KnowledgeGraph.create(tmp_path / "graph", encoder="jaccard")
    with monkeypatch.context() as former:
        former.setattr("sage_ld.graph.writing.writer.indexed_language", lambda *_: "en")
        made.ingest(write(tmp_path / "files"))
    made.close()
    for file in (tmp_path / "graph").rglob("lexical/*.arrays"):
        arrays = read_arrays(file.parent, file.stem)
        file.unlink()
        for name in arrays.keys() - {"languages"}:  # each in a file of its own, as that release had it
            np.save(file.with_suffix(f".{name}.npy"), arrays[name])
    for file in (tmp_path / "graph").rglob("made.toml"):
        file.write_text("\n".join(file.read_text().splitlines()[:2]))
    opened = KnowledgeGraph.open(tmp_path / "graph")
    assert opened.snapshot().lexical.outdated
    assert opened.snapshot().lexical.language_counts == {"en": len(DOCUMENTS)}
    assert first(Retriever(opened).retrieve("Who carved the wheels?", 1, 0)) == "mill.md"
    opened.ingest(write(tmp_path / "more", {"more.md": "# One more\n\nA short text in English."}))
    opened = KnowledgeGraph.open(tmp_path / "graph")
    assert opened.snapshot().lexical.language_counts == Counter(LANGUAGES.values()) + Counter(en=1)
    assert first(Retriever(opened).retrieve("Wo lagert der Apfel?", 1, 0, mode="bm25")) == "haeuser.md"
