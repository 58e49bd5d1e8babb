"""Restrictions of a plan's nodes: by values, by bounds, by properties that they do not have."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from sage_ld.agents.text_to_sparql import english
from sage_ld.agents.text_to_sparql.grammar import Item, MeasuredNouns, is_year
from sage_ld.agents.text_to_sparql.plan import (
    Absence,
    Bound,
    PlanRanking,
    Quantity,
    Restriction,
    RowComparison,
)
from sage_ld.agents.text_to_sparql.planning.paths import stated_steps
from sage_ld.agents.text_to_sparql.planning.plan_draft import UNRESOLVED, Pending, PlanDraft
from sage_ld.agents.text_to_sparql.schema import SchemaProperty, ValueType, World
from sage_ld.agents.text_to_sparql.values import NamedValue

DATED: Final = frozenset({"year", "date", "day", "month"})
"""Nouns that ask for a date."""
TIMES: Final = ("date", "year", "day")
"""Nouns that a date is measured by."""


def measured(
    world: World,
    classes: Sequence[str],
    nouns: MeasuredNouns,
    unit: str = "",
) -> SchemaProperty | None:
    """The property of some classes that a noun names; of dates, and of a unit, the only one."""
    properties = {
        prop.name: prop
        for name in classes
        if name in world.classes
        for prop in world.classes[name].properties.values()
        if prop.type in (ValueType.NUMBER, ValueType.DATE)
    }
    scored = [
        (max((noun_score(prop, each) for each, _ in nouns), default=0.0), prop.subjects, name)
        for name, prop in properties.items()
    ]
    best = max(scored, default=(0.0, 0, ""))
    if best[0] > 0:
        return properties[best[2]]
    if any("date" in each for each, _ in nouns):
        dates = [prop for prop in properties.values() if prop.type is ValueType.DATE]
        return dates[0] if len(dates) == 1 else None
    if unit:
        measured = english.UNITS[unit][0]
        fitting = [
            prop for prop in properties.values() if prop.unit and english.UNITS[prop.unit][0] == measured
        ]
        return fitting[0] if len(fitting) == 1 else None
    return None


def direction_of(pending: Pending, prop: SchemaProperty) -> str:
    """The end of a property's values that a superlative asks for: `english.MORE` or `english.LESS`."""
    if pending.direction:
        return pending.direction
    fitting = [way for nouns, way in pending.nouns if noun_score(prop, nouns) > 0]
    return (fitting or [way for _, way in pending.nouns] or [english.MORE])[0]


def is_measured(prop: SchemaProperty, nouns: MeasuredNouns) -> bool:
    """Whether a superlative before a property may be of it: `longest beak`, not `cheapest name`."""
    if not nouns:
        return True
    if prop.type not in (ValueType.NUMBER, ValueType.DATE):
        return False
    is_dated = any("date" in each for each, _ in nouns)
    return not is_dated or prop.type is ValueType.DATE or any(noun_score(prop, each) for each, _ in nouns)


def noun_score(prop: SchemaProperty, nouns: Sequence[str]) -> float:
    """The score of the best of some nouns as the name of a property: its whole label, or a word of it."""
    best = 0.0
    for label in prop.words:
        for noun in nouns:
            for word in label:
                if english.degree(word) is None and english.likeness(noun, word) >= 0.9:
                    best = max(best, 1.0 if len(label) == 1 else 0.8)
    return best


def read_numbers(draft: PlanDraft) -> None:
    """Notes the bounds that numbers and days set; their properties are found later."""
    for number, item in enumerate(draft.items):
        if number in draft.used:
            continue
        if item.kind == "between":
            _read_between(draft, number)
        elif item.kind == "compare":
            _read_comparison(draft, number)
        elif item.kind == "day":
            _read_equal(draft, number)
        elif item.kind == "month":
            bounds = [Bound(">=", item.text), Bound("<", _after_month(item.text))]
            _add_pending(draft, number, number, bounds, item)
            draft.used.add(number)
        elif item.kind == "number" and not _is_limit(draft, number):
            _read_number(draft, number)


def _read_between(draft: PlanDraft, number: int) -> None:
    first = draft.after_functions(number + 1)
    second = draft.after_functions(first + 2)
    if _is_amount(draft, first) and _is_amount(draft, second) and draft.items[first + 1].kind == "and":
        low, high = draft.items[first], draft.items[second]
        bounds = [_bound(">=", low), _bound("<=", high)]
        if bounds[0].is_year != bounds[1].is_year:
            return
        _add_pending(draft, number, second, bounds, high)
        draft.used |= {number, first, first + 1, second}


