"""Concepts for other programs: SKOS in Turtle, CSV, and a table of synonyms in JSON."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterator, Mapping
from typing import Final

from pyoxigraph import Literal, NamedNode, RdfFormat, Triple, serialize

from sage_ld.foundation import vocabulary as v
from sage_ld.graph.store.terms import node
from sage_ld.graph.views.concepts import Concept, synonym_table

SEPARATOR: Final = "|"
"""Between the aliases of a concept in a cell of CSV."""


def turtle(concepts: tuple[Concept, ...]) -> str:
    """The concepts as SKOS, with those of their near misses that are among them."""
    text = serialize(_triples(concepts), format=RdfFormat.TURTLE, prefixes={"skos": v.SKOS, "foaf": v.FOAF})
    return (text or b"").decode()


def _triples(concepts: tuple[Concept, ...]) -> Iterator[Triple]:
    listed = {each.iri for each in concepts}
    for each in concepts:
        subject = NamedNode(each.iri)
        yield Triple(subject, node(v.TYPE), node(v.CONCEPT))
        yield Triple(subject, node(v.PREF_LABEL), Literal(each.label))
        for alias in each.aliases:
            yield Triple(subject, node(v.ALT_LABEL), Literal(alias))
        for match in each.matches:
            is_exact = match in each.exact_matches
            yield Triple(subject, node(v.EXACT_MATCH if is_exact else v.FOCUS), NamedNode(match))
        for other in each.related:
            if other in listed:
                yield Triple(subject, node(v.RELATED), NamedNode(other))


def comma_separated(concepts: tuple[Concept, ...]) -> str:
    r"""A line for each concept: preferred label, chunks, aliases, IRI.

    >>> print(comma_separated((Concept("urn:a", "film", ("films",), 3, (), ()),)), end="")
    label,chunks,aliases,iri
    film,3,films,urn:a
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(("label", "chunks", "aliases", "iri"))
    writer.writerows((each.label, each.chunks, SEPARATOR.join(each.aliases), each.iri) for each in concepts)
    return text.getvalue()


def synonyms(concepts: tuple[Concept, ...]) -> str:
    """The table of synonyms as a JSON object: each term of a concept, and the preferred one."""
    return json.dumps(synonym_table(concepts), ensure_ascii=False, indent=2, sort_keys=True) + "\n"


def plain(concepts: tuple[Concept, ...]) -> str:
    """The concepts as a JSON list."""
    return json.dumps([each._asdict() for each in concepts], ensure_ascii=False, indent=2) + "\n"


FORMATS: Final[Mapping[str, Callable[[tuple[Concept, ...]], str]]] = {
    "json": plain,
    "turtle": turtle,
    "csv": comma_separated,
    "synonyms": synonyms,
}
"""Name of a format -> the whole text in it."""
