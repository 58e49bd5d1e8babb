"""Values of the wrong type, passed to the public functions: refused, named with their type and a remedy."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from graph.corpus import built, write

from sage_ld import Filter, InputError, KnowledgeGraph, NotFoundError, Retriever
from sage_ld.foundation.recipes import Retrieval

NAN = float("nan")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write(tmp_path_factory.mktemp("arguments"))


@pytest.fixture(scope="module")
def graph(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> KnowledgeGraph:
    return built(tmp_path_factory.mktemp("arguments") / "graph", folder)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"question": ["a", "b"]}, r"question: \['a', 'b'\] is of type list; give one string"),
        ({"question": None}, "question: None is of type NoneType; give one string"),
        ({"question": b"who"}, "of type bytes"),
        ({"question": 7}, "of type int"),
        ({"k": "5"}, "k: '5' is of type str; give a whole number"),
        ({"k": True}, "k: True is of type bool"),
        ({"k": 2.5}, "k: 2.5 is of type float"),
        ({"k": NAN}, "k: nan is of type float"),
        ({"k": None}, "k: None is of type NoneType"),
        ({"from_graph": "3"}, "from_graph: '3' is of type str"),
        ({"from_graph": -1}, "from_graph is -1"),
        ({"offset": False}, "offset: False is of type bool"),
        ({"channels": "link"}, "channels: 'link' is of type str; give a list of strings"),
        ({"channels": [None]}, "channels: each: None is of type NoneType"),
        ({"channels": 5}, "channels: 5 is of type int"),
        ({"mode": None}, "unknown mode 'None'; choose from sage, hybrid"),
        ({"mode": ["sage"]}, "unknown mode"),
        ({"only": "tables"}, "only: str is not a Filter"),
    ],
)
def test_a_question_of_the_wrong_type(graph: KnowledgeGraph, given: dict[str, Any], message: str) -> None:
    arguments = {"question": "Who sang it?"} | given
    for ask in (Retriever(graph).retrieve, Retriever(graph).seeds):
        with pytest.raises(InputError, match=message):
            ask(**arguments)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Filter(kinds="table"), "kinds: 'table' is of type str; give a list of strings"),  # type: ignore[arg-type]
        (lambda: Filter(documents=(b"a.md",)), "documents: each: b'a.md' is of type bytes"),  # type: ignore[arg-type]
        (lambda: Filter(since=1999), "since: 1999 is of type int; give one string"),  # type: ignore[arg-type]
        (lambda: Filter(where=None), "where: None is of type NoneType"),  # type: ignore[arg-type]
    ],
)
def test_a_filter_of_the_wrong_type(make: Callable[[], Filter], message: str) -> None:
    with pytest.raises(InputError, match=message):
        make()


def test_a_list_will_do_for_a_filters_tuple(graph: KnowledgeGraph) -> None:
    only = Filter(kinds=["table"])  # type: ignore[arg-type]
    assert only == Filter(kinds=("table",))
    found = Retriever(graph).retrieve("Golden Heron", only=only).results
    assert {each.view.kind for each in found} == {"table"}


def test_numpys_whole_numbers_will_do(graph: KnowledgeGraph) -> None:
    answer = Retriever(graph).retrieve("Golden Heron", np.int64(2), np.int32(0))
    assert len(answer.results) == 2
    assert type(answer.asked.k) is int


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"decay": NAN}, "decay: nan is outside 0..1"),
        ({"bm25_weight": "0.5"}, "bm25_weight: '0.5'"),
        ({"pool": True}, "pool: True"),
        ({"hops": 0}, "hops: 0 is below its minimum 1"),
        ({"channels": "link"}, "channels: 'link' is of type str"),
        ({"channels": ("telepathy",)}, "unknown channel 'telepathy'"),
        ({"ranking": "magic"}, "ranking: 'magic'"),
    ],
)
def test_parameters_out_of_range(graph: KnowledgeGraph, changes: dict[str, Any], message: str) -> None:
    parameters = replace(Retrieval(), **changes)
    for use in (lambda: Retriever(graph, parameters), lambda: graph.adopt(parameters)):
        with pytest.raises(InputError, match=message):
            use()


def test_a_retriever_takes_an_open_graph(graph: KnowledgeGraph) -> None:
    with pytest.raises(InputError, match="of type str; give a KnowledgeGraph"):
        Retriever(str(graph.directory.path))  # type: ignore[arg-type]
    with pytest.raises(InputError, match=r"of type str; give a sage_ld\.foundation\.recipes\.Retrieval"):
        Retriever(graph, "paper")  # type: ignore[arg-type]


@pytest.mark.parametrize("value", [None, 5, b"films", [None], ["films", 5], [b"films"], "", [""]])
def test_what_is_not_a_path_is_not_ingested(graph: KnowledgeGraph, value: Any) -> None:
    before = graph.directory.current()
    with pytest.raises(InputError, match=r"^paths: "):
        graph.ingest(value)
    assert graph.directory.current() == before


def test_one_path_and_one_name_need_no_list(tmp_path: Path, folder: Path) -> None:
    graph = KnowledgeGraph.create(str(tmp_path / "graph"), encoder="jaccard")
    assert graph.ingest(str(folder / "heron.md")).added == 1
    assert graph.ingest(folder / "towns.csv").added == 1
    assert graph.delete("heron.md").documents == ("heron.md",)


@pytest.mark.parametrize("value", [None, 5, b"heron.md", [None], [b"heron.md"]])
def test_what_is_not_a_name_is_not_deleted(graph: KnowledgeGraph, value: Any) -> None:
    with pytest.raises(InputError, match=r"^names: "):
        graph.delete(value)
    with pytest.raises(NotFoundError, match="nobody"):
        graph.delete(["heron.md", "nobody"])
    assert Retriever(graph).retrieve("Golden Heron").results


@pytest.mark.parametrize("value", [None, 5, b"films.kg", ["films.kg"], ""])
def test_a_graph_lies_at_a_path(value: Any) -> None:
    for make in (KnowledgeGraph.open, KnowledgeGraph.create):
        with pytest.raises(InputError, match=r"^path: "):
            make(value)


@pytest.mark.parametrize("name", ["base_iri", "encoder", "recipe"])
def test_a_graph_is_created_with_strings(tmp_path: Path, name: str) -> None:
    with pytest.raises(InputError, match=f"{name}: 5 is of type int; give one string"):
        KnowledgeGraph.create(tmp_path / "graph", **{name: 5})  # type: ignore[arg-type]
    assert not (tmp_path / "graph").exists()