def _read_comparison(draft: PlanDraft, number: int) -> None:
    item = draft.items[number]
    value = draft.after_functions(number + 1)
    if not _is_amount(draft, value):
        return
    operator = item.nouns[0][1] if item.nouns else item.operator
    bound = _bound(operator, draft.items[value])
    _add_pending(draft, number, value, [bound], draft.items[value], item.nouns)
    draft.used |= {number, value}


def _read_equal(draft: PlanDraft, number: int) -> None:
    _add_pending(draft, number, number, [_bound("=", draft.items[number])], draft.items[number])
    draft.used.add(number)


def _read_number(draft: PlanDraft, number: int) -> None:
    item = draft.items[number]
    following = number + 1
    if following < len(draft.items) and draft.items[following].kind == "after":
        _add_pending(draft, number, following, [_bound(draft.items[following].operator, item)], item)
        draft.used |= {number, following}
        return
    before = draft.items[number - 1].text if number else ""
    is_in_year = is_year(item) and before in ("in", "of", "from", "during", "for")
    named = draft.property_at(number - 1)
    is_its_value = named is not None and named.type is ValueType.NUMBER  # `floor 2`
    if is_in_year or is_its_value or draft.property_at(following) is not None or item.unit:
        _read_equal(draft, number)


def _is_limit(draft: PlanDraft, number: int) -> bool:
    """Whether a number says how many are wanted: `top 5`, `three newest`, `5 albums with the most`."""
    around = (number - 1, number + 1)
    return any(0 <= place < len(draft.items) and draft.items[place].kind == "most" for place in around)


def _bound(operator: str, item: Item) -> Bound:
    if item.kind == "month":  # what comes after a month comes after its last day
        is_next = operator in (">", "<=")
        return Bound(_OF_MONTH.get(operator, operator), _after_month(item.text) if is_next else item.text)
    return Bound(operator, item.text) if item.kind == "day" else Bound(operator, item.number, is_year(item))


_OF_MONTH: Final = {">": ">=", "<=": "<"}


def _after_month(first_day: str) -> str:
    """The first day of the next month.

    >>> _after_month("2023-12-01")
    '2024-01-01'
    """
    year, month, _ = map(int, first_day.split("-"))
    return f"{year + month // 12:04}-{month % 12 + 1:02}-01"


def _is_amount(draft: PlanDraft, number: int) -> bool:
    return 0 <= number < len(draft.items) and draft.items[number].kind in ("number", "day", "month")


def _add_pending(
    draft: PlanDraft,
    begin: int,
    end: int,
    bounds: list[Bound],
    item: Item,
    nouns: MeasuredNouns = (),
) -> None:
    is_dated = item.kind in ("day", "month") or (is_year(item) and not nouns)
    bound = None
    after = draft.after_functions(end + 1)
    if draft.property_at(after) is not None and after == end + 1:
        bound = after
    if bound is None:
        bound = _property_before(draft, begin)
    if not nouns and bound is None:
        nouns = _verb_before(draft, begin)
    draft.pending.append(
        Pending(begin, bounds, nouns, bound, item.unit, is_dated=is_dated and bound != after)
    )


def _property_before(draft: PlanDraft, begin: int) -> int | None:
    """A property that stands right before a comparison, function words aside."""
    number = begin - 1
    while number >= 0 and draft.items[number].kind == "function":
        number -= 1
    prop = draft.property_at(number)
    return number if prop is not None and prop.type is not ValueType.RESOURCE else None


def _verb_before(draft: PlanDraft, begin: int) -> MeasuredNouns:
    """The measure named by the word right before a comparison, as in `weigh less than`."""
    if begin and (item := draft.items[begin - 1]).kind == "word" and item.nouns:
        draft.used.add(begin - 1)
        return item.nouns
    return ()


