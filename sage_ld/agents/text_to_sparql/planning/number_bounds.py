"""Bounds that the numbers and days of a question set: comparisons, ranges, single values."""

from __future__ import annotations

from sage_ld.agents.text_to_sparql.grammar import Item, MeasuredNouns, is_year
from sage_ld.agents.text_to_sparql.plan import Bound
from sage_ld.agents.text_to_sparql.planning.plan_draft import Pending, PlanDraft
from sage_ld.agents.text_to_sparql.schema import ValueType


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
        elif item.kind == "number" and not _is_limit(draft, number):
            _read_number(draft, number)


def _read_between(draft: PlanDraft, number: int) -> None:
    first = draft.after_functions(number + 1)
    second = draft.after_functions(first + 2)
    if _is_amount(draft, first) and _is_amount(draft, second) and draft.items[first + 1].kind == "and":
        low, high = draft.items[first], draft.items[second]
        bounds = [_bound(">=", low), _bound("<=", high)]
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
    return Bound(operator, item.text) if item.kind == "day" else Bound(operator, item.number, is_year(item))


def _is_amount(draft: PlanDraft, number: int) -> bool:
    return 0 <= number < len(draft.items) and draft.items[number].kind in ("number", "day")


def _add_pending(
    draft: PlanDraft,
    begin: int,
    end: int,
    bounds: list[Bound],
    item: Item,
    nouns: MeasuredNouns = (),
) -> None:
    is_dated = item.kind == "day" or (is_year(item) and not nouns)
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
