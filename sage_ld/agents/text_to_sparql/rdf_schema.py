"""The schema and the values of what documents and users state in RDF, read from the store within bounds.

What sage-ld derives is left out: chunks and mentions, entities, edges. So is a resource without a class.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import islice
from typing import Final, NamedTuple

from pyoxigraph import Literal, NamedNode, Quad

from sage_ld.agents.text_to_sparql import english
from sage_ld.agents.text_to_sparql.schema import (
    NAMING,
    SchemaClass,
    SchemaProperty,
    ValueType,
    World,
    unit_of,
)
from sage_ld.agents.text_to_sparql.values import NamedValue, ValueIndex
from sage_ld.build.readers.rdf_resources import LABELS, local_name
from sage_ld.foundation import vocabulary as v
from sage_ld.foundation.rdf_values import iri_of, text_of
from sage_ld.graph import Snapshot
from sage_ld.graph.store import queries
from sage_ld.graph.store.iris import Iris
from sage_ld.graph.store.protocol import Store
from sage_ld.graph.store.queries import select
from sage_ld.graph.store.terms import node

_CLASSES: Final = 200
"""Classes of the summary, those of most instances."""
_INSTANCES: Final = 50_000
"""Instances of a class that are read."""
_TRIED: Final = 1_000
"""Instances of a class of which one at least has to be stated, not derived."""
_STATEMENTS: Final = 1_000_000
"""Statements that are read for all classes together."""
_CATEGORIES: Final = 5_000
"""Different values of a property that names nothing, up to which a question can name them."""
_LONGEST: Final = 80
"""Characters of a value that a question can name."""
_EXAMPLES: Final = 3
_NUMBER_TYPES = "integer decimal double float int long short byte nonNegativeInteger positiveInteger"
_NUMBERS: Final = frozenset(v.XSD + name for name in _NUMBER_TYPES.split())
_DATES: Final = frozenset(v.XSD + name for name in ("date", "dateTime", "gYear", "gYearMonth"))
_RESOURCE: Final = v.RDFS + "Resource"
_ABOUT_VOCABULARIES: Final = (v.RDF, v.RDFS, "http://www.w3.org/2002/07/owl#", "http://www.w3.org/ns/shacl#")
_COMMENTS: Final = frozenset({v.RDFS + "comment", "http://www.w3.org/2004/02/skos/core#definition"})


class RdfSchema(NamedTuple):
    """The classes of the RDF that documents and users state, and the values that questions may name."""

    world: World
    values: ValueIndex


def rdf_schema(snapshot: Snapshot) -> RdfSchema:
    """The schema of a revision, read once for it."""
    return snapshot.derived(_read)


@dataclass
class _Statements:
    """The statements of the instances of a class with one property."""

    subjects: int = 0
    kinds: Counter[str] = field(default_factory=Counter)
    """The number of values with a datatype, and of resources."""
    ranges: Counter[str] = field(default_factory=Counter)
    values: dict[str, str] = field(default_factory=dict)
    """Different values, with a resource that has each."""
    named: list[tuple[str, str]] = field(default_factory=list)
    """Resource and value, of a property whose values are names."""


def _read(snapshot: Snapshot) -> RdfSchema:
    store, iris = snapshot.stores.named, Iris(snapshot.configuration.base_iri)
    derived = {
        iris.base + "graph/" + name
        for name in ("entities", "resources", "concepts", "edges", "builds", "relations", "curated")
    }
    instances = _instances(snapshot, store, derived)
    types: dict[str, list[str]] = defaultdict(list)
    for name, subjects in instances.items():
        for subject in subjects:
            types[subject].append(name)
    by_class = _statements(store, instances, types, derived)
    labels = _labels(snapshot.store, {*instances, *(prop for each in by_class.values() for prop in each)})
    classes = {}
    for name, statements in by_class.items():
        properties = {prop: _property(prop, each, labels[prop]) for prop, each in statements.items()}
        ordered = sorted(properties, key=lambda prop: (-properties[prop].subjects, prop))
        classes[name] = SchemaClass(
            name,
            labels[name][0],
            len(instances[name]),
            {prop: properties[prop] for prop in ordered},
            labels[name][1],
        )
    return RdfSchema(World(classes), ValueIndex(_values(by_class, types)))


def _instances(snapshot: Snapshot, store: Store, derived: set[str]) -> dict[str, list[str]]:
    """The resources of each class that documents and users' graphs state, the largest class first."""
    names = (iri_of(row["class"]) for row in select(snapshot.store, queries.text("classes")))
    instances = {}
    for name in sorted(name for name in names if name and _is_of_things(name)):
        quads = islice(store.quads_for_pattern(None, node(v.TYPE), node(name), None), _INSTANCES)
        if not any(_is_stated(quad, derived) for quad in islice(quads, _TRIED)):
            continue
        quads = islice(store.quads_for_pattern(None, node(v.TYPE), node(name), None), _INSTANCES)
        instances[name] = sorted({str(quad.subject)[1:-1] for quad in quads if _is_stated(quad, derived)})
    most = sorted(instances, key=lambda name: (-len(instances[name]), name))[:_CLASSES]
    return {name: instances[name] for name in most}


