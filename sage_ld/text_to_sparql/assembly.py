"""The assembly of a plan from the units of a question: what is asked for, what joins it, what bounds it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple, TypeAlias

from sage_ld.text_to_sparql import english
from sage_ld.text_to_sparql.grammar import Item, is_year
from sage_ld.text_to_sparql.plan import (
    Absence,
    Bound,
    Form,
    Node,
    PlanLink,
    PlanRanking,
    Quantity,
    QueryPlan,
    Restriction,
)
from sage_ld.text_to_sparql.schema import NAMING, SchemaClass, SchemaProperty, ValueType, World
from sage_ld.text_to_sparql.values import NamedValue

_UNUSED_WORD, _UNUSED_NAME, _UNUSED_MEANING, _UNRESOLVED = 0.6, 0.4, 0.6, 0.2
_UNUSED_OF_NOTHING, _UNUSED_OF_TABLE, _ECHO, _UNNAMED = 0.4, 0.5, 0.2, 0.5
_UNJOINED, _UNCUED, _AMBIGUOUS, _INDIRECT, _FAR = 0.2, 0.5, 0.85, 0.85, 0.95
_WITHOUT_CLASS, _SUMMED = 0.9, 0.45
_ASKING: Final = frozenset({"is", "are", "was", "were", "did", "does", "do", "has", "have"})
_DATED: Final = frozenset({"year", "date", "day", "month"})
_ARITHMETIC: Final = (Form.AVERAGE, Form.SUM)
_TIMES: Final = ("date", "year", "day")


class Fact(NamedTuple):
    """A property that joins a resource with others of a class."""

    property: str
    inverse: bool
    """Whether the others are its subjects."""
    class_name: str


Facts: TypeAlias = Sequence[Fact]


@dataclass
class _Place:
    """A node of a plan in the making, and where in the question it is named."""

    node: Node
    item: int
    classes: tuple[str, ...]
    role: SchemaProperty | None = None
    """The property whose value it is, of what it has to be joined with."""


@dataclass
class _Pending:
    """Bounds, or a superlative, whose property is still to be found."""

    item: int
    bounds: list[Bound] = field(default_factory=list)
    nouns: tuple[tuple[tuple[str, ...], str], ...] = ()
    property_item: int | None = None
    unit: str = ""
    direction: str = ""
    most: int = 1
    is_dated: bool = False


class _Step(NamedTuple):
    """One statement between two nodes: by which property, and whether against its direction."""

    property: str
    inverse: bool


class _Path(NamedTuple):
    """A way from one node to another."""

    steps: tuple[_Step, ...]
    middle: str
    """The class between two steps."""
    score: float


class Assembly:
    """A plan in the making, from the units of a question in one reading."""

    def __init__(self, items: Sequence[Item], world: World, facts: Callable[[str], Facts]) -> None:
        self._items, self._world, self._facts = items, world, facts
        self._used: set[int] = set()
        self._score = 1.0
        self._places: list[_Place] = []
        self._links: list[PlanLink] = []
        self._restrictions: list[Restriction] = []
        self._absences: list[Absence] = []
        self._quantities: list[Quantity] = []
        self._ranking: PlanRanking | None = None
        self._answer = 0
        self._answer_property: SchemaProperty | None = None
        self._answer_year = False
        self._ways: dict[int, tuple[int, _Path]] = {}
        """For each node that is joined, the node and the way to it."""
        self._pending: list[_Pending] = []
        self._superlatives: list[_Pending] = []
        self._form = Form.LIST

    def plan(self) -> QueryPlan | None:
        """The plan; None where the question names nothing to ask for."""
        self._form = self._asked_form()
        self._read_numbers()
        self._read_superlatives()
        if not self._choose_target():
            return None
        self._add_nodes()
        self._join_nodes()
        self._restrict_by_values()
        self._rank()
        self._restrict_by_bounds()
        self._exclude()
        if self._says_nothing():
            return None
        self._count_numbers()
        return QueryPlan(
            self._form,
            tuple(place.node for place in self._places),
            self._answer,
            self._answer_property,
            self._answer_year,
            tuple(self._links),
            tuple(self._restrictions),
            tuple(self._absences),
            tuple(self._quantities),
            self._ranking,
            self._naming(),
            self._world.table,
        )

    def _says_nothing(self) -> bool:
        """Whether there is nothing to show of a row, or nothing to find out about what is named."""
        if self._form is Form.ASK and self._places[self._answer].node.class_name is None:
            return not self._is_restricted()
        return bool(self._world.table) and self._answer_property is None and self._naming() is None

    def _count_numbers(self) -> None:
        """`How many beds has X?`, of a property whose value is that number; of several, their sum, unsure."""
        prop = self._answer_property
        if self._form is not Form.COUNT or prop is None or prop.type is not ValueType.NUMBER:
            return
        texts = [
            bound for each in self._restrictions for bound in each.bounds if isinstance(bound.value, str)
        ]
        is_named = self._places[self._answer].node.resource is not None or bool(texts)
        self._form = Form.LIST if is_named else Form.SUM
        self._score *= 1.0 if is_named else _SUMMED

    def confidence(self) -> float:
        """How sure the plan is, from 0 to 1: by the meanings that it uses, and by what it leaves unused."""
        score = self._score
        for number, item in enumerate(self._items):
            if number in self._used:
                score *= item.meaning.score if item.meaning else 1.0
            elif item.kind == "meaning":
                score *= _UNUSED_MEANING if not self._is_value(number) else _UNUSED_NAME
            elif self._is_content(item):
                is_word = item.kind == "word" and not item.is_name
                unused = _UNUSED_OF_TABLE if self._world.table else _UNUSED_WORD
                score *= unused if is_word and self._is_restricted() else _UNUSED_OF_NOTHING
        return min(1.0, score * self._telling())

    def _is_restricted(self) -> bool:
        """Whether the plan says more than the class that is asked for."""
        said = (self._links, self._restrictions, self._absences, self._quantities, self._ranking)
        return any(said) or self._answer_property is not None

    def _telling(self) -> float:
        """How much an answer tells: little, if it is what the question names, or does not name a row."""
        is_node = self._form is Form.LIST and self._answer_property is None
        if is_node and self._places[self._answer].node.resource is not None:
            return _ECHO
        naming = self._naming()
        is_named = naming is not None and any(words[-1] in NAMING for words in naming.words)
        return _UNNAMED if is_node and self._world.table and not is_named else 1.0

    def unused(self) -> tuple[str, ...]:
        """The words with content that the plan does not use."""
        return tuple(
            item.text
            for number, item in enumerate(self._items)
            if number not in self._used and (item.kind == "meaning" or self._is_content(item))
        )

    @staticmethod
    def _is_content(item: Item) -> bool:
        if item.kind == "word":
            return item.text not in english.LIGHT_WORDS
        return item.kind in (
            "number",
            "day",
            "compare",
            "between",
            "most",
            "aggregate",
            "not",
            "or",
            "after",
            "how",
        )

    def _is_value(self, number: int) -> bool:
        meaning = self._items[number].meaning
        return meaning is not None and isinstance(meaning.target, NamedValue)

    def _target_of(self, number: int) -> SchemaClass | SchemaProperty | NamedValue | None:
        meaning = self._items[number].meaning if 0 <= number < len(self._items) else None
        return None if meaning is None else meaning.target

    def _property_at(self, number: int) -> SchemaProperty | None:
        target = self._target_of(number)
        return target if isinstance(target, SchemaProperty) else None

    def _asked_form(self) -> Form:
        for number, item in enumerate(self._items):
            if item.kind == "count":
                self._used.add(number)
                return Form.COUNT
            if item.kind == "aggregate":
                self._used.add(number)
                return Form(item.operator)
        return Form.ASK if self._items and self._items[0].text in _ASKING else Form.LIST

    # numbers

    def _read_numbers(self) -> None:
        for number, item in enumerate(self._items):
            if number in self._used:
                continue
            if item.kind == "between":
                self._read_between(number)
            elif item.kind == "compare":
                self._read_comparison(number)
            elif item.kind == "day":
                self._read_equal(number)
            elif item.kind == "number" and not self._is_limit(number):
                self._read_number(number)

    def _bound(self, operator: str, item: Item) -> Bound:
        return (
            Bound(operator, item.text) if item.kind == "day" else Bound(operator, item.number, is_year(item))
        )

    def _is_amount(self, number: int) -> bool:
        return 0 <= number < len(self._items) and self._items[number].kind in ("number", "day")

    def _after_functions(self, number: int) -> int:
        """The next item that is no function word."""
        while number < len(self._items) and self._items[number].kind == "function":
            number += 1
        return number

    def _read_between(self, number: int) -> None:
        first = self._after_functions(number + 1)
        second = self._after_functions(first + 2)
        if self._is_amount(first) and self._is_amount(second) and self._items[first + 1].kind == "and":
            low, high = self._items[first], self._items[second]
            bounds = [self._bound(">=", low), self._bound("<=", high)]
            self._add_pending(number, second, bounds, high)
            self._used |= {number, first, first + 1, second}

    def _read_comparison(self, number: int) -> None:
        item = self._items[number]
        value = self._after_functions(number + 1)
        if not self._is_amount(value):
            return
        if item.nouns:
            found = tuple((nouns, direction) for nouns, direction in item.nouns)
            operator = found[0][1]
        else:
            found, operator = (), item.operator
        self._add_pending(
            number, value, [self._bound(operator, self._items[value])], self._items[value], found
        )
        self._used |= {number, value}

    def _read_equal(self, number: int) -> None:
        self._add_pending(number, number, [self._bound("=", self._items[number])], self._items[number])
        self._used.add(number)

    def _read_number(self, number: int) -> None:
        item = self._items[number]
        following = number + 1
        if following < len(self._items) and self._items[following].kind == "after":
            self._add_pending(number, following, [self._bound(self._items[following].operator, item)], item)
            self._used |= {number, following}
            return
        before = self._items[number - 1].text if number else ""
        is_in_year = is_year(item) and before in ("in", "of", "from", "during", "for")
        if is_in_year or self._property_at(following) is not None or item.unit:
            self._read_equal(number)

    def _is_limit(self, number: int) -> bool:
        """Whether a number says how many are wanted: `top 5`, `three newest`, `5 albums with the most`."""
        around = (number - 1, number + 1)
        return any(0 <= place < len(self._items) and self._items[place].kind == "most" for place in around)

    def _add_pending(
        self,
        begin: int,
        end: int,
        bounds: list[Bound],
        item: Item,
        nouns: tuple[tuple[tuple[str, ...], str], ...] = (),
    ) -> None:
        is_dated = item.kind == "day" or (is_year(item) and not nouns)
        found = None
        after = self._after_functions(end + 1)
        if self._property_at(after) is not None and after == end + 1:
            found = after
        if found is None:
            found = self._property_before(begin)
        if not nouns and found is None:
            nouns = self._verb_before(begin)
        self._pending.append(
            _Pending(begin, bounds, nouns, found, item.unit, is_dated=is_dated and found != after)
        )

    def _property_before(self, begin: int) -> int | None:
        """A property that stands right before a comparison, function words aside."""
        number = begin - 1
        while number >= 0 and self._items[number].kind == "function":
            number -= 1
        prop = self._property_at(number)
        return number if prop is not None and prop.type is not ValueType.RESOURCE else None

    def _verb_before(self, begin: int) -> tuple[tuple[tuple[str, ...], str], ...]:
        """What the word right before a comparison measures, as in `weigh less than`."""
        if begin and (item := self._items[begin - 1]).kind == "word" and item.nouns:
            self._used.add(begin - 1)
            return item.nouns
        return ()

    # superlatives

    def _read_superlatives(self) -> None:
        for number, item in enumerate(self._items):
            if item.kind != "most" or number in self._used:
                continue
            found = _Pending(number, nouns=item.nouns, direction=item.operator)
            for place in (number - 1, number + 1):
                if (
                    0 <= place < len(self._items)
                    and self._items[place].kind == "number"
                    and place not in self._used
                ):
                    found.most = int(min(self._items[place].number, 1000)) or 1
                    self._used.add(place)
            found.property_item = self._ranked_item(number, item)
            self._used.add(number)
            self._superlatives.append(found)

    def _ranked_item(self, number: int, item: Item) -> int | None:
        """The property that a superlative is of: the next thing named, or what follows `by`."""
        following = self._after_functions(number + 1)
        while following < len(self._items) and self._items[following].kind == "number":
            following += 1
        prop = self._property_at(following)
        if prop is not None and _is_measured(prop, item.nouns):
            return following
        for place in range(following, len(self._items) - 1):
            if self._items[place].text in ("by", "in", "of", "with") and not item.nouns:
                after = self._after_functions(place + 1)
                if self._property_at(after) is not None:
                    return after
        return None

    # what is asked for

    def _choose_target(self) -> bool:
        taken = {each.property_item for each in self._pending}
        ranked = {each.property_item for each in self._superlatives}
        meanings = [number for number, item in enumerate(self._items) if item.kind == "meaning"]
        if self._form is Form.ASK and self._ask_membership(meanings):
            return True
        first = next((n for n in meanings if n not in taken and n not in ranked), None)
        asked = self._asked_dimension()
        if asked is not None and (
            not isinstance(first, int) or not isinstance(self._target_of(first), SchemaClass)
        ):
            return self._ask_dimension(asked, meanings)
        for number in meanings:
            if number in taken:
                continue
            is_begun = self._ask_extreme(number) if number in ranked else self._ask_for(number)
            if is_begun is not None:
                return is_begun
        return self._begin_with_value(meanings)

    def _ask_for(self, number: int) -> bool | None:
        """A plan for what an item names, and whether it can be made; None where it cannot be asked for."""
        target = self._target_of(number)
        if isinstance(target, SchemaClass):
            if (prop := self._compound(number, target)) is not None:
                return self._ask_property(number + 1, prop)
            if self._form in _ARITHMETIC:
                return None
            self._begin(_Place(Node(target.name), number, (target.name,)))
            self._used.add(number)
            return True
        if isinstance(target, SchemaProperty) and self._form is not Form.ASK:
            return self._ask_property(number, target)
        is_row = isinstance(target, NamedValue) and self._world.table is not None
        if is_row and number and self._items[number - 1].kind in ("wh", "count"):
            self._begin_row()
            return True
        return None

    def _ask_membership(self, meanings: Sequence[int]) -> bool:
        """`Is X a nurse?`: whether a certain resource is of a class."""
        if self._world.table or len(meanings) != 2 or self._pending or self._superlatives:
            return False
        named, each = (self._target_of(number) for number in meanings)
        is_asked = isinstance(each, SchemaClass) and isinstance(named, NamedValue)
        if not is_asked or named.resource is None:
            return False
        self._begin(_Place(Node(each.name, named.resource), meanings[0], (each.name,)))
        self._used.update(meanings)
        return True

    def _compound(self, number: int, each: SchemaClass) -> SchemaProperty | None:
        """The property of a class that follows it as a noun: `band members`, not `albums produced`."""
        following = self._items[number + 1] if number + 1 < len(self._items) else None
        prop = self._property_at(number + 1)
        if (
            following is None
            or following.meaning is None
            or prop is None
            or self._items[number].text.endswith("s")
        ):
            return None
        is_noun = following.meaning.score >= 0.95 and prop.type is ValueType.RESOURCE
        for other in range(number + 2, len(self._items)):
            if self._is_in(other, prop.ranges) or self._property_at(other) == prop:
                return None  # a verb, whose object follows: `Which nurse holds the most certificates?`
        return prop if is_noun and prop.name in each.properties and not self._world.table else None

    def _is_in(self, number: int, classes: Sequence[str]) -> bool:
        """Whether an item names one of some classes, or a resource of one."""
        target = self._target_of(number)
        if isinstance(target, SchemaClass):
            return target.name in classes
        return (
            isinstance(target, NamedValue)
            and bool(target.resource)
            and not target.classes.isdisjoint(classes)
        )

    def _begin(self, place: _Place) -> None:
        self._places.append(place)

    def _asked_dimension(self) -> int | None:
        """The item that asks for a date or a measure: `when`, `how long`, `what year`."""
        for number, item in enumerate(self._items):
            if item.kind == "meaning":
                return None
            if item.text == "when" or item.kind == "how":
                return number
            if (
                item.kind == "word"
                and item.text in _DATED
                and number
                and self._items[number - 1].kind == "wh"
            ):
                return number
        return None

    def _ask_dimension(self, asked: int, meanings: Sequence[int]) -> bool:
        item = self._items[asked]
        nouns = item.nouns if item.kind == "how" else ((_TIMES, ""),)
        if not self._begin_with_row_or_value(meanings):
            return False
        for place, node in enumerate(self._places):
            if (prop := self._measured(node.classes, nouns)) is not None:
                self._answer, self._answer_property = place, prop
                self._answer_year = item.text == "year" and prop.type is ValueType.DATE
                self._used.add(asked)
                return True
        return False

    def _begin_with_row_or_value(self, meanings: Sequence[int]) -> bool:
        if self._world.table:
            self._begin_row()
            return True
        return self._begin_with_value(meanings)

    def _begin_row(self) -> None:
        name = self._world.table or ""
        named = [n for n in range(len(self._items)) if isinstance(self._target_of(n), SchemaClass)]
        self._used.update(named)
        if not named:
            self._score *= _WITHOUT_CLASS
        self._begin(_Place(Node(name), named[0] if named else 0, (name,)))

    def _begin_with_value(self, meanings: Sequence[int]) -> bool:
        """A plan that begins with what the question names by a value: `Was X produced by Y?`."""
        if self._world.table:
            if not any(self._is_value(number) for number in meanings) and not self._pending:
                return False
            self._begin_row()
            return True
        for number in meanings:
            target = self._target_of(number)
            if isinstance(target, NamedValue) and target.resource is not None:
                self._begin(_Place(Node(resource=target.resource), number, tuple(sorted(target.classes))))
                self._used.add(number)
                return True
        return False

    def _ask_property(self, number: int, prop: SchemaProperty) -> bool:
        """A question for values of a property: `Who wrote X?`, `members of X`, `the average length of`."""
        if self._form in _ARITHMETIC and prop.type is not ValueType.NUMBER:
            return False
        if prop.type is ValueType.RESOURCE and not self._world.table:
            return self._ask_resources(number, prop)
        self._used.add(number)
        if self._world.table:
            self._begin_row()
            self._answer_property = prop
            return True
        return self._ask_literals(number, prop)

    def _ask_resources(self, number: int, prop: SchemaProperty) -> bool:
        """A question for the values of a property that are resources, or for what has a named one."""
        if having := self._asked_subjects(prop):
            self._begin(_Place(Node(having[0] if len(having) == 1 else None), number, having))
            return True
        self._used.add(number)
        self._begin(_Place(Node(), number, prop.ranges, prop))
        return True

    def _ask_literals(self, number: int, prop: SchemaProperty) -> bool:
        """A question for the values of a property of what else is named, or of all that have it."""
        rest = [n for n, item in enumerate(self._items) if item.kind == "meaning" and n != number]
        for other in rest:
            target = self._target_of(other)
            if isinstance(target, SchemaClass) and prop.name in target.properties:
                self._begin(_Place(Node(target.name), other, (target.name,)))
                self._used.add(other)
                self._answer_property = target.properties[prop.name]
                return True
            if isinstance(target, NamedValue) and target.resource and self._has(target.classes, prop.name):
                self._begin(_Place(Node(resource=target.resource), other, tuple(sorted(target.classes))))
                self._used.add(other)
                self._answer_property = prop
                return True
        having = self._world.properties[prop.name]
        if self._form in (*_ARITHMETIC, Form.COUNT) and len(having) == 1:
            self._score *= _WITHOUT_CLASS
            self._begin(_Place(Node(having[0][0]), number, (having[0][0],)))
            self._answer_property = prop
            return True
        return False

    def _asked_subjects(self, prop: SchemaProperty) -> tuple[str, ...]:
        """The classes that have a property, if the question names its value: `Who works on Ward 3A?`."""
        having = tuple(name for name, _ in self._world.properties[prop.name])
        named = [self._target_of(number) for number in range(len(self._items))]
        resources = [each for each in named if isinstance(each, NamedValue) and each.resource]
        is_value = bool(resources) and all(
            not each.classes.isdisjoint(prop.ranges) and each.classes.isdisjoint(having) for each in resources
        )
        return having if is_value else ()

    def _has(self, classes: frozenset[str] | Sequence[str], prop: str) -> bool:
        return any(
            prop in self._world.classes[name].properties for name in classes if name in self._world.classes
        )

    def _ask_extreme(self, number: int) -> bool | None:
        """`What is the highest PROPERTY of …`: the value itself, if the question begins so."""
        prop = self._property_at(number)
        pending = next(each for each in self._superlatives if each.property_item == number)
        classes = [n for n in range(pending.item) if isinstance(self._target_of(n), SchemaClass)]
        if prop is None or prop.type is ValueType.RESOURCE or classes:
            return None
        between = self._items[pending.item + 1 : number]
        if any(item.kind not in ("function",) for item in between):
            return None
        self._superlatives.remove(pending)
        direction = pending.direction or self._direction(pending, prop)
        self._form = Form.MOST if direction == english.MORE else Form.LEAST
        return self._ask_property(number, prop)

    def _direction(self, pending: _Pending, prop: SchemaProperty) -> str:
        fitting = [way for nouns, way in pending.nouns if _noun_score(prop, nouns) > 0]
        return (fitting or [way for _, way in pending.nouns] or [english.MORE])[0]

    # nodes and how they are joined

    def _add_nodes(self) -> None:
        if self._world.table:
            self._use_rows()
            return
        for number in range(len(self._items)):
            target = self._target_of(number)
            if number in self._used or target is None:
                continue
            if isinstance(target, SchemaClass):
                if any(place.node.class_name == target.name for place in self._places):
                    self._used.add(number)
                    continue
                self._begin(_Place(Node(target.name), number, (target.name,)))
            elif isinstance(target, NamedValue) and target.resource is not None:
                self._begin(_Place(Node(resource=target.resource), number, tuple(sorted(target.classes))))

    def _use_rows(self) -> None:
        """Of a table, its name is the class; `days` and the like are its rows, where it has dates."""
        row = self._world.classes[self._world.table or ""]
        dated = any(prop.type is ValueType.DATE for prop in row.properties.values())
        for number, item in enumerate(self._items):
            if isinstance(self._target_of(number), SchemaClass) or (
                dated and item.kind == "word" and english.inflected(item.text) in _DATED
            ):
                self._used.add(number)

    def _join_nodes(self) -> None:
        """Joins each node with those before it in the plan, by the surest way."""
        joined = [0]
        waiting = list(range(1, len(self._places)))
        while waiting:
            ways = [
                (place, *best) for place in waiting if (best := self._best_join(joined, place)) is not None
            ]
            if not ways:
                break
            chosen = min(ways, key=lambda way: (-way[2].score, self._places[way[0]].item))
            place, other, path = chosen
            self._link(other, place, path)
            self._used.add(self._places[place].item)
            joined.append(place)
            waiting.remove(place)
        if self._places[0].role is not None and not self._links:
            self._score *= _UNJOINED
        self._drop(waiting)

    def _drop(self, places: Sequence[int]) -> None:
        """Takes out nodes that nothing joins; what named them stays unused."""
        for _ in places:
            self._score *= _UNJOINED
        kept = [number for number in range(len(self._places)) if number not in places]
        renumbered = {old: new for new, old in enumerate(kept)}
        self._places = [self._places[number] for number in kept]
        self._links = [
            PlanLink(renumbered[each.subject], each.property, renumbered[each.object]) for each in self._links
        ]

    def _best_join(self, joined: Sequence[int], place: int) -> tuple[int, _Path] | None:
        """The surest way from one of the nodes joined so far to another."""
        found: list[tuple[int, _Path]] = []
        before = self._coordinated(place)
        for other in joined:
            if before is not None and not self._is_same_join(before, other):
                continue
            if self._places[other].node.resource and self._places[place].node.resource and other:
                continue
            paths = self._paths(self._places[other], self._places[place])
            far = sum(1 for each in joined if self._between(other, each, place))
            found += [
                (other, path._replace(score=path.score * _FAR**far)) for path in self._weighed(paths, place)
            ]
        return max(found, key=lambda each: each[1].score, default=None)

    def _between(self, other: int, each: int, place: int) -> bool:
        """Whether a node is named between two others."""
        low, high = sorted((self._places[other].item, self._places[place].item))
        return low < self._places[each].item < high if each < len(self._places) else False

    def _weighed(self, paths: Sequence[_Path], place: int) -> list[_Path]:
        """The ways to a node, by the properties that the words beside it name, and by how usual they are."""
        cues = self._cues(place)
        weighed = []
        for path in paths:
            names = {step.property for step in path.steps}
            if cues:
                factor = (
                    1.0 if names & cues else _UNRESOLVED if self._coordinated(place) is not None else _UNCUED
                )
            else:
                factor = (
                    1.0 if sum(len(other.steps) == len(path.steps) for other in paths) == 1 else _AMBIGUOUS
                )
            weighed.append(path._replace(score=path.score * factor))
        return weighed

    def _cues(self, place: int) -> set[str]:
        """The properties between resources that the question names nearest to a node."""
        item = self._places[place].item
        role = self._places[0].role
        if (before := self._coordinated(place)) is not None and (path := self._ways.get(before)):
            return {step.property for step in path[1].steps}
        found: dict[int, set[str]] = {}
        for number in range(len(self._items)):
            prop = self._property_at(number)
            if prop is not None and prop.type is ValueType.RESOURCE and number not in self._used:
                found.setdefault(abs(number - item), set()).add(prop.name)
        if found:
            return found[min(found)]
        return {role.name} if role is not None and not self._links else set()

    def _coordinated(self, place: int) -> int | None:
        """The node that is named before a node and `and`: `both X and Y`."""
        item = self._places[place].item
        if item < 2 or self._items[item - 1].kind != "and":
            return None
        return next(
            (n for n, each in enumerate(self._places) if each.item == item - 2 and each.node.resource), None
        )

    def _is_same_join(self, before: int, other: int) -> bool:
        """Whether a node is what the node `before` was joined with; it has to be joined first."""
        return before in self._ways and self._ways[before][0] == other

    def _paths(self, one: _Place, other: _Place) -> list[_Path]:
        """The ways from one node to another over one property or two, as the graph has them."""
        steps = dict.fromkeys(step for step, _ in self._steps(one, other.classes))
        direct = [
            _Path((step,), "", self._usual(step, one, other))
            for step in steps
            if self._ends_at(step, one, other)
        ]
        if one.role is not None and not self._links:
            return [path for path in direct if path.steps[0] == _Step(one.role.name, True)] or self._indirect(
                one, other
            )
        return direct or self._indirect(one, other)

    def _indirect(self, one: _Place, other: _Place) -> list[_Path]:
        found = []
        for first, middle in self._steps(one, tuple(self._world.classes)):
            if one.role is not None and not self._links and first != _Step(one.role.name, True):
                continue
            between = _Place(Node(middle), -1, (middle,))
            for second, _ in self._steps(between, other.classes):
                if self._ends_at(second, between, other) and second != _Step(
                    first.property, not first.inverse
                ):
                    score = self._usual(first, one, between) * self._usual(second, between, other)
                    found.append(_Path((first, second), middle, score * _INDIRECT))
        return found

    def _steps(self, one: _Place, classes: Sequence[str]) -> Iterator[tuple[_Step, str]]:
        """Properties that lead from a node to resources of some classes, with that class."""
        wanted = set(classes)
        if one.node.resource is not None:
            for fact in self._facts(one.node.resource):
                if fact.class_name in wanted:
                    yield _Step(fact.property, fact.inverse), fact.class_name
            return
        yield from sorted(self._stated_steps(set(one.classes), wanted))

    def _stated_steps(self, classes: set[str], wanted: set[str]) -> set[tuple[_Step, str]]:
        """Properties between instances of some classes and of others, as the schema has them."""
        found = set()
        for name, each in self._world.classes.items():
            for prop in each.properties.values():
                if name in classes:
                    found |= {
                        (_Step(prop.name, False), range_) for range_ in wanted.intersection(prop.ranges)
                    }
                if name in wanted and not classes.isdisjoint(prop.ranges):
                    found.add((_Step(prop.name, True), name))
        return found

    def _ends_at(self, step: _Step, one: _Place, other: _Place) -> bool:
        """Whether a step leads to a node: of a certain resource, whether the graph has such a statement."""
        if other.node.resource is None:
            return True
        wanted = (step.property, not step.inverse)
        return any(
            (fact.property, fact.inverse) == wanted
            and (fact.class_name in one.classes or one.role is not None)
            for fact in self._facts(other.node.resource)
        )

    def _usual(self, step: _Step, one: _Place, other: _Place) -> float:
        """How usual a property is: what most instances have, and once each, is meant before others."""
        classes = other.classes if step.inverse else one.classes
        best = 0.0
        for name in classes:
            each = self._world.classes.get(name)
            prop = each.properties.get(step.property) if each else None
            if each is not None and prop is not None:
                share = prop.subjects / max(each.instances, 1)
                best = max(best, share * (prop.subjects / max(prop.values, 1)) ** 0.25)
        return 0.85 + 0.15 * best

    def _link(self, one: int, other: int, path: _Path) -> None:
        self._score *= path.score
        self._ways[other] = (one, path)
        self._use_cues(path)
        if len(path.steps) == 1:
            self._state(one, path.steps[0], other)
            return
        middle = len(self._places)
        self._places.append(_Place(Node(path.middle), -1, (path.middle,)))
        self._state(one, path.steps[0], middle)
        self._state(middle, path.steps[1], other)

    def _state(self, one: int, step: _Step, other: int) -> None:
        subject, object_ = (other, one) if step.inverse else (one, other)
        self._links.append(PlanLink(subject, step.property, object_))

    def _use_cues(self, path: _Path) -> None:
        names = {step.property for step in path.steps}
        for number in range(len(self._items)):
            prop = self._property_at(number)
            if prop is not None and prop.name in names:
                self._used.add(number)

    # restrictions

    def _restrict_by_values(self) -> None:
        """Texts that are values of properties: the one that is named beside them, if it is."""
        for number in range(len(self._items)):
            target = self._target_of(number)
            if number in self._used or not isinstance(target, NamedValue) or target.resource is not None:
                continue
            for place, node in enumerate(self._places):
                if (prop := self._property_of(node.classes, target.property)) is not None:
                    self._restrictions.append(Restriction(place, prop, (Bound("=", target.text),)))
                    self._used.add(number)
                    self._use_property(prop.name)
                    break

    def _use_property(self, name: str) -> None:
        for number in range(len(self._items)):
            prop = self._property_at(number)
            if prop is not None and prop.name == name:
                self._used.add(number)

    def _property_of(self, classes: Sequence[str], name: str) -> SchemaProperty | None:
        for each in classes:
            if each in self._world.classes and name in self._world.classes[each].properties:
                return self._world.classes[each].properties[name]
        return None

    def _restrict_by_bounds(self) -> None:
        for pending in self._pending:
            found = self._bounded(pending)
            if found is None:
                self._score *= _UNRESOLVED
                continue
            place, prop, score = found
            self._score *= score
            bounds = tuple(self._directed(bound, pending, prop) for bound in pending.bounds)
            bounds = self._converted(bounds, pending.unit, prop)
            if prop.type is ValueType.RESOURCE:
                self._quantities += [Quantity(place, prop, bound) for bound in bounds]
            else:
                self._restrictions.append(Restriction(place, prop, bounds))

    def _directed(self, bound: Bound, pending: _Pending, prop: SchemaProperty) -> Bound:
        if not pending.nouns or bound.operator not in (english.LESS, english.MORE):
            return bound
        ways = [way for nouns, way in pending.nouns if _noun_score(prop, nouns) > 0 and way]
        is_adjective = self._items[pending.item].kind == "compare" and self._items[pending.item].nouns
        return Bound(ways[0], bound.value, bound.is_year) if ways and is_adjective else bound

    def _converted(self, bounds: tuple[Bound, ...], unit: str, prop: SchemaProperty) -> tuple[Bound, ...]:
        """Bounds in the unit of a property."""
        if not unit or unit == prop.unit:
            return bounds
        given, own = english.UNITS[unit], english.UNITS.get(prop.unit)
        if own is None or own[0] != given[0]:
            self._score *= 1.0 if own is None and given[1] == 1.0 else _UNRESOLVED
            return bounds
        factor = given[1] / own[1]
        return tuple(
            bound if isinstance(bound.value, str) else Bound(bound.operator, bound.value * factor)
            for bound in bounds
        )

    def _bounded(self, pending: _Pending) -> tuple[int, SchemaProperty, float] | None:
        """The node and property that bounds are for, and how surely."""
        if pending.property_item is not None and not pending.is_dated:
            named = self._property_at(pending.property_item)
            for place in self._nearest(pending.item):
                prop = named and self._property_of(self._places[place].classes, named.name)
                if prop is not None and (prop.type is not ValueType.TEXT):
                    self._used.add(pending.property_item)
                    return place, prop, 1.0
            return None
        for place in self._nearest(pending.item):
            nouns = pending.nouns
            if pending.is_dated and not nouns:
                nouns = ((_TIMES, ""),)
            prop = self._measured(self._places[place].classes, nouns, pending)
            if prop is not None:
                if pending.property_item is not None and self._property_at(pending.property_item) == prop:
                    self._used.add(pending.property_item)
                return place, prop, 1.0
        return None

    def _nearest(self, item: int) -> list[int]:
        """The places of nodes that are no certain resource, those named last before an item first."""
        places = [n for n, place in enumerate(self._places) if place.node.resource is None]
        return sorted(places, key=lambda n: (self._places[n].item > item, abs(self._places[n].item - item)))

    def _measured(
        self,
        classes: Sequence[str],
        nouns: tuple[tuple[tuple[str, ...], str], ...],
        pending: _Pending | None = None,
    ) -> SchemaProperty | None:
        """The property of some classes that a noun names; of dates, and of a unit, the only one."""
        properties = {
            prop.name: prop
            for name in classes
            if name in self._world.classes
            for prop in self._world.classes[name].properties.values()
            if prop.type in (ValueType.NUMBER, ValueType.DATE)
        }
        scored = [
            (max((_noun_score(prop, each) for each, _ in nouns), default=0.0), prop.subjects, name)
            for name, prop in properties.items()
        ]
        best = max(scored, default=(0.0, 0, ""))
        if best[0] > 0:
            return properties[best[2]]
        if any("date" in each for each, _ in nouns):
            dates = [prop for prop in properties.values() if prop.type is ValueType.DATE]
            return dates[0] if len(dates) == 1 else None
        if pending is not None and pending.unit:
            measured = english.UNITS[pending.unit][0]
            fitting = [
                prop for prop in properties.values() if prop.unit and english.UNITS[prop.unit][0] == measured
            ]
            return fitting[0] if len(fitting) == 1 else None
        return None

    def _rank(self) -> None:
        for pending in self._superlatives:
            found = self._ranked(pending)
            if found is None or self._ranking is not None:
                self._score *= _UNRESOLVED
                continue
            place, prop = found
            direction = pending.direction or self._direction(pending, prop)
            counted = prop.type is ValueType.RESOURCE
            self._ranking = PlanRanking(place, prop, counted, direction == english.MORE, pending.most)

    def _ranked(self, pending: _Pending) -> tuple[int, SchemaProperty] | None:
        order = self._nearest(pending.item)
        if pending.property_item is not None:
            named = self._property_at(pending.property_item)
            for place in [self._answer, *order]:
                prop = named and self._property_of(self._places[place].classes, named.name)
                if prop is None or prop.type is ValueType.TEXT or self._counts_other(pending, prop, place):
                    continue
                self._used.add(pending.property_item)
                return place, prop
            return None
        for place in [self._answer, *order]:
            if (prop := self._measured(self._places[place].classes, pending.nouns)) is not None:
                return place, prop
        return None

    def _counts_other(self, pending: _Pending, prop: SchemaProperty, place: int) -> bool:
        """Whether a superlative counts what the property that it seems to name does not say.

        `The most incidents` counts the rows of a table of incidents, whatever its column `incident` holds;
        `the most nurses` of a ward are not those of its property `head nurse`, where others join the two.
        """
        if pending.nouns or pending.property_item is None:
            return False
        if self._world.table:
            row = self._world.classes[self._world.table]
            return any(_are_alike(label, column) for label in row.words for column in prop.words)
        named = english.words(self._items[pending.property_item].text)
        if prop.type is not ValueType.RESOURCE or any(_are_alike(named, label) for label in prop.words):
            return False
        joined = self._stated_steps(set(self._places[place].classes), set(prop.ranges))
        return len({step.property for step, _ in joined}) > 1

    def _exclude(self) -> None:
        """`no length`, `without a producer`."""
        for number, item in enumerate(self._items):
            if item.kind != "not" or number in self._used:
                continue
            following = self._after_functions(number + 1)
            named = self._property_at(following)
            for place in self._nearest(number):
                prop = named and self._property_of(self._places[place].classes, named.name)
                if prop is not None:
                    self._absences.append(Absence(place, prop))
                    self._used |= {number, following}
                    break

    def _naming(self) -> SchemaProperty | None:
        """What names the answer."""
        for name in self._places[self._answer].classes:
            each = self._world.classes.get(name)
            if each is not None and (naming := each.naming()) is not None:
                return naming
        return None


def _are_alike(words: Sequence[str], others: Sequence[str]) -> bool:
    return len(words) == len(others) and all(map(english.likeness, words, others))


def _is_measured(prop: SchemaProperty, nouns: tuple[tuple[tuple[str, ...], str], ...]) -> bool:
    """Whether a superlative before a property may be of it: `longest beak`, not `cheapest name`."""
    if not nouns:
        return True
    if prop.type not in (ValueType.NUMBER, ValueType.DATE):
        return False
    is_dated = all("date" in each for each, _ in nouns)
    return not is_dated or prop.type is ValueType.DATE or any(_noun_score(prop, each) for each, _ in nouns)


def _noun_score(prop: SchemaProperty, nouns: Sequence[str]) -> float:
    """How well one of some nouns names a property: its whole label, or a word of it."""
    best = 0.0
    for label in prop.words:
        for noun in nouns:
            for word in label:
                if english.likeness(noun, word) >= 0.9:
                    best = max(best, 1.0 if len(label) == 1 else 0.8)
    return best
