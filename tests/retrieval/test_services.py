"""Records beside pages that they name: a row of a table is found at least as well as by flat search."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from sage_ld import KnowledgeGraph, Retriever

SERVICES = Path(__file__).parents[2] / "benchmarks" / "_services.py"
LEAST_GAIN = -0.05
"""Of the mean reciprocal rank; chance moves it by as much."""


@pytest.fixture(scope="module")
def services() -> Iterator[ModuleType]:
    spec = importlib.util.spec_from_file_location("_services", SERVICES)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["_services"] = module  # where its classes look themselves up
    spec.loader.exec_module(module)
    yield module
    del sys.modules["_services"]


@pytest.fixture(scope="module")
def asked(services: ModuleType, tmp_path_factory: pytest.TempPathFactory) -> tuple[Retriever, list[Any]]:
    folder = tmp_path_factory.mktemp("services")
    questions = services.write_services(folder / "files")
    graph = KnowledgeGraph.create(folder / "graph", encoder="jaccard")
    graph.ingest([folder / "files"])
    return Retriever(graph), questions


@pytest.mark.parametrize("kind", ["row", "loose", "page"])
def test_the_default_ranking_is_no_worse_than_flat_search(
    asked: tuple[Retriever, list[Any]], kind: str
) -> None:
    retriever, questions = asked
    gains = [
        reciprocal_rank(retriever, each) - reciprocal_rank(retriever, each, mode="hybrid")
        for each in questions
        if each.kind == kind
    ]
    assert sum(gains) / len(gains) >= LEAST_GAIN


def reciprocal_rank(retriever: Retriever, question: Any, **options: Any) -> float:
    """1 over the place of the chunk that answers a question; 0 where it is not among ten."""
    answer = retriever.retrieve(question.text, k=10, from_graph=5, **options)
    right = (
        each.rank for each in answer.results if question.answered_by(each.view.identifier, each.view.text)
    )
    return 1 / next(right, float("inf"))
