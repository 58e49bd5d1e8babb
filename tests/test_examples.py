"""examples/films is whole, and each question's answer stands in a document that does not name its subject."""

import re
import shlex
import tomllib
from pathlib import Path

import pytest

from sage_ld.foundation.model import Role
from sage_ld.foundation.question import Answer
from sage_ld.graph import KnowledgeGraph
from sage_ld.retrieval import Retriever

EXAMPLES = Path(__file__).parents[1] / "examples"
FILMS = EXAMPLES / "films"
QUESTIONS = tomllib.loads((EXAMPLES / "questions.toml").read_text(encoding="utf-8"))["question"]
LINKING = sorted([*FILMS.rglob("*.md"), *FILMS.rglob("*.html")])


@pytest.mark.parametrize("path", LINKING, ids=lambda path: path.relative_to(FILMS).as_posix())
def test_links_of_the_corpus_resolve(path):
    text = path.read_text(encoding="utf-8")
    targets = re.findall(r"\]\(([^)]+)\)|href=\"([^\"]+)\"", text)
    assert [
        target for pair in targets for target in pair if target and not (path.parent / target).is_file()
    ] == []


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: question["document"])
def test_answer_stands_in_a_document_that_does_not_name_the_subject(question):
    text = (FILMS / question["document"]).read_text(encoding="utf-8")
    assert question["answer"] in text
    assert question["subject"] in question["text"]
    assert question["subject"] not in text


def test_the_demo_asks_these_questions():
    makefile = (EXAMPLES.parent / "Makefile").read_text(encoding="utf-8")
    asked = [shlex.split(line)[1:] for line in re.findall(r"^\t\$\(SEARCH\) .*$", makefile, re.M)]
    assert asked == [
        [each["text"], "-k", str(each["k"]), "--from-graph", str(each["from_graph"])] for each in QUESTIONS
    ]


@pytest.fixture(scope="module")
def retriever(tmp_path_factory):
    graph = KnowledgeGraph.create(tmp_path_factory.mktemp("graphs") / "films")
    graph.ingest([FILMS])
    yield Retriever(graph)
    graph.close()


def ask(retriever: Retriever, question, mode) -> Answer:
    return retriever.retrieve(question["text"], question["k"], question["from_graph"], mode=mode)


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: question["document"])
def test_the_graph_finds_what_a_flat_search_misses_at_the_same_budget(retriever, question):
    flat, graph = (ask(retriever, question, mode).results for mode in ("hybrid", "sage"))
    assert len(flat) == len(graph) == question["k"]
    assert question["document"] not in {each.view.identifier for each in flat}
    (found, *_) = [each for each in graph if each.view.identifier == question["document"]]
    assert found.role == Role.NEIGHBOUR
    assert found.path[0].seed in {each.view.iri for each in graph if each.role == Role.SEED}
    assert question["answer"] in found.view.text
