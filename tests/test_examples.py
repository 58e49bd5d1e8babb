"""examples/films is whole, and each question's answer stands in a document that does not name its subject."""

import re
import shlex
import tomllib
from pathlib import Path

import pytest

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
        [each["text"], "-k", str(each["k"]), "--neighbours", str(each["neighbours"])] for each in QUESTIONS
    ]
