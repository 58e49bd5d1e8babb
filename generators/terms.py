"""Terms of the ontology: their constants in `vocabulary.py`, and their definitions in `context.jsonld`."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from pyoxigraph import NamedNode, RdfFormat, parse

from generators.parts import ROOT, replaced

ONTOLOGY: Final = ROOT / "ontology" / "sage.ttl"
CONTEXT: Final = ROOT / "ontology" / "context.jsonld"
VOCABULARY: Final = ROOT / "sage_ld" / "foundation" / "vocabulary.py"
SAGE: Final = "https://w3id.org/sage-ld#"
_RDF: Final = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
_RDFS: Final = "http://www.w3.org/2000/01/rdf-schema#"
_OWL: Final = "http://www.w3.org/2002/07/owl#"
_XSD: Final = "http://www.w3.org/2001/XMLSchema#"


@dataclass(frozen=True)
class Term:
    """A term of ours, as far as constants and the context need to know it."""

    name: str
    is_class: bool
    names_resources: bool
    """Whether it is a property whose values are resources."""
    range: str
    is_of_steps: bool
    """Whether it is a property of steps of a path, whose names are too short to stand alone."""


def terms() -> list[Term]:
    """The terms in the order of the ontology."""
    said: dict[str, dict[str, set[str]]] = {}
    for quad in parse(ONTOLOGY.read_bytes(), RdfFormat.TURTLE):
        if isinstance(quad.subject, NamedNode) and quad.subject.value.startswith(SAGE):
            values = said.setdefault(quad.subject.value, {}).setdefault(quad.predicate.value, set())
            values.add(getattr(quad.object, "value", ""))
    said.pop(SAGE)
    return [_term(iri, each) for iri, each in said.items()]


def _term(iri: str, said: dict[str, set[str]]) -> Term:
    kinds = said[_RDF + "type"]
    return Term(
        iri.removeprefix(SAGE),
        _OWL + "Class" in kinds,
        _OWL + "ObjectProperty" in kinds,
        next(iter(said.get(_RDFS + "range", {""}))),
        said.get(_RDFS + "domain") == {SAGE + "PathStep"},
    )


def _constants(found: list[Term]) -> Iterator[str]:
    """A constant for each term; a property that a class has the name of, has `HAS_` before it."""
    classes = {_upper(each.name) for each in found if each.is_class}
    for each in found:
        name = _upper(each.name)
        if not each.is_class and each.is_of_steps:
            name = f"PATH_{name}"
        elif not each.is_class and name in classes:
            name = f"HAS_{name}"
        yield f'{name}: Final = SAGE + "{each.name}"\n'


def _upper(name: str) -> str:
    """A name in the writing of constants.

    >>> _upper("chunkFrequency")
    'CHUNK_FREQUENCY'
    """
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).upper()


def _definition(term: Term, before: dict[str, Any]) -> dict[str, Any]:
    """The term in the context; its container, for which an ontology has no word, is the one it had."""
    said: dict[str, Any] = {"@id": f"sage:{term.name}"}
    if term.names_resources:
        said["@type"] = "@id"
    elif term.range.startswith(_XSD) and term.range != _XSD + "string":
        said["@type"] = "xsd:" + term.range.removeprefix(_XSD)
    return said | {name: each for name, each in before.items() if name == "@container"}


def _context(found: list[Term]) -> str:
    """The context: what is not of ours as it stands, in the place of ours the terms of the ontology."""
    context = json.loads(CONTEXT.read_text("utf-8"))["@context"]
    ours = {
        name for name, each in context.items() if isinstance(each, dict) and each["@id"].startswith("sage:")
    }
    groups = [
        {name: each for name, each in context.items() if not isinstance(each, dict) or name == "type"},
        {each.name: _definition(each, context.get(each.name, {})) for each in found},
        {
            name: each
            for name, each in context.items()
            if isinstance(each, dict) and name not in {*ours, "type"}
        },
    ]
    lines = [
        ",\n".join(f"    {json.dumps(name)}: {_flat(each)}" for name, each in group.items())
        for group in groups
    ]
    return '{\n  "@context": {\n' + ",\n\n".join(lines) + "\n  }\n}\n"


def _flat(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def files() -> dict[Path, str]:
    """The text of each file that follows from the ontology."""
    found = terms()
    return {VOCABULARY: replaced(VOCABULARY, {"terms": "".join(_constants(found))}), CONTEXT: _context(found)}
