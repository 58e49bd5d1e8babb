"""The Haystack adapter: a component of pipelines that are run, awaited, saved and loaded."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from haystack import Pipeline
from haystack.components.builders import PromptBuilder
from haystack.core.errors import DeserializationError
from haystack.utils import Secret

from sage_ld import InputError, KnowledgeGraph, Retriever
from sage_ld.agents.integrations.haystack import HaystackRetriever
from sage_ld.agents.integrations.sources import RemoteGraph

QUESTION = "Who has the Golden Heron?"
ROPE = {"field": "meta.document", "operator": "==", "value": "rope.md"}
ALLOWED = ["sage_ld.agents.integrations.haystack"]


@pytest.fixture
def retriever(prizes: KnowledgeGraph) -> HaystackRetriever:
    return HaystackRetriever(prizes, top_k=3)


def test_documents_are_the_results_of_the_graph(prizes: KnowledgeGraph, retriever: HaystackRetriever) -> None:
    results = Retriever(prizes).retrieve(QUESTION, 3, 1).results
    documents = retriever.run(QUESTION)["documents"]
    assert [each.id for each in documents] == [each.view.iri for each in results]
    for document, result in zip(documents, results, strict=True):
        assert document.content == result.view.text
        assert document.score == pytest.approx(result.score, abs=1e-6)
        assert document.meta["document"] == result.view.identifier
        assert document.meta["parts"] == result.parts


def test_filters_and_top_k_of_a_run_replace_those_of_the_component(prizes: KnowledgeGraph) -> None:
    retriever = HaystackRetriever(prizes, top_k=3, filters=ROPE)
    assert {each.meta["document"] for each in retriever.run(QUESTION)["documents"]} == {"rope.md"}
    other = retriever.run(QUESTION, filters={**ROPE, "value": "tolland.md"}, top_k=1)["documents"]
    assert [each.meta["document"] for each in other] == ["tolland.md"]


def pipeline(retriever: HaystackRetriever) -> Pipeline:
    made = Pipeline()
    made.add_component("retriever", retriever)
    template = "{% for each in documents %}{{ each.content }}{% endfor %}"
    made.add_component("prompt", PromptBuilder(template, required_variables=["documents"]))
    made.connect("retriever.documents", "prompt.documents")
    return made


def test_a_pipeline_is_saved_and_loaded(retriever: HaystackRetriever) -> None:
    given = {"retriever": {"query": QUESTION}}
    made = pipeline(retriever)
    text = made.dumps()
    loaded = Pipeline.loads(text, allowed_modules=ALLOWED)
    assert loaded.run(given) == made.run(given)
    with pytest.raises(DeserializationError, match=r"sage_ld\.agents\.integrations\.haystack"):
        Pipeline.loads(text)


async def test_a_pipeline_is_awaited(retriever: HaystackRetriever) -> None:
    made = pipeline(retriever)
    found = await made.run_async({"retriever": {"query": "What is a rope made of?"}})
    assert "A rope is made of hemp." in found["prompt"]["prompt"]


def test_a_token_is_saved_by_the_name_of_its_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FILMS_TOKEN", "abc123")
    retriever = HaystackRetriever("http://127.0.0.1:9/films", token=Secret.from_env_var("FILMS_TOKEN"))
    saved = retriever.to_dict()
    assert "abc123" not in str(saved)
    assert HaystackRetriever.from_dict(saved).to_dict() == retriever.to_dict()


def test_what_cannot_be_saved_is_refused(prizes: KnowledgeGraph) -> None:
    other = Retriever(prizes, replace(prizes.recipe.retrieval, bm25_weight=0.9))
    with pytest.raises(InputError, match="cannot be saved; give a path or an address"):
        HaystackRetriever(other).to_dict()
    with pytest.raises(InputError, match=r"give token=Secret\.from_env_var"):
        HaystackRetriever(RemoteGraph("http://127.0.0.1:9", "abc123")).to_dict()


def test_a_graph_in_this_process_takes_no_token(prizes: KnowledgeGraph) -> None:
    with pytest.raises(InputError, match="give the address of a service"):
        HaystackRetriever(prizes, token=Secret.from_token("abc123"))


def test_the_path_of_a_graph_is_enough(prizes: KnowledgeGraph, retriever: HaystackRetriever) -> None:
    folder = Path(prizes.directory.path)
    assert HaystackRetriever(str(folder), top_k=3).run(QUESTION) == retriever.run(QUESTION)
