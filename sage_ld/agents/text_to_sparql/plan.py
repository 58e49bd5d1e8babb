"""A question as a plan: what is asked of which resources or rows, before it is written as SPARQL or SQL."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum

from sage_ld.agents.text_to_sparql.schema import SchemaProperty


class Form(StrEnum):
    """The form of the answer: the operation on everything that fits."""

    LIST = "list"
    COUNT = "count"
    ASK = "ask"
    AVERAGE = "avg"
    SUM = "sum"
    LEAST = "min"
    MOST = "max"


@dataclass(frozen=True, slots=True)
class Node:
    """A resource or row that a plan speaks of: any of a class, or a certain one."""

    class_name: str | None = None
    resource: str | None = None


@dataclass(frozen=True, slots=True)
class PlanLink:
    """A statement between two nodes, by their places in the plan."""

    subject: int
    property: str
    object: int


@dataclass(frozen=True, slots=True)
class Bound:
    """A comparison with a number, a text, a day (`1987-03-01`) or a year."""

    operator: str
    value: str | float
    is_year: bool = False


@dataclass(frozen=True, slots=True)
class Restriction:
    """Bounds that one value of a property of a node keeps."""

    node: int
    property: SchemaProperty
    bounds: tuple[Bound, ...]
    is_any: bool = False
    """Whether one of the bounds suffices; of a table only."""


@dataclass(frozen=True, slots=True)
class Absence:
    """A property that a node does not have."""

    node: int
    property: SchemaProperty


@dataclass(frozen=True, slots=True)
class PlanRanking:
    """An order by a property of a node, or by how many values it has, and how many are taken."""

    node: int
    property: SchemaProperty
    counted: bool
    descending: bool
    most: int
    place: int = 1
    """The place in the order that is asked for: 3 for the third highest."""


@dataclass(frozen=True, slots=True)
class Quantity:
    """A bound on how many values a property of a node has."""

    node: int
    property: SchemaProperty
    bound: Bound


@dataclass(frozen=True, slots=True)
class RowComparison:
    """A number of one row beside that of another: `Does X weigh more than Y?`."""

    key: SchemaProperty
    first: str
    second: str
    property: SchemaProperty
    operator: str


@dataclass(frozen=True, slots=True)
class QueryPlan:
    """A question as a plan, over RDF (nodes joined by links) or one table (one node, its row)."""

    form: Form
    nodes: tuple[Node, ...]
    answer: int
    """The node that is asked for."""
    answer_property: SchemaProperty | None = None
    """The property of that node whose values are asked for; None: the node itself."""
    answer_year: bool = False
    """Whether only the year of the values is asked for."""
    links: tuple[PlanLink, ...] = ()
    restrictions: tuple[Restriction, ...] = ()
    absences: tuple[Absence, ...] = ()
    quantities: tuple[Quantity, ...] = ()
    ranking: PlanRanking | None = None
    naming: SchemaProperty | None = None
    """What names a row, or a resource."""
    table: str | None = None
    shown: tuple[SchemaProperty, ...] = ()
    """Further columns of whole rows; empty where values are asked for."""
    comparison: RowComparison | None = None
    """Two rows that are compared; of a table only."""


def counted(plan: QueryPlan) -> QueryPlan:
    """The plan that lists the nodes which another one counts, or takes values of."""
    return replace(plan, form=Form.LIST, answer_property=None, answer_year=False, ranking=None, naming=None)
