"""Conditions of a write: the headers If-Match and If-None-Match (RFC 9110, section 13)."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from werkzeug import Request

from sage_ld.foundation.errors import InputError
from sage_ld.graph.changes.preconditions import HTTP, Conditions

_TAG: Final = re.compile(r'(W/)?"([\x21\x23-\x7e\x80-\xff]*)"')
"""An entity tag: whether it is weak, and what stands in its quotes."""
_EMPTY_TAG: Final = '""'
_BLANKS: Final = " \t"
_SHOWN: Final = 60  # characters of a header in a message


def conditions_in(sent: Request) -> Conditions:
    """The preconditions of a write; If-Match compares strongly, so without weak tags.

    Raises InputError for an empty header: a client that sends one wants no change without it.
    """
    return {
        "match": _tags(sent, HTTP.match, weak=False),
        "none_match": _tags(sent, HTTP.none_match, weak=True),
    }


def revision_condition(sent: Request) -> Conditions:
    """The precondition of a write to the whole graph, whose tag is that of the revision: If-Match.

    Raises InputError for If-None-Match, and as `conditions_in`.
    """
    refuse_conditions(sent, (HTTP.none_match,))
    return conditions_in(sent)


def refuse_conditions(sent: Request, names: Iterable[str] = (HTTP.match, HTTP.none_match)) -> None:
    """Raises InputError for a condition on a write without a single target: it could not be kept."""
    for name in names:
        if (value := sent.headers.get(name)) is not None:
            raise InputError(
                f"{name}: {value[:_SHOWN]!r} is a condition, and {sent.method} {sent.path} takes none; leave "
                "the header out, or write to the address of the one document, edge or graph that it is about"
            )


def _tags(sent: Request, name: str, *, weak: bool) -> str | list[str] | None:
    """The tags of a header, sorted, or `*`; None without the header. Raises InputError."""
    if (value := sent.headers.get(name)) is None:
        return None
    if (value := value.strip(_BLANKS)) == "*":
        return value
    tags = _TAG.findall(value)
    elements = {each.strip(_BLANKS) for each in _TAG.sub(_EMPTY_TAG, value).split(",")}
    if not tags or elements - {"", _EMPTY_TAG}:
        raise InputError(
            f"{name}: {value[:_SHOWN]!r} is neither * nor a list of entity tags; send the {HTTP.tag} as it "
            "was read, with its quotes, or leave the header out"
        )
    return sorted({tag for is_weak, tag in tags if weak or not is_weak})
