"""The schema summary: the classes of a graph, their properties, and what the values of these are like."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import Final, NamedTuple, TypeAlias

from sage_ld.agents.text_to_sparql import english


class ValueType(StrEnum):
    """The type of a property's values, as far as a question can compare them."""

    NUMBER = "number"
    DATE = "date"
    TEXT = "text"
    RESOURCE = "resource"


NAMING: Final = ("name", "title", "label", "pref label")
"""Names of properties whose values name what has them, the first before the others."""


@dataclass(frozen=True, slots=True)
class SchemaProperty:
    """A property of a class, or a column of a table."""

    name: str
    """Its IRI, or the column's name in SQL."""
    labels: tuple[str, ...]
    """What people call it: its local name or title, its labels in the graph."""
    type: ValueType
    subjects: int
    """The number of instances of the class that have it."""
    values: int
    """The number of statements, or of filled cells."""
    distinct: int
    """The number of different values."""
    ranges: tuple[str, ...] = ()
    """The classes of its values, or their datatype."""
    least: str | None = None
    most: str | None = None
    examples: tuple[str, ...] = ()
    comment: str = ""
    unit: str = ""
    """The unit of its values, a name in `english.UNITS`; empty where nothing says it."""
    flags: tuple[tuple[str, ...], tuple[str, ...]] | None = None
    """Of values that say yes or no, those for yes and those for no; None for a property with others."""
    has_spellings: bool = False
    """Whether some of its values differ in case or in spaces around them alone."""
    has_gaps: bool = False
    """Whether some rows of its table have no value."""

    @property
    def label(self) -> str:
        """The first of its labels."""
        return self.labels[0]

    @property
    def words(self) -> tuple[tuple[str, ...], ...]:
        """The words of each label, without its unit."""
        return _label_words(self.labels)


@dataclass(frozen=True, slots=True)
class SchemaClass:
    """A class of resources, or a table, whose rows are its instances."""

    name: str
    """Its IRI, or the table's name in SQL."""
    labels: tuple[str, ...]
    instances: int
    properties: Mapping[str, SchemaProperty]
    comment: str = ""
    documents: tuple[str, ...] = ()
    """The IRIs of the documents that a table stands in."""
    aside: tuple[tuple[str, str], ...] = ()
    """Columns with a text whose rows are no instances: totals, what a list is said to be."""

    @property
    def label(self) -> str:
        """The first of its labels."""
        return self.labels[0]

    @property
    def words(self) -> tuple[tuple[str, ...], ...]:
        """The words of each label."""
        return tuple(filter(None, (tuple(english.words(each)) for each in self.labels)))

    def naming(self) -> SchemaProperty | None:
        """The property that names an instance: one called name, title or label; else the first text."""
        texts = [each for each in self.properties.values() if each.type is ValueType.TEXT]
        for name in NAMING:
            for each in texts:
                if any(" ".join(words) == name for words in each.words):
                    return each
        for each in texts:
            if any(words[-1] in NAMING for words in each.words):
                return each
        return texts[0] if texts else None


@dataclass(frozen=True)
class World:
    """The classes that one query can ask together: all that are stated in RDF, or one table."""

    classes: Mapping[str, SchemaClass]
    table: str | None = None
    """The table's name; None for RDF."""
    vocabulary: frozenset[str] = field(default_factory=frozenset)

    @cached_property
    def properties(self) -> Mapping[str, tuple[tuple[str, SchemaProperty], ...]]:
        """Each property by name, with the classes that have it."""
        by_word: dict[str, list[tuple[str, SchemaProperty]]] = {}
        for name, each in self.classes.items():
            for prop in each.properties.values():
                by_word.setdefault(prop.name, []).append((name, prop))
        return {name: tuple(each) for name, each in by_word.items()}


class Fact(NamedTuple):
    """A property that joins a resource with others of a class."""

    property: str
    inverse: bool
    """Whether the others are its subjects."""
    class_name: str


Facts: TypeAlias = Sequence[Fact]


def without_unit(words: Iterable[str]) -> tuple[str, ...]:
    """The words of a label without a unit at its end.

    >>> without_unit(["beak", "length", "mm"]), without_unit(["weight", "in", "lbs"])
    (('beak', 'length'), ('weight',))
    """
    kept = list(words)
    while len(kept) > 1 and (kept[-1] in english.UNITS or kept[-1] in ("in", "of", "per")):
        kept.pop()
    return tuple(kept)


@lru_cache(1 << 12)
def _label_words(labels: tuple[str, ...]) -> tuple[tuple[str, ...], ...]:
    """The words of each label, without its unit."""
    return tuple(filter(None, (without_unit(english.words(each)) for each in labels)))


def unit_of(labels: Iterable[str], comment: str = "") -> str:
    """The unit that the end of a label names, or a comment after `in`; empty where neither does.

    >>> unit_of(["Body Mass (g)"]), unit_of(["length"], "The length of a song, expressed in seconds.")
    ('g', 'seconds')
    """
    for label in labels:
        label_words = english.words(label)
        if len(label_words) > 1 and label_words[-1] in english.UNITS:
            return label_words[-1]
    comment_words = english.words(comment)
    for before, word in pairwise(comment_words):
        if before == "in" and word in english.UNITS:
            return word
    return ""
