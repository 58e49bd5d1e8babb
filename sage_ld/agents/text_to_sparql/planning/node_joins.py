"""The nodes of a plan, and how they are joined: each with those before it, by the surest path."""

from __future__ import annotations

from collections.abc import Sequence

from sage_ld.agents.text_to_sparql import english
from sage_ld.agents.text_to_sparql.plan import Node, PlanLink
from sage_ld.agents.text_to_sparql.planning.measures import DATED
from sage_ld.agents.text_to_sparql.planning.paths import paths_between
from sage_ld.agents.text_to_sparql.planning.plan_draft import UNRESOLVED, Path, PlacedNode, PlanDraft, Step
from sage_ld.agents.text_to_sparql.schema import SchemaClass, ValueType
from sage_ld.agents.text_to_sparql.values import NamedValue

_UNJOINED, _UNCUED, _AMBIGUOUS, _FAR = 0.2, 0.5, 0.85, 0.95
"""The factor of confidence: for a node that nothing joins; for a path by another property than the
words beside it name; for one of several such paths; for each node that is named in between."""


def add_nodes(draft: PlanDraft) -> None:
    """Adds a node for each class and each resource that the question names."""
    if draft.world.table:
        _use_rows(draft)
        return
    for number in range(len(draft.items)):
        target = draft.target_of(number)
        if number in draft.used or target is None:
            continue
        if isinstance(target, SchemaClass):
            if any(place.node.class_name == target.name for place in draft.places):
                draft.used.add(number)
                continue
            draft.places.append(PlacedNode(Node(target.name), number, (target.name,)))
        elif isinstance(target, NamedValue) and target.resource is not None:
            draft.places.append(
                PlacedNode(Node(resource=target.resource), number, tuple(sorted(target.classes)))
            )


def _use_rows(draft: PlanDraft) -> None:
    """Of a table, its name is the class; `days` and the like are its rows, where it has dates."""
    row = draft.world.classes[draft.world.table or ""]
    dated = any(prop.type is ValueType.DATE for prop in row.properties.values())
    for number, item in enumerate(draft.items):
        if isinstance(draft.target_of(number), SchemaClass) or (
            dated and item.kind == "word" and english.inflected(item.text) in DATED
        ):
            draft.used.add(number)


def join_nodes(draft: PlanDraft) -> None:
    """Joins each node with those before it in the plan, by the surest way."""
    joined = [0]
    waiting = list(range(1, len(draft.places)))
    while waiting:
        ways = [(place, *best) for place in waiting if (best := _best_join(draft, joined, place)) is not None]
        if not ways:
            break
        chosen = min(ways, key=lambda way: (-way[2].score, draft.places[way[0]].item))
        place, other, path = chosen
        _link(draft, other, place, path)
        draft.used.add(draft.places[place].item)
        joined.append(place)
        waiting.remove(place)
    if draft.places[0].role is not None and not draft.links:
        draft.score *= _UNJOINED
    _drop(draft, waiting)


def _drop(draft: PlanDraft, places: Sequence[int]) -> None:
    """Takes out nodes that nothing joins; what named them stays unused."""
    for _ in places:
        draft.score *= _UNJOINED
    kept = [number for number in range(len(draft.places)) if number not in places]
    renumbered = {old: new for new, old in enumerate(kept)}
    draft.places = [draft.places[number] for number in kept]
    draft.links = [
        PlanLink(renumbered[each.subject], each.property, renumbered[each.object]) for each in draft.links
    ]


def _best_join(draft: PlanDraft, joined: Sequence[int], place: int) -> tuple[int, Path] | None:
    """The surest way from one of the nodes joined so far to another."""
    joins: list[tuple[int, Path]] = []
    before = _coordinated(draft, place)
    for other in joined:
        if before is not None and not _is_same_join(draft, before, other):
            continue
        if draft.places[other].node.resource and draft.places[place].node.resource and other:
            continue
        paths = paths_between(draft, draft.places[other], draft.places[place])
        far = sum(1 for each in joined if _between(draft, other, each, place))
        joins += [
            (other, path._replace(score=path.score * _FAR**far)) for path in _weighed(draft, paths, place)
        ]
    return max(joins, key=lambda each: each[1].score, default=None)


def _between(draft: PlanDraft, other: int, each: int, place: int) -> bool:
    """Whether a node is named between two others."""
    low, high = sorted((draft.places[other].item, draft.places[place].item))
    return low < draft.places[each].item < high if each < len(draft.places) else False


def _weighed(draft: PlanDraft, paths: Sequence[Path], place: int) -> list[Path]:
    """The ways to a node, by the properties that the words beside it name, and by how usual they are."""
    cues = _cues(draft, place)
    weighed = []
    for path in paths:
        names = {step.property for step in path.steps}
        if cues:
            factor = (
                1.0 if names & cues else UNRESOLVED if _coordinated(draft, place) is not None else _UNCUED
            )
        else:
            factor = 1.0 if sum(len(other.steps) == len(path.steps) for other in paths) == 1 else _AMBIGUOUS
        weighed.append(path._replace(score=path.score * factor))
    return weighed


def _cues(draft: PlanDraft, place: int) -> set[str]:
    """The properties between resources that the question names nearest to a node."""
    item = draft.places[place].item
    role = draft.places[0].role
    if (before := _coordinated(draft, place)) is not None and (path := draft.ways.get(before)):
        return {step.property for step in path[1].steps}
    cues: dict[int, set[str]] = {}
    for number in range(len(draft.items)):
        prop = draft.property_at(number)
        if prop is not None and prop.type is ValueType.RESOURCE and number not in draft.used:
            cues.setdefault(abs(number - item), set()).add(prop.name)
    if cues:
        return cues[min(cues)]
    return {role.name} if role is not None and not draft.links else set()


def _coordinated(draft: PlanDraft, place: int) -> int | None:
    """The node that is named before a node and `and`: `both X and Y`."""
    item = draft.places[place].item
    if item < 2 or draft.items[item - 1].kind != "and":
        return None
    return next(
        (n for n, each in enumerate(draft.places) if each.item == item - 2 and each.node.resource), None
    )


def _is_same_join(draft: PlanDraft, before: int, other: int) -> bool:
    """Whether a node is what the node `before` was joined with; it has to be joined first."""
    return before in draft.ways and draft.ways[before][0] == other


def _link(draft: PlanDraft, one: int, other: int, path: Path) -> None:
    draft.score *= path.score
    draft.ways[other] = (one, path)
    draft.use_properties({step.property for step in path.steps})
    if len(path.steps) == 1:
        _state(draft, one, path.steps[0], other)
        return
    middle = len(draft.places)
    draft.places.append(PlacedNode(Node(path.middle), -1, (path.middle,)))
    _state(draft, one, path.steps[0], middle)
    _state(draft, middle, path.steps[1], other)


def _state(draft: PlanDraft, one: int, step: Step, other: int) -> None:
    subject, object_ = (other, one) if step.inverse else (one, other)
    draft.links.append(PlanLink(subject, step.property, object_))
