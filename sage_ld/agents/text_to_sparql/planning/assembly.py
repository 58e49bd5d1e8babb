"""The assembly of a plan from the units of a question: what is asked for, what joins it, what bounds it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from math import prod
from typing import Final, NamedTuple

from sage_ld.agents.text_to_sparql import english
from sage_ld.agents.text_to_sparql.grammar import Item
from sage_ld.agents.text_to_sparql.plan import Bound, Form, Node, PlanLink, QueryPlan, Restriction
from sage_ld.agents.text_to_sparql.planning.paths import paths_between
from sage_ld.agents.text_to_sparql.planning.plan_draft import UNRESOLVED, Path, PlacedNode, PlanDraft, Step
from sage_ld.agents.text_to_sparql.planning.question_target import asked_form, choose_target
from sage_ld.agents.text_to_sparql.planning.restrictions import (
    DATED,
    compare_rows,
    exclude,
    noun_score,
    rank,
    read_numbers,
    read_superlatives,
    restrict_by_bounds,
    restrict_by_flags,
    restrict_by_values,
)
from sage_ld.agents.text_to_sparql.schema import (
    NAMING,
    Facts,
    SchemaClass,
    SchemaProperty,
    ValueType,
    World,
)
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


_UNUSED_WORD, _UNUSED_NAME, _UNUSED_MEANING = 0.45, 0.4, 0.45
"""The factor of confidence for each unused word, name of a value, and other word with a meaning."""
_UNKNOWN: Final = 0.05
"""The same for an identifier that nothing has: what others have is no answer."""
_UNUSED_OF_NOTHING: Final = 0.4
"""The same for a word where the plan says no more than a class, and where it asks a table."""
_ECHO, _UNNAMED, _WHOLE = 0.2, 0.5, 0.8
"""The same for an answer that the question names, for rows that nothing names, and for
whole rows of which the question does not say what it asks for."""
_COMPARING: Final = frozenset({Form.AVERAGE, Form.SUM, Form.LEAST, Form.MOST})
_COMPARED_TEXT: Final = 0.4
"""The same where texts are compared as numbers would be."""
_OUTRIGHT: Final = 1.0
"""The score of a meaning that is a label itself."""
_CONTENT: Final = frozenset(
    (
        "identifier",
        "number",
        "day",
        "month",
        "compare",
        "more",
        "between",
        "most",
        "aggregate",
        "not",
        "or",
        "after",
        "how",
    )
)
"""The kinds of items, beside words, that say something."""


def confidence(draft: PlanDraft) -> float:
    """The confidence in the plan, from 0 to 1: by the meanings that it uses, and by what it leaves unused."""
    named = _named_properties(draft)
    score = draft.score * prod(_factor(draft, number, named) for number in range(len(draft.items)))
    if draft.form in _COMPARING and draft.answer_property is not None:
        score *= _COMPARED_TEXT if draft.answer_property.type is ValueType.TEXT else 1.0
    if draft.form in (Form.SUM, Form.AVERAGE) and draft.answer_property is None:
        score *= UNRESOLVED  # a resource is no number
    if _is_sum_of_several(draft):
        score *= UNRESOLVED
    is_dated = draft.answer_property is not None and draft.answer_property.type is ValueType.DATE
    if is_dated and any(item.text == "how old" for item in draft.items):
        score *= UNRESOLVED  # a day of birth is no age
    if draft.world.table and _contradicts(draft):
        score *= UNRESOLVED
    if any(_is_outgoing(draft, each) for each in _compared(draft)):
        score *= UNRESOLVED
    return min(1.0, score * _telling(draft))


def _compared(draft: PlanDraft) -> Iterator[SchemaProperty]:
    """The properties whose numbers the plan ranks, or bounds by a number that is not negative."""
    if draft.ranking is not None:
        yield draft.ranking.property
    if draft.comparison is not None:
        yield draft.comparison.property
    if draft.form in (Form.LEAST, Form.MOST) and draft.answer_property is not None:
        yield draft.answer_property
    for each in draft.restrictions:
        if any(_orders(bound) for bound in each.bounds):
            yield each.property


def _orders(bound: Bound) -> bool:
    return bound.operator != "=" and isinstance(bound.value, float | int) and bound.value >= 0


def _is_outgoing(draft: PlanDraft, prop: SchemaProperty) -> bool:
    """Whether more may be meant by a lesser number: costs or losses that are written as negative numbers."""
    if prop.type is not ValueType.NUMBER or prop.least is None or float(prop.least) >= 0:
        return False
    named = {word for item in draft.items for word in item.text.split()}.union(*prop.words)
    return float(prop.most or 0) <= 0 or not named.isdisjoint(english.OUTGOINGS)


def _is_sum_of_several(draft: PlanDraft) -> bool:
    """Whether a column called `sum` is asked for of no certain row: `the sum of all loans` is one number."""
    number = next((n for n in draft.used if draft.property_at(n) == draft.answer_property), -1)
    is_named_so = number >= 0 and draft.items[number].text in english.AGGREGATES
    is_of_one = draft.ranking is not None or any(
        bound.operator == "=" for each in draft.restrictions for bound in each.bounds
    )
    return draft.form is Form.LIST and is_named_so and draft.answer_property is not None and not is_of_one


def _factor(draft: PlanDraft, number: int, named: frozenset[str]) -> float:
    """The factor of confidence of one item."""
    item = draft.items[number]
    if number in draft.used:
        prop = draft.property_at(number)
        is_again = prop is not None and prop.name in named
        return item.meaning.score if item.meaning and not is_again else 1.0
    if item.kind == "identifier":
        return _UNKNOWN
    if not _is_unused(draft, number):
        return 1.0
    if item.kind == "meaning":
        return _UNUSED_NAME if draft.is_value(number) else _UNUSED_MEANING
    is_word = item.kind == "word" and not item.is_name
    return _UNUSED_WORD if is_word and draft.is_restricted() else _UNUSED_OF_NOTHING


def _is_unused(draft: PlanDraft, number: int) -> bool:
    """Whether an item says something that the plan does not use."""
    item = draft.items[number]
    if number in draft.used or _is_row(draft, number):
        return False
    if draft.world.table and number == 0 and item.text in ("where", "when"):
        return True
    if item.text == "how much" and draft.answer_property is not None:
        return draft.property_at(draft.after_functions(number + 1)) != draft.answer_property
    return item.kind == "meaning" or (_is_content(item) and not _is_echoed(draft, item))


def _contradicts(draft: PlanDraft) -> bool:
    """Whether a row would need two values in one column: `X and Y`, of which nothing says what is meant."""
    equal = [
        (each.property.name, bound.value)
        for each in draft.restrictions
        if not each.is_any
        for bound in each.bounds
        if bound.operator == "="
    ]
    absent = {each.property.name for each in draft.absences}
    names = {name for name, _ in equal}
    return len(names) < len(set(equal)) or not absent.isdisjoint(names)


def unused(draft: PlanDraft) -> tuple[str, ...]:
    """The words with content that the plan does not use."""
    return tuple(item.text for number, item in enumerate(draft.items) if _is_unused(draft, number))


def _is_row(draft: PlanDraft, number: int) -> bool:
    """Whether an item only names the rows of a table by its first column: `of the samples`."""
    prop = draft.property_at(number)
    if (
        prop is None
        or not draft.world.table
        or draft.answer_property is None
        or prop.distinct < prop.subjects
    ):
        return False
    row = draft.world.classes[draft.world.table]
    if prop == draft.answer_property:
        return True
    return draft.form in _COMPARING and prop.name in (next(iter(row.properties)), _name_of(draft))


def _name_of(draft: PlanDraft) -> str:
    naming = draft.naming()
    return naming.name if naming is not None else ""


def _is_echoed(draft: PlanDraft, item: Item) -> bool:
    """Whether a word says again what a column that the plan uses says: `l` of `mg/l`, `score` of goals."""
    if not draft.world.table or item.kind != "word":
        return False
    asked = draft.answer_property
    if asked is not None and any(noun_score(asked, nouns) for nouns, _ in item.nouns):
        return True
    dates = [each.property for each in draft.restrictions if each.property.type is ValueType.DATE]
    if item.text in english.DATED_VERBS and any(("date",) in each.words for each in dates):
        return True
    used = [prop for number in draft.used if (prop := draft.property_at(number)) is not None]
    labels = [label for prop in used for label in prop.labels]
    return any(item.text in english.words(label) for label in labels)


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
    if _shown(draft):
        return _WHOLE if _is_echo(draft) or not _is_named(draft) else 1.0
    is_node = draft.form is Form.LIST and draft.answer_property is None
    if is_node and draft.places[draft.answer].node.resource is not None:
        return _ECHO
    if draft.world.table and draft.form is Form.LIST and _is_echo(draft):
        return _ECHO
    return _UNNAMED if is_node and draft.world.table and not _is_named(draft) else 1.0


def _is_named(draft: PlanDraft) -> bool:
    """Whether the column that names the answer is asked for, or called so."""
    naming = draft.naming()
    return draft.answer_property is not None or (
        naming is not None and any(words[-1] in (*NAMING, "person") for words in naming.words)
    )


def _is_echo(draft: PlanDraft) -> bool:
    """Whether the column that is asked for is the one that a value in the question names."""
    asked = draft.answer_property or draft.naming()
    return draft.ranking is None and any(
        each.property == asked and not each.is_any and bound.operator == "=" and isinstance(bound.value, str)
        for each in draft.restrictions
        for bound in each.bounds
    )


def _is_content(item: Item) -> bool:
    if item.kind == "word":
        return item.text not in english.LIGHT_WORDS
    return item.kind in _CONTENT


_SUMMED, _SUMMED_SOME = 0.45, 0.8
"""The factor of confidence where a count is taken for a sum over all resources, and over those that have
a value in the question."""


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
    if draft.form is Form.ASK and compare_rows(draft):
        draft.places.append(PlacedNode(Node(world.table), 0, (world.table or "",)))
        add_nodes(draft)
        return AssembledPlan(_plan(draft), confidence(draft), unused(draft))
    read_numbers(draft)
    read_superlatives(draft)
    if not choose_target(draft):
        return None
    add_nodes(draft)
    join_nodes(draft)
    restrict_by_values(draft)
    restrict_by_flags(draft)
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
    is_named = draft.places[draft.answer].node.resource is not None or any(
        each.property.distinct == each.property.subjects
        for each in draft.restrictions
        if isinstance(each.bounds[0].value, str)
    )
    draft.form = Form.LIST if is_named else Form.SUM
    draft.score *= 1.0 if is_named else _SUMMED_SOME if texts else _SUMMED


def _plan(draft: PlanDraft) -> QueryPlan:
    return QueryPlan(
        draft.form,
        tuple(place.node for place in draft.places),
        draft.answer,
        draft.answer_property,
        draft.answer_year,
        tuple(draft.links),
        (*draft.restrictions, *_without_rows_aside(draft)),
        tuple(draft.absences),
        tuple(draft.quantities),
        draft.ranking,
        draft.naming(),
        draft.world.table,
        _shown(draft),
        draft.comparison,
    )


def _without_rows_aside(draft: PlanDraft) -> Iterator[Restriction]:
    """The restrictions that leave out a table's totals, where no value of their column is asked for."""
    if draft.world.table is None:
        return
    row = draft.world.classes[draft.world.table]
    bounded = {each.property.name for each in draft.restrictions}
    for column, text in row.aside:
        if column not in bounded:
            yield Restriction(draft.answer, row.properties[column], (Bound("<>", text),))


_MOST_SHOWN: Final = 30
"""Columns of a whole row."""


def _shown(draft: PlanDraft) -> tuple[SchemaProperty, ...]:
    """The further columns of a table whose rows are asked for, by what names them."""
    asked = draft.answer_property or draft.naming()
    if not draft.world.table or draft.form is not Form.LIST or asked is None:
        return ()
    number = next((n for n in draft.used if draft.property_at(n) == asked), 0)
    is_key = asked.type is ValueType.TEXT and asked.distinct == asked.subjects
    is_asked = number > 0 and draft.items[number - 1].text in ("which", "what")
    if draft.answer_property is not None and not (is_key and (is_asked or draft.ranking)):
        return ()
    columns = draft.world.classes[draft.world.table].properties.values()
    return tuple(each for each in columns if each != asked)[:_MOST_SHOWN]
