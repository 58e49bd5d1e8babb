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
    blueprints=(
        search_page.blueprint,
        browsing.blueprint,
        graph_page.blueprint,
        management.blueprint,
        query_page.blueprint,
        *((asking_page.blueprint,) if is_installed("sage_ld.agents") else ()),
    ),
    begin=PagesState.of,
)
