"""The values of entities' properties: read within a budget, compared with a query, shown as cells."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple, TypeAlias

from pyoxigraph import Literal, NamedNode, Quad

from sage_ld.build.annotators.labels import entity_label
from sage_ld.build.readers.characters import one_line
from sage_ld.build.readers.rdf_resources import LABELS
from sage_ld.foundation import vocabulary as v
from sage_ld.foundation.deadline import Check
from sage_ld.foundation.errors import LimitError
from sage_ld.foundation.rdf_values import is_english, is_iri, number_of
from sage_ld.graph.store.protocol import Store
from sage_ld.graph.store.terms import Term
from sage_ld.retrieval.reconciliation.names import EntityNames, NamedEntity
from sage_ld.retrieval.reconciliation.trigrams import likeness

ALMOST: Final = 0.99
"""The most that a value or a name counts which is not equal to the one asked for."""
_INTEGERS: Final = frozenset(
    v.XSD + name
    for name in (
        *("integer", "long", "int", "short", "byte"),
        *("nonNegativeInteger", "nonPositiveInteger", "positiveInteger", "negativeInteger"),
        *("unsignedLong", "unsignedInt", "unsignedShort", "unsignedByte"),
    )
)
_NUMBERS: Final = frozenset(v.XSD + name for name in ("decimal", "double", "float"))
_INTEGER: Final = re.compile(r"[+-]?\d{1,18}", re.ASCII)
_DAY: Final = re.compile(r"-?(?:[1-9]\d*)?\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])", re.ASCII)
_CLOCK: Final = r"(?:[01]\d|2[0-3]):[0-5]\d"
_TIME: Final = re.compile(rf"{_DAY.pattern}T{_CLOCK}:[0-5]\d(?:\.\d+)?(?:Z|[+-]{_CLOCK})?", re.ASCII)

_DESCRIPTIONS: Final = (v.SKOS + "definition", v.DESCRIPTION, v.COMMENT, v.DCTERMS + "description")
_LONGEST: Final = 200
"""Characters of a description."""

Cell: TypeAlias = dict[str, str | int | float]
"""A value as section 7.4 has it, under `id` and `name`, `str`, `int`, `float` or `date`."""


class AskedEntity(NamedTuple):
    """A value that is an entity, reconciled before."""

    iri: str


AskedValue: TypeAlias = str | float | bool | AskedEntity


class AskedProperty(NamedTuple):
    """A property of a query, and the values of which an entity should have one."""

    iri: str
    values: tuple[AskedValue, ...]


@dataclass
class ValueReader:
    """Reads the values of entities for one request."""

    store: Store
    names: EntityNames
    most: int
    """Statements that may be read, the setting max_reconciliation_statements."""
    check: Check
    read: int = 0

    def values(self, entity: str, predicate: str) -> list[Term]:
        """The values of a property, in order; none of what has no IRI. Raises LimitError."""
        if not (is_iri(entity) and is_iri(predicate)):
            return []
        return sorted((quad.object for quad in self._quads(entity, predicate)), key=str)

    def _quads(self, subject: str | None, predicate: str, value: NamedNode | None = None) -> Iterator[Quad]:
        about = None if subject is None else NamedNode(subject)
        self.check()
        for quad in self.store.quads_for_pattern(about, NamedNode(predicate), value):
            self.read += 1
            if self.read > self.most:
                raise LimitError.of(
                    "reconciliation", self.read, self.most, "statements", "max_reconciliation_statements",
                    "ask for fewer entities or properties at a time",
                )  # fmt: skip
            yield quad

    def likeness(self, entity: str, asked: AskedProperty) -> float:
        """The likeness of an entity's values to the values asked for, from 0 to 1."""
        stated = self.values(entity, asked.iri)
        return max((self._alike(each, value) for each in stated for value in asked.values), default=0.0)

    def having(self, asked: AskedProperty) -> set[int]:
        """The entities that have a value equal to one asked for. Raises LimitError."""
        found: set[int] = set()
        for value in asked.values if is_iri(asked.iri) else ():
            wanted = value.iri if isinstance(value, AskedEntity) else None
            if wanted is not None and not is_iri(wanted):
                continue
            for quad in self._quads(None, asked.iri, None if wanted is None else NamedNode(wanted)):
                place = self.names.number.get(getattr(quad.subject, "value", ""))
                if place is not None and self._alike(quad.object, value) == 1:
                    found.add(place)
        return found

    def _alike(self, stated: Term, asked: AskedValue) -> float:
        if isinstance(asked, AskedEntity):
            return float(isinstance(stated, NamedNode) and stated.value == asked.iri)
        if isinstance(asked, bool):
            written = ("true", "1") if asked else ("false", "0")
            return float(isinstance(stated, Literal) and stated.value in written)
        number = number_of(stated)
        if number is not None and number == number_of(Literal(str(asked))):
            return 1.0
        return max((_text_likeness(each, str(asked)) for each in self._texts(stated)), default=0.0)

    def _texts(self, stated: Term) -> list[str]:
        """The texts by which a value may be asked for: of a resource, its IRI and its labels."""
        if isinstance(stated, Literal):
            return [stated.value]
        if not isinstance(stated, NamedNode):
            return []
        if (place := self.names.number.get(stated.value)) is not None:
            return [stated.value, *self.names.labels_of(place)]
        labels = (quad.object for name in LABELS for quad in self._quads(stated.value, name))
        return [stated.value, *(each.value for each in labels if isinstance(each, Literal))]

    def description(self, entity: NamedEntity) -> str:
        """The description of an entity in the graph, or else the number of passages that mention it."""
        for name in _DESCRIPTIONS:
            texts = [each for each in self.values(entity.iri, name) if isinstance(each, Literal)]
            texts.sort(key=lambda each: not is_english(each))
            if texts and texts[0].value.strip():
                return one_line(texts[0].value[: 4 * _LONGEST])[:_LONGEST]
        return f"mentioned in {entity.frequency:,} passages" if entity.frequency else ""

    def cells(self, entity: str, predicate: str, most: int | None) -> list[Cell]:
        """At most so many values of a property, as a table has them."""
        cells = (self._cell(each) for each in self.values(entity, predicate))
        return [each for each in cells if each is not None][:most]

    def _cell(self, value: Term) -> Cell | None:
        if isinstance(value, Literal):
            return _literal_cell(value)
        if not isinstance(value, NamedNode):
            return None
        place = self.names.number.get(value.value)
        if place is None:
            return {"str": value.value}
        return {"id": value.value, "name": self.names.entities[place].name}


