"""The terms of the ontology, for its page."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from pyoxigraph import Literal, NamedNode, RdfFormat, parse

from sage_ld.foundation import package_files
from sage_ld.foundation import vocabulary as v


@dataclass(frozen=True, slots=True)
class OntologyTerm:
    """A term of the ontology, for its page."""

    name: str
    kind: str
    label: str
    comment: str
    above: tuple[str, ...]
    """Classes or properties that it is a kind of."""


@cache
def terms() -> tuple[OntologyTerm, ...]:
    """The terms of the ontology: classes, then properties, each in the order of their names."""
    said: dict[str, dict[str, list[str]]] = {}
    for quad in parse(package_files.read_text(package_files.ONTOLOGY).encode(), RdfFormat.TURTLE):
        subject = quad.subject
        if isinstance(subject, NamedNode) and subject.value.startswith(v.SAGE) and subject.value != v.SAGE:
            values = said.setdefault(subject.value, {}).setdefault(quad.predicate.value, [])
            values.append(quad.object.value if isinstance(quad.object, NamedNode | Literal) else "")
    return tuple(sorted((_term(*each) for each in said.items()), key=lambda term: (term.kind, term.name)))


def _term(iri: str, said: dict[str, list[str]]) -> OntologyTerm:
    kind = "class" if v.OWL + "Class" in said[v.TYPE] else "property"
    above = said.get(v.RDFS + "subClassOf", []) + said.get(v.RDFS + "subPropertyOf", [])
    return OntologyTerm(
        iri.removeprefix(v.SAGE),
        kind,
        said.get(v.RDFS + "label", [""])[0],
        said.get(v.RDFS + "comment", [""])[0],
        tuple(sorted(above)),
    )
