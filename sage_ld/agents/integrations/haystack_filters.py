"""Haystack's filters as those of sage-ld.

A filter of Haystack is a tree: comparisons of a field with a value, and `AND`, `OR`, `NOT` over them. A
filter of sage-ld is one conjunction of conditions, of which each may allow several values. So `AND` is taken
at any depth, `OR` over equalities of one field, and `NOT` over one comparison. Anything else is refused.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from datetime import date
from typing import Any, Final

from sage_ld.foundation.errors import InputError
from sage_ld.foundation.question import Filter

_NEGATED: Final = {
    "==": "!=", "!=": "==", "in": "not in", "not in": "in", ">": "<=", "<=": ">", "<": ">=", ">=": "<",
}  # fmt: skip
_OF_FIELDS: Final = {"document": "documents", "kind": "kinds", "language": "languages", "keyword": "keywords"}
"""Fields of a passage, beside metadata -> the field of `Filter`."""
_ORDERED: Final = frozenset({"<", "<=", ">", ">="})
_PREFIX: Final = "meta."
_MOST: Final = 1_000
"""Comparisons of one filter: far more than the setting max_filter_values lets through."""


def filter_of(filters: Mapping[str, Any] | None) -> Filter:
    """The filter of sage-ld that lets through what a filter of Haystack does; an empty one for None.

    `meta.document`, `meta.kind`, `meta.language` and `meta.keyword` are the fields of a filter
    (`docs/filters.md`), every other field is a key of metadata. Raises InputError for what has none.

    >>> filter_of({"field": "meta.team", "operator": "in", "value": ["red", "blue"]}).where
    ('"team" = "red" | "blue"',)
    """
    fields: dict[str, Any] = {}
    where: list[str] = []
    for number, (field, operator, value) in enumerate(_comparisons(filters) if filters else ()):
        if number >= _MOST:
            raise InputError(f"filters: more than {_MOST:,} comparisons; give fewer")
        name = _OF_FIELDS.get(field)
        if name is None:
            where.append(_condition(field, operator, value))
        elif operator not in ("==", "in"):
            raise InputError(f"filters: {operator!r} of meta.{field} has no counterpart; give == or in")
        elif name in fields:
            raise InputError(f"filters: meta.{field} is compared twice; give its values in one comparison")
        else:
            fields[name] = tuple(map(str, value if operator == "in" else [value]))
    return Filter(**fields, where=tuple(where))


def _comparisons(node: Mapping[str, Any]) -> Iterator[tuple[str, str, Any]]:
    """The comparisons whose conjunction a tree is: field, operator, value."""
    waiting = [node]
    while waiting:
        each = waiting.pop(0)
        if "field" in each:
            yield _comparison(each)
        elif (operator := _member(each, "operator")) == "AND":
            waiting[:0] = _conditions(each)
        elif operator == "OR":
            yield _alternatives(_conditions(each))
        elif operator == "NOT":
            yield _opposite(_conditions(each))
        else:
            raise InputError(f"filters: the operator {str(operator)[:40]!r} is not one of AND, OR, NOT")


def _comparison(node: Mapping[str, Any]) -> tuple[str, str, Any]:
    field, operator, value = (_member(node, name) for name in ("field", "operator", "value"))
    if operator not in _NEGATED:
        raise InputError(f"filters: the operator {str(operator)[:40]!r} is not one of {', '.join(_NEGATED)}")
    several = operator in ("in", "not in")
    if several != isinstance(value, list | tuple) or value is None or (several and not value):
        raise InputError(
            f"filters: {str(field)[:40]} {operator} {str(value)[:40]!r}; give a list of values to in and not "
            "in, one value, which is not None, to the others"
        )
    return str(field).removeprefix(_PREFIX), str(operator), value


def _alternatives(conditions: list[Mapping[str, Any]]) -> tuple[str, str, Any]:
    """Equalities of one field, of which one is enough, as one comparison."""
    nothing: tuple[str, str, Any] = ("", "", None)
    comparisons = [_comparison(each) if "field" in each else nothing for each in conditions]
    one_field = len({field for field, _, _ in comparisons}) == 1
    if not one_field or any(operator not in ("==", "in") for _, operator, _ in comparisons):
        raise InputError(
            "filters: OR over different fields, or over more than == and in, has no counterpart; ask once "
            "for each alternative, or give one field with several values"
        )
    values = [each for _, operator, value in comparisons for each in (value if operator == "in" else [value])]
    return comparisons[0][0], "in", values


def _opposite(conditions: list[Mapping[str, Any]]) -> tuple[str, str, Any]:
    """The opposite of one comparison."""
    if len(conditions) != 1 or "field" not in conditions[0]:
        raise InputError("filters: NOT over more than one comparison has no counterpart; negate each of them")
    field, operator, value = _comparison(conditions[0])
    return field, _NEGATED[operator], value


def _condition(field: str, operator: str, value: Any) -> str:
    """A condition on a key of metadata, as `sage_ld.retrieval.filtering.key_conditions` reads it."""
    key = json.dumps(field, ensure_ascii=False)
    if operator in _ORDERED:
        return f"{key} {operator} {_bare(field, value)}"
    values = value if isinstance(value, list | tuple) else [value]
    return f"{key} {'=' if operator in ('==', 'in') else '!='} {' | '.join(map(_quoted, values))}"


def _quoted(value: Any) -> str:
    if isinstance(value, date):
        value = value.isoformat()
    elif isinstance(value, bool) or not isinstance(value, str | int | float):
        value = json.dumps(value, default=str)
    return json.dumps(str(value), ensure_ascii=False)


def _bare(field: str, value: Any) -> str:
    """A number or a date, which is compared as one."""
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, bool) or not isinstance(value, str | int | float) or set('|<"') & set(str(value)):
        raise InputError(
            f"filters: meta.{field[:40]} is compared with {str(value)[:40]!r}; give a number or a date"
        )
    return str(value)


def _conditions(node: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    conditions = _member(node, "conditions")
    if not isinstance(conditions, list) or not all(isinstance(each, Mapping) for each in conditions):
        raise InputError(f"filters: the conditions {str(conditions)[:80]} are not a list of dictionaries")
    return conditions


def _member(node: Mapping[str, Any], name: str) -> Any:
    if not isinstance(node, Mapping) or name not in node:
        raise InputError(f"filters: {str(node)[:80]!r} has no {name!r}")
    return node[name]
