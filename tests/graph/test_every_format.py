"""A file of each format: the same twice gives the same graph, and what is deleted leaves nothing."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from graph.canonical import canonical

from sage_ld.foundation import vocabulary as v
from sage_ld.graph import KnowledgeGraph
from sage_ld.graph.shapes.shacl import validate
from sage_ld.graph.store import reading

SEEDS = Path(__file__).parents[1] / "fuzz" / "seeds"
NO_FILES = ("requests", "sparql", "legacy")
"""Seeds of other targets, and of a format that is refused."""


def build(path: Path, *folders: Path) -> KnowledgeGraph:
    graph = KnowledgeGraph.create(path, encoder="jaccard")
    assert graph.ingest(folders).failed == []
    return graph


@pytest.fixture
def files(tmp_path: Path) -> Path:
    shutil.copytree(SEEDS, tmp_path / "files", ignore=shutil.ignore_patterns(*NO_FILES))
    return tmp_path / "files"


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    (tmp_path / "kept").mkdir()
    (tmp_path / "kept" / "kept.md").write_text("# Reed\n\nCarol Reed made The Third Man in 1949.\n")
    return tmp_path / "kept"


def test_the_same_files_twice_give_the_same_graph(tmp_path: Path, files: Path) -> None:
    first, second = build(tmp_path / "a", files), build(tmp_path / "b", files)
    assert canonical(first) == canonical(second)
    report = validate(first.snapshot().store)
    assert report.conforms, str(report)


def test_deleting_all_of_them_leaves_nothing(tmp_path: Path, files: Path, kept: Path) -> None:
    both = build(tmp_path / "both", kept, files)
    documents = reading.documents(both.snapshot().store)
    both.delete(each.identifier for each in documents if each.identifier != "kept.md")
    both.relink()
    assert rootless(both) == rootless(build(tmp_path / "alone", kept))


def rootless(graph: KnowledgeGraph) -> list[str]:
    """All statements but the number of the root, which depends on the other folders."""
    return [each for each in canonical(graph) if v.FILE_ROOT not in each]
