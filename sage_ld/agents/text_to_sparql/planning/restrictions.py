"""Restrictions of a plan's nodes: by values, by bounds, by properties that they do not have."""

from __future__ import annotations

from sage_ld.agents.text_to_sparql import english
from sage_ld.agents.text_to_sparql.plan import Absence, Bound, Quantity, Restriction
from sage_ld.agents.text_to_sparql.planning.measures import TIMES, measured, noun_score
from sage_ld.agents.text_to_sparql.planning.plan_draft import UNRESOLVED, Pending, PlanDraft
from sage_ld.agents.text_to_sparql.schema import SchemaProperty, ValueType
from sage_ld.agents.text_to_sparql.values import NamedValue


def restrict_by_values(draft: PlanDraft) -> None:
    """Texts that are values of properties: the one that is named beside them, if it is."""
    for number in range(len(draft.items)):
        target = draft.target_of(number)
        if number in draft.used or not isinstance(target, NamedValue) or target.resource is not None:
            continue
        for place, node in enumerate(draft.places):
            if (prop := draft.property_of(node.classes, target.property)) is not None:
                draft.restrictions.append(Restriction(place, prop, (Bound("=", target.text),)))
                draft.used.add(number)
                draft.use_properties({prop.name})
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
    """Bounds in the unit of a property."""
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
                draft.absences.append(Absence(place, prop))
                draft.used |= {number, following}
                draft.use_properties({prop.name})
                break
