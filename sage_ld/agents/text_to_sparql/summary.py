"""The schema summary as text for a language model, cut to what a question names."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from sage_ld.agents.text_to_sparql.mentions import spans, words_of
from sage_ld.agents.text_to_sparql.schema import SchemaClass, SchemaProperty, World
from sage_ld.agents.text_to_sparql.values import NamedValue, Nearest, ValueIndex

_CLASSES: Final = 12
_PROPERTIES: Final = 20
_LONGEST: Final = 40
"""Characters of an example."""
_VALUES: Final = 5
"""Values of a field."""


def summary(question: str, worlds: Sequence[tuple[World, ValueIndex]]) -> str:
    """The classes and tables that a question may be about, with their properties, the likeliest first."""
    ranked = sorted(
        ((_named(question, world, values, each), world.table is None, each) for world, values in worlds
         for each in world.classes.values()),
        key=lambda entry: (-entry[0], -entry[2].instances, entry[2].name),
    )  # fmt: skip
    return "\n".join(_described(each, is_rdf) for _, is_rdf, each in ranked[:_CLASSES])


def _named(question: str, world: World, values: ValueIndex, each: SchemaClass) -> float:
    """The share of a question that a class and its properties name."""
    words = words_of(question)
    score = 0.0
    for span in spans(words, world, values):
        for meaning in span.meanings:
            target = meaning.target
            if target is each:
                score += 2 * meaning.score
            elif _belongs(target, each):
                score += meaning.score
    return score


def _belongs(target: SchemaClass | SchemaProperty | NamedValue, each: SchemaClass) -> bool:
    """Whether a class has a property, or a value."""
    if isinstance(target, SchemaProperty):
        return target.name in each.properties
    return isinstance(target, NamedValue) and each.name in target.classes


def _described(each: SchemaClass, is_rdf: bool) -> str:
    kind, name = ("class", f"<{each.name}>") if is_rdf else ("table", f'"{each.name}"')
    lines = [f"{kind} {name}, called {_said(each.labels)}, {each.instances} of them"]
    lines += [f"  {_property(prop, is_rdf)}" for prop in list(each.properties.values())[:_PROPERTIES]]
    return "\n".join(lines)


def _property(prop: SchemaProperty, is_rdf: bool) -> str:
    name = f"<{prop.name}>" if is_rdf else f'"{prop.name}"'
    ranges = ", ".join(f"<{each}>" for each in prop.ranges[:4]) if is_rdf else ", ".join(prop.ranges)
    examples = [each if len(each) <= _LONGEST else each[:_LONGEST] + "…" for each in prop.examples]
    unit = f", in {prop.unit}" if prop.unit else ""
    return (
        f"{name}, called {_said(prop.labels)}: {ranges}{unit}, of {prop.subjects}; such as {_said(examples)}"
    )


def _said(texts: Iterable[str]) -> str:
    return ", ".join(repr(each) for each in texts)


def found_values(question: str, worlds: Sequence[tuple[World, ValueIndex]]) -> str:
    """The values that share words with a question, by field, as lines."""
    lines = []
    for world, values in worlds:
        for field, values_of_field in values.nearest(question).items():
            name = f'"{world.table}"."{field}"' if world.table else f"<{field}>"
            lines.append(f"{name}: " + "; ".join(map(_value, values_of_field[:_VALUES])))
    return "\n".join(lines)


def _value(nearest: Nearest) -> str:
    resource = f" is <{nearest.value.resource}>" if nearest.value.resource else ""
    return repr(nearest.value.text) + resource
