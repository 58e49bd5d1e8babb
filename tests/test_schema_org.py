"""Each schema.org term that we write is used as schema.org defines it: on its classes, with its values.

The vocabulary is read from SAGE_DATA; nothing of it is kept here.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import pyoxigraph as ox
import pytest

from sage_ld import KnowledgeGraph, Retriever
from sage_ld.foundation import package_files
from sage_ld.foundation import vocabulary as v
from sage_ld.retrieval.answers.results import answer_jsonld, triples

FILMS = Path(__file__).parents[1] / "examples" / "films"
DOMAIN, RANGE = v.SCHEMA + "domainIncludes", v.SCHEMA + "rangeIncludes"
SUBCLASS, CLASS = v.RDFS + "subClassOf", v.RDFS + "Class"
WITH_ADDRESS = {"_id": "ferries", "title": "Ferries", "text": "Boats.", "url": "https://example.org/ferries"}
WITH_DESCRIPTION = """<!doctype html><html lang="en"><title>Quay</title>
<meta name="description" content="Stones."><meta name="keywords" content="quay, harbour">
<h1>Quay</h1><p>The quay is of stone.</p></html>"""

DATATYPES: Mapping[str, tuple[str, ...]] = {
    "Text": (v.XSD + "string", v.RDF + "langString"),
    "URL": (v.XSD + "anyURI", v.XSD + "string"),
    "Integer": (v.XSD + "integer",),
    "Number": (v.XSD + "integer", v.XSD + "decimal", v.XSD + "double"),
    "Boolean": (v.XSD + "boolean",),
    "Date": (v.XSD + "date", v.XSD + "gYear", v.XSD + "gYearMonth"),  # ISO 8601, of which a year is one
    "DateTime": (v.XSD + "dateTime",),
}
"""schema.org's data types to those of literals."""

_DURATION = re.compile(r"P(\d+[YMWD])*(T(\d+[HMS])+)?")


@dataclass(frozen=True)
class Definitions:
    """What schema.org and our ontology say of classes and properties."""

    statements: frozenset[tuple[str, str, str]]

    @classmethod
    def read(cls, *texts: str) -> Definitions:
        quads = (quad for text in texts for quad in ox.parse(text.encode(), ox.RdfFormat.TURTLE))
        named = ((quad.subject, quad.predicate.value, quad.object) for quad in quads)
        return cls(
            frozenset((_value(subject), predicate, _value(value)) for subject, predicate, value in named)
        )

    @cached_property
    def index(self) -> dict[tuple[str, str], set[str]]:
        found: dict[tuple[str, str], set[str]] = {}
        for subject, predicate, value in self.statements:
            found.setdefault((subject, predicate), set()).add(value)
        return found

    def values(self, subject: str, predicate: str) -> set[str]:
        return self.index.get((subject, predicate), set())

    def classes(self, given: Iterable[str]) -> set[str]:
        """The classes and all their superclasses."""
        found: set[str] = set()
        todo = list(given)
        while todo:
            if (each := todo.pop()) not in found:
                found.add(each)
                todo.extend(self.values(each, SUBCLASS))
        return found


def _value(term: ox.NamedNode | ox.BlankNode | ox.Literal | ox.Triple) -> str:
    return str(getattr(term, "value", term))


@pytest.fixture(scope="module")
def definitions(data: Path) -> Definitions:
    file = data / "schemaorg" / "schemaorg-all-https.ttl"
    if not file.is_file():
        pytest.skip(f"SAGE_DATA has no {file.parent.name}/{file.name}")
    return Definitions.read(file.read_text("utf-8"), package_files.read_text(package_files.ONTOLOGY))


