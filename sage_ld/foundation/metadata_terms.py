"""Keys of metadata and the RDF properties they mean: the table `ontology/metadata.ttl`, and a user's own.

A key that the table lacks becomes a property below the graph's base IRI.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Final
from urllib.parse import quote, unquote

from pyoxigraph import Literal, NamedNode, RdfFormat, parse

from sage_ld.foundation import package_files
from sage_ld.foundation import vocabulary as v
from sage_ld.foundation.errors import InputError

_WORD_BREAK: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|[\s_\-]+")
_DUBLIN_CORE: Final = re.compile(r"^(?:dc|dct|dcterms)[.:]")
_PREFIXED: Final = re.compile(r"(schema|dcterms|skos|prov|rdfs):([A-Za-z]\w*)", re.ASCII)
_NOTATION: Final = v.SKOS + "notation"
_RANGE: Final = v.RDFS + "range"
STRUCTURE: Final = frozenset(
    {v.IDENTIFIER, v.ENCODING_FORMAT, v.IS_PART_OF, v.POSITION, v.TEXT, v.MENTIONS, v.MAIN_ENTITY, v.TYPE}
    | {v.BEGIN_INDEX, v.END_INDEX, v.GENERATED_BY}
)
"""Properties that say what a document, section or chunk is to the graph: metadata does not state them."""


def normal_key(key: str) -> str:
    """A key in the form in which keys are compared: small letters, its words joined with `_`.

    >>> normal_key("lastModifiedBy"), normal_key("Last modified by"), normal_key("DC.creator")
    ('last_modified_by', 'last_modified_by', 'dc:creator')
    """
    return _DUBLIN_CORE.sub("dc:", "_".join(name_words(key.strip())).lower())


def name_words(name: str) -> list[str]:
    """The words of a key, or of another name, as programs write it.

    >>> name_words("releaseDate"), name_words("life_expect")
    (['release', 'Date'], ['life', 'expect'])
    """
    return [word for word in _WORD_BREAK.split(name) if word]


@dataclass(frozen=True, slots=True)
class MetadataTerms:
    """The table of keys: property by key in its normal form, and the datatype of a property's values."""

    properties: Mapping[str, str]
    ranges: Mapping[str, str] = field(default_factory=dict)
    """Property to the local name of an XML Schema datatype."""
    digest: str = ""
    """Of the user's own table; empty without one."""

    def property(self, key: str, base: str) -> str:
        """The IRI of the property that `key` means in the graph with the base IRI `base`.

        >>> builtin_terms().property("Author", "http://localhost:8000/id/")
        'https://schema.org/author'
        >>> builtin_terms().property("Cost centre", "http://localhost:8000/id/")
        'http://localhost:8000/id/property/cost_centre'
        """
        iri = self.properties.get(normal_key(key)) or _absolute(key)
        if iri is None:
            return own_property(key, base)
        if iri in STRUCTURE or iri.startswith((v.SAGE, base)):
            return own_property(iri.replace("#", "/").rpartition("/")[2], base)
        return iri

    def extended(self, text: str, name: str, base: str | None = None) -> MetadataTerms:
        """The table with that of a user, a Turtle text, before it.

        Raises InputError for a text that is not a table, and for one that names a property below `base`.
        """
        properties, ranges = _read(text, name)
        if base is not None:
            _check_foreign(properties, name, base)
        digest = hashlib.sha256(text.encode()).hexdigest()
        return MetadataTerms({**self.properties, **properties}, {**self.ranges, **ranges}, digest)


def read_terms(file: Path) -> str:
    """The text of a user's table. Raises InputError."""
    try:
        return file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{file}: cannot be read ({error}); name a Turtle file in UTF-8") from None


def own_property(key: str, base: str) -> str:
    """The IRI of a key's property below the graph's base IRI."""
    return f"{base}property/{quote(normal_key(key), safe=':')}"


def key_of(iri: str, base: str) -> str | None:
    """The key whose property below the base IRI is `iri`; None for another IRI.

    >>> key_of("http://localhost:8000/id/property/cost_centre", "http://localhost:8000/id/")
    'cost_centre'
    """
    start = f"{base}property/"
    return unquote(iri.removeprefix(start)) if iri.startswith(start) else None


@cache
def builtin_terms() -> MetadataTerms:
    """The table of the package."""
    properties, ranges = _read(package_files.read_text(package_files.METADATA), package_files.METADATA)
    return MetadataTerms(properties, ranges)


def _read(text: str, name: str) -> tuple[dict[str, str], dict[str, str]]:
    properties: dict[str, str] = {}
    ranges: dict[str, str] = {}
    for subject, predicate, value in _statements(text, name):
        if predicate == _NOTATION and isinstance(value, Literal):
            key = normal_key(value.value)
            if properties.setdefault(key, subject) != subject:
                raise InputError(
                    f"{name}: the key {key!r} stands for <{properties[key]}> and <{subject}>; keep one"
                )
        elif predicate == _RANGE and isinstance(value, NamedNode):
            ranges[subject] = value.value.removeprefix(v.XSD)
    return properties, ranges


def _check_foreign(properties: Mapping[str, str], name: str, base: str) -> None:
    """Raises InputError for a property below the graph's base IRI, which may change without the table."""
    for key, iri in properties.items():
        if iri.startswith(base):
            raise InputError(
                f"{name}: the key {key!r} stands for <{iri}>, below the graph's base IRI {base}; take an IRI "
                f"of your own, or leave the key out, so that it stands for <{own_property(key, base)}>"
            )


def _statements(text: str, name: str) -> Iterator[tuple[str, str, object]]:
    try:
        for quad in parse(text, RdfFormat.TURTLE):
            if isinstance(quad.subject, NamedNode):
                yield quad.subject.value, quad.predicate.value, quad.object
    except (SyntaxError, ValueError) as error:
        raise InputError(f"{name}: not valid Turtle: {error}; correct it there") from None


def _absolute(key: str) -> str | None:
    """The IRI that a key is itself, in full or with a prefix that is known."""
    if match := _PREFIXED.fullmatch(key):
        return v.PREFIXES[match[1]] + match[2]
    if not key.startswith(("http://", "https://")):
        return None
    try:
        return NamedNode(key).value
    except ValueError:
        return None