def _text_likeness(stated: str, asked: str) -> float:
    if stated == asked or (entity_label(stated) and entity_label(stated) == entity_label(asked)):
        return 1.0
    return min(likeness(stated, asked), ALMOST)


def _literal_cell(value: Literal) -> Cell:
    """A literal; a day without a time is its midnight, as a date of the specification has a time.

    >>> _literal_cell(Literal("12", datatype=NamedNode(v.XSD + "integer")))
    {'int': 12}
    >>> _literal_cell(Literal("1987-05-01", datatype=NamedNode(v.XSD + "date")))
    {'date': '1987-05-01T00:00:00'}
    """
    kind, text = value.datatype.value, value.value
    if kind in _INTEGERS and _INTEGER.fullmatch(text):
        return {"int": int(text)}
    if kind in _NUMBERS and (number := number_of(value)) is not None:
        return {"float": number}
    if kind == v.XSD + "dateTime" and _TIME.fullmatch(text):
        return {"date": text}
    if kind == v.XSD + "date" and _DAY.fullmatch(text):
        return {"date": text + "T00:00:00"}
    return {"str": text}


def extended(
    reader: ValueReader, entities: Sequence[str], properties: Mapping[str, int | None]
) -> dict[str, dict[str, list[Cell]]]:
    """The values of properties, with the most of each, by entity and property. Raises LimitError."""
    return {
        each: {name: reader.cells(each, name, most) for name, most in properties.items()} for each in entities
    }