@pytest.fixture(scope="module")
def statements(tmp_path_factory: pytest.TempPathFactory) -> list[ox.Triple]:
    """All that a graph of mixed files says, and an answer from it."""
    folder = tmp_path_factory.mktemp("schema")
    (folder / "ferries.jsonl").write_text(json.dumps(WITH_ADDRESS), "utf-8")
    (folder / "quay.html").write_text(WITH_DESCRIPTION, "utf-8")
    graph = KnowledgeGraph.create(folder / "graph", encoder="jaccard")
    graph.ingest([FILMS, folder / "ferries.jsonl", folder / "quay.html"])
    answer = Retriever(graph).retrieve("Which instrument did the composer of The Ninth Ferry play?")
    return [*(quad.triple for quad in graph.snapshot().store), *triples(answer_jsonld(answer))]


def test_every_schema_org_term_of_ours_exists(definitions: Definitions) -> None:
    ours = {value for value in vars(v).values() if isinstance(value, str) and value.startswith(v.SCHEMA)}
    used = {term for triple in definitions.statements for term in triple if term.startswith(v.SCHEMA)}
    defined = {term for term in used if definitions.values(term, v.TYPE)}
    assert ours - {v.SCHEMA} <= defined


def test_schema_org_properties_are_used_as_they_are_defined(
    definitions: Definitions, statements: list[ox.Triple]
) -> None:
    types: dict[str, set[str]] = {}
    for each in statements:
        if each.predicate.value == v.TYPE:
            types.setdefault(str(each.subject), set()).add(_value(each.object))
    wrong = {fault for each in statements for fault in faults(each, types, definitions)}
    assert sorted(wrong) == []


def faults(triple: ox.Triple, types: Mapping[str, set[str]], definitions: Definitions) -> Iterator[str]:
    """What a statement gets wrong, with the classes of its subject and the kind of its value."""
    predicate = triple.predicate.value
    if predicate == v.TYPE:
        name = _value(triple.object)
        if name.startswith(v.SCHEMA) and CLASS not in definitions.values(name, v.TYPE):
            yield f"{name} is not a class"
    if not predicate.startswith(v.SCHEMA):
        return
    domain, values = definitions.values(predicate, DOMAIN), definitions.values(predicate, RANGE)
    subject = types.get(str(triple.subject), set())
    if v.SCHEMA_THING not in domain and not definitions.classes(subject) & domain:
        yield f"domain: {sorted(subject)} {predicate}, which is of {sorted(domain)}"
    if not fits(triple.object, types, values, definitions):
        yield f"range: {predicate} {triple.object}, where {sorted(values)} is expected"


def fits(
    value: ox.NamedNode | ox.BlankNode | ox.Literal | ox.Triple,
    types: Mapping[str, set[str]],
    expected: set[str],
    definitions: Definitions,
) -> bool:
    """Whether a value is of one of the classes and data types `expected`; any resource is a Thing."""
    names = {each.removeprefix(v.SCHEMA) for each in expected}
    if isinstance(value, ox.Literal):
        if "Duration" in names and _DURATION.fullmatch(value.value):
            return True
        return value.datatype.value in {each for name in names for each in DATATYPES.get(name, ())}
    if names & {"Thing", "URL"}:
        return True
    return bool(definitions.classes(types.get(str(value), ())) & expected)


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("<x:a> a sage:Chunk ; schema:about 'boats' .", "range: https://schema.org/about"),
        ("<x:a> a csvw:Column ; schema:position 1 .", "domain: ['http://www.w3.org/ns/csvw#Column']"),
        ("<x:a> a schema:Boat .", "https://schema.org/Boat is not a class"),
    ],
)
def test_a_wrong_statement_is_found(definitions: Definitions, text: str, fault: str) -> None:
    prefixes = "".join(f"PREFIX {name}: <{iri}>\n" for name, iri in v.PREFIXES.items())
    parsed = [quad.triple for quad in ox.parse((prefixes + text).encode(), ox.RdfFormat.TURTLE)]
    types = {"<x:a>": {_value(each.object) for each in parsed if each.predicate.value == v.TYPE}}
    (found,) = [wrong for each in parsed for wrong in faults(each, types, definitions)]
    assert found.startswith(fault)
