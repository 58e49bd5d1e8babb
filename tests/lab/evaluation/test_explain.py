from __future__ import annotations

from io import StringIO

import pytest
from lab.evaluation.conftest import GOLD
from rich.console import Console

from sage_ld.lab.evaluation import (
    Expansion,
    Reason,
    explain,
    explanation_json,
    explanation_table,
    load_dataset,
)

RUN = {"q1": ["a", "x", "b"], "q2": ["x", "y"]}
NOTHING = Expansion(frozenset(), frozenset())


@pytest.fixture
def dataset(folder):
    return load_dataset(folder(support=GOLD))


def expanded(**questions):
    """Question to its seeds and what they led to, two sets of one-letter names."""
    known = {q: Expansion(frozenset(seeds), frozenset(found)) for q, (seeds, found) in questions.items()}
    return lambda question: known.get(question, NOTHING)


@pytest.mark.parametrize(
    ("seeds", "reached", "bridges", "reason"),
    [
        ("c", "", {}, Reason.RANKED_LOW),
        ("t", "c", {}, Reason.RANKED_LOW),
        ("x", "y", {}, Reason.SEED_MISSED),
        ("u", "y", {"q2": ["u"]}, Reason.EDGE_MISSING),
        ("", "", {"q2": ["u"]}, Reason.SEED_MISSED),
    ],
)
def test_the_reason_of_one_missed_document(dataset, seeds, reached, bridges, reason):
    found = explain(dataset, RUN, 2, expanded(q2=(seeds, reached)), bridges=bridges)
    assert [(miss.question, miss.document, miss.reason) for miss in found.misses] == [("q2", "c", reason)]
    assert (found.failed, found.questions, found.misses[0].rank) == (1, 2, None)


def test_another_relevant_document_is_a_bridge(dataset):
    found = explain(dataset, RUN, 2, expanded(q1=("a", "x")), every=True)
    assert [(miss.document, miss.reason, miss.rank) for miss in found.misses] == [
        ("b", Reason.EDGE_MISSING, 3),
        ("c", Reason.SEED_MISSED, None),
    ]
    assert list(found.counts().items()) == [
        (Reason.SEED_MISSED, 1),
        (Reason.EDGE_MISSING, 1),
        (Reason.RANKED_LOW, 0),
    ]


@pytest.mark.parametrize(("every", "reason"), [(False, Reason.RANKED_LOW), (True, Reason.SEED_MISSED)])
def test_a_question_counts_once_at_what_decides_it(dataset, every, reason):
    """Of its two documents one was reached and one was not: the first would do, or both are needed."""
    found = explain(dataset, {"q1": ["x"], "q2": ["c"]}, 2, expanded(q1=("x", "b")), every=every)
    assert [miss.reason for miss in found.misses] == [Reason.SEED_MISSED, Reason.RANKED_LOW]
    assert found.counts() == {each: int(each is reason) for each in Reason}


def test_a_question_that_succeeds_is_not_expanded(dataset):
    def never(question):
        raise AssertionError(question)

    found = explain(dataset, {"q1": ["b"], "q2": ["c"]}, 1, never)
    assert (found.failed, found.misses) == (0, ())


def test_the_table_and_the_object_name_every_reason(dataset):
    found = {"sage": [explain(dataset, RUN, 2, expanded(q2=("t", "c")))]}
    console = Console(file=StringIO(), width=100)
    console.print(explanation_table(found, every=False))
    text = console.file.getvalue()
    assert "no relevant document (success@k)" in " ".join(text.split())
    assert all(reason.value in text for reason in Reason)
    told = {"failed": 1, "seed missed": 0, "edge missing": 0, "edge there but ranked low": 1}
    assert explanation_json(found) == {"sage": {"@2": told}}
