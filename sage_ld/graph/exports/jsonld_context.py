"""The JSON-LD context as Python data, and as it stands inside the documents that are written.

A document carries its context inline, so that no consumer fetches it; with absolute IRIs and without
prefixes, so that no IRI of someone else's scheme (`schema:a/b`) is taken for a shortened one. An answer over
HTTP may name the address of the published context instead (`by_address`), which has prefixes.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache

from sage_ld.foundation import package_files
from sage_ld.foundation import vocabulary as v


@dataclass(frozen=True, slots=True)
class ContextTerm:
    """One term of the context."""

    name: str
    iri: str
    coercion: str | None
    """`@id`, or the IRI of the datatype of its values; None for strings."""
    container: str | None


@cache
def terms() -> dict[str, ContextTerm]:
    """The terms of the context by their IRI.

    >>> terms()["https://w3id.org/sage-ld#weight"].coercion
    'http://www.w3.org/2001/XMLSchema#double'
    """
    context = _published()
    by_name = {}
    for name, definition in context.items():
        if isinstance(definition, dict) and definition["@id"] != "@type":
            kind = definition.get("@type")
            coercion = kind if kind in (None, "@id") else _absolute(kind)
            iri = _absolute(definition["@id"])
            by_name[iri] = ContextTerm(name, iri, coercion, definition.get("@container"))
    return by_name


def inline(names: Iterable[str] | None = None) -> dict[str, object]:
    """The context to write into a document: the terms in `names`, or all, in the published order.

    >>> inline(["weight"])["weight"]
    {'@id': 'https://w3id.org/sage-ld#weight', '@type': 'http://www.w3.org/2001/XMLSchema#double'}
    """
    wanted = None if names is None else set(names)
    context: dict[str, object] = {
        "@version": 1.1,
        "id": "@id",
        "type": {"@id": "@type", "@container": "@set"},
    }
    for term in terms().values():
        if wanted is None or term.name in wanted:
            entries = {"@id": term.iri, "@type": term.coercion, "@container": term.container}
            context[term.name] = {key: value for key, value in entries.items() if value}
    return context


def by_address(document: Mapping[str, object], address: str) -> dict[str, object]:
    """A document whose context is the published one, at `address`, in place of that which stands inside it.

    Terms that the published context does not have stay inside. So does the whole context, if any text or IRI
    of the document begins as a shortened IRI does: with the prefixes, it would be taken for one.

    >>> by_address({"@context": inline(["weight"]), "weight": 1}, "http://localhost:8000/context.jsonld")
    {'@context': 'http://localhost:8000/context.jsonld', 'weight': 1}
    """
    content = {name: value for name, value in document.items() if name != "@context"}
    context = document["@context"]
    assert isinstance(context, dict)
    if _seems_shortened(content):
        return dict(document)
    own = {name: term for name, term in context.items() if _whole().get(name) != term}
    return {"@context": [address, own] if own else address, **content}


@cache
def _whole() -> dict[str, object]:
    return inline()


def _seems_shortened(value: object) -> bool:
    """Whether a string in `value` begins with a prefix of the published context and a colon."""
    if isinstance(value, str):
        prefix, colon, rest = value.partition(":")
        return bool(colon) and prefix in _prefixes() and not rest.startswith("//")
    if isinstance(value, dict):
        return any(map(_seems_shortened, value.values()))
    return isinstance(value, list) and any(map(_seems_shortened, value))


@cache
def _prefixes() -> frozenset[str]:
    return frozenset(name for name, iri in _published().items() if isinstance(iri, str) and "/" in iri)


def _published() -> dict[str, dict[str, str] | str]:
    document: dict[str, dict[str, dict[str, str] | str]] = json.loads(
        package_files.read_text(package_files.CONTEXT)
    )
    return document["@context"]


def _absolute(compact: str) -> str:
    prefix, _, local = compact.partition(":")
    return v.PREFIXES[prefix] + local
