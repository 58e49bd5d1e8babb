"""Data that pages show first of a revision, made in the background once a page has been asked for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, cast

from sage_ld.foundation.question import Filter
from sage_ld.foundation.settings import Settings
from sage_ld.graph import Snapshot
from sage_ld.retrieval.chunks.chunk_table import ChunkTable
from sage_ld.retrieval.filtering.facets import facets
from sage_ld.service.background import Latest
from sage_ld.service.context import Service, service
from sage_ld.service.extensions import ExtensionState
from sage_ld.service.views.document_shelf import Shelf, all_counted
from sage_ld.service.views.page_counts import page_counts

NAME: Final = "pages"
_MOST_DOCUMENTS: Final = 100_000
"""Documents up to which their list is made before anybody wants it: more take much memory."""


@dataclass(frozen=True, slots=True)
class PagesState(ExtensionState):
    """The state of a web process for the pages."""

    prepared: Latest[None]
    """The newest revision that has made what pages show first."""

    @classmethod
    def of(cls, here: Service) -> PagesState:
        """The state of a service that starts."""

        def make() -> tuple[int, None]:
            with here.snapshots.use() as snapshot:
                prepare(snapshot, here.settings)
                return snapshot.number, None

        return cls(Latest(make))

    def renew(self, number: int) -> None:
        """Has it made of a newer revision."""
        self.prepared.renew(number)


def preparation() -> Latest[None]:
    """The state of the service that answers the current request."""
    return cast(PagesState, service().states[NAME]).prepared


def prepare(snapshot: Snapshot, settings: Settings) -> None:
    """Has a revision keep its counts, its facets, and its list of documents."""
    snapshot.derived(page_counts)
    facets(snapshot, Filter(), settings, limit=1)
    if len(ChunkTable.of(snapshot).iris) <= _MOST_DOCUMENTS:
        all_counted(snapshot, Shelf.of(snapshot, settings))
