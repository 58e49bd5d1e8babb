"""Results of Python programs as rows: DataFrames, Series, lists, dictionaries and single values of pandas.

Used in the worker process alone, where pandas is.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Set
from typing import Any, Final

import numpy as np
import pandas as pd

from sage_ld.agents.tables.json_values import json_value
from sage_ld.foundation.errors import InputError, ResultLimitError

_NAME: Final = "result"
"""The column of a value that has no name."""
_LARGEST: Final = 2**127
_NESTED: Final = (list, tuple, Set, np.ndarray, pd.Series, pd.Index, pd.api.extensions.ExtensionArray)


def answer_of(value: Any, printed: str, max_rows: int, max_bytes: int) -> bytes:
    """The answer of a program: rows as JSON. Raises InputError for anything else, ResultLimitError."""
    whole = _as_frame(value)
    frame = whole.iloc[:max_rows]
    columns = [frame.iloc[:, at] for at in range(frame.shape[1])]
    types = [[_title(name), str(each.dtype)] for name, each in zip(frame.columns, columns, strict=True)]
    rows, size = list[str](), len(printed.encode("utf-8", "replace"))
    for row in zip(*map(_values, columns), strict=True):
        rows.append(json.dumps(row, ensure_ascii=False, allow_nan=False))
        size += len(rows[-1])
        if size > max_bytes:
            break
    answer = {"columns": types, "complete": len(frame) == len(whole), "printed": printed}
    head = json.dumps(answer, ensure_ascii=False)[:-1]
    content = f'{head}, "rows": [{",".join(rows)}]}}'.encode("utf-8", "replace")
    if len(content) > max_bytes:
        raise ResultLimitError(
            f"more than {max_bytes:,} bytes; make `result` smaller, print less, or raise the setting "
            "max_table_bytes"
        )
    return content


def _as_frame(value: Any) -> pd.DataFrame:
    """A value as a DataFrame whose index says nothing that its columns do not."""
    if isinstance(value, pd.DataFrame):
        return _without_index(value)
    if isinstance(value, pd.Series):
        return _without_index(value.to_frame(_NAME if value.name is None else value.name))
    if isinstance(value, np.ndarray) and value.ndim == 2:
        return pd.DataFrame(value)
    if isinstance(value, Mapping):
        is_row = not value or not all(isinstance(each, _NESTED) for each in value.values())
        return pd.DataFrame([dict(value)] if is_row else dict(value))
    if isinstance(value, _NESTED):
        values = list(value)
        if values and all(isinstance(each, Mapping) for each in values):
            return pd.DataFrame(values)
        return pd.DataFrame({_NAME: pd.Series(values, dtype=None if values else object)})
    if callable(value) or type(value).__module__.startswith(("pandas.api.", "pandas.core.")):
        raise InputError(
            f"`result` is of the type {type(value).__name__}; set it to a DataFrame, a Series or a value"
        )
    return pd.DataFrame({_NAME: [value]})


def _without_index(frame: pd.DataFrame) -> pd.DataFrame:
    """A DataFrame with its index as columns, unless that only numbers the rows."""
    index = frame.index
    is_number = index.nlevels == 1 and index.name is None and pd.api.types.is_integer_dtype(index.dtype)
    return frame if is_number else frame.reset_index(allow_duplicates=True)


def _title(name: Any) -> str:
    parts = name if isinstance(name, tuple) else (name,)
    return " ".join(str(each) for each in parts if str(each))


def _values(column: pd.Series) -> list[Any]:
    """The values of a column as JSON has them; days without a time where all are such."""
    if pd.api.types.is_datetime64_any_dtype(column.dtype):
        known = column.dropna()
        if (known == known.dt.normalize()).all():
            column = column.dt.date
    return [_cell(each) for each in column.tolist()]


def _cell(value: Any) -> Any:
    """A value in a row: a scalar, or a list of scalars."""
    if isinstance(value, _NESTED):
        values = sorted(value, key=str) if isinstance(value, Set) else list(value)
        return [_scalar(each) for each in values]
    return _scalar(value)


def _scalar(value: Any) -> Any:
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or value is pd.NA or value is pd.NaT or value != value:
        return None
    plain = str(value) if isinstance(value, (Mapping, *_NESTED)) else json_value(value)
    is_large = isinstance(plain, int) and abs(plain) >= _LARGEST
    return str(plain) if is_large else plain
