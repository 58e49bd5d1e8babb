"""The DSPy adapter: a module beside others in a program, which is copied, called and awaited."""

from __future__ import annotations

import dspy
import pytest
from dspy.utils import DummyLM

from sage_ld import Filter, InputError, KnowledgeGraph, Retriever
from sage_ld.agents.integrations.dspy import DSPyRetriever

QUESTION = "Who has the Golden Heron?"


@pytest.fixture
def retriever(prizes: KnowledgeGraph) -> DSPyRetriever:
    return DSPyRetriever(prizes, k=3)


def test_passages_are_the_results_of_the_graph(prizes: KnowledgeGraph, retriever: DSPyRetriever) -> None:
    results = Retriever(prizes).retrieve(QUESTION, 3, 1).results
    found = retriever(query=QUESTION)
    assert isinstance(found, dspy.Prediction)
    assert found.passages == [each.view.text for each in results]
    assert [each["chunk"] for each in found.results] == [each.view.iri for each in results]


def test_a_call_may_give_other_parameters(retriever: DSPyRetriever) -> None:
    assert len(retriever(QUESTION, k=1).passages) == 1
    assert retriever(QUESTION, only=Filter(documents=("rope.md",))).passages == ["A rope is made of hemp."]
    with pytest.raises(InputError, match="'top_k' is not a parameter of a search"):
        retriever(QUESTION, top_k=1)


async def test_a_coroutine_gives_the_same_passages(retriever: DSPyRetriever) -> None:
    assert (await retriever.acall(QUESTION)).results == retriever(QUESTION).results


def test_a_copy_asks_the_same_graph(retriever: DSPyRetriever) -> None:
    copied = retriever.deepcopy()
    assert copied.source is retriever.source
    assert copied(QUESTION).passages == retriever(QUESTION).passages


def test_it_is_a_part_of_a_program(retriever: DSPyRetriever) -> None:
    class Answering(dspy.Module):
        def __init__(self) -> None:
            super().__init__()
            self.search = retriever
            self.answer = dspy.Predict("context: list[str], question -> answer")

        def forward(self, question: str) -> dspy.Prediction:
            return self.answer(context=self.search(question).passages, question=question)

    model = DummyLM([{"answer": "hemp"}])
    with dspy.context(lm=model):
        assert Answering()(question="What is a rope made of?").answer == "hemp"
    asked = str(model.history[-1]["messages"])
    assert "A rope is made of hemp." in asked
