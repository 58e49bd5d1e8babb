"""A graph with tables and records of each kind, for tests that only read it."""

from __future__ import annotations

from pathlib import Path

from graph.corpus import built, write_files

from sage_ld.graph import KnowledgeGraph

FILES = {
    "data/films.csv": (
        "Film,Year,Rating,Shown,Restored,Code\n"
        "Salt Over Sennet,1986,7.5,1986-03-01,true,007\n"
        "Night Bus to Hask,1987,8,1987-10-12,false,12\n"
        "The Lamplighter,1988,,1988-01-30,,1\n"
    ),
    "towns.json": '[{"name": "Sennet", "people": 12000}, {"name": "Hask", "people": 3400, "river": "Lirr"}]',
    "songs.jsonl": '{"title": "Ferry Song", "minutes": 3}\n{"title": "Low Water", "minutes": 5}\n',
    "page.md": (
        "# Prizes\n\n| Order | Group |\n|---|---|\n| first | a |\n\n"
        "And these.\n\n| Order |\n|---|\n| second |\n"
    ),
    "long.csv": "Title,Text,Last\n"
    + "".join(
        f"Row {row},{' '.join(f'word{row}x{number}' for number in range(900))},end {row}\n"
        for row in range(3)
    ),
}
"""Path below the corpus -> text; the rows of `long.csv` are too long for one chunk."""


def tables_graph(folder: Path) -> KnowledgeGraph:
    """The graph of `FILES`, ingested below a folder."""
    return built(folder / "graph", write_files(folder / "corpus", FILES))
