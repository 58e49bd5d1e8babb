"""The check of the facts of one format: whether each is found, cited with its place, and counted by SQL."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import Final

from _fact_files import WRITERS
from _facts import FACTS, GRIDS, Fact

from sage_ld.agents.tables import TableWorkers, catalogue
from sage_ld.foundation.model import ChunkKind, ChunkView
from sage_ld.graph import KnowledgeGraph
from sage_ld.retrieval import Retriever

RESULTS: Final = 5
"""A fact is found if a passage among so many has it."""
_CELLS: Final = re.compile(r"\brows?\b|![A-Z]+[0-9]+")
PLACES: Final[Mapping[str, re.Pattern[str]]] = {
    "pdf": re.compile(r"\bpages? "),
    "pptx": re.compile(r"\bslides? "),
    **dict.fromkeys(("xlsx", "xls", "ods", "csv"), _CELLS),
}
"""What the place of a passage names; in the other formats its section is its place."""
WITHOUT_SECTIONS: Final = frozenset({"txt", "rtf", "jsonl"})
"""Formats whose passages have no other place than their file."""


@dataclass(frozen=True)
class Outcome:
    """What came of a fact in a format; `counted` is None where no number stands in a table."""

    fact: Fact
    found: bool
    cited: bool
    counted: bool | None
    seen: str = ""
    """What stands in the passages where the fact is not found, or the place that is cited."""

    @property
    def failed(self) -> bool:
        """Whether anything that is asked of the fact does not hold."""
        return not self.found or not self.cited or self.counted is False

    @property
    def told(self) -> str:
        """The line of a report about it."""
        missing = "not found" if not self.found else "not cited" if not self.cited else "not counted"
        return f"{self.fact.kind}: {self.fact.question} {missing}" + (f": {self.seen}" if self.seen else "")


def outcomes(suffix: str, encoder: str = "jaccard") -> list[Outcome]:
    """What comes of all facts in a format: its files are written, ingested and asked."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) / "facts"
        folder.mkdir()
        WRITERS[suffix](folder)
        graph = KnowledgeGraph.create(Path(scratch) / "graph", encoder=encoder)
        try:
            summary = graph.ingest([folder])
            if summary.failed:
                raise RuntimeError("; ".join(reason for _, reason in summary.failed))
            rows = list(_rows(graph))
            retriever = Retriever(graph)
            return [_outcome(fact, suffix, retriever, rows) for fact in FACTS]
        finally:
            graph.close()


def _outcome(fact: Fact, suffix: str, retriever: Retriever, rows: Sequence[Sequence[object]]) -> Outcome:
    most = 1 if fact.year else RESULTS
    views = [each.view for each in retriever.retrieve(fact.question, most, 0).results]
    view = next((each for each in views if _has(each, fact)), None)
    counted = None if fact.value is None else any(_counts(fact, row) for row in rows)
    if view is None:
        return Outcome(fact, False, False, counted, _nearest(views, fact))
    cited = _is_cited(view, fact, suffix)
    return Outcome(
        fact, True, cited, counted, "" if cited else f"place {view.place!r}, section {view.section_name!r}"
    )


def _has(view: ChunkView, fact: Fact) -> bool:
    """Whether a passage has the fact, and not what it must not say."""
    path = PurePosixPath(view.identifier)
    if fact.year and fact.year not in path.parts:
        return False
    return says(view.text.replace("\n", "; ") if view.kind is ChunkKind.RECORD else view.text, fact)


def says(text: str, fact: Fact) -> bool:
    """Whether a line of a text has the fact, and not what it must not say; or else whether the text has."""
    lines = text.splitlines() if fact.wrong else [text]
    return any(
        re.search(fact.right, line) and not (fact.wrong and re.search(fact.wrong, line)) for line in lines
    )


def _is_cited(view: ChunkView, fact: Fact, suffix: str) -> bool:
    """Whether a passage is cited with the place that its format has: page, slide, rows, or section."""
    if suffix in PLACES:
        return bool(PLACES[suffix].search(view.place or ""))
    if fact.year or suffix in WITHOUT_SECTIONS:
        return True
    names = {grid.kind: grid.name for grid in GRIDS}
    return names.get(fact.kind, f"Of {fact.kind}") in (view.section_name or "")


def _nearest(views: Sequence[ChunkView], fact: Fact) -> str:
    """The line that says most of what the fact is about, among the passages that were found."""
    wanted = set(
        re.findall(r"\w+", f"{fact.question} {fact.row} {re.sub(r'{.*?}', '', fact.sentence)}".lower())
    )
    lines = [line for view in views for line in view.text.splitlines()]
    line = max(lines, key=lambda each: len(wanted & set(re.findall(r"\w+", each.lower()))), default="nothing")
    return line[:200]


def _rows(graph: KnowledgeGraph) -> Iterator[tuple[object, ...]]:
    """The rows of all tables and records of a graph, as SQL gives them."""
    snapshot = graph.snapshot()
    with TableWorkers(replace(graph.settings, table_workers=1)) as workers:
        for name in catalogue(snapshot):
            yield from workers.run(snapshot, f'SELECT * FROM "{name}"').rows


def _counts(fact: Fact, row: Sequence[object]) -> bool:
    """Whether a row has the fact's name, and its value as a number."""
    numbers = [each for each in row if isinstance(each, int | float) and not isinstance(each, bool)]
    return fact.row in row and fact.value in numbers