def compare_rows(draft: PlanDraft) -> bool:
    """Whether the question compares two rows by one number, `Does X weigh more than Y?`; notes it if so."""
    number = next((n for n, item in enumerate(draft.items) if item.kind in ("compare", "more")), None)
    values = [n for n in range(len(draft.items)) if draft.is_value(n)]
    if number is None or not draft.world.table or len(values) != 2 or not values[0] < number < values[1]:
        return False
    first, second = (draft.target_of(value) for value in values)
    if not isinstance(first, NamedValue) or not isinstance(second, NamedValue):
        return False
    row = draft.world.classes[draft.world.table]
    key = row.properties[first.property]
    named = [n for n in range(len(draft.items)) if (p := draft.property_at(n)) and p.type is ValueType.NUMBER]
    item = draft.items[number]
    nouns = item.nouns or (() if named else _verb_before(draft, number))
    prop = draft.property_at(named[0]) if named else measured(draft.world, (row.name,), nouns)
    if prop is None or first.property != second.property or key.distinct < key.subjects:
        return False
    ways = [way for words, way in item.nouns if noun_score(prop, words) and way]
    operator = (ways or [item.operator])[0]
    if not operator:
        return False
    draft.comparison = RowComparison(key, first.text, second.text, prop, operator)
    draft.used |= {number, *values, *named}
    return True


_HIGHEST_COUNT: Final = 1000
"""The most that `top n` takes."""


def read_superlatives(draft: PlanDraft) -> None:
    """Notes the superlatives of the question, and how many they take."""
    for number, item in enumerate(draft.items):
        if number in draft.used or not (item.kind == "most" or _is_choice(draft, number)):
            continue
        superlative = Pending(number, nouns=item.nouns, direction=item.operator, place=item.place)
        for place in (number - 1, number + 1):
            if (
                0 <= place < len(draft.items)
                and draft.items[place].kind == "number"
                and place not in draft.used
            ):
                superlative.most = int(min(draft.items[place].number, _HIGHEST_COUNT)) or 1
                draft.used.add(place)
        superlative.property_item = _ranked_item(draft, number, item)
        if superlative.property_item is None and not superlative.nouns:
            superlative.nouns = _verb_before(draft, draft.text_before(number) + 1) or _of_size(item)
        draft.used.add(number)
        draft.superlatives.append(superlative)


def _of_size(item: Item) -> MeasuredNouns:
    """The nouns of `largest`, where nothing beside it says of what."""
    degree = english.degree(item.text)
    return () if degree is None else tuple(english.nouns_of(degree[0]))


def _is_choice(draft: PlanDraft, number: int) -> bool:
    """Whether a comparative chooses among values: `Which is cheaper, X or Y?`."""
    return draft.items[number].kind == "more" and bool(alternatives(draft))


def alternatives(draft: PlanDraft) -> list[int]:
    """The items of values of one column that `or` joins; none where not all that is joined are such."""
    joined: list[int] = []
    for number, item in enumerate(draft.items):
        if item.kind == "or" and item.text == "or":
            pair = [draft.text_before(number), draft.after_functions(number + 1)]
            if not all(map(draft.is_value, pair)):
                return []
            joined += [each for each in pair if each not in joined]
    targets = [target for each in joined if isinstance(target := draft.target_of(each), NamedValue)]
    is_one = len({target.property for target in targets}) == 1
    return joined if is_one and draft.world.table and not any(each.resource for each in targets) else []


def _ranked_item(draft: PlanDraft, number: int, item: Item) -> int | None:
    """The property that a superlative is of: the next thing named, or what follows `by`."""
    following = draft.after_functions(number + 1)
    while following < len(draft.items) and draft.items[following].kind == "number":
        following += 1
    if following < len(draft.items) and any(draft.items[following].text in nouns for nouns, _ in item.nouns):
        later = draft.after_functions(following + 1)  # `the shortest time to harvest`
        prop = draft.property_at(later)
        if draft.property_at(following) is None and prop is not None and prop.type is ValueType.NUMBER:
            draft.used.add(following)
            return later
    prop = draft.property_at(following)
    if prop is not None and is_measured(prop, item.nouns):
        return following
    for place in range(following, len(draft.items) - 1):
        if draft.items[place].text in ("by", "in", "of", "with") and not item.nouns:
            after = draft.after_functions(place + 1)
            if draft.property_at(after) is not None:
                return after
    return None


def rank(draft: PlanDraft) -> None:
    """Orders the plan by the first superlative whose property is found."""
    for pending in draft.superlatives:
        ranked = _ranked(draft, pending)
        if ranked is None or draft.ranking is not None:
            draft.score *= UNRESOLVED
            continue
        place, prop = ranked
        if draft.items[pending.item].kind == "more" and any(
            each.is_any and each.property.distinct < each.property.subjects for each in draft.restrictions
        ):
            draft.score *= UNRESOLVED  # one row of several that each of the two has
        is_descending = direction_of(pending, prop) == english.MORE
        counted = prop.type is ValueType.RESOURCE
        if draft.world.table:
            draft.use_properties({prop.name})
        draft.ranking = PlanRanking(place, prop, counted, is_descending, pending.most, pending.place)


