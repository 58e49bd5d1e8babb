"""Metadata that a document has fields for: title, description, language, address, date, keywords."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any, Final, NamedTuple

from sage_ld.build.languages import normalised_tag
from sage_ld.build.readers.characters import one_line
from sage_ld.build.readers.content import moment
from sage_ld.build.readers.metadata.properties import dated
from sage_ld.foundation import vocabulary as v
from sage_ld.foundation.metadata_terms import MetadataTerms
from sage_ld.foundation.model import Document, Property

_WEB: Final = ("http://", "https://")


class _Field(NamedTuple):
    name: str
    """Of an attribute of `Document`."""
    read: Callable[[str], str | None]
    """The value as the document has it; None for one that it cannot have."""
    further: str
    """The property of a second value, and of one that the field cannot have."""


def _address(value: str) -> str | None:
    return value if is_web_address(value) else None


_FIELDS: Final[Mapping[str, _Field]] = {
    v.NAME: _Field("title", str, v.SCHEMA + "alternateName"),
    v.DESCRIPTION: _Field("description", str, v.SCHEMA + "abstract"),
    v.IN_LANGUAGE: _Field("language", normalised_tag, v.DCTERMS + "language"),
    v.URL: _Field("url", _address, v.SCHEMA + "sameAs"),
    v.MODIFIED: _Field("modified", moment, v.SCHEMA + "dateModified"),
}


def is_web_address(value: str) -> bool:
    """Whether a text is an address of the Web, and nothing else."""
    return value.startswith(_WEB) and len(value.split()) == 1


def resolved(given: Property, terms: MetadataTerms, base: str) -> Property:
    """The property with its IRI for a key, and its value with the type that values of it have.

    >>> from sage_ld.foundation.metadata_terms import builtin_terms
    >>> resolved(Property("date", "2024-05-01"), builtin_terms(), "http://localhost:8000/id/")
    Property(key='https://schema.org/datePublished', value='2024-05-01', datatype='date', language=None)
    """
    key = terms.property(given.key, base)
    datatype = terms.ranges.get(key)
    if given.datatype != "string" or datatype is None:
        return replace(given, key=key)
    if datatype in ("date", "dateTime"):
        return dated(key, given.value) or replace(given, key=key)
    if datatype == "anyURI" and is_web_address(given.value):
        return replace(given, key=key, datatype="anyURI")
    return replace(given, key=key)


def filled(document: Document, properties: Iterable[Property]) -> Document:
    """The document whose empty fields hold what resolved properties say; the others are its metadata."""
    kept: dict[Property, None] = {}
    for each in properties:
        document, rest = _with(document, each, overwrite=False)
        if rest is not None:
            kept[rest] = None
    return replace(document, metadata=tuple(kept))


def overridden(
    document: Document, properties: Iterable[Property], terms: MetadataTerms, base: str
) -> Document:
    """The document in whose fields properties stand in place of what the file says, and before its metadata.

    Of several values for one field the first counts.
    """
    kept: list[Property] = []
    taken: set[str] = set()
    for each in properties:
        stated = resolved(each, terms, base)
        document, rest = _with(document, stated, overwrite=stated.key not in taken)
        taken.add(stated.key)
        if rest is not None:
            kept.append(each)
    return replace(document, metadata=(*kept, *document.metadata))


def _with(document: Document, given: Property, *, overwrite: bool) -> tuple[Document, Property | None]:
    """The document with a property in its field, and what of the property has no place there."""
    if given.key == v.KEYWORDS:
        words = (one_line(word) for word in given.value.split(","))
        keywords = tuple(dict.fromkeys([*document.keywords, *filter(None, words)]))
        return replace(document, keywords=keywords), None
    if (field := _FIELDS.get(given.key)) is None:
        return document, given
    value, held = field.read(one_line(given.value)), getattr(document, field.name)
    if value and (overwrite or not held):
        changes: dict[str, Any] = {field.name: value}
        return replace(document, **changes), None
    return document, None if value is not None and value == held else replace(given, key=field.further)
