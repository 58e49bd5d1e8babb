"""Query texts: SPARQL and SQL as they are shown."""

from __future__ import annotations

from pyoxigraph import Literal, NamedNode

from sage_ld.agents.tables.contents import CHUNK_COLUMN
from sage_ld.agents.text_to_sparql.plan import (
    Bound,
    Form,
    PlanRanking,
    Quantity,
    QueryPlan,
    Restriction,
    RowComparison,
)
from sage_ld.agents.text_to_sparql.schema import SchemaProperty, ValueType
from sage_ld.foundation import vocabulary as v

_TYPE = str(NamedNode(v.TYPE))


def sparql_of(plan: QueryPlan, most: int) -> str:
    """The query of a plan over RDF, with at most `most` rows; its first column is the answer."""
    lines = _patterns(plan)
    if plan.form is Form.ASK:
        return "\n".join(["ASK {", *lines, "}"])
    answer = _answer(plan, lines)
    if plan.form is Form.COUNT:
        return "\n".join([f"SELECT (COUNT(DISTINCT {answer}) AS ?count) {{", *lines, "}"])
    if plan.form is not Form.LIST:
        return _aggregated(plan, answer, lines)
    return _listed(plan, answer, lines, most)


def _patterns(plan: QueryPlan) -> list[str]:
    lines = []
    for number, node in enumerate(plan.nodes):
        if node.class_name is not None:
            lines.append(f"  {_term(plan, number)} {_TYPE} {NamedNode(node.class_name)} .")
    lines += [
        f"  {_term(plan, link.subject)} {NamedNode(link.property)} {_term(plan, link.object)} ."
        for link in plan.links
    ]
    for number, each in enumerate(plan.restrictions, 1):
        lines += _restricted(plan, each, f"?value{number}")
    for absence in plan.absences:
        pattern = f"{_term(plan, absence.node)} {NamedNode(absence.property.name)} ?none"
        lines.append(f"  FILTER NOT EXISTS {{ {pattern} }}")
    return lines


def _name(number: int) -> str:
    return f"n{number}"


def _term(plan: QueryPlan, number: int) -> str:
    resource = plan.nodes[number].resource
    return f"?{_name(number)}" if resource is None else str(NamedNode(resource))


def _restricted(plan: QueryPlan, each: Restriction, variable: str) -> list[str]:
    lines = [f"  {_term(plan, each.node)} {NamedNode(each.property.name)} {variable} ."]
    return lines + [f"  FILTER({_compared(variable, each.property, bound)})" for bound in each.bounds]


def _compared(variable: str, prop: SchemaProperty, bound: Bound) -> str:
    if isinstance(bound.value, str):
        compared = f"SUBSTR(STR({variable}), 1, 10)" if prop.type is ValueType.DATE else f"STR({variable})"
        return f"{compared} {bound.operator} {Literal(bound.value)}"
    shown = f"YEAR({variable})" if bound.is_year and prop.type is ValueType.DATE else variable
    return f"{shown} {bound.operator} {bound.value:.15g}"


def _answer(plan: QueryPlan, lines: list[str]) -> str:
    """The variable that is asked for; adds to the patterns what binds it."""
    if plan.answer_property is None:
        if plan.nodes[plan.answer].resource is not None:
            lines.append(f"  BIND({_term(plan, plan.answer)} AS ?{_name(plan.answer)})")
        return f"?{_name(plan.answer)}"
    lines.append(f"  {_term(plan, plan.answer)} {NamedNode(plan.answer_property.name)} ?answer .")
    if plan.answer_year:
        lines.append("  BIND(YEAR(?answer) AS ?year)")
        return "?year"
    return "?answer"


def _aggregated(plan: QueryPlan, answer: str, lines: list[str]) -> str:
    """One number over the values of each node once."""
    node = _term(plan, plan.answer)
    inner = [f"  SELECT DISTINCT {node} {answer} WHERE {{", *("  " + line for line in lines), "  }"]
    if not node.startswith("?"):
        inner[0] = f"  SELECT DISTINCT {answer} WHERE {{"
    return "\n".join([f"SELECT ({plan.form.upper()}({answer}) AS ?{plan.form}) {{", *inner, "}"])


