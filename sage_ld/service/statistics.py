"""How much the served graph holds, counted once a revision, for the service description and VoID."""

from __future__ import annotations

import json
import threading
from dataclasses import dataclass, field
from typing import Any, Final

from sage_ld.errors import SageError
from sage_ld.service.revisions import Pin
from sage_ld.settings import Settings
from sage_ld.workers.pool import Pool

_BY_PROPERTY: Final = "SELECT ?key (COUNT(*) AS ?n) WHERE { ?s ?key ?o } GROUP BY ?key"
_BY_CLASS: Final = "SELECT ?key (COUNT(DISTINCT ?s) AS ?n) WHERE { ?s a ?key } GROUP BY ?key"


@dataclass(frozen=True, slots=True)
class Statistics:
    """Counts over the union of all graphs."""

    revision: int
    properties: dict[str, int] = field(default_factory=dict)
    """Triples of each property."""
    classes: dict[str, int] = field(default_factory=dict)
    """Resources of each class."""

    @property
    def triples(self) -> int:
        """How many triples there are."""
        return sum(self.properties.values())


class LatestStatistics:
    """The statistics of the newest revision, counted when they are first asked for."""

    def __init__(self, queries: Pool, settings: Settings) -> None:
        self._queries, self._settings = queries, settings
        self._guard = threading.Lock()
        self._latest: Statistics | None = None

    def of(self, pin: Pin) -> Statistics | None:
        """The statistics of a revision; None where counting takes longer than a query may."""
        with self._guard:
            if self._latest is None or self._latest.revision != pin.number:
                try:
                    counted = [self._count(pin, query) for query in (_BY_PROPERTY, _BY_CLASS)]
                except SageError:
                    return None
                self._latest = Statistics(pin.number, *counted)
            return self._latest

    def _count(self, pin: Pin, query: str) -> dict[str, int]:
        job: dict[str, Any] = {
            "op": "query",
            "folder": pin.path,
            "query": query,
            "base": None,
            "default_graphs": None,
            "union": True,
            "format": "json",
            "version": "1.1",
            "max_rows": self._settings.max_rows,
            "max_bytes": self._settings.max_result_bytes,
        }
        with self._queries.run(job, self._settings.sparql_timeout) as answer:
            rows = json.load(answer)["results"]["bindings"]
        return {row["key"]["value"]: int(row["n"]["value"]) for row in rows if row["key"]["type"] == "uri"}
