"""The small mixed corpus as a graph."""

from __future__ import annotations

from dataclasses import replace

import pytest
from graph.corpus import write

from sage_ld.graph import KnowledgeGraph
from sage_ld.graph.backup import copy_graph
from sage_ld.recipes import Concepts


@pytest.fixture(scope="package")
def graph(tmp_path_factory: pytest.TempPathFactory) -> KnowledgeGraph:
    """Read-only: all tests of the package ask it."""
    folder = tmp_path_factory.mktemp("retrieval")
    made = KnowledgeGraph.create(folder / "graph", encoder="jaccard")
    made.ingest([write(folder / "corpus")])
    return made


@pytest.fixture(scope="package")
def related(graph: KnowledgeGraph, tmp_path_factory: pytest.TempPathFactory) -> KnowledgeGraph:
    """The same with concepts, and with an edge that a user states. Read-only, too."""
    folder = tmp_path_factory.mktemp("related") / "graph"
    copy_graph(graph.directory.path, folder)
    made = KnowledgeGraph.open(folder)
    made.recipe = replace(made.recipe, concepts=Concepts(derive=True))
    made.add("The Osmere Film-Festival is held in June.", identifier="singular")
    made.add("Ruth Calloway opened the Osmere Film Festival.", identifier="plural")
    made.relink()
    made.edges.add("people/ruth-calloway.html", "related_to", "heron.md")
    return made
