"""Parts of all readers: the document of a whole file, and what a record is called."""

from __future__ import annotations

import hashlib
import re
from datetime import date, datetime

from sage_ld.build.readers.builder import DocumentBuilder
from sage_ld.foundation.errors import InputError
from sage_ld.foundation.metadata_terms import name_words
from sage_ld.foundation.model import Document

BETWEEN_VALUES = "; "
"""Separator of the values of one field of a record, each of which may be a name of its own."""
SHOWN_HEADERS = ("From", "To", "Cc", "Date")
"""The headers of a mail that stand in its text, each in a line `name: value`."""
ATTACHMENTS = "Attachments"
"""The name of the line below them that lists what is attached."""

_NAMES = ("title", "name", "label")
_IDENTIFIERS = ("id", "identifier", "_id", "@id")


def content_hash(data: bytes) -> str:
    """SHA-256 of `data`, hexadecimal."""
    return hashlib.sha256(data).hexdigest()


def finished(document: Document) -> Document:
    """`document`, if it says anything; InputError if it has neither text nor statements."""
    if not (document.text or document.statements or document.named_statements):
        raise InputError(
            f"{document.identifier}: the file is empty, no text was found; leave it out, or add content"
        )
    return document


def file_document(
    builder: DocumentBuilder, data: bytes, title: str, media_type: str, kind: str = ""
) -> Document:
    """The document of a file with these bytes, whose content `builder` has; `kind` is the IRI of its class.

    Raises InputError for one that is empty.
    """
    types = (kind,) if kind else ()
    digest = content_hash(data)
    return finished(builder.build(title=title, media_type=media_type, content_hash=digest, types=types))


def record_name(fields: list[tuple[str, str]]) -> str:
    """The name that a person would give an object: title, name or label, a field ending in one, or id.

    >>> record_name([("id", "7"), ("Candidate_Name", "SMITH, JESSE")])
    'SMITH, JESSE'
    """
    known: dict[str, str] = {}
    for field, value in fields:
        known.setdefault(field.lower(), value)
    for name in _NAMES:
        if name in known:
            return known[name]
    for field, value in known.items():
        if "." not in field and (last := name_words(field)) and last[-1] in _NAMES:
            return value
    return next((known[name] for name in _IDENTIFIERS if name in known), "")


def moment(value: str | None) -> str | None:
    """`value` where it is an `xsd:date` or `xsd:dateTime`, else nothing: a wrong date is worse than none.

    >>> moment("2024-05-01T12:00:00Z"), moment("May 2024")
    ('2024-05-01T12:00:00Z', None)
    """
    text = (value or "").strip()
    try:
        if re.fullmatch(r"\d{4}-\d\d-\d\d", text):
            return date.fromisoformat(text).isoformat()
        if re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)?", text):
            datetime.fromisoformat(text)
            return text
    except ValueError:
        pass
    return None
