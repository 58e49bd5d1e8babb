"""The assembly of a plan from the units of a question: what is asked for, what joins it, what bounds it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from sage_ld.agents.text_to_sparql import english
from sage_ld.agents.text_to_sparql.grammar import Item
from sage_ld.agents.text_to_sparql.plan import Form, QueryPlan
from sage_ld.agents.text_to_sparql.planning.node_joins import add_nodes, join_nodes
from sage_ld.agents.text_to_sparql.planning.number_bounds import read_numbers
from sage_ld.agents.text_to_sparql.planning.plan_draft import PlanDraft
from sage_ld.agents.text_to_sparql.planning.question_target import asked_form, choose_target
from sage_ld.agents.text_to_sparql.planning.restrictions import (
    exclude,
    restrict_by_bounds,
    restrict_by_values,
)
from sage_ld.agents.text_to_sparql.planning.superlatives import rank, read_superlatives
from sage_ld.agents.text_to_sparql.schema import NAMING, Facts, ValueType, World

_UNUSED_WORD, _UNUSED_NAME, _UNUSED_MEANING = 0.6, 0.4, 0.6
"""The factor of confidence for each unused word, name of a value, and other word with a meaning."""
_UNUSED_OF_NOTHING, _UNUSED_OF_TABLE = 0.4, 0.5
"""The same for a word where the plan says no more than a class, and where it asks a table."""
_ECHO, _UNNAMED = 0.2, 0.5
"""The same for an answer that the question names, and for rows that nothing names."""
_OUTRIGHT: Final = 1.0
"""The score of a meaning that is a label itself."""
_CONTENT: Final = frozenset(
    ("number", "day", "compare", "between", "most", "aggregate", "not", "or", "after", "how")
)
"""The kinds of items, beside words, that say something."""


def confidence(draft: PlanDraft) -> float:
    """The confidence in the plan, from 0 to 1: by the meanings that it uses, and by what it leaves unused."""
    score = draft.score
    named = _named_properties(draft)
    for number, item in enumerate(draft.items):
        if number in draft.used:
            prop = draft.property_at(number)
            is_again = prop is not None and prop.name in named
            score *= item.meaning.score if item.meaning and not is_again else 1.0
        elif item.kind == "meaning":
            score *= _UNUSED_MEANING if not draft.is_value(number) else _UNUSED_NAME
        elif _is_content(item):
            is_word = item.kind == "word" and not item.is_name
            unused = _UNUSED_OF_TABLE if draft.world.table else _UNUSED_WORD
            score *= unused if is_word and draft.is_restricted() else _UNUSED_OF_NOTHING
    return min(1.0, score * _telling(draft))


def unused(draft: PlanDraft) -> tuple[str, ...]:
    """The words with content that the plan does not use."""
    return tuple(
        item.text
        for number, item in enumerate(draft.items)
        if number not in draft.used and (item.kind == "meaning" or _is_content(item))
    )


def _named_properties(draft: PlanDraft) -> frozenset[str]:
    """The properties used that the question names outright: weaker words for them add no doubt."""
    return frozenset(
        prop.name
        for number in draft.used
        if (prop := draft.property_at(number)) is not None
        and (meaning := draft.items[number].meaning) is not None
        and meaning.score >= _OUTRIGHT
    )


def _telling(draft: PlanDraft) -> float:
    """The informativeness of an answer: little, if it is what the question names, or does not name a row."""
    is_node = draft.form is Form.LIST and draft.answer_property is None
    if is_node and draft.places[draft.answer].node.resource is not None:
        return _ECHO
    naming = draft.naming()
    is_named = naming is not None and any(words[-1] in NAMING for words in naming.words)
    return _UNNAMED if is_node and draft.world.table and not is_named else 1.0


def _is_content(item: Item) -> bool:
    if item.kind == "word":
        return item.text not in english.LIGHT_WORDS
    return item.kind in _CONTENT


_SUMMED: Final = 0.45
"""The factor of confidence where a count is taken for a sum over several resources."""


class AssembledPlan(NamedTuple):
    """A plan with how sure it is, from 0 to 1, and the words that it does not use."""

    plan: QueryPlan
    confidence: float
    unused: tuple[str, ...]


def assembled_plan(
    items: Sequence[Item], world: World, facts: Callable[[str], Facts]
) -> AssembledPlan | None:
    """The plan that units of a question make in a world; None where they name nothing to ask for.

    `facts` returns the properties that join a resource with others.
    """
    draft = PlanDraft(items, world, facts)
    draft.form = asked_form(draft)
    read_numbers(draft)
    read_superlatives(draft)
    if not choose_target(draft):
        return None
    add_nodes(draft)
    join_nodes(draft)
    restrict_by_values(draft)
    rank(draft)
    restrict_by_bounds(draft)
    exclude(draft)
    if _says_nothing(draft):
        return None
    _count_numbers(draft)
    return AssembledPlan(_plan(draft), confidence(draft), unused(draft))


def _says_nothing(draft: PlanDraft) -> bool:
    """Whether there is nothing to show of a row, or nothing to find out about what is named."""
    if draft.form is Form.ASK and draft.places[draft.answer].node.class_name is None:
        return not draft.is_restricted()
    return bool(draft.world.table) and draft.answer_property is None and draft.naming() is None


def _count_numbers(draft: PlanDraft) -> None:
    """`How many beds has X?`, of a property whose value is that number; of several, their sum, unsure."""
    prop = draft.answer_property
    if draft.form is not Form.COUNT or prop is None or prop.type is not ValueType.NUMBER:
        return
    texts = [bound for each in draft.restrictions for bound in each.bounds if isinstance(bound.value, str)]
    is_named = draft.places[draft.answer].node.resource is not None or bool(texts)
    draft.form = Form.LIST if is_named else Form.SUM
    draft.score *= 1.0 if is_named else _SUMMED


def _plan(draft: PlanDraft) -> QueryPlan:
    return QueryPlan(
        draft.form,
        tuple(place.node for place in draft.places),
        draft.answer,
        draft.answer_property,
        draft.answer_year,
        tuple(draft.links),
        tuple(draft.restrictions),
        tuple(draft.absences),
        tuple(draft.quantities),
        draft.ranking,
        draft.naming(),
        draft.world.table,
    )
