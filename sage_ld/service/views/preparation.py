"""What pages show first of a revision, made in the background once a page has been asked for."""

from __future__ import annotations

from typing import Final, cast

from flask import Flask, current_app

from sage_ld.foundation.model import Filter
from sage_ld.foundation.settings import Settings
from sage_ld.graph import Snapshot
from sage_ld.retrieval.chunks.chunk_table import ChunkTable
from sage_ld.retrieval.filtering.facets import facets
from sage_ld.service.background import Latest
from sage_ld.service.context import Service
from sage_ld.service.views.document_shelf import Shelf, all_counted
from sage_ld.service.views.page_counts import page_counts

_KEY: Final = "sage_ld.pages"
_MOST_DOCUMENTS: Final = 100_000
"""Documents up to which their list is made before anybody wants it: more take much memory."""


def attach(app: Flask, opened: Service) -> None:
    """Gives an application its preparation."""

    def make() -> tuple[int, None]:
        with opened.snapshots.use() as snapshot:
            prepare(snapshot, opened.settings)
            return snapshot.number, None

    app.extensions[_KEY] = Latest(make)


def preparation() -> Latest[None]:
    """That of the application which answers the current request."""
    return cast(Latest[None], current_app.extensions[_KEY])


def prepare(snapshot: Snapshot, settings: Settings) -> None:
    """Has a revision keep its counts, its facets, and its list of documents."""
    snapshot.derived(page_counts)
    facets(snapshot, Filter(), settings, limit=1)
    if len(ChunkTable.of(snapshot).iris) <= _MOST_DOCUMENTS:
        all_counted(snapshot, Shelf.of(snapshot, settings))
