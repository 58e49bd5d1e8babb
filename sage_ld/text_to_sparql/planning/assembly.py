"""The assembly of a plan from the units of a question: what is asked for, what joins it, what bounds it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from sage_ld.text_to_sparql.grammar import Item
from sage_ld.text_to_sparql.plan import QueryPlan
from sage_ld.text_to_sparql.planning.node_joins import add_nodes, join_nodes
from sage_ld.text_to_sparql.planning.number_bounds import read_numbers
from sage_ld.text_to_sparql.planning.plan_confidence import confidence, unused
from sage_ld.text_to_sparql.planning.plan_draft import PlanDraft
from sage_ld.text_to_sparql.planning.question_target import asked_form, choose_target
from sage_ld.text_to_sparql.planning.restrictions import exclude, restrict_by_bounds, restrict_by_values
from sage_ld.text_to_sparql.planning.superlatives import rank, read_superlatives
from sage_ld.text_to_sparql.schema import Facts, World


class AssembledPlan(NamedTuple):
    """A plan with how sure it is, from 0 to 1, and the words that it does not use."""

    plan: QueryPlan
    confidence: float
    unused: tuple[str, ...]


def assembled_plan(
    items: Sequence[Item], world: World, facts: Callable[[str], Facts]
) -> AssembledPlan | None:
    """The plan that units of a question make in a world; None where they name nothing to ask for.

    `facts` gives the properties that join a resource with others.
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
    if world.table and draft.answer_property is None and draft.naming() is None:
        return None
    return AssembledPlan(_plan(draft), confidence(draft), unused(draft))


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
