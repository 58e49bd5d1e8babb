"""Metadata of office files, e-books and mails: fields of a document, and the rest as properties."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Final

from sage_ld.build.languages import normalised_tag
from sage_ld.build.readers.builder import DocumentBuilder
from sage_ld.build.readers.characters import one_line
from sage_ld.build.readers.content import finished, moment
from sage_ld.build.readers.metadata.properties import limited
from sage_ld.foundation.model import Document, Property
from sage_ld.foundation.settings import Settings

_WORD_END: Final = re.compile(r"[,;]")
_FIELDS: Final[Mapping[str, Callable[[str], str | None]]] = {
    "title": str,
    "description": str,
    "modified": moment,
    "language": normalised_tag,
}
"""Fields with one value, and how it is read: None for a value that the field cannot have."""
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
    """The facts that properties state: the first value that a field of a document can have fills it.

    All others are metadata.
    """
    fields: dict[str, str] = {}
    keywords: dict[str, None] = {}
    others: dict[Property, None] = {}
    for each in properties:
        value = one_line(each.value)
        read = None if each.key in fields else _FIELDS.get(each.key)
        if each.key == "keywords":
            keywords.update(dict.fromkeys(split_keywords(value)))
        elif value and read is not None and (field := read(value)) is not None:
            fields[each.key] = field
        elif value:
            others[typed(each.key, value, each.datatype)] = None
    return Facts(
        fields.get("title", ""),
        fields.get("description", ""),
        tuple(keywords),
        fields.get("modified"),
        fields.get("language"),
        tuple(others),
    )


def typed(key: str, value: str, datatype: str) -> Property:
    """A property with this datatype, or a string where its value does not fit.

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


def document_with_facts(
    builder: DocumentBuilder,
    stated: Facts,
    settings: Settings,
    *,
    title: str,
    media_type: str,
    content_hash: str,
    kind: str,
) -> Document:
    """The document that was built, with the metadata of its file; `title` is for one that states none.

    `kind` is the IRI of its class. Raises InputError for an empty document, LimitError above the limits of
    metadata.
    """
    document = builder.build(
        title=stated.title or title, media_type=media_type, content_hash=content_hash, types=(kind,)
    )
    return finished(
        replace(
            document,
            description=stated.description,
            keywords=stated.keywords,
            modified=stated.modified,
            language=stated.language,
            metadata=limited(stated.metadata, document.identifier, settings),
        )
    )
