"""The check of an answer from a process that has run a Python program: it may have sent anything."""

from __future__ import annotations

import json
import math
from typing import Any, Final

from sage_ld.foundation.errors import InputError

_LONGEST_NAME: Final = 1_000
"""Characters of the name of a column, or of its type."""
_LARGEST: Final = 2**127


def checked_answer(content: bytes, max_rows: int) -> dict[str, Any]:
    """The answer, with `columns`, `rows`, `complete` and `printed`. Raises InputError for anything else.

    >>> checked_answer(b'{"columns": [["a", "str"]], "complete": true, "printed": "", "rows": [[1, 2]]}', 9)
    Traceback (most recent call last):
    sage_ld.foundation.errors.InputError: the process of the program has sent something other than an answer
    """
    try:
        answer = json.loads(content)
        if _is_answer(answer, max_rows):
            json.dumps(answer, ensure_ascii=False).encode()  # half a surrogate pair cannot be
            return {name: answer[name] for name in ("columns", "rows", "complete", "printed")}
    except (ValueError, RecursionError):
        pass
    raise InputError("the process of the program has sent something other than an answer")


def _is_answer(answer: Any, max_rows: int) -> bool:
    if not isinstance(answer, dict):
        return False
    columns, rows = answer.get("columns"), answer.get("rows")
    return (
        isinstance(columns, list)
        and all(map(_is_column, columns))
        and isinstance(rows, list)
        and len(rows) <= max_rows
        and all(isinstance(row, list) and len(row) == len(columns) for row in rows)
        and all(_is_value(value) for row in rows for value in row)
        and isinstance(answer.get("complete"), bool)
        and isinstance(answer.get("printed"), str)
    )


def _is_column(column: Any) -> bool:
    """Whether it is a name and a type."""
    return (
        isinstance(column, list)
        and len(column) == 2
        and all(isinstance(each, str) and len(each) <= _LONGEST_NAME for each in column)
    )


def _is_value(value: Any) -> bool:
    return all(map(_is_scalar, value)) if isinstance(value, list) else _is_scalar(value)


def _is_scalar(value: Any) -> bool:
    if isinstance(value, float):
        return math.isfinite(value)
    if isinstance(value, int):
        return abs(value) < _LARGEST
    return value is None or isinstance(value, str)
