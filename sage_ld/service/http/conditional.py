"""Conditions of a write: the headers If-Match and If-None-Match (RFC 9110, section 13)."""

from __future__ import annotations

from werkzeug import Request
from werkzeug.datastructures import ETags

from sage_ld.graph.preconditions import Conditions


def conditions_in(sent: Request) -> Conditions:
    """The preconditions of a write; If-Match compares strongly, so without weak tags."""
    none_match = sent.if_none_match
    return {
        "match": _said(sent.if_match, sent.if_match.as_set()),
        "none_match": _said(none_match, none_match.as_set(include_weak=True)),
    }


def _said(tags: ETags, listed: set[str]) -> str | list[str] | None:
    if tags.star_tag:
        return "*"
    return sorted(listed) if tags else None
