"""Superlatives of a question (`the longest`, `top 5`), and the order of the plan that they ask for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from sage_ld.agents.text_to_sparql import english
from sage_ld.agents.text_to_sparql.grammar import Item
from sage_ld.agents.text_to_sparql.plan import PlanRanking
from sage_ld.agents.text_to_sparql.planning.measures import direction_of, is_measured, measured
from sage_ld.agents.text_to_sparql.planning.paths import stated_steps
from sage_ld.agents.text_to_sparql.planning.plan_draft import UNRESOLVED, Pending, PlanDraft
from sage_ld.agents.text_to_sparql.schema import SchemaProperty, ValueType

_HIGHEST_COUNT: Final = 1000
"""The most that `top n` takes."""


def read_superlatives(draft: PlanDraft) -> None:
    """Notes the superlatives of the question, and how many they take."""
    for number, item in enumerate(draft.items):
        if item.kind != "most" or number in draft.used:
            continue
        superlative = Pending(number, nouns=item.nouns, direction=item.operator)
        for place in (number - 1, number + 1):
            if (
                0 <= place < len(draft.items)
                and draft.items[place].kind == "number"
                and place not in draft.used
            ):
                superlative.most = int(min(draft.items[place].number, _HIGHEST_COUNT)) or 1
                draft.used.add(place)
        superlative.property_item = _ranked_item(draft, number, item)
        draft.used.add(number)
        draft.superlatives.append(superlative)


def _ranked_item(draft: PlanDraft, number: int, item: Item) -> int | None:
    """The property that a superlative is of: the next thing named, or what follows `by`."""
    following = draft.after_functions(number + 1)
    while following < len(draft.items) and draft.items[following].kind == "number":
        following += 1
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
        is_descending = direction_of(pending, prop) == english.MORE
        counted = prop.type is ValueType.RESOURCE
        draft.ranking = PlanRanking(place, prop, counted, is_descending, pending.most)


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


def _counts_other(draft: PlanDraft, pending: Pending, prop: SchemaProperty, place: int) -> bool:
    """Whether a superlative counts what the property that it seems to name does not say.

    `The most incidents` counts the rows of a table of incidents, whatever its column `incident` holds;
    `the most nurses` of a ward are not those of its property `head nurse`, where others join the two.
    """
    if pending.nouns or pending.property_item is None:
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
