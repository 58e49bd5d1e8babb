"""The assembly of a plan from the units of a question: what is asked for, what joins it, what bounds it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from sage_ld.agents.text_to_sparql.grammar import Item
from sage_ld.agents.text_to_sparql.plan import Form, QueryPlan
from sage_ld.agents.text_to_sparql.planning.node_joins import add_nodes, join_nodes
from sage_ld.agents.text_to_sparql.planning.number_bounds import read_numbers
from sage_ld.agents.text_to_sparql.planning.plan_confidence import confidence, unused
from sage_ld.agents.text_to_sparql.planning.plan_draft import PlanDraft
from sage_ld.agents.text_to_sparql.planning.question_target import asked_form, choose_target
from sage_ld.agents.text_to_sparql.planning.restrictions import (
    exclude,
    restrict_by_bounds,
    restrict_by_values,
)
from sage_ld.agents.text_to_sparql.planning.superlatives import rank, read_superlatives
from sage_ld.agents.text_to_sparql.schema import Facts, ValueType, World

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