def _ranked(draft: PlanDraft, pending: Pending) -> tuple[int, SchemaProperty] | None:
    order = draft.nearest(pending.item)
    if pending.property_item is not None:
        named = draft.property_at(pending.property_item)
        for place in [draft.answer, *order]:
            prop = named and draft.property_of(draft.places[place].classes, named.name)
            if prop is None or prop.type is ValueType.TEXT or _counts_other(draft, pending, prop, place):
                continue
            draft.used.add(pending.property_item)
            return place, prop
        return None
    for place in [draft.answer, *order]:
        if (prop := measured(draft.world, draft.places[place].classes, pending.nouns)) is not None:
            return place, prop
    return None


_COUNTING: Final = frozenset({"most", "fewest", "least"})
"""Superlatives that may count; `lowest` and `highest` do not."""


def _counts_other(draft: PlanDraft, pending: Pending, prop: SchemaProperty, place: int) -> bool:
    """Whether a superlative counts what the property that it seems to name does not say.

    `The most incidents` counts the rows of a table of incidents, whatever its column `incident` holds;
    `the most nurses` of a ward are not those of its property `head nurse`, where others join the two.
    """
    if pending.nouns or pending.property_item is None or draft.items[pending.item].text not in _COUNTING:
        return False
    if draft.world.table:
        row = draft.world.classes[draft.world.table]
        return any(_are_alike(label, column) for label in row.words for column in prop.words)
    named = english.words(draft.items[pending.property_item].text)
    if prop.type is not ValueType.RESOURCE or any(_are_alike(named, label) for label in prop.words):
        return False
    joined = stated_steps(draft, set(draft.places[place].classes), set(prop.ranges))
    return len({step.property for step, _ in joined}) > 1


def _are_alike(words: Sequence[str], others: Sequence[str]) -> bool:
    return len(words) == len(others) and all(map(english.likeness, words, others))


def restrict_by_values(draft: PlanDraft) -> None:
    """Texts that are values of properties: the one that is named beside them, if it is."""
    _restrict_by_alternatives(draft)
    for number in range(len(draft.items)):
        target = draft.target_of(number)
        if number in draft.used or not isinstance(target, NamedValue) or target.resource is not None:
            continue
        for place, node in enumerate(draft.places):
            if (prop := draft.property_of(node.classes, target.property)) is not None:
                operator = "<>" if _is_excluded(draft, number) else "="
                draft.restrictions.append(Restriction(place, prop, (Bound(operator, target.text),)))
                draft.used.add(number)
                draft.use_properties({prop.name})
                break


def _restrict_by_alternatives(draft: PlanDraft) -> None:
    """`X or Y`: the rows that have one of some values."""
    joined = [number for number in alternatives(draft) if number not in draft.used]
    targets = [target for each in joined if isinstance(target := draft.target_of(each), NamedValue)]
    for place, node in enumerate(draft.places) if targets else ():
        if (prop := draft.property_of(node.classes, targets[0].property)) is not None:
            bounds = tuple(Bound("=", each.text) for each in targets)
            draft.restrictions.append(Restriction(place, prop, bounds, is_any=True))
            draft.used |= {*joined, *(n for n, item in enumerate(draft.items) if item.text == "or")}
            draft.use_properties({prop.name})
            if draft.answer_property is None and any(item.kind == "more" for item in draft.items):
                draft.answer_property = prop
            break


def _is_excluded(draft: PlanDraft, number: int) -> bool:
    """Whether `not` stands before a value of a table; counts it as used."""
    before = draft.text_before(number)
    target, named = draft.target_of(number), draft.property_at(before)
    if named is not None and isinstance(target, NamedValue) and named.name == target.property:
        before = draft.text_before(before)  # `not stored at Bay 2`, of a column `stored at`
    is_excluded = bool(draft.world.table) and before >= 0 and draft.items[before].kind == "not"
    if is_excluded:
        draft.used.add(before)
    return is_excluded


