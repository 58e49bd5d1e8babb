"""A condition on metadata, written with a plain key: `team=red`, `year >= 2020`, `"cost centre" = "007"`.

    condition = key operator value *( "|" value )
    key       = string | text without < > = ! ^ | / ( ) " '
    operator  = "=" | "!=" | "<" | "<=" | ">" | ">="
    value     = string | IRI in <> | text

A value without quotes is compared as what it looks like: a number, a year, month or day, else a text. A text
equals every value that is written so. The key stands for a property by the graph's table of terms; the
property may be that of the chunk's document, or of the resource that a record describes.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from difflib import get_close_matches
from functools import lru_cache
from operator import eq, ge, gt, le, lt, ne
from typing import Any, Final, TypeAlias

from pyoxigraph import Literal, NamedNode

from sage_ld.foundation import vocabulary as v
from sage_ld.foundation.errors import InputError
from sage_ld.foundation.metadata_terms import MetadataTerms, builtin_terms, key_of, normal_key, own_property
from sage_ld.foundation.rdf_values import number_of
from sage_ld.graph import Snapshot
from sage_ld.graph.store import queries
from sage_ld.graph.store.queries import select
from sage_ld.retrieval.filtering.conditions import Budget

EXAMPLE: Final = "team=red"
_STRING: Final = r'"(?:[^"\\]|\\.)*+"'
_CONDITION: Final = re.compile(
    rf"\s*+(?:({_STRING})\s*+|([^<>=!^|/()\"']++))(<=|>=|!=|=|<|>)(.*+)", re.DOTALL
)
_VALUE: Final = re.compile(rf"\s*+(?:({_STRING})|<([^<>\s]*+)>|([^|\"<]*+))\s*+(?:\||\Z)")
_NUMBER: Final = re.compile(r"[-+]?(?:\d{1,38}(?:\.\d{0,38})?|\.\d{1,38})(?:[eE][-+]?\d{1,3})?", re.ASCII)
_DAY: Final = re.compile(r"\d{4}-\d\d(?:-\d\d(?:T[\d:.]{1,18}(?:Z|[-+]\d\d:\d\d)?)?)?", re.ASCII)
_YEAR: Final = re.compile(r"\d{4}", re.ASCII)
_OPERATORS: Final[dict[str, Callable[[Any, Any], bool]]] = {
    "=": eq, "!=": ne, "<": lt, "<=": le, ">": gt, ">=": ge,
}  # fmt: skip
_NUMERIC: Final = frozenset(v.XSD + name for name in ("integer", "decimal", "double", "float"))
_DATED: Final = frozenset(v.XSD + name for name in ("date", "dateTime", "gYear", "gYearMonth"))
_OF_STRUCTURE: Final = frozenset({v.TYPE, v.IDENTIFIER, v.ENCODING_FORMAT, v.CONTENT_HASH})
_COMPARED: Final = 1_000  # keys that an unknown one is compared with, for a message
_SHOWN: Final = 60  # characters of a client's text that a message quotes
_NAMED: Final = 20  # keys that a message names
Term: TypeAlias = NamedNode | Literal


@dataclass(frozen=True, slots=True)
class Wanted:
    """A value of a condition."""

    text: str
    quoted: bool = False

    def meets(self, operator: str, term: object) -> bool:
        """Whether `term operator value` holds: as numbers, as dates or as texts, by what both are."""
        if not isinstance(term, NamedNode | Literal):
            return False
        compare = _OPERATORS[operator]
        datatype = term.datatype.value if isinstance(term, Literal) else ""
        if not self.quoted and datatype in _NUMERIC and _NUMBER.fullmatch(self.text):
            number = number_of(term)
            return number is not None and compare(number, float(self.text))
        if (
            not self.quoted
            and datatype in _DATED
            and (_DAY.fullmatch(self.text) or _YEAR.fullmatch(self.text))
        ):
            return compare(term.value[: len(self.text)], self.text)
        if operator in ("=", "!=") or not _NUMBER.fullmatch(self.text):
            return compare(term.value, self.text)
        return False


@dataclass(frozen=True, slots=True)
class KeyCondition:
    """A condition on a key of metadata, as it was written."""

    text: str
    key: str
    operator: str
    values: tuple[Wanted, ...]
    """Of which one is enough; with `!=`, none may be the value."""

    def meets(self, term: object) -> bool:
        """Whether a value of the key meets the condition."""
        every = all if self.operator == "!=" else any
        return every(each.meets(self.operator, term) for each in self.values)


def read_key_condition(text: str) -> KeyCondition | None:
    """The condition that `text` says; None where it does not begin with a key but with a property path.

    Raises InputError where what follows the operator is no value.

    >>> read_key_condition("team = red").key, read_key_condition("schema:name = 'x'")
    ('team', None)
    """
    if (match := _CONDITION.fullmatch(text)) is None:
        return None
    key = json_text(match[1], text) if match[1] else match[2].strip()
    if not key or (not match[1] and (key == "a" or _is_prefixed(key))):
        return None
    return KeyCondition(text, key, match[3], tuple(_values(match[4], text)))


def _is_prefixed(key: str) -> bool:
    prefix, colon, _ = key.partition(":")
    return bool(colon) and prefix in v.PREFIXES


def _values(rest: str, text: str) -> Iterator[Wanted]:
    position = 0
    while True:
        match = _VALUE.match(rest, position)
        if match is None or not (match[1] or match[2] or (match[3] or "").strip()):
            raise InputError(
                f"where: {text[:_SHOWN]!r}: expected a value after the operator, or several with | between "
                f'them; put a text with | < or " in quotes; an example: {EXAMPLE}'
            )
        yield Wanted(json_text(match[1], text), True) if match[1] else Wanted(match[2] or match[3].strip())
        position = match.end()
        if position >= len(rest) and not match[0].endswith("|"):
            return


def json_text(quoted: str, text: str) -> str:
    """The text of a string in quotes, which has the escapes of JSON. Raises InputError."""
    try:
        return str(json.loads(quoted, strict=False))
    except ValueError:
        raise InputError(
            f"where: {text[:_SHOWN]!r}: {quoted[:_SHOWN]} has an escape that JSON does not know; write \\\\ "
            "for a backslash"
        ) from None


def matching_key(snapshot: Snapshot, condition: KeyCondition, budget: Budget) -> Iterator[str]:
    """IRIs of chunks, and of documents all of whose chunks meet the condition; some may come twice.

    Raises InputError for a key that nothing in the graph has, LimitError if it has more values than the
    budget allows to look at.
    """
    names = properties_of(snapshot, condition.key)
    meets = lru_cache(4096)(condition.meets)
    seen = 0
    for row in select(snapshot.store, queries.bind("filter_metadata", property=names, n=budget.left + 1)):
        seen += 1
        budget.spend(1, condition.text)
        if meets(row["value"]) and isinstance(row["found"], NamedNode):
            yield row["found"].value
    if not seen:
        raise _unknown(snapshot, condition)


def properties_of(snapshot: Snapshot, key: str) -> list[str]:
    """The properties that a key means: by the graph's table, by the package's, and by none.

    Documents that were read before the graph had its table have one of the other two.
    """
    base = snapshot.configuration.base_iri
    tables = (snapshot.derived(_terms), builtin_terms())
    return list(dict.fromkeys([*(each.property(key, base) for each in tables), own_property(key, base)]))


def _terms(snapshot: Snapshot) -> MetadataTerms:
    return snapshot.directory.metadata_terms()


def _unknown(snapshot: Snapshot, condition: KeyCondition) -> InputError:
    keys = snapshot.derived(metadata_keys)
    near = get_close_matches(normal_key(condition.key), keys[:_COMPARED], n=3)
    named = ", ".join([*near, *(each for each in keys if each not in near)][:_NAMED])
    more = f" and {len(keys) - _NAMED} more" if len(keys) > _NAMED else ""
    told = f"its keys are {named}{more}" if keys else "its documents have none"
    return InputError(
        f"where: no document of the graph has the key {condition.key[:_SHOWN]!r}; {told}; a property path is "
        "written with prefixed names or IRIs"
    )


def metadata_keys(snapshot: Snapshot) -> tuple[str, ...]:
    """The keys that the documents of a revision have, sorted."""
    base = snapshot.configuration.base_iri
    known: dict[str, str] = {}
    for key, iri in snapshot.derived(_terms).properties.items():
        known.setdefault(iri, key)
    rows = (row["property"].value for row in select(snapshot.store, queries.bind("document_properties")))
    named = (known.get(iri) or key_of(iri, base) for iri in rows if iri not in _OF_STRUCTURE)
    return tuple(sorted(filter(None, named)))
