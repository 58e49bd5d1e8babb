"""Names in a question that the graph does not have, each with the nearest ones that it has."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from difflib import get_close_matches
from itertools import islice
from typing import Final, NamedTuple

from sage_ld.agents.text_to_sparql import english
from sage_ld.agents.text_to_sparql.grammar import items_of
from sage_ld.agents.text_to_sparql.mentions import QuestionWord, spans, words_of
from sage_ld.agents.text_to_sparql.schema import World
from sage_ld.agents.text_to_sparql.values import ValueIndex

_NEAREST: Final = 3
_LIKENESS: Final = 0.55
"""The least likeness of a name, as `difflib` measures it."""
_COMPARED: Final = 2_000
"""Names that one missing name is compared with."""


class MissingName(NamedTuple):
    """Words of a question that name nothing in the graph."""

    words: str
    nearest: tuple[str, ...]
    """The most similar values and columns that the graph has."""
    is_name: bool
    """Whether it is written as an identifier or a name; else an ordinary word."""


def missing_names(question: str, worlds: Sequence[tuple[World, ValueIndex]]) -> tuple[MissingName, ...]:
    """The names and words of a question that no class, property or value of any world is written like."""
    words = words_of(question)
    known = {
        place
        for world, values in worlds
        for span in spans(words, world, values)
        for place in range(span.begin, span.end)
    }
    missing = []
    for begin, end, is_name in _joined(question, words, known):
        text = question[words[begin].begin : words[end - 1].end]
        missing.append(MissingName(text, _nearest(text, worlds), is_name))
    return tuple(missing)


def _joined(question: str, words: Sequence[QuestionWord], known: set[int]) -> Iterator[tuple[int, int, bool]]:
    """The places of unknown names; words that stand side by side are one."""
    begin, end, is_name = 0, 0, False
    for item in items_of(question, words, []):
        is_of_name = item.kind == "identifier" or (item.kind == "word" and item.is_name)
        is_unknown = item.begin not in known and (is_of_name or (item.kind == "word" and _says(item.text)))
        if is_unknown and end == item.begin and begin < end and item.kind == "word":
            end, is_name = item.end, is_name or is_of_name
            continue
        if begin < end:
            yield begin, end, is_name
        begin, end, is_name = (item.begin, item.end, is_of_name) if is_unknown else (0, 0, False)
    if begin < end:
        yield begin, end, is_name


def _says(word: str) -> bool:
    """Whether an ordinary word names something, as far as grammar tells."""
    return word not in english.LIGHT_WORDS and word not in english.UNITS and not english.nouns_of(word)


def _nearest(text: str, worlds: Sequence[tuple[World, ValueIndex]]) -> tuple[str, ...]:
    names = {english.key(name): name for name in islice(_alike(english.key(text), worlds), _COMPARED)}
    return tuple(names[each] for each in get_close_matches(english.key(text), names, _NEAREST, _LIKENESS))


def _alike(text: str, worlds: Sequence[tuple[World, ValueIndex]]) -> Iterator[str]:
    """The names that begin like a text, or share a word with it."""
    wanted = set(text.split())
    for world, values in worlds:
        for name in _names(world, values):
            key = english.key(name)
            if key and (key[0] == text[:1] or not wanted.isdisjoint(key.split())):
                yield name


def _names(world: World, values: ValueIndex) -> Iterable[str]:
    for having in world.properties.values():
        yield having[0][1].label
    for value in values.values:
        yield value.text
