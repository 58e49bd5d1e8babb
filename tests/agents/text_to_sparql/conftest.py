"""A small graph of ships and yards in RDF, with a table of ports."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest

from sage_ld.agents.text_to_sparql import GraphQuestions
from sage_ld.graph import KnowledgeGraph

SHIPS = """
@prefix d: <http://example.org/d/> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
d:tonnage rdfs:comment "The displacement of a vessel." .
d:plover a d:Ship ; d:name "Grey Plover" ; d:builder d:halvorsen ; d:launched "1911-04-02"^^xsd:date ;
  d:length 61 .
d:heron a d:Ship ; d:name "Golden Heron" ; d:builder d:halvorsen ; d:launched "1924-06-30"^^xsd:date ;
  d:length 88 .
d:auk a d:Ship ; d:name "Little Auk" ; d:builder d:moss ; d:launched "1930-01-15"^^xsd:date .
d:halvorsen a d:Yard ; d:name "Halvorsen Marine" ; d:owner d:astrid .
d:moss a d:Yard ; d:name "Moss Docks" ; d:owner d:tobias .
d:astrid a d:Person ; d:name "Astrid Halvorsen" .
d:tobias a d:Person ; d:name "Tobias Wren" .
"""
PORTS = "name,country,depth,opened\nAmble,Wales,7.5,1888\nBryn,Wales,12,1901\nCorse,France,20,1911\n"


@contextmanager
def _asking_of(files: Mapping[str, str], folder: Path) -> Iterator[GraphQuestions]:
    """Questions of a graph in a folder, of files by their names."""
    (folder / "in").mkdir()
    for name, text in files.items():
        (folder / "in" / name).write_text(text, encoding="utf-8")
    graph = KnowledgeGraph.create(folder / "graph", encoder="jaccard")
    graph.ingest([folder / "in"])
    with GraphQuestions(graph) as made:
        yield made
    graph.close()


@pytest.fixture(scope="session")
def asking_of() -> Callable[[Mapping[str, str], Path], AbstractContextManager[GraphQuestions]]:
    """What asks questions of a graph in a folder, made of files by their names."""
    return _asking_of


@pytest.fixture(scope="session")
def ships(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KnowledgeGraph]:
    folder = tmp_path_factory.mktemp("ships")
    (folder / "in").mkdir()
    (folder / "in" / "ships.ttl").write_text(SHIPS, "utf-8")
    (folder / "in" / "ports.csv").write_text(PORTS, "utf-8")
    made = KnowledgeGraph.create(folder / "graph", encoder="jaccard")
    made.ingest([folder / "in"])
    yield made
    made.close()


@pytest.fixture(scope="session")
def asking(ships: KnowledgeGraph) -> Iterator[GraphQuestions]:
    with GraphQuestions(ships) as questions:
        yield questions
