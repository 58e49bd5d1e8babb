"""Descriptions of tables, and answers to SQL, as JSON; answers as CSV."""

from __future__ import annotations

import csv
import io
import json
from typing import Any

from sage_ld.agents.tables.contents import ListedTable
from sage_ld.agents.tables.workers import TableAnswer


def description_json(description: ListedTable) -> dict[str, Any]:
    """A table as `/v1/tables` returns it."""
    table = description.table
    return {
        "name": table.name,
        "source": table.source,
        "kind": "records" if table.number is None else "table",
        "documents": [document.iri for document in table.documents[:1]],
        "rows": table.rows,
        "columns": [
            {**column._asdict(), "examples": list(column.examples)} for column in description.columns
        ],
    }


def answer_json(answer: TableAnswer) -> dict[str, Any]:
    """An answer to SQL as `/v1/tables/query` returns it; that of a program has `python` and `printed`."""
    return {
        answer.language: answer.code,
        "columns": [{"name": name, "type": kind} for name, kind in answer.columns],
        "rows": [list(row) for row in answer.rows],
        "chunks": [list(each) for each in answer.chunks],
        "complete": answer.complete,
        "tables": [{"name": table.name, "source": table.source} for table in answer.tables],
        **({"printed": answer.printed} if answer.language == "python" else {}),
    }


def answer_csv(answer: TableAnswer) -> str:
    """An answer as CSV (RFC 4180) with a line of names; what has parts is JSON, NULL an empty cell."""
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(name for name, _ in answer.columns)
    writer.writerows([cell_text(value) for value in row] for row in answer.rows)
    return out.getvalue()


def cell_text(value: Any) -> str:
    """A value of an answer in a cell of text.

    >>> cell_text(None), cell_text(True), cell_text([1, "a"])
    ('', 'true', '[1, "a"]')
    """
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
