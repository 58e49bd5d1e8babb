"""Types of relation and their weights: the table `ontology/relations.ttl`, and what a graph adds to it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Final

from pyoxigraph import Literal, NamedNode, Quad, RdfFormat, Triple, parse

from sage_ld.foundation import package_files
from sage_ld.foundation import vocabulary as v
from sage_ld.foundation.errors import InputError, LimitError
from sage_ld.foundation.metadata_terms import STRUCTURE, normal_key
from sage_ld.foundation.rdf_values import share_of
from sage_ld.foundation.settings import Settings

UNKNOWN_WEIGHT: Final = 0.3
"""The weight of a type that no table gives one."""
NAMESPACE: Final = "https://w3id.org/sage-ld/relations#"
"""Of the types of the package."""
_SHOWN: Final = 40  # names of types in a message
_LONGEST_NAME: Final = 60  # characters of each
_INVERSE: Final = v.OWL + "inverseOf"
_NOTATION: Final = v.SKOS + "notation"
_MATCH: Final = v.SKOS + "closeMatch"
_LABEL: Final = v.RDFS + "label"
_RESERVED: Final = (v.SAGE, v.RDF)
"""Namespaces of what says how a graph is made up, which is no relation between its resources."""
_OURS: Final = STRUCTURE | {v.ABOUT, v.IS_REPLACED_BY}
"""Properties of other namespaces that say so."""


@dataclass(frozen=True, slots=True)
class RelationType:
    """One type of relation: a property of the statements that edges of the type are about."""

    iri: str
    names: tuple[str, ...] = ()
    """By which users call it, in their normal form, sorted; without one, the IRI."""
    label: str = ""
    comment: str = ""
    weight: float = UNKNOWN_WEIGHT
    """In 0..1: how much an edge of the type counts, times the edge's own weight."""
    inverse: str | None = None
    """The IRI of the type that says the same from target to source; its own where it is symmetric."""
    matches: tuple[str, ...] = ()
    """Properties of other vocabularies, sorted: what users' RDF states with them is of the type."""

    @property
    def name(self) -> str:
        """The first of its names."""
        return self.names[0] if self.names else self.iri


@dataclass(frozen=True, slots=True)
class RelationTypes:
    """A table of relation types by IRI."""

    types: Mapping[str, RelationType]

    def named(self, name: str) -> RelationType:
        """The type with a name, whatever its case, or with an IRI, which need not be in the table.

        Raises InputError for a name of none, and for a property that says how a graph is made up.

        >>> builtin_types().named("Part of").iri
        'https://w3id.org/sage-ld/relations#partOf'
        """
        key = normal_key(name)
        for each in self.types.values():
            if name == each.iri or key in each.names:
                return each
        if _is_web_iri(name):
            return RelationType(_checked(name, "relation"))
        raise InputError(
            f"relation {name[:60]!r} is not a relation type of this graph; choose from {self._some_names()}, "
            "or an IRI, or add it to the table: sage-ld edges extend KG FILE"
        )

    def _some_names(self) -> str:
        """The first names for a message; it stays short, however many types users add."""
        names = sorted(each.name[:_LONGEST_NAME] for each in self.types.values())
        more = f" and {len(names) - _SHOWN:,} more" if len(names) > _SHOWN else ""
        return ", ".join(names[:_SHOWN]) + more

    def of(self, iri: str) -> RelationType:
        """The type with an IRI; one without a name and with the weight of unknown types if there is none."""
        return self.types.get(iri) or RelationType(iri)

    def with_inverses(self, names: Iterable[str]) -> frozenset[str]:
        """The IRIs of types, and of those that say the same the other way. Raises InputError."""
        chosen = [self.named(name) for name in names]
        return frozenset(each.iri for each in chosen) | {each.inverse for each in chosen if each.inverse}

    def extended(self, statements: Iterable[Quad | Triple]) -> RelationTypes:
        """The table with what statements say of types: of one that is there, instead of what it had."""
        types = dict(self.types)
        for iri, statements_of in added_types(statements).items():
            types[iri] = _merged(types.get(iri) or RelationType(iri), statements_of)
        for each in list(types.values()):
            other = types.get(each.inverse or "")
            if other is not None and not other.inverse:  # owl:inverseOf holds in both directions
                types[other.iri] = replace(other, inverse=each.iri)
        return RelationTypes(types)


@cache
def builtin_types() -> RelationTypes:
    """The table of the package."""
    text = package_files.read_text(package_files.RELATIONS)
    return RelationTypes({}).extended(_parsed(text, package_files.RELATIONS))


