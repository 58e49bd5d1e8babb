"""Paths between two nodes of a plan: the properties that lead from one to the other, over one step or two."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from sage_ld.agents.text_to_sparql.plan import Node
from sage_ld.agents.text_to_sparql.planning.plan_draft import Path, PlacedNode, PlanDraft, Step

_INDIRECT: Final = 0.85
"""The factor of confidence in a path of two steps."""


def paths_between(draft: PlanDraft, one: PlacedNode, other: PlacedNode) -> list[Path]:
    """The ways from one node to another over one property or two, as the graph has them."""
    steps = dict.fromkeys(step for step, _ in _steps(draft, one, other.classes))
    direct = [
        Path((step,), "", _usual(draft, step, one, other))
        for step in steps
        if _ends_at(draft, step, one, other)
    ]
    if one.role is not None and not draft.links:
        return [path for path in direct if path.steps[0] == Step(one.role.name, True)] or _indirect(
            draft, one, other
        )
    return direct or _indirect(draft, one, other)


def _indirect(draft: PlanDraft, one: PlacedNode, other: PlacedNode) -> list[Path]:
    paths = []
    for first, middle in _steps(draft, one, tuple(draft.world.classes)):
        if one.role is not None and not draft.links and first != Step(one.role.name, True):
            continue
        between = PlacedNode(Node(middle), -1, (middle,))
        for second, _ in _steps(draft, between, other.classes):
            if _ends_at(draft, second, between, other) and second != Step(first.property, not first.inverse):
                score = _usual(draft, first, one, between) * _usual(draft, second, between, other)
                paths.append(Path((first, second), middle, score * _INDIRECT))
    return paths


def _steps(draft: PlanDraft, one: PlacedNode, classes: Sequence[str]) -> Iterator[tuple[Step, str]]:
    """Properties that lead from a node to resources of some classes, with that class."""
    wanted = set(classes)
    if one.node.resource is not None:
        for fact in draft.facts(one.node.resource):
            if fact.class_name in wanted:
                yield Step(fact.property, fact.inverse), fact.class_name
        return
    yield from sorted(stated_steps(draft, set(one.classes), wanted))


def stated_steps(draft: PlanDraft, classes: set[str], wanted: set[str]) -> set[tuple[Step, str]]:
    """Properties between instances of some classes and of others, as the schema has them."""
    steps = set()
    for name, each in draft.world.classes.items():
        for prop in each.properties.values():
            if name in classes:
                steps |= {(Step(prop.name, False), range_) for range_ in wanted.intersection(prop.ranges)}
            if name in wanted and not classes.isdisjoint(prop.ranges):
                steps.add((Step(prop.name, True), name))
    return steps


def _ends_at(draft: PlanDraft, step: Step, one: PlacedNode, other: PlacedNode) -> bool:
    """Whether a step leads to a node: of a certain resource, whether the graph has such a statement."""
    if other.node.resource is None:
        return True
    wanted = (step.property, not step.inverse)
    return any(
        (fact.property, fact.inverse) == wanted and (fact.class_name in one.classes or one.role is not None)
        for fact in draft.facts(other.node.resource)
    )


def _usual(draft: PlanDraft, step: Step, one: PlacedNode, other: PlacedNode) -> float:
    """The usualness of a property: one that most instances have, and once each, is meant before others."""
    classes = other.classes if step.inverse else one.classes
    best = 0.0
    for name in classes:
        each = draft.world.classes.get(name)
        prop = each.properties.get(step.property) if each else None
        if each is not None and prop is not None:
            share = prop.subjects / max(each.instances, 1)
            best = max(best, share * (prop.subjects / max(prop.values, 1)) ** 0.25)
    return 0.85 + 0.15 * best
