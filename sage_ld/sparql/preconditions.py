"""Conditional requests: entity tags that follow from a revision, and what a write may ask of them.

RFC 9110, section 13. A tag begins with the revision that it belongs to. So a write is held against the
revision that it changes, by the process that holds the graph's lock: no other write comes between.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

import sage_ld
from sage_ld.errors import PreconditionError
from sage_ld.store.directory import Directory
from sage_ld.store.pins import MARK

Conditions = dict[str, Any]
"""`match` and `none_match`, each `*`, a list of tags, or None, as a job carries them."""


def revision_tag(directory: Directory, number: int) -> str:
    """The beginning of all entity tags of a revision.

    A graph that was made anew counts its revisions from 1 again: the time of publishing tells them apart.

    >>> from pathlib import Path
    >>> revision_tag(Directory(Path("missing")), 0).split("-")[:2]
    ['0', '0']
    """
    moment = (directory.revision(number) / MARK).stat().st_mtime_ns if number else 0
    return quote(f"{number}-{moment:x}-{sage_ld.__version__}", safe="-.")


def check(conditions: Mapping[str, Any], exists: bool, tag: str) -> None:
    """Raises PreconditionError unless `conditions` hold of a resource whose revision has `tag`."""
    match, none_match = conditions["match"], conditions["none_match"]
    if match is not None and not (exists and _names(match, tag)):
        raise PreconditionError(
            "If-Match does not hold: the resource is another by now, or is not there; "
            "nothing was changed; read it again and repeat the change with the ETag that comes with it"
        )
    if none_match is not None and exists and _names(none_match, tag):
        raise PreconditionError(
            "If-None-Match does not hold: the resource is there; "
            "nothing was changed; leave the header out to change it all the same"
        )


def _names(tags: str | list[str], current: str) -> bool:
    """Whether one of `tags` is of the revision with the tag `current`, in whatever format it was read."""
    return tags == "*" or any(each == current or each.startswith(f"{current}-") for each in tags)