def _listed(plan: QueryPlan, answer: str, lines: list[str], most: int) -> str:
    shown, grouped, having, order, offset = [answer], False, "", "", ""
    labels = _label(plan, answer)
    if plan.ranking is not None:
        grouped = True
        lines, order = (
            [*lines, *_ranked(plan, plan.ranking)],
            f"ORDER BY {_direction(plan.ranking)}(?rank) {answer}",
        )
        shown.append(f"({_rank(plan.ranking)} AS ?rank)")
        if _may_tie(plan, plan.ranking):
            having = f" ({_rank(plan.ranking)} = ?best)"
            lines = [*lines, *_best(plan.ranking, lines, answer)]
        else:
            most = min(most, plan.ranking.most)
        offset = f" OFFSET {plan.ranking.place - 1}" if plan.ranking.place > 1 else ""
    for number, each in enumerate(plan.quantities, 1):
        grouped = True
        lines = [*lines, f"  {_term(plan, each.node)} {NamedNode(each.property.name)} ?counted{number} ."]
        having = f"{having} {_quantity(each, number)}"
    if labels:
        grouped = True
        shown.append("(MIN(STR(?name)) AS ?label)")
        lines = [*lines, labels]
    head = f"SELECT {'' if grouped else 'DISTINCT '}{' '.join(shown)} {{"
    tail = [f"GROUP BY {answer}{' ?best' if '?best' in having else ''}"] if grouped else []
    tail += [f"HAVING{having}"] if having else []
    tail += [order or f"ORDER BY {answer}", f"LIMIT {most}{offset}"]
    return "\n".join([head, *lines, "}", *tail])


def _may_tie(plan: QueryPlan, ranking: PlanRanking) -> bool:
    """Whether all that share the first place are asked for."""
    return ranking.most == 1 and ranking.place == 1 and not plan.quantities


def _best(ranking: PlanRanking, lines: list[str], answer: str) -> list[str]:
    """The patterns that bind what the first in an order has."""
    best = "MAX" if ranking.descending else "MIN"
    inner = ["  " + line for line in lines]
    head = [f"  {{ SELECT ({best}(?each) AS ?best) {{", f"    SELECT ({_rank(ranking)} AS ?each) {{"]
    return [*head, *inner, f"    }} GROUP BY {answer}", "  } }"]


def _label(plan: QueryPlan, answer: str) -> str:
    if plan.naming is None or plan.answer_property is not None:
        return ""
    return f"  OPTIONAL {{ {answer} {NamedNode(plan.naming.name)} ?name }}"


def _ranked(plan: QueryPlan, ranking: PlanRanking) -> list[str]:
    return [f"  {_term(plan, ranking.node)} {NamedNode(ranking.property.name)} ?ranked ."]


def _rank(ranking: PlanRanking) -> str:
    if ranking.counted:
        return "COUNT(DISTINCT ?ranked)"
    return "MAX(?ranked)" if ranking.descending else "MIN(?ranked)"


def _direction(ranking: PlanRanking) -> str:
    return "DESC" if ranking.descending else "ASC"


def _quantity(each: Quantity, number: int) -> str:
    return f"(COUNT(DISTINCT ?counted{number}) {each.bound.operator} {each.bound.value:.15g})"


_FUNCTIONS = {Form.AVERAGE: "avg", Form.SUM: "sum", Form.LEAST: "min", Form.MOST: "max"}
_CHUNKS = f"list(DISTINCT {CHUNK_COLUMN}) AS {CHUNK_COLUMN}"


def sql_of(plan: QueryPlan, most: int) -> str:
    """The statement of a plan over a table: the answer comes first, and `_chunk` tells where rows stand."""
    where = _where(plan)
    source = f"FROM {_quoted(plan.table or '')}"
    if plan.comparison is not None:
        return f"SELECT {_compared_rows(plan.comparison)} AS answer, {_CHUNKS} {source}"
    if plan.form is Form.ASK:
        return _asked(plan, source, where)
    if plan.form is Form.COUNT:
        counted = "*" if plan.answer_property is None else f"DISTINCT {_quoted(plan.answer_property.name)}"
        return f"SELECT count({counted}) AS count {source}{where}"
    column = _quoted(_column(plan).name)
    if plan.form is not Form.LIST:
        return f"SELECT {_FUNCTIONS[plan.form]}({column}) AS {_FUNCTIONS[plan.form]} {source}{where}"
    where = _and(where, f"{column} IS NOT NULL")
    if plan.answer_year and _column(plan).type is ValueType.DATE:
        column = f"year({column})"
    if plan.ranking is not None:
        return _ranked_rows(plan, plan.ranking, column, f"{source}{where}", most)
    if plan.shown:
        columns = ", ".join([column, *(_quoted(each.name) for each in plan.shown), CHUNK_COLUMN])
        return f"SELECT {columns} {source}{where} ORDER BY 1 LIMIT {most}"
    return f"SELECT {column}, {_CHUNKS} {source}{where} GROUP BY 1 ORDER BY 1 LIMIT {most}"


