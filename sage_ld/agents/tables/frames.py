"""Tables as DataFrames of pandas: the names of their variables, and the types of their columns."""

from __future__ import annotations

import builtins
import keyword
from collections.abc import Iterable
from typing import Final

_TAKEN: Final = frozenset({"np", "pd", "result", "tables"})
"""The names that a program finds already, or sets."""
_TYPES: Final = {
    "BOOLEAN": ("bool", "boolean"),
    "BIGINT": ("int64", "Int64"),
    "DOUBLE": ("float64", "float64"),
    "DATE": ("datetime64[us]", "datetime64[us]"),
    "TIMESTAMP": ("datetime64[us]", "datetime64[us]"),
}
"""For a type of DuckDB, that of pandas: of a column without empty cells, of one with some."""
TEXT: Final = "str"


def frame_type(sql_type: str, values: Iterable[str | None]) -> str:
    """The type in a DataFrame of a column with an SQL type and these values.

    >>> frame_type("BIGINT", ["1", "2"]), frame_type("BIGINT", ["1", None]), frame_type("VARCHAR", [])
    ('int64', 'Int64', 'str')
    """
    full, with_gaps = _TYPES.get(sql_type, (TEXT, TEXT))
    return with_gaps if any(value is None for value in values) else full


def expression(name: str) -> str:
    """By which a program names the DataFrame of a table: a variable, where the name can be one.

    >>> expression("towns"), expression("class"), expression("sum")
    ('towns', 'tables["class"]', 'tables["sum"]')
    """
    return name if is_variable(name) else f'tables["{name}"]'


def is_variable(name: str) -> bool:
    """Whether a table's name is a variable of programs, and hides nothing that they may want."""
    is_free = name not in _TAKEN and not hasattr(builtins, name)
    return name.isidentifier() and not keyword.iskeyword(name) and is_free
