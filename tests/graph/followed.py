"""A folder and a graph that follows each change of it, to compare with a graph that is built at once."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from graph.corpus import write_files

from sage_ld.graph import KnowledgeGraph


class FollowedFolder:
    """A folder and a graph of it, which follows each change."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        (folder / "corpus").mkdir()
        self.graph = self._graph("followed")

    def put(self, files: dict[str, str]) -> None:
        """Writes files and ingests the folder."""
        self.graph.ingest([write_files(self.folder / "corpus", files)])

    def delete(self, name: str) -> None:
        """Deletes a file, in the folder and in the graph."""
        (self.folder / "corpus" / name).unlink()
        self.graph.delete([name])

    def fresh(self, name: str) -> KnowledgeGraph:
        """A graph of the folder as it is, built at once."""
        built = self._graph(name)
        built.ingest([self.folder / "corpus"])
        return built

    def _graph(self, name: str) -> KnowledgeGraph:
        graph = KnowledgeGraph.create(self.folder / name, encoder="jaccard")
        graph.settings = replace(graph.settings, relink_share=99.0)
        return graph
