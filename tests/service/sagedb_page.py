"""The tables of docs/sagedb.md: what SageDB has, with ours beside it."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from sage_ld.foundation.recipes import Ranking
from sage_ld.foundation.settings import Settings

ROOT: Final = Path(__file__).parents[2]
PAGE: Final = (ROOT / "docs" / "sagedb.md").read_text("utf-8")
LISTED: Final[dict[str, list[str]]] = tomllib.loads(
    Path(__file__).with_name("sagedb.toml").read_text("utf-8")
)
"""What SageDB's description lists, by the heading of the table."""


@dataclass(frozen=True)
class Row:
    """A row of one of the tables."""

    section: str
    names: tuple[str, ...]
    """What SageDB calls it: the first cell, which may have several, with semicolons."""
    cells: tuple[str, ...]
    """The others."""

    def __str__(self) -> str:
        return f"{self.section}: {self.names[0]}"


def rows() -> Iterator[Row]:
    """The rows of all tables, without their heads."""
    for section, text in re.findall(r"^## (.+)\n((?:(?!## ).*\n)*)", PAGE, re.M):
        for line in re.findall(r"^\| (.+) \|$", text, re.M)[1:]:
            first, *others = (cell.strip() for cell in line.split("|"))
            yield Row(section, tuple(first.replace("`", "").split("; ")), tuple(others))


ROWS: Final = list(rows())
OURS: Final = "\n".join([re.sub(r"^\|.*\n", "", PAGE, flags=re.M), *("\n".join(row.cells) for row in ROWS)])
"""The page without what SageDB calls it."""
SPANS: Final = sorted(set(re.findall(r"`([^`\n]+)`", OURS)))
"""All that the page names of ours."""
METRICS: Final = [span for span in SPANS if span.startswith("sage_ld_")]
ROUTES: Final = [span for span in SPANS if re.match("[A-Z]+ /", span)]
COMMANDS: Final = [span for span in SPANS if span.startswith(("sage-ld", "make "))]
CALLS: Final = [span for span in SPANS if re.match(r"(graph|retriever|sage_ld)\.", span)]
"""Python names."""
ALL_RANKINGS: Final = Settings(client_rankings=",".join(Ranking))
EXPLAINED: Final = {
    *("KG", "KnowledgeGraph", "Retriever", "graph", "retriever", "[retrieval]", "weights", "/v1/retrieve"),
    *("file", "text", "relation", "source", "target", "weight", "budgets", "popularChunks", "id"),
    *("unchanged", "Idempotency-Key", "Cache-Control: no-cache", "rdf:type", "schema:isPartOf", "paper"),
    *("openai:MODEL", "st:NAME", "pip install"),
}
"""Variables of the page, members of bodies, headers, and what other pages explain."""


def section(name: str) -> list[Row]:
    """The rows of one table."""
    return [row for row in ROWS if row.section == name]
