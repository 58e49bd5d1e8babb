"""The part of the service that the pages add."""

from __future__ import annotations

from typing import Final

from sage_ld.foundation.lazy_imports import is_installed
from sage_ld.service.extensions import Extension
from sage_ld.service.views.preparation import NAME, PagesState
from sage_ld.service.views.routes import (
    asking_page,
    browsing,
    graph_page,
    management,
    query_page,
    search_page,
)

EXTENSION: Final = Extension(
    name=NAME,
    surfaces=(
        search_page.surface,
        browsing.surface,
        graph_page.surface,
        management.surface,
        query_page.surface,
        *((asking_page.surface,) if is_installed("sage_ld.agents") else ()),
    ),
    begin=PagesState.of,
)
