"""Plans as SQL over one table. Names come from the graph's tables; texts are quoted."""

from __future__ import annotations

from sage_ld.agents.tables.contents import CHUNK_COLUMN
from sage_ld.agents.text_to_sparql.plan import Bound, Form, QueryPlan, Restriction
from sage_ld.agents.text_to_sparql.schema import SchemaProperty, ValueType

_FUNCTIONS = {Form.AVERAGE: "avg", Form.SUM: "sum", Form.LEAST: "min", Form.MOST: "max"}
_CHUNKS = f"list(DISTINCT {CHUNK_COLUMN}) AS {CHUNK_COLUMN}"


def sql_of(plan: QueryPlan, most: int) -> str:
    """The statement of a plan over a table: the answer comes first, and `_chunk` tells where rows stand."""
    where = _where(plan)
    source = f"FROM {_quoted(plan.table or '')}"
    if plan.form is Form.ASK:
        return f"SELECT count(*) > 0 AS answer, {_CHUNKS} {source}{where}"
    if plan.form is Form.COUNT:
        counted = "*" if plan.answer_property is None else f"DISTINCT {_quoted(plan.answer_property.name)}"
        return f"SELECT count({counted}) AS count {source}{where}"
    column = _quoted(_column(plan).name)
    if plan.form is not Form.LIST:
        return f"SELECT {_FUNCTIONS[plan.form]}({column}) AS {_FUNCTIONS[plan.form]} {source}{where}"
    where = _and(where, f"{column} IS NOT NULL")
    if plan.answer_year and _column(plan).type is ValueType.DATE:
        column = f"year({column})"
    if plan.ranking is None:
        return f"SELECT {column}, {_CHUNKS} {source}{where} GROUP BY 1 ORDER BY 1 LIMIT {most}"
    ranked, way = _quoted(plan.ranking.property.name), "DESC" if plan.ranking.descending else "ASC"
    where = _and(where, f"{ranked} IS NOT NULL")
    limit = min(most, plan.ranking.most)
    return f"SELECT {column}, {ranked}, {CHUNK_COLUMN} {source}{where} ORDER BY 2 {way}, 1 LIMIT {limit}"


def _column(plan: QueryPlan) -> SchemaProperty:
    column = plan.answer_property or plan.naming
    if column is None:
        raise ValueError("a plan over a table has a column to answer with")
    return column


def _and(where: str, condition: str) -> str:
    return f"{where} AND {condition}" if where else f" WHERE {condition}"


def _where(plan: QueryPlan) -> str:
    conditions = [_compared(each, bound) for each in plan.restrictions for bound in each.bounds]
    conditions += [f"{_quoted(each.property.name)} IS NULL" for each in plan.absences]
    return f" WHERE {' AND '.join(conditions)}" if conditions else ""


def _compared(each: Restriction, bound: Bound) -> str:
    column = _quoted(each.property.name)
    if isinstance(bound.value, str):
        text = bound.value.replace("'", "''")
        day = "DATE " if each.property.type is ValueType.DATE else ""
        return f"{column} {bound.operator} {day}'{text}'"
    shown = f"year({column})" if bound.is_year and each.property.type is ValueType.DATE else column
    return f"{shown} {bound.operator} {bound.value:.15g}"


def _quoted(name: str) -> str:
    doubled = name.replace('"', '""')
    return f'"{doubled}"'