def restrict_by_flags(draft: PlanDraft) -> None:
    """Properties whose values are yes and no: the rows that say yes, or after `not` those that say no."""
    for number in range(len(draft.items)):
        named = draft.property_at(number)
        if number in draft.used or named is None or named.flags is None:
            continue
        before = draft.text_before(number)
        is_negated = before >= 0 and draft.items[before].kind == "not"
        for place in [draft.answer, *draft.nearest(number)]:
            prop = draft.property_of(draft.places[place].classes, named.name)
            if prop is not None and prop.flags is not None:
                bounds = tuple(Bound("=", each) for each in prop.flags[is_negated])
                draft.restrictions.append(Restriction(place, prop, bounds, is_any=len(bounds) > 1))
                draft.used |= {number, before} if is_negated else {number}
                break


def restrict_by_bounds(draft: PlanDraft) -> None:
    """Puts each pending bound on the property that it is for."""
    for pending in draft.pending:
        bounded = _bounded(draft, pending)
        if bounded is None:
            draft.score *= UNRESOLVED
            continue
        place, prop = bounded
        bounds = tuple(_directed(draft, bound, pending, prop) for bound in pending.bounds)
        bounds = _converted(draft, bounds, pending.unit, prop)
        if prop.type is ValueType.RESOURCE:
            draft.quantities += [Quantity(place, prop, bound) for bound in bounds]
        else:
            draft.restrictions.append(Restriction(place, prop, bounds))
            draft.use_properties({prop.name})


def _directed(draft: PlanDraft, bound: Bound, pending: Pending, prop: SchemaProperty) -> Bound:
    if not pending.nouns or bound.operator not in (english.LESS, english.MORE):
        return bound
    ways = [way for nouns, way in pending.nouns if noun_score(prop, nouns) > 0 and way]
    is_adjective = draft.items[pending.item].kind == "compare" and draft.items[pending.item].nouns
    return Bound(ways[0], bound.value, bound.is_year) if ways and is_adjective else bound


def _converted(
    draft: PlanDraft, bounds: tuple[Bound, ...], unit: str, prop: SchemaProperty
) -> tuple[Bound, ...]:
    """Bounds in the unit of a property; of one that is shown in per cent, also those that name no unit."""
    if not unit and prop.unit == english.SHARE:
        unit = "percent"
    if not unit or unit == prop.unit:
        return bounds
    given, own = english.UNITS[unit], english.UNITS.get(prop.unit)
    if own is None or own[0] != given[0]:
        draft.score *= 1.0 if own is None and given[1] == 1.0 else UNRESOLVED
        return bounds
    factor = given[1] / own[1]
    return tuple(
        bound if isinstance(bound.value, str) else Bound(bound.operator, bound.value * factor)
        for bound in bounds
    )


def _bounded(draft: PlanDraft, pending: Pending) -> tuple[int, SchemaProperty] | None:
    """The node and property that bounds are for."""
    if pending.property_item is not None and not pending.is_dated:
        named = draft.property_at(pending.property_item)
        for place in draft.nearest(pending.item):
            prop = named and draft.property_of(draft.places[place].classes, named.name)
            if prop is not None and prop.type is not ValueType.TEXT:
                draft.used.add(pending.property_item)
                return place, prop
        return None
    for place in draft.nearest(pending.item):
        nouns = pending.nouns
        if pending.is_dated and not nouns:
            nouns = ((TIMES, ""),)
        prop = measured(draft.world, draft.places[place].classes, nouns, pending.unit)
        if prop is not None:
            if pending.property_item is not None and draft.property_at(pending.property_item) == prop:
                draft.used.add(pending.property_item)
            return place, prop
    return None


def _exclude_value(draft: PlanDraft, prop: SchemaProperty) -> bool:
    """Turns the value that a table's column shall have into one that it shall not: `X does not keep`."""
    for number, each in enumerate(draft.restrictions):
        bound = each.bounds[0]
        if draft.world.table and each.property == prop and bound.operator == "=" and not each.is_any:
            bounds = (Bound("<>", bound.value),)
            draft.restrictions[number] = Restriction(each.node, prop, bounds)
            return True
    return False


def exclude(draft: PlanDraft) -> None:
    """`no length`, `without a producer`."""
    for number, item in enumerate(draft.items):
        if item.kind != "not" or number in draft.used:
            continue
        following = draft.after_functions(number + 1)
        named = draft.property_at(following)
        for place in draft.nearest(number):
            prop = named and draft.property_of(draft.places[place].classes, named.name)
            if prop is not None:
                if not _exclude_value(draft, prop):
                    draft.absences.append(Absence(place, prop))
                draft.used |= {number, following}
                draft.use_properties({prop.name})
                break
