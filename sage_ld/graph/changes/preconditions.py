"""Conditional writes: what a writer asks of a document, an edge or a graph as it is before it is changed.

They are those of HTTP (RFC 9110, section 13). A tag says what somebody has read: that of a document or an
edge follows from its content, that of a named graph begins with the revision that it belongs to. A write is
compared with the tag by the process that holds the graph's lock: no other write comes between.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from sage_ld.foundation import arguments
from sage_ld.foundation.errors import PreconditionError
from sage_ld.graph.store.iris import Iris
from sage_ld.graph.store.protocol import Store
from sage_ld.graph.views.documents import document_tag

Conditions = dict[str, Any]
"""`match` and `none_match`, each `*`, a list of tags, or None, as a job carries them."""


class ConditionNames(NamedTuple):
    """The names of the conditions and of a tag, where the writer states them."""

    match: str
    none_match: str
    tag: str


HTTP: Final = ConditionNames("If-Match", "If-None-Match", "ETag")
PYTHON: Final = ConditionNames("if_match", "if_none_match", "tag")


def conditions_of(if_match: str | None, if_none_match: str | None = None) -> Conditions | None:
    """The conditions of a call: each `*`, one tag, or None for none. Raises InputError.

    >>> conditions_of("*")
    {'match': '*', 'none_match': None}
    """
    if if_match is None and if_none_match is None:
        return None
    return {"match": _tags(if_match, PYTHON.match), "none_match": _tags(if_none_match, PYTHON.none_match)}


def _tags(value: str | None, name: str) -> str | list[str] | None:
    if value is None:
        return None
    return "*" if arguments.text(value, name) == "*" else [value]


def check_document(
    store: Store, iris: Iris, iri: str, conditions: Mapping[str, Any] | None, names: ConditionNames = HTTP
) -> None:
    """Raises PreconditionError unless `conditions`, if any, hold of a document (an IRI) as it is."""
    if conditions is not None:
        tag = document_tag(store, iris, iri)
        check(conditions, bool(tag), tag, names)


def check(conditions: Mapping[str, Any] | None, exists: bool, tag: str, names: ConditionNames = HTTP) -> None:
    """Raises PreconditionError unless `conditions`, if any, hold of a resource that has `tag`."""
    if conditions is None:
        return
    match, none_match = conditions["match"], conditions["none_match"]
    if match is not None and not (exists and _names(match, tag)):
        raise PreconditionError(
            f"{names.match} does not hold: the resource has changed or does not exist; "
            f"nothing was changed; read it again and repeat the change with its {names.tag}"
        )
    if none_match is not None and exists and _names(none_match, tag):
        raise PreconditionError(
            f"{names.none_match} does not hold: the resource exists; "
            "nothing was changed; leave it out to change the resource anyway"
        )


def _names(tags: str | list[str], current: str) -> bool:
    """Whether one of `tags` is the tag `current`, with whatever format and version after it."""
    return tags == "*" or any(each == current or each.startswith(f"{current}-") for each in tags)
