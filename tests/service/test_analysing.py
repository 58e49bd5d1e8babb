"""`/v1/analyse`: it fits its description, agrees with Python, and is refused where it has to be."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient
from service.web import fits

from sage_ld.graph import KnowledgeGraph
from sage_ld.retrieval import Retriever
from sage_ld.retrieval.answers.plain import plain_analysis

QUESTION = "Who composed the film that won the Golden Heron in 1987?"


def test_it_gives_what_python_gives(client: FlaskClient, folder: Path) -> None:
    answer = client.get("/v1/analyse", query_string={"question": QUESTION, "question_language": "en"})
    assert answer.status_code == 200, answer.text
    fits(answer.get_json(), "QuestionAnalysis")
    with closing(KnowledgeGraph.open(folder)) as graph:
        assert answer.get_json() == plain_analysis(Retriever(graph).analyse(QUESTION))


def test_the_same_revision_needs_no_second_analysis(client: FlaskClient) -> None:
    sent = {"question": QUESTION}
    tag = client.get("/v1/analyse", query_string=sent).headers["ETag"]
    assert client.get("/v1/analyse", query_string=sent, headers={"If-None-Match": tag}).status_code == 304


@pytest.mark.parametrize(
    ("parameters", "status", "detail"),
    [
        ({}, 400, "question is missing"),
        ({"question": " "}, 400, "question"),
        ({"question": "a", "k": 2}, 400, "there is no 'k'"),
        ({"question": "a" * 100_000}, 413, "max_question_length"),
        ({"question": "a", "question_language": "no tag"}, 400, "question_language"),
    ],
    ids=["none", "blank", "k", "long", "language"],
)
def test_what_cannot_be_analysed_is_told(
    client: FlaskClient, parameters: dict[str, Any], status: int, detail: str
) -> None:
    answer = client.get("/v1/analyse", query_string=parameters)
    assert answer.status_code == status
    assert detail in answer.get_json(force=True)["detail"]
