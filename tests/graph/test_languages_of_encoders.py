"""Texts in other languages than the encoder's: a warning of each ingest, and words that weigh less."""

import importlib
from pathlib import Path
from types import SimpleNamespace

import pytest

from sage_ld.foundation.recipes import Retrieval
from sage_ld.graph import KnowledgeGraph
from sage_ld.retrieval import Mode, retriever

ROOT = Path(__file__).parents[2]
WARNING = (
    "3 of 4 documents are not in English (de 2, fr 1), and the encoder jaccard does not know their languages"
)


def write(folder, **languages):
    folder.mkdir()
    for name, language in languages.items():
        (folder / f"{name}.md").write_text(
            f"---\nlang: {language}\n---\n\nOsmere {name}.\n", encoding="utf-8"
        )
    return folder


@pytest.fixture
def graph(tmp_path):
    return KnowledgeGraph.create(tmp_path / "graph", encoder="jaccard")


def test_an_ingest_says_once_which_languages_the_encoder_does_not_know(graph, tmp_path):
    files = write(tmp_path / "files", bridge="de-AT", mill="de", port="fr", weir="en")
    (warning,) = graph.ingest([files]).warnings
    assert warning.startswith(WARNING)
    assert "pip install 'sage-ld[e5]'" in warning
    assert graph.ingest([files]).warnings == []


def test_one_text_of_many_is_no_reason_for_a_warning(graph, tmp_path):
    others = {f"weir{number}": "en" for number in range(99)}
    assert graph.ingest([write(tmp_path / "files", bridge="de", **others)]).warnings == []


def test_a_text_without_a_language_is_in_the_default_one(tmp_path, monkeypatch):
    monkeypatch.setenv("SAGE_LD_DEFAULT_LANGUAGE", "de")
    graph = KnowledgeGraph.create(tmp_path / "graph", encoder="jaccard")
    (tmp_path / "bridge.txt").write_text("Osmere.", encoding="utf-8")
    (warning,) = graph.ingest([tmp_path / "bridge.txt"]).warnings
    assert warning.startswith("1 of 1 documents are not in English (de 1)")


@pytest.mark.parametrize(
    ("counts", "language", "crosses", "weight"),
    [
        ({"en": 9}, "en", True, 0.5),
        ({"en": 6, "de": 3}, "en", False, 0.5),
        ({"en": 6, "de": 2}, "en", True, 0.375),
        ({"en": 60, "de": 2}, "de", True, 0.125),
        ({"en": 6, "de": 2}, "fr", True, 0.125),
    ],
)
def test_words_weigh_what_the_chunks_in_the_language_of_the_question_are(counts, language, crosses, weight):
    encoder = SimpleNamespace(crosses_languages=crosses)
    assert retriever._weighted(Retrieval(), counts, language, encoder).bm25_weight == weight


@pytest.mark.slow
def test_questions_in_four_languages_are_answered_in_any_of_them(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "benchmarks")
    languages = importlib.import_module("languages")
    by_mode = languages.answered("e5", (Mode.HYBRID, Mode.SAGE))
    assert {mode: counts.total() >= 40 for mode, counts in by_mode.items()} == {"hybrid": True, "sage": True}
