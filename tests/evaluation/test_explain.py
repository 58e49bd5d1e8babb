from __future__ import annotations

from io import StringIO

import pytest
from evaluation.conftest import GOLD
from rich.console import Console

from sage_ld.evaluation import Reason, explain, explanation_table, load_dataset

RUN = {"q1": ["a", "x", "b"], "q2": ["x", "y"]}
EDGES = {"b": {"x"}, "c": {"t"}}


@pytest.fixture
def dataset(folder):
    return load_dataset(folder(support=GOLD))


def neighbours(document):
    return EDGES.get(document, set())


@pytest.mark.parametrize(
    ("seeds", "bridges", "reason"),
    [
        ({"c"}, {}, Reason.RANKED_LOW),
        ({"t"}, {}, Reason.RANKED_LOW),
        ({"x"}, {}, Reason.SEED_MISSED),
        ({"u"}, {"q2": ["u"]}, Reason.EDGE_MISSING),
        (set(), {"q2": ["u"]}, Reason.SEED_MISSED),
    ],
)
def test_the_reason_of_one_missed_document(dataset, seeds, bridges, reason):
    found = explain(dataset, RUN, 2, {"q2": seeds}, neighbours, bridges=bridges)
    assert [(miss.question, miss.document, miss.reason) for miss in found.misses] == [("q2", "c", reason)]
    assert (found.failed, found.questions, found.misses[0].rank) == (1, 2, None)


def test_another_relevant_document_is_a_bridge(dataset):
    found = explain(dataset, RUN, 2, {"q1": {"a"}}, neighbours, every=True)
    assert [(miss.document, miss.reason, miss.rank) for miss in found.misses] == [
        ("b", Reason.EDGE_MISSING, 3),
        ("c", Reason.SEED_MISSED, None),
    ]
    assert list(found.counts().items()) == [
        (Reason.SEED_MISSED, 1),
        (Reason.EDGE_MISSING, 1),
        (Reason.RANKED_LOW, 0),
    ]


def test_a_question_that_succeeds_is_not_explained(dataset):
    found = explain(dataset, {"q1": ["b"], "q2": ["c"]}, 1, {}, neighbours)
    assert (found.failed, found.misses) == (0, ())


def test_the_table_names_every_reason(dataset):
    console = Console(file=StringIO(), width=100)
    console.print(explanation_table(explain(dataset, RUN, 2, {"q2": {"t"}}, neighbours)))
    text = console.file.getvalue()
    assert "1 of 2 questions" in text
    assert all(reason.value in text for reason in Reason)