def _asked(plan: QueryPlan, source: str, where: str) -> str:
    """The statement of a question for yes or no: of a row that has no value in the column, neither."""
    if not any(each.property.has_gaps for each in plan.restrictions):
        return f"SELECT count(*) > 0 AS answer, {_CHUNKS} {source}{where}"
    test = where.removeprefix(" WHERE ")
    answer = f"CASE WHEN bool_or({test}) THEN true WHEN bool_or(({test}) IS NULL) THEN NULL ELSE false END"
    return (
        f"SELECT {answer} AS answer, list(DISTINCT {CHUNK_COLUMN}) FILTER ({test}) AS {CHUNK_COLUMN} {source}"
    )


def _compared_rows(each: RowComparison) -> str:
    first, second = (
        f"max({_quoted(each.property.name)}) FILTER ({_quoted(each.key.name)} = {_text(value)})"
        for value in (each.first, each.second)
    )
    return f"{first} {each.operator} {second}"


def _text(value: str) -> str:
    doubled = value.replace("'", "''")
    return f"'{doubled}'"


def _ranked_rows(plan: QueryPlan, ranking: PlanRanking, column: str, source: str, most: int) -> str:
    """The rows of a superlative: all that share the place, or as many as it takes."""
    ranked, way = _quoted(ranking.property.name), "DESC" if ranking.descending else "ASC"
    others = [_quoted(each.name) for each in plan.shown if each != ranking.property]
    columns = ", ".join(dict.fromkeys([column, ranked, *others, CHUNK_COLUMN]))
    source = _and(source, f"{ranked} IS NOT NULL")
    if ranking.most == 1:
        source += f" QUALIFY dense_rank() OVER (ORDER BY {ranked} {way}) = {ranking.place}"
    limit = most if ranking.most == 1 else min(most, ranking.most)
    return f"SELECT {columns} {source} ORDER BY {ranked} {way}, 1 LIMIT {limit}"


def _column(plan: QueryPlan) -> SchemaProperty:
    column = plan.answer_property or plan.naming
    if column is None:
        raise ValueError("a plan over a table has a column to answer with")
    return column


def _and(where: str, condition: str) -> str:
    return f"{where} AND {condition}" if " WHERE " in where else f"{where} WHERE {condition}"


def _where(plan: QueryPlan) -> str:
    conditions = []
    for each in plan.restrictions:
        compared = [_compared_sql(each, bound) for bound in each.bounds]
        conditions += [f"({' OR '.join(compared)})"] if each.is_any else compared
    conditions += [f"{_quoted(each.property.name)} IS NULL" for each in plan.absences]
    return f" WHERE {' AND '.join(conditions)}" if conditions else ""


def _compared_sql(each: Restriction, bound: Bound) -> str:
    column = _quoted(each.property.name)
    if isinstance(bound.value, str):
        operator = "IS DISTINCT FROM" if bound.operator == "<>" else bound.operator
        if each.property.type is ValueType.DATE:
            day = f"CAST({column} AS DATE)" if "TIMESTAMP" in each.property.ranges else column
            return f"{day} {operator} DATE {_text(bound.value)}"
        if each.property.has_spellings:
            return f"lower(trim({column})) {operator} {_text(bound.value.strip().lower())}"
        return f"{column} {operator} {_text(bound.value)}"
    shown = f"year({column})" if bound.is_year and each.property.type is ValueType.DATE else column
    return f"{shown} {bound.operator} {bound.value:.15g}"


def _quoted(name: str) -> str:
    doubled = name.replace('"', '""')
    return f'"{doubled}"'