def checked_extension(text: str, name: str, settings: Settings) -> list[Triple]:
    """The statements about relation types in a user's Turtle text; `name` is its name in messages.

    Raises InputError for a text that is not a table, LimitError above `max_relation_types` or
    `max_relation_types_bytes`.
    """
    if (size := len(text.encode())) > (most := settings.max_relation_types_bytes):
        raise LimitError.of(name, size, most, "bytes", "max_relation_types_bytes")
    triples = _parsed(text, name)
    if (count := len(added_types(triples))) > (most := settings.max_relation_types):
        raise LimitError.of(name, count, most, "types", "max_relation_types")
    checked = [_checked_statement(each, name) for each in triples]
    _check_names(builtin_types().extended(checked), name)
    return checked


def added_types(statements: Iterable[Quad | Triple]) -> dict[str, dict[str, list[object]]]:
    """The types that statements add: IRI -> property -> values, of those that have a name or a weight."""
    by_type: dict[str, dict[str, list[object]]] = {}
    for each in statements:
        if isinstance(each.subject, NamedNode):
            of_type = by_type.setdefault(each.subject.value, {})
            of_type.setdefault(each.predicate.value, []).append(each.object)
    return {iri: of_type for iri, of_type in by_type.items() if _NOTATION in of_type or v.WEIGHT in of_type}


def _parsed(text: str, name: str) -> list[Triple]:
    """The statements of a Turtle text that the table has a place for."""
    wanted = (_NOTATION, v.WEIGHT, _INVERSE, _MATCH, _LABEL, v.COMMENT)
    try:
        quads = [each.triple for each in parse(text, RdfFormat.TURTLE)]
    except (SyntaxError, ValueError) as error:
        raise InputError(f"{name}: not valid Turtle: {error}; correct it there") from None
    return [each for each in quads if each.predicate.value in wanted and isinstance(each.subject, NamedNode)]


def _merged(before: RelationType, added: Mapping[str, list[object]]) -> RelationType:
    weights = [share for each in added.get(v.WEIGHT, ()) if (share := share_of(each)) is not None]
    names = {normal_key(each) for each in _texts(added, _NOTATION)}
    inverses = sorted(_iris(added, _INVERSE))
    return replace(
        before,
        names=tuple(sorted(names)) or before.names,
        label=min(_texts(added, _LABEL), default=before.label),
        comment=min(_texts(added, v.COMMENT), default=before.comment),
        weight=max(weights, default=before.weight),
        inverse=inverses[0] if inverses else before.inverse,
        matches=tuple(sorted({*before.matches, *_iris(added, _MATCH)})),
    )


def _texts(stated: Mapping[str, list[object]], predicate: str) -> Iterator[str]:
    return (each.value for each in stated.get(predicate, ()) if isinstance(each, Literal))


def _iris(stated: Mapping[str, list[object]], predicate: str) -> Iterator[str]:
    return (each.value for each in stated.get(predicate, ()) if isinstance(each, NamedNode))


def _checked_statement(triple: Triple, name: str) -> Triple:
    """The statement, with a weight as the shapes want it.

    Raises InputError for a weight out of range, and for a property that says how a graph is made up.
    """
    subject = _checked(triple.subject.value if isinstance(triple.subject, NamedNode) else "", name)
    if triple.predicate.value != v.WEIGHT:
        return triple
    if (weight := share_of(triple.object)) is None:
        shown = getattr(triple.object, "value", str(triple.object))[:40]
        raise InputError(f"{name}: the weight of <{subject}> is {shown!r}; give a number in 0..1")
    literal = Literal(repr(weight), datatype=NamedNode(v.XSD + "double"))
    return Triple(triple.subject, triple.predicate, literal)


def _is_web_iri(text: str) -> bool:
    try:
        return NamedNode(text).value.startswith(("http://", "https://"))
    except ValueError:
        return False


def _checked(iri: str, name: str) -> str:
    """The IRI of a property, if it may be a type of relation. Raises InputError."""
    if iri in _OURS or iri.startswith(_RESERVED):
        raise InputError(
            f"{name}: <{iri[:200]}> describes the structure of a graph, and cannot be a relation type; use "
            "an IRI of your own"
        )
    return iri


def _check_names(types: RelationTypes, name: str) -> None:
    """Raises InputError for a name that two types have."""
    owners: dict[str, str] = {}
    for each in types.types.values():
        for called in each.names:
            if owners.setdefault(called, each.iri) != each.iri:
                raise InputError(
                    f"{name}: {called!r} is the name of <{owners[called]}> and of <{each.iri}>; keep one"
                )
