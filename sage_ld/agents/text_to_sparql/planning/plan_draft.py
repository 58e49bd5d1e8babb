"""The draft of a plan: the units of a question, and what of the plan is settled so far."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from sage_ld.agents.text_to_sparql.grammar import Item, MeasuredNouns
from sage_ld.agents.text_to_sparql.plan import (
    Absence,
    Bound,
    Form,
    Node,
    PlanLink,
    PlanRanking,
    Quantity,
    Restriction,
    RowComparison,
)
from sage_ld.agents.text_to_sparql.schema import Facts, SchemaClass, SchemaProperty, World
from sage_ld.agents.text_to_sparql.values import NamedValue

UNRESOLVED: Final = 0.2
"""The factor of confidence where a part of the question is not understood."""


@dataclass
class PlacedNode:
    """A node of a plan in the making, and where in the question it is named."""

    node: Node
    item: int
    classes: tuple[str, ...]
    role: SchemaProperty | None = None
    """The property whose value it is, of what it has to be joined with."""


@dataclass
class Pending:
    """Bounds, or a superlative, whose property is still to be found."""

    item: int
    bounds: list[Bound] = field(default_factory=list)
    nouns: MeasuredNouns = ()
    property_item: int | None = None
    unit: str = ""
    direction: str = ""
    most: int = 1
    is_dated: bool = False
    place: int = 1
    """Of a superlative, the place in the order."""


class Step(NamedTuple):
    """One statement between two nodes: by which property, and whether against its direction."""

    property: str
    inverse: bool


class Path(NamedTuple):
    """A way from one node to another."""

    steps: tuple[Step, ...]
    middle: str
    """The class between two steps."""
    score: float


@dataclass
class PlanDraft:
    """A plan in the making, from the units of a question in one reading."""

    items: Sequence[Item]
    world: World
    facts: Callable[[str], Facts]
    """Gives the properties that join a resource with others."""
    used: set[int] = field(default_factory=set)
    """The items that the plan covers."""
    score: float = 1.0
    """How sure the plan is, without what it leaves unused."""
    places: list[PlacedNode] = field(default_factory=list)
    links: list[PlanLink] = field(default_factory=list)
    restrictions: list[Restriction] = field(default_factory=list)
    absences: list[Absence] = field(default_factory=list)
    quantities: list[Quantity] = field(default_factory=list)
    ranking: PlanRanking | None = None
    answer: int = 0
    answer_property: SchemaProperty | None = None
    answer_year: bool = False
    ways: dict[int, tuple[int, Path]] = field(default_factory=dict)
    """For each node that is joined, the node and the way to it."""
    pending: list[Pending] = field(default_factory=list)
    superlatives: list[Pending] = field(default_factory=list)
    form: Form = Form.LIST
    comparison: RowComparison | None = None

    def target_of(self, number: int) -> SchemaClass | SchemaProperty | NamedValue | None:
        """The target that an item stands for."""
        meaning = self.items[number].meaning if 0 <= number < len(self.items) else None
        return None if meaning is None else meaning.target

    def property_at(self, number: int) -> SchemaProperty | None:
        """The property that an item stands for."""
        target = self.target_of(number)
        return target if isinstance(target, SchemaProperty) else None

    def is_value(self, number: int) -> bool:
        """Whether an item stands for a value."""
        return isinstance(self.target_of(number), NamedValue)

    def after_functions(self, number: int) -> int:
        """The next item that is no function word."""
        while number < len(self.items) and self.items[number].kind == "function":
            number += 1
        return number

    def property_of(self, classes: Sequence[str], name: str) -> SchemaProperty | None:
        """The property with a name of the first of some classes that has it."""
        for each in classes:
            if each in self.world.classes and name in self.world.classes[each].properties:
                return self.world.classes[each].properties[name]
        return None

    def nearest(self, item: int) -> list[int]:
        """The places of nodes that are no certain resource, those named last before an item first."""
        places = [n for n, place in enumerate(self.places) if place.node.resource is None]
        return sorted(places, key=lambda n: (self.places[n].item > item, abs(self.places[n].item - item)))

    def use_properties(self, names: Collection[str]) -> None:
        """Counts the items that stand for some properties as used."""
        for number in range(len(self.items)):
            prop = self.property_at(number)
            if prop is not None and prop.name in names:
                self.used.add(number)

    def text_before(self, number: int) -> int:
        """The last item before another one that is no function word; -1 for none."""
        number -= 1
        while number >= 0 and self.items[number].kind == "function":
            number -= 1
        return number

    def is_restricted(self) -> bool:
        """Whether the plan says more than the class that is asked for."""
        parts = (self.links, self.restrictions, self.absences, self.quantities, self.ranking)
        return any(parts) or self.answer_property is not None

    def naming(self) -> SchemaProperty | None:
        """The item that names the answer."""
        for name in self.places[self.answer].classes:
            each = self.world.classes.get(name)
            if each is not None and (naming := each.naming()) is not None:
                return naming
        return None
