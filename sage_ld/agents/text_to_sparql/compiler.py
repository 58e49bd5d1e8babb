"""A compiler of questions by grammar: from a question to plans, each with how sure it is.

It needs no model. It binds the words of a question to the labels of a graph's own vocabulary and to the
values in it, joins what they name by the properties that the graph has, and lowers its confidence for each
word that it could not use. English only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, product
from typing import Final, NamedTuple

from sage_ld.agents.text_to_sparql import english
from sage_ld.agents.text_to_sparql.grammar import Item, items_of
from sage_ld.agents.text_to_sparql.mentions import Meaning, MeaningSpan, QuestionWord, spans, words_of
from sage_ld.agents.text_to_sparql.plan import QueryPlan
from sage_ld.agents.text_to_sparql.planning.assembly import assembled_plan
from sage_ld.agents.text_to_sparql.schema import Facts, SchemaClass, SchemaProperty, ValueType, World
from sage_ld.agents.text_to_sparql.values import NamedValue, ValueIndex
from sage_ld.foundation.deadline import Check, unchecked

_READINGS: Final = 64
"""Combinations of meanings that are tried for one question and world."""


class Binding(NamedTuple):
    """Words of a question, and what they were taken for."""

    words: str
    kind: str
    """class, property or value."""
    name: str
    """The IRI or the column, or the text of a value."""


@dataclass(frozen=True, slots=True)
class Interpretation:
    """A plan for a question, with how sure it is and why."""

    plan: QueryPlan
    confidence: float
    """From 0 to 1."""
    bindings: tuple[Binding, ...]
    unused: tuple[str, ...]
    """Words of the question that the plan does not cover."""


def interpretations(
    question: str,
    world: World,
    values: ValueIndex,
    facts: Callable[[str], Facts],
    check: Check = unchecked,
) -> list[Interpretation]:
    """The plans that a question may mean in a world, the surest first; none if it names nothing there.

    `facts` returns the properties that join a resource with others. `check` ends the work by raising an
    error.
    """
    words = words_of(question)
    by_plan: dict[QueryPlan, Interpretation] = {}
    for chosen in _choices(spans(words, world, values)):
        check()
        items = items_of(question, words, chosen)
        if (assembled := assembled_plan(items, world, facts)) is None:
            continue
        plan, confidence, unused = assembled
        if world.table:
            confidence *= _clarity(chosen, world, words) * _bounded_values(chosen, items)
        bindings = tuple(
            _binding(meaning, question, words[span.begin].begin, words[span.end - 1].end)
            for span, meaning in chosen
        )
        made = Interpretation(plan, confidence, bindings, unused)
        if plan not in by_plan or by_plan[plan].confidence < made.confidence:
            by_plan[plan] = made
    return sorted(by_plan.values(), key=lambda each: -each.confidence)


def _choices(meaning_spans: Sequence[MeaningSpan]) -> Iterator[list[tuple[MeaningSpan, Meaning]]]:
    """Combinations of what the spans may mean, the surest meanings first."""
    for chosen in islice(product(*(span.meanings for span in meaning_spans)), _READINGS):
        yield list(zip(meaning_spans, chosen, strict=True))


_UNCLEAR, _OTHER = 0.45, 0.2
"""The factor of confidence where a value stands in two columns and nothing says which is meant; and where
the question has words of the other column."""


def _clarity(
    chosen: Sequence[tuple[MeaningSpan, Meaning]], world: World, words: Sequence[QuestionWord]
) -> float:
    """The clarity of a reading: whether the question says which columns its values stand in."""
    asked = {english.inflected(word.folded) for word in words}
    factor = 1.0
    for span, meaning in chosen:
        target = meaning.target
        if not isinstance(target, NamedValue):
            continue
        for rival in span.meanings:
            other = rival.target
            if not isinstance(other, NamedValue) or other.property == target.property:
                continue
            own, others = (_label_words(world, name) for name in (target.property, other.property))
            if (others - own) & asked:
                factor *= _OTHER
            elif not (own - others) & asked and rival.score >= meaning.score:
                factor *= _UNCLEAR
    return factor


def _bounded_values(chosen: Sequence[tuple[MeaningSpan, Meaning]], items: Sequence[Item]) -> float:
    """The factor for values that may be columns which a bound follows: `lent` of `lent before March`."""
    factor = 1.0
    for span, meaning in chosen:
        rivals = [rival.target for rival in span.meanings if isinstance(rival.target, SchemaProperty)]
        is_rival = any(rival.type in (ValueType.DATE, ValueType.NUMBER) for rival in rivals)
        following = next((each for each in items if each.begin >= span.end and each.kind != "function"), None)
        if isinstance(meaning.target, NamedValue) and is_rival and following and following.kind in _BOUNDING:
            factor *= _OTHER
    return factor


_BOUNDING: Final = frozenset({"compare", "between", "day", "month", "number"})


def _label_words(world: World, column: str) -> set[str]:
    prop = world.properties[column][0][1]
    return {english.inflected(word) for label in prop.words for word in label}


def _binding(meaning: Meaning, question: str, begin: int, end: int) -> Binding:
    target = meaning.target
    if isinstance(target, SchemaClass):
        return Binding(question[begin:end], "class", target.name)
    if isinstance(target, SchemaProperty):
        return Binding(question[begin:end], "property", target.name)
    return Binding(question[begin:end], "value", target.resource or target.text)
