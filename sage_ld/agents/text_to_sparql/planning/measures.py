"""Measures: the property of a class that a noun, an adjective or a unit of a question measures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from sage_ld.agents.text_to_sparql import english
from sage_ld.agents.text_to_sparql.grammar import MeasuredNouns
from sage_ld.agents.text_to_sparql.planning.plan_draft import Pending
from sage_ld.agents.text_to_sparql.schema import SchemaProperty, ValueType, World

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
    is_dated = all("date" in each for each, _ in nouns)
    return not is_dated or prop.type is ValueType.DATE or any(noun_score(prop, each) for each, _ in nouns)


def noun_score(prop: SchemaProperty, nouns: Sequence[str]) -> float:
    """The score of the best of some nouns as the name of a property: its whole label, or a word of it."""
    best = 0.0
    for label in prop.words:
        for noun in nouns:
            for word in label:
                if english.likeness(noun, word) >= 0.9:
                    best = max(best, 1.0 if len(label) == 1 else 0.8)
    return best
