"""Feedback as judgements: what is learned from it, and what is left out."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from graph.corpus import built
from typer.testing import CliRunner

from sage_ld.cli.main import app
from sage_ld.foundation.errors import InputError
from sage_ld.foundation.question import Answer
from sage_ld.graph import KnowledgeGraph
from sage_ld.lab.tuning import feedback_dataset
from sage_ld.retrieval import Retriever

FILMS = Path(__file__).parents[3] / "examples" / "films"
PARTS = ("people", "films", "novels")


@pytest.fixture(scope="module")
def graph(tmp_path_factory: pytest.TempPathFactory) -> KnowledgeGraph:
    return built(tmp_path_factory.mktemp("feedback") / "films", FILMS)


@pytest.fixture(autouse=True)
def _emptied(graph: KnowledgeGraph) -> None:
    graph.retrievals.clear()


def asked(graph: KnowledgeGraph, question: str) -> Answer:
    """An answer of several documents."""
    return Retriever(graph).retrieve(question, 10, 5)


def test_what_more_clients_praise_than_blame_is_relevant(graph: KnowledgeGraph) -> None:
    answer = asked(graph, "Who won the Golden Heron?")
    first, second, third = list(dict.fromkeys(each.view.identifier for each in answer.results))[:3]
    rank = {each.view.identifier: each.rank for each in reversed(answer.results)}
    log = graph.retrievals
    one, other = (
        log.keep(answer),
        log.keep(replace(answer, asked=replace(answer.asked, text="who won  the golden heron?"))),
    )
    log.judge(one, True, rank=rank[first], client="a")
    log.judge(other, True, rank=rank[first], client="b")
    log.judge(one, True, rank=rank[second], client="a")
    log.judge(one, False, rank=rank[second], client="b")
    log.judge(one, False, rank=rank[third], client="a")
    found = feedback_dataset(graph)
    assert found.dataset.questions == {"1": "who won  the golden heron?"}
    assert found.dataset.judgements == {"1": {first: 1}}
    assert (found.judgements, found.gone, found.dataset.unjudged) == (5, 0, 0)


def test_chunks_that_are_gone_are_left_out(graph: KnowledgeGraph) -> None:
    answer = asked(graph, "Who won the Golden Heron?")
    moved = replace(answer.results[1].view, iri=graph.iris.base + "chunk/gone")
    gone = replace(answer, results=(answer.results[0], replace(answer.results[1], view=moved)))
    iri = graph.retrievals.keep(gone)
    for rank in (1, 2):
        graph.retrievals.judge(iri, True, rank=rank)
    found = feedback_dataset(graph)
    assert (found.judgements, found.gone) == (2, 1)
    assert found.dataset.judgements == {"1": {answer.results[0].view.identifier: 1}}


def test_without_praise_there_is_nothing_to_learn(graph: KnowledgeGraph) -> None:
    with pytest.raises(InputError, match="no kept retrieval has a result that helped"):
        feedback_dataset(graph)
    graph.retrievals.judge(graph.retrievals.keep(asked(graph, "Who?")), False, rank=1)
    with pytest.raises(InputError, match="1 results are judged"):
        feedback_dataset(graph)


@pytest.mark.slow
def test_the_command_learns_from_feedback(graph: KnowledgeGraph, tmp_path: Path) -> None:
    for page in (page for part in PARTS for page in sorted((FILMS / part).iterdir())):
        answer = asked(graph, f"What is said of {page.stem.replace('-', ' ')}?")
        iri = graph.retrievals.keep(answer)
        name = page.relative_to(FILMS).as_posix()
        for each in answer.results:
            if each.view.identifier == name:
                graph.retrievals.judge(iri, True, rank=each.rank)
    recipe, words = tmp_path / "films.toml", ["tune", str(graph.directory.path), "--feedback"]
    done = CliRunner().invoke(app, [*words, "--json", "-o", str(recipe)])
    assert done.exit_code == 0, done.output
    said = json.loads(done.stdout[done.stdout.index("{") :])
    assert said["learnable"] >= 10
    assert set(said["modes"]) == {"default", "flat", "tuned"}
    means = {name: each["ndcg@10"] for name, each in said["modes"].items()}
    assert said["gainOverFlat"]["difference"] == pytest.approx(means["tuned"] - means["flat"], abs=1e-4)
    assert recipe.read_text("utf-8").count("model = ") == 1


@pytest.mark.parametrize("words", [[], ["folder", "--feedback"], ["--feedback", "--qrels", "answer"]])
def test_one_source_of_judgements_is_given(graph: KnowledgeGraph, words: list[str]) -> None:
    done = CliRunner().invoke(app, ["tune", str(graph.directory.path), *words])
    assert isinstance(done.exception, InputError)
    assert "one source of judgements" in str(done.exception)
