"""The document information of a PDF: title, subject, keywords, dates, persons."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Final

from pypdfium2 import PdfDocument

from sage_ld.build.readers.characters import one_line
from sage_ld.build.readers.content import moment
from sage_ld.foundation.model import Document, Property

_FIELDS: Final = ("Title", "Subject", "Keywords", "ModDate")
_DATE: Final = re.compile(r"D:(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(?:(Z)|([+-]\d\d)'?(\d\d)?)?", re.ASCII)


def information(pdf: PdfDocument) -> dict[str, str]:
    """The document information (ISO 32000-2, §14.3.3) by name."""
    return {key: text for key, value in pdf.get_metadata_dict().items() if (text := one_line(value))}


def informed(document: Document, facts: Mapping[str, str]) -> Document:
    """The document with what the document information says about it."""
    return replace(
        document,
        description=facts.get("Subject", ""),
        keywords=tuple(word.strip() for word in facts.get("Keywords", "").split(",") if word.strip()),
        modified=_stated_moment(facts.get("ModDate", "")),
        metadata=tuple(_properties(facts)),
    )


def _properties(facts: Mapping[str, str]) -> Iterator[Property]:
    """The rest of the document information.

    Its `Creator` is a program, so it has the name of XMP, `CreatorTool`: as a key, `Creator` is a person.
    """
    created = _stated_moment(facts.get("CreationDate", ""))
    for name, value in facts.items():
        if name == "CreationDate" and created is not None:
            yield Property("CreationDate", created, "dateTime")
        elif name == "ModDate" and value and _stated_moment(value) is None:
            yield Property("modified", value)
        elif name not in _FIELDS and value:
            yield Property("CreatorTool" if name == "Creator" else name, value)


def _stated_moment(value: str) -> str | None:
    """A date (ISO 32000-2, §7.9.4) as `xsd:dateTime`; nothing where it has no time of day.

    LibreOffice writes a quote after `Z`.

    >>> _stated_moment("D:20240501100000+02'00'"), _stated_moment("D:20240501100000Z'")
    ('2024-05-01T10:00:00+02:00', '2024-05-01T10:00:00+00:00')
    """
    if (parts := _DATE.match(value)) is None:
        return None
    year, month, day, hour, minute, second, zone, hours, minutes = parts.groups()
    offset = "+00:00" if zone else f"{hours}:{minutes or '00'}" if hours else ""
    return moment(f"{year}-{month}-{day}T{hour}:{minute}:{second}{offset}")
