"""SQL identifiers for documents and columns: words that need no quotation marks in a query."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Mapping, Sequence
from typing import Final

LONGEST: Final = 60
"""Characters of an identifier; of a longer name the end is kept, which says more than a folder."""
_RESERVED: Final = (
    "all analyse analyze and any array as asc asymmetric both case cast check collate column "
    "constraint create default deferrable desc describe distinct do else end except false fetch for "
    "foreign from group having in initially intersect into lambda lateral leading limit not null "
    "offset on only or order pivot pivot_longer pivot_wider placing primary qualify references "
    "returning select show some summarize symmetric table then to trailing true union unique unpivot "
    "using variadic when where window with"
)
RESERVED: Final = frozenset(_RESERVED.split())
"""The reserved words of DuckDB (`duckdb_keywords()`)."""
_SUFFIX: Final = re.compile(r"\.[A-Za-z0-9]{1,8}$")
_OTHER: Final = re.compile(r"\W+")
_DIGITS: Final = 6  # hexadecimal, of the hash that tells two documents of one name apart


def identifier(name: str) -> str:
    """A name as an SQL identifier: lower case, `_` for each run of other characters than letters and digits.

    >>> identifier("Box office ($)"), identifier("Group"), identifier("1987"), identifier("…")
    ('box_office', 'group_', '_1987', '_')
    """
    plain = _OTHER.sub("_", unicodedata.normalize("NFKC", name).casefold()).strip("_")
    if len(plain) > LONGEST:
        cut = plain[-LONGEST:]
        plain = cut.partition("_")[2] or cut
    if not plain or plain[0].isdigit():
        return f"_{plain}"
    return f"{plain}_" if plain in RESERVED else plain


def of_document(name: str) -> str:
    """The identifier of a document's table, from the path of the document without the suffix of a file.

    >>> of_document("data/admissions.csv"), of_document("Abbey Road")
    ('data_admissions', 'abbey_road')
    """
    return identifier(_SUFFIX.sub("", name) or name)


def distinct(names: Mapping[str, str]) -> dict[str, str]:
    """The identifier of each key: those that several keys have get a part of the hash of their key.

    So which identifier a key has depends on others only where they clash.

    >>> distinct({"a": "data", "b": "films"})
    {'a': 'data', 'b': 'films'}
    >>> distinct({"a.csv": "data", "a.json": "data"})
    {'a.csv': 'data_32f29f', 'a.json': 'data_6025a1'}
    """
    keys: dict[str, list[str]] = {}
    for key, name in names.items():
        keys.setdefault(name, []).append(key)
    return {key: name if len(keys[name]) == 1 else f"{name}_{_hash(key)}" for key, name in names.items()}


def numbered(names: Sequence[str], taken: Sequence[str] = ()) -> tuple[str, ...]:
    """Identifiers for the columns of one table, each once, in order.

    >>> numbered(["Year", "year ", "Title"])
    ('year', 'year_2', 'title')
    """
    used, identifiers, counts = set(taken), list[str](), dict[str, int]()
    for name in map(identifier, names):
        unique, count = name, counts.get(name, 1)
        while unique in used:
            count += 1
            unique = f"{name}_{count}"
        used.add(unique)
        counts[name] = count
        identifiers.append(unique)
    return tuple(identifiers)


def _hash(key: str) -> str:
    return hashlib.sha256(key.encode()).hexdigest()[:_DIGITS]
