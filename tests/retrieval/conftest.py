"""The small mixed corpus as a graph."""

from __future__ import annotations

import pytest
from graph.corpus import built, write

from sage_ld.graph import KnowledgeGraph

GUANO = """Guano from the islands increased the yields of wheat, so demand grew faster than birds renewed it.
Because each harvest required more, the growth consumed its own source until the reserves collapsed, and
farmers depended on what they had depleted."""
MEMORY = """Rehearsal strengthened the recall of words, so demand grew faster than sleep renewed it. Because
each list required more, the growth consumed its own source until the reserves collapsed, and learners
depended on what they had depleted."""
"""One mechanism, told of farming and of learning."""


@pytest.fixture(scope="package")
def graph(tmp_path_factory: pytest.TempPathFactory) -> KnowledgeGraph:
    """Read-only: all tests of the package ask it."""
    folder = tmp_path_factory.mktemp("retrieval")
    return built(folder / "graph", write(folder / "corpus"))


@pytest.fixture(scope="package")
def related(tmp_path_factory: pytest.TempPathFactory) -> KnowledgeGraph:
    """The same with concepts, with analogies, and with an edge that a user states. Read-only, too."""
    folder = tmp_path_factory.mktemp("related")
    recipe = "[concepts]\nderive = true\n[analogies]\nderive = true\npercentile = 0.0\n"
    (folder / "recipe.toml").write_text(recipe, encoding="utf-8")
    made = built(folder / "graph", write(folder / "corpus"), recipe=str(folder / "recipe.toml"))
    made.add("The Osmere Film-Festival is held in June.", identifier="singular")
    made.add("Ruth Calloway opened the Osmere Film Festival.", identifier="plural")
    made.add(GUANO, identifier="guano")
    made.add(MEMORY, identifier="memory")
    made.edges.add("people/ruth-calloway.html", "related_to", "heron.md")
    return made
