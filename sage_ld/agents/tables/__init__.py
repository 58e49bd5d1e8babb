"""The tables and records of a graph's documents, asked by SQL or Python in killable worker processes.

The names are imported at their first use: a worker process is to start fast.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sage_ld.foundation.lazy_imports import lazy_names

if TYPE_CHECKING:
    from sage_ld.agents.tables.contents import Column, ListedTable, list_tables
    from sage_ld.agents.tables.stored_tables import Catalogue, StoredTable, catalogue
    from sage_ld.agents.tables.workers import CodeLanguage, TableAnswer, TableWorkers

__all__ = [
    "Catalogue",
    "CodeLanguage",
    "Column",
    "ListedTable",
    "StoredTable",
    "TableAnswer",
    "TableWorkers",
    "catalogue",
    "list_tables",
]

__getattr__ = lazy_names(
    globals(),
    {
        "Catalogue": "stored_tables",
        "StoredTable": "stored_tables",
        "catalogue": "stored_tables",
        "Column": "contents",
        "ListedTable": "contents",
        "list_tables": "contents",
        "CodeLanguage": "workers",
        "TableAnswer": "workers",
        "TableWorkers": "workers",
    },
)
