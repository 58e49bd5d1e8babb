"""The target of a question: the form of its answer, and the class, property or value that it asks for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from sage_ld.agents.text_to_sparql import english
from sage_ld.agents.text_to_sparql.plan import Form, Node
from sage_ld.agents.text_to_sparql.planning.plan_draft import PlacedNode, PlanDraft
from sage_ld.agents.text_to_sparql.planning.restrictions import (
    DATED,
    TIMES,
    direction_of,
    measured,
    noun_score,
)
from sage_ld.agents.text_to_sparql.schema import SchemaClass, SchemaProperty, ValueType, World
from sage_ld.agents.text_to_sparql.values import NamedValue

_WITHOUT_CLASS: Final = 0.9
"""The factor of confidence where a table is asked whose name the question does not have."""
_GUESSED: Final = 0.45
"""The same where the only date answers a question that does not name it."""
_ASKING: Final = frozenset({"is", "are", "was", "were", "did", "does", "do", "has", "have"})
_ARITHMETIC: Final = (Form.AVERAGE, Form.SUM)


def asked_form(draft: PlanDraft) -> Form:
    """The form of the answer; the item that states it counts as used."""
    for number, item in enumerate(draft.items):
        if item.kind == "count":
            draft.used.add(number)
            return Form.COUNT
        if item.kind == "aggregate":
            draft.used.add(number)
            return Form(item.operator)
    return Form.ASK if draft.items and draft.items[0].text in _ASKING else Form.LIST


def choose_target(draft: PlanDraft) -> bool:
    """Begins the plan with what the question asks for; False where it names nothing to ask for."""
    taken = {each.property_item for each in draft.pending}
    ranked = {each.property_item for each in draft.superlatives}
    meanings = [
        number
        for number, item in enumerate(draft.items)
        if item.kind == "meaning" and not _is_label_of_value(draft, number)
    ]
    if draft.form is Form.ASK and _ask_membership(draft, meanings):
        return True
    first = next((n for n in meanings if n not in taken and n not in ranked), None)
    asked = _asked_dimension(draft)
    if asked is not None and (
        not isinstance(first, int) or not isinstance(draft.target_of(first), SchemaClass)
    ):
        return _ask_dimension(draft, asked, meanings)
    for number in _counted_first(draft, meanings, taken | ranked):
        if number in taken:
            continue
        is_begun = _ask_extreme(draft, number) if number in ranked else _ask_for(draft, number)
        if is_begun is not None:
            return is_begun
    return _begin_with_value(draft, meanings)


def _is_label_of_value(draft: PlanDraft, number: int) -> bool:
    """Whether a column of a table stands beside a value of its own: `bib 016`, `early shift`."""
    prop = draft.property_at(number)
    beside = [draft.target_of(each) for each in (number - 1, number + 1)]
    return bool(draft.world.table) and any(
        isinstance(each, NamedValue) and prop is not None and each.property == prop.name for each in beside
    )


def _counted_first(draft: PlanDraft, meanings: Sequence[int], taken: set[int | None]) -> Sequence[int]:
    """The items that may be asked for, in order; of a count, first a column that has the number."""
    if draft.form is not Form.COUNT or not draft.world.table:
        return meanings
    if meanings and isinstance(draft.target_of(meanings[0]), SchemaClass):
        return meanings
    is_named = any(draft.is_value(number) for number in meanings)
    counted = [
        number
        for number in meanings
        if is_named
        and number not in taken
        and (prop := draft.property_at(number)) is not None
        and prop.type is ValueType.NUMBER
        and not (number + 1 < len(draft.items) and draft.items[number + 1].kind in ("number", "compare"))
    ]
    return [*counted[:1], *(number for number in meanings if number not in counted[:1])]


def _ask_for(draft: PlanDraft, number: int) -> bool | None:
    """A plan for what an item names, and whether it can be made; None where it cannot be asked for."""
    target = draft.target_of(number)
    if isinstance(target, SchemaClass):
        if (prop := _compound(draft, number, target)) is not None:
            return _ask_property(draft, number + 1, prop)
        if draft.form in _ARITHMETIC:
            return None
        draft.places.append(PlacedNode(Node(target.name), number, (target.name,)))
        draft.used.add(number)
        return True
    if isinstance(target, SchemaProperty) and draft.form is not Form.ASK:
        return _ask_property(draft, number, target)
    is_row = isinstance(target, NamedValue) and draft.world.table is not None
    if is_row and number and draft.items[number - 1].kind in ("wh", "count"):
        _begin_row(draft)
        return True
    return None


def _ask_membership(draft: PlanDraft, meanings: Sequence[int]) -> bool:
    """`Is X a nurse?`: whether a certain resource is of a class."""
    if draft.world.table or len(meanings) != 2 or draft.pending or draft.superlatives:
        return False
    named, each = (draft.target_of(number) for number in meanings)
    if not isinstance(each, SchemaClass) or not isinstance(named, NamedValue) or named.resource is None:
        return False
    draft.places.append(PlacedNode(Node(each.name, named.resource), meanings[0], (each.name,)))
    draft.used.update(meanings)
    return True


def _compound(draft: PlanDraft, number: int, each: SchemaClass) -> SchemaProperty | None:
    """The property of a class that follows it as a noun: `band members`, not `albums produced`."""
    following = draft.items[number + 1] if number + 1 < len(draft.items) else None
    prop = draft.property_at(number + 1)
    if (
        following is None
        or following.meaning is None
        or prop is None
        or draft.items[number].text.endswith("s")
    ):
        return None
    is_noun = following.meaning.score >= 0.95 and prop.type is ValueType.RESOURCE
    for other in range(number + 2, len(draft.items)):
        if _is_in(draft, other, prop.ranges) or draft.property_at(other) == prop:
            return None  # a verb, whose object follows: `Which nurse holds the most certificates?`
    return prop if is_noun and prop.name in each.properties and not draft.world.table else None


def _is_in(draft: PlanDraft, number: int, classes: Sequence[str]) -> bool:
    """Whether an item names one of some classes, or a resource of one."""
    target = draft.target_of(number)
    if isinstance(target, SchemaClass):
        return target.name in classes
    return isinstance(target, NamedValue) and bool(target.resource) and not target.classes.isdisjoint(classes)


def _asked_dimension(draft: PlanDraft) -> int | None:
    """The item that asks for a date or a measure: `when`, `how long`, `what year`, `what does … cost`."""
    if _ends_in_measure(draft):
        return len(draft.items) - 1
    for number, item in enumerate(draft.items):
        if item.text == "how much" and not _asks_amount(draft, number):
            continue
        if item.kind == "meaning":
            return None
        if item.text == "when" or item.kind == "how" or (item.text == "where" and draft.world.table):
            return number
        if item.kind == "word" and item.text in DATED and number and draft.items[number - 1].kind == "wh":
            return number
    return None


def _ends_in_measure(draft: PlanDraft) -> bool:
    """Whether a table is asked `What does X cost?`."""
    if not draft.world.table or not draft.items or draft.items[0].text not in ("what", "how much"):
        return False
    last = draft.items[-1]
    return last.kind == "word" and bool(last.nouns) and len(draft.items) - 1 not in draft.used


def _asks_amount(draft: PlanDraft, number: int) -> bool:
    """Whether a table is asked `How much is X?`, not `How much nitrate`."""
    prop = draft.property_at(draft.after_functions(number + 1))
    return draft.world.table is not None and (prop is None or prop.type is not ValueType.NUMBER)


def _ask_dimension(draft: PlanDraft, asked: int, meanings: Sequence[int]) -> bool:
    item = draft.items[asked]
    nouns = item.nouns if item.nouns else ((TIMES, ""),)
    if not _begin_with_row_or_value(draft, meanings):
        return False
    for place, node in enumerate(draft.places):
        prop = (
            _located(draft.world, node.classes)
            if item.text == "where"
            else measured(draft.world, node.classes, nouns)
        )
        if prop is not None:
            draft.answer, draft.answer_property = place, prop
            draft.answer_year = item.text == "year" and prop.type is ValueType.DATE
            draft.used |= {asked, *([0] if draft.items[0].text == "how much" else [])}
            named = {each.name for n in meanings if (each := draft.property_at(n)) is not None}
            if prop.name in named:
                draft.use_properties({prop.name})
            elif item.text != "where" and not any(noun_score(prop, each) for each, _ in nouns):
                draft.score *= _GUESSED  # the only date, whatever it is called
            return True
    return False


def _located(world: World, classes: Sequence[str]) -> SchemaProperty | None:
    """The column of places, where one is called so."""
    columns = world.classes[classes[0]].properties.values() if classes else ()
    fitting = [each for each in columns if noun_score(each, english.PLACES)]
    return fitting[0] if len(fitting) == 1 else None


def _begin_with_row_or_value(draft: PlanDraft, meanings: Sequence[int]) -> bool:
    if draft.world.table:
        _begin_row(draft)
        return True
    return _begin_with_value(draft, meanings)


def _begin_row(draft: PlanDraft) -> None:
    name = draft.world.table or ""
    named = [n for n in range(len(draft.items)) if isinstance(draft.target_of(n), SchemaClass)]
    draft.used.update(named)
    if not named:
        draft.score *= _WITHOUT_CLASS
    draft.places.append(PlacedNode(Node(name), named[0] if named else 0, (name,)))


def _begin_with_value(draft: PlanDraft, meanings: Sequence[int]) -> bool:
    """A plan that begins with what the question names by a value: `Was X produced by Y?`."""
    if draft.world.table:
        is_ranked = any(
            measured(draft.world, (draft.world.table,), each.nouns) for each in draft.superlatives
        )
        if not any(draft.is_value(number) for number in meanings) and not draft.pending and not is_ranked:
            return False
        _begin_row(draft)
        return True
    for number in meanings:
        target = draft.target_of(number)
        if isinstance(target, NamedValue) and target.resource is not None:
            draft.places.append(
                PlacedNode(Node(resource=target.resource), number, tuple(sorted(target.classes)))
            )
            draft.used.add(number)
            return True
    return False


def _ask_property(draft: PlanDraft, number: int, prop: SchemaProperty) -> bool:
    """A question for values of a property: `Who wrote X?`, `members of X`, `the average length of`."""
    if draft.form in _ARITHMETIC and prop.type is not ValueType.NUMBER:
        return False
    if prop.type is ValueType.RESOURCE and not draft.world.table:
        _ask_resources(draft, number, prop)
        return True
    if draft.world.table:
        _begin_row(draft)
        if draft.items[0].text == "who" and prop.type is not ValueType.TEXT:
            return True  # the row that has it: `Who was hired last?`
        if prop.flags is not None and any(_is_of_rows(draft, each) for each in _targets(draft)):
            return True  # `the smoking rooms` are those that say yes
        draft.used.add(number)
        draft.answer_property = prop
        return True
    draft.used.add(number)
    return _ask_literals(draft, number, prop)


def _is_of_rows(draft: PlanDraft, target: object) -> bool:
    """Whether something stands for the rows of a table: its name, or the column that names them."""
    return isinstance(target, SchemaClass) or (target is not None and target == draft.naming())


def _targets(draft: PlanDraft) -> list[object]:
    """The targets of the items."""
    return [draft.target_of(number) for number in range(len(draft.items))]


def _ask_resources(draft: PlanDraft, number: int, prop: SchemaProperty) -> None:
    """A question for the values of a property that are resources, or for what has a named one."""
    if having := _asked_subjects(draft, prop):
        draft.places.append(PlacedNode(Node(having[0] if len(having) == 1 else None), number, having))
        return
    draft.used.add(number)
    draft.places.append(PlacedNode(Node(), number, prop.ranges, prop))


def _asked_subjects(draft: PlanDraft, prop: SchemaProperty) -> tuple[str, ...]:
    """The classes that have a property, if the question names its value: `Who works on Ward 3A?`."""
    having = tuple(name for name, _ in draft.world.properties[prop.name])
    named = [draft.target_of(number) for number in range(len(draft.items))]
    resources = [each for each in named if isinstance(each, NamedValue) and each.resource]
    is_value = bool(resources) and all(
        not each.classes.isdisjoint(prop.ranges) and each.classes.isdisjoint(having) for each in resources
    )
    return having if is_value else ()


def _ask_literals(draft: PlanDraft, number: int, prop: SchemaProperty) -> bool:
    """A question for the values of a property of what else is named, or of all that have it."""
    rest = [n for n, item in enumerate(draft.items) if item.kind == "meaning" and n != number]
    for other in rest:
        target = draft.target_of(other)
        if isinstance(target, SchemaClass) and prop.name in target.properties:
            draft.places.append(PlacedNode(Node(target.name), other, (target.name,)))
            draft.used.add(other)
            draft.answer_property = target.properties[prop.name]
            return True
        if isinstance(target, NamedValue) and target.resource and _has(draft, target.classes, prop.name):
            draft.places.append(
                PlacedNode(Node(resource=target.resource), other, tuple(sorted(target.classes)))
            )
            draft.used.add(other)
            draft.answer_property = prop
            return True
    having = draft.world.properties[prop.name]
    if draft.form in (*_ARITHMETIC, Form.COUNT) and len(having) == 1:
        draft.score *= _WITHOUT_CLASS
        draft.places.append(PlacedNode(Node(having[0][0]), number, (having[0][0],)))
        draft.answer_property = prop
        return True
    return False


def _has(draft: PlanDraft, classes: frozenset[str] | Sequence[str], prop: str) -> bool:
    return any(
        prop in draft.world.classes[name].properties for name in classes if name in draft.world.classes
    )


def _ask_extreme(draft: PlanDraft, number: int) -> bool | None:
    """`What is the highest PROPERTY of …`: the value itself, if the question begins so."""
    prop = draft.property_at(number)
    pending = next(each for each in draft.superlatives if each.property_item == number)
    classes = [n for n in range(pending.item) if isinstance(draft.target_of(n), SchemaClass)]
    if prop is None or prop.type is ValueType.RESOURCE or classes:
        return None
    between = draft.items[pending.item + 1 : number]
    if any(item.kind not in ("function",) for item in between):
        return None
    if draft.world.table and draft.items[0].text.casefold() == "who":  # the row, by what names it
        _begin_row(draft)
        return True
    if pending.place > 1:
        return _ask_property(draft, number, prop)
    draft.superlatives.remove(pending)
    draft.form = Form.MOST if direction_of(pending, prop) == english.MORE else Form.LEAST
    return _ask_property(draft, number, prop)