def _is_of_things(name: str) -> bool:
    """Whether a term is of a vocabulary about things, not one about statements or of this project."""
    ours = name.startswith((v.SAGE, v.CSVW)) or name in (v.SCHEMA + "Dataset", v.MENTIONS, v.MAIN_ENTITY)
    return not ours and not name.startswith(_ABOUT_VOCABULARIES)


def _is_stated(quad: Quad, derived: set[str]) -> bool:
    return isinstance(quad.subject, NamedNode) and getattr(quad.graph_name, "value", "") not in derived


def _statements(
    store: Store, instances: Mapping[str, list[str]], types: Mapping[str, list[str]], derived: set[str]
) -> dict[str, dict[str, _Statements]]:
    """By class and property, what the instances say; those of several classes are read once for all."""
    by_class: dict[str, dict[str, _Statements]] = {name: defaultdict(_Statements) for name in instances}
    left = _STATEMENTS
    for subject, classes in types.items():
        values: dict[str, list[NamedNode | Literal]] = defaultdict(list)
        for quad in store.quads_for_pattern(NamedNode(subject), None, None, None):
            prop = quad.predicate.value
            is_said = _is_stated(quad, derived) and (prop in LABELS or _is_of_things(prop))
            if is_said and isinstance(quad.object, NamedNode | Literal):
                values[prop].append(quad.object)
        for prop, objects in values.items():
            for name in classes:
                _add(by_class[name][prop], prop, subject, objects, types)
        left -= sum(map(len, values.values()))
        if left <= 0:
            break
    return {name: each for name, each in by_class.items() if each}


def _add(
    each: _Statements,
    prop: str,
    subject: str,
    objects: Iterable[NamedNode | Literal],
    types: Mapping[str, list[str]],
) -> None:
    each.subjects += 1
    for value in objects:
        each.kinds[_RESOURCE if isinstance(value, NamedNode) else value.datatype.value] += 1
        each.values.setdefault(value.value, subject)
        if isinstance(value, NamedNode):
            each.ranges.update(types.get(value.value, ()))
        elif is_naming(prop):
            each.named.append((subject, value.value))


def _property(name: str, each: _Statements, label_and_comment: tuple[tuple[str, ...], str]) -> SchemaProperty:
    """The schema of a class's statements with one property: that of most of its values."""
    kind = each.kinds.most_common(1)[0][0]
    labels, comment = label_and_comment
    type_ = _type(kind)
    ordered = sorted(each.values, key=_number if type_ is ValueType.NUMBER else str)
    ranges = tuple(range_ for range_, _ in each.ranges.most_common()) if kind == _RESOURCE else (kind,)
    return SchemaProperty(
        name,
        labels,
        type_,
        each.subjects,
        each.kinds.total(),
        len(each.values),
        ranges,
        ordered[0],
        ordered[-1],
        tuple(islice(each.values, _EXAMPLES)),
        comment,
        unit_of(labels, comment),
    )


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return 0.0


def _type(kind: str) -> ValueType:
    if kind == _RESOURCE:
        return ValueType.RESOURCE
    return ValueType.NUMBER if kind in _NUMBERS else ValueType.DATE if kind in _DATES else ValueType.TEXT


def _labels(store: Store, names: Iterable[str]) -> dict[str, tuple[tuple[str, ...], str]]:
    """The labels and the comment of classes or properties; the local name comes first."""
    labels = {name: [local_name(name)] for name in names}
    comments = dict.fromkeys(labels, "")
    for row in sorted(select(store, queries.bind("schema_labels", term=sorted(labels))), key=str):
        name, text = iri_of(row["term"]), text_of(row["text"])
        if name is None or not text:
            continue
        if iri_of(row["property"]) in _COMMENTS:
            comments[name] = comments[name] or text
        elif text not in labels[name]:
            labels[name].append(text)
    return {name: (tuple(labels[name]), comments[name]) for name in labels}


def _values(
    statements: Mapping[str, Mapping[str, _Statements]], types: Mapping[str, list[str]]
) -> list[NamedValue]:
    """Names with what they name, and the texts of properties that have few."""
    values = []
    classes: dict[tuple[str, str], set[str]] = defaultdict(set)
    names: dict[tuple[str, str, str], None] = {}
    for name, properties in statements.items():
        for prop, each in properties.items():
            if is_naming(prop):
                names.update(dict.fromkeys((text, prop, subject) for subject, text in each.named))
            elif _type(each.kinds.most_common(1)[0][0]) is ValueType.TEXT and len(each.values) <= _CATEGORIES:
                for text in each.values:
                    classes[text, prop].add(name)
    for text, prop, subject in names:
        values.append(NamedValue(text, prop, frozenset(types[subject]), subject))
    for (text, prop), having in classes.items():
        values.append(NamedValue(text, prop, frozenset(having)))
    return [value for value in values if value.text.strip() and len(value.text) <= _LONGEST]


def is_naming(prop: str) -> bool:
    """Whether the values of a property name what has them."""
    return prop in LABELS or english.key(local_name(prop)) in NAMING
