"""What a file says about itself: the fields of a document that it states, and the rest as properties."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Final

from sage_ld.model import Document, Property
from sage_ld.readers.characters import one_line
from sage_ld.readers.content import moment

_WORD_END: Final = re.compile(r"[,;]")
_FIELDS: Final = frozenset({"title", "description", "keywords", "modified", "language"})
_MOST: Final = 200  # properties of one document that are kept
_LANGUAGE: Final = re.compile(r"[A-Za-z]{2,3}(-[A-Za-z0-9]{1,8})*")
_INTEGER: Final = re.compile(r"[+-]?[0-9]{1,30}")
_DECIMAL: Final = re.compile(r"[+-]?[0-9]{1,30}(\.[0-9]{1,30})?([eE][+-]?[0-9]{1,3})?")


@dataclass(frozen=True, slots=True)
class Facts:
    """The metadata of a file.

    >>> facts([Property("title", "Budget"), Property("keywords", "a; b"), Property("creator", "Ann")])
    Facts(title='Budget', description='', keywords=('a', 'b'), modified=None, language=None, \
metadata=(Property(key='creator', value='Ann', datatype='string', language=None),))
    """

    title: str = ""
    description: str = ""
    keywords: tuple[str, ...] = ()
    modified: str | None = None
    language: str | None = None
    metadata: tuple[Property, ...] = ()


def facts(properties: Iterable[Property]) -> Facts:
    """The facts that properties state: the first one named for a field of a document fills it."""
    pairs: dict[str, list[str]] = {}
    others: dict[Property, None] = {}
    for each in properties:
        value = one_line(each.value)
        if value and each.key in _FIELDS:
            pairs.setdefault(each.key, []).append(value)
        elif value:
            others[typed(each.key, value, each.datatype)] = None
    first = {key: values[0] for key, values in pairs.items()}
    return Facts(
        first.get("title", ""),
        first.get("description", ""),
        tuple(dict.fromkeys(word for value in pairs.get("keywords", ()) for word in split_keywords(value))),
        moment(first.get("modified")),
        first["language"] if _LANGUAGE.fullmatch(first.get("language", "")) else None,
        tuple(others)[:_MOST],
    )


def typed(key: str, value: str, datatype: str) -> Property:
    """A property with this datatype, or a string where its value is none of it.

    >>> typed("created", "2024-05-01T12:00:00Z", "dateTime").datatype
    'dateTime'
    >>> typed("created", "May", "dateTime").datatype
    'string'
    """
    return Property(key, value, datatype if _is_value(value, datatype) else "string")


def _is_value(value: str, datatype: str) -> bool:
    if datatype == "integer":
        return _INTEGER.fullmatch(value) is not None
    if datatype == "double":
        return _DECIMAL.fullmatch(value) is not None
    if datatype == "boolean":
        return value in ("true", "false", "1", "0")
    stated = moment(value)
    return stated is not None and ("T" in stated) == (datatype == "dateTime")


def split_keywords(text: str) -> list[str]:
    """The keywords of a list that commas or semicolons divide."""
    return [word for part in _WORD_END.split(text) if (word := part.strip())]


def with_facts(document: Document, found: Facts) -> Document:
    """The document with what its file says of it, but for its title."""
    return replace(
        document,
        description=found.description,
        keywords=found.keywords,
        modified=found.modified,
        language=found.language,
        metadata=found.metadata,
    )
