"""The dataset of an update's pattern, where USING makes its default graph of several graphs.

pyoxigraph 0.5 does not merge them (`sage_ld.graph.store.shared_statements`). What an update inserts and
deletes are sets, so most updates do the same all the same; one that counts, or makes something new of each
solution, is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final

from sage_ld.foundation.errors import InputError
from sage_ld.graph.store.query_graphs import DatasetNames, dataset
from sage_ld.service.workers.text_limits import tokens
from sage_ld.service.workers.update_text import Operation

_COUNTS: Final = frozenset({"SELECT", "RAND", "UUID", "STRUUID", "BNODE"})
"""Keywords by which the number of equal solutions matters; aggregates stand in a SELECT."""
_NEW: Final = frozenset({"[", "("})
"""Signs that make blank nodes, beside `_:`."""


def merged(operation: Operation, base: str, share: Callable[[Sequence[str]], bool]) -> Operation:
    """The operation, with each graph after USING named once.

    `share` says whether some graphs make the same statement. Raises InputError if they do and it matters.
    """
    if not operation.using:
        return operation
    listed = dataset(f"{operation.prologue}\nASK {_as_from(operation.using)} {{ }}", base)
    if listed is None:
        return operation
    if _counts(operation) and share(listed.default):
        raise InputError(
            "several graphs after USING make the same statement, which this update would count twice; name "
            "one of them, or ask a query first and insert what it gives"
        )
    return replace(operation, source=None, using=_using(listed))


def _as_from(clauses: str) -> str:
    return " ".join("FROM" if token.keyword == "USING" else token.text for token in tokens(clauses))


def _using(listed: DatasetNames) -> str:
    clauses = [f"USING <{iri}>" for iri in listed.default] + [f"USING NAMED <{iri}>" for iri in listed.named]
    return "\n".join(clauses)


def _counts(operation: Operation) -> bool:
    """Whether it matters how often a solution comes."""
    return any(token.keyword in _COUNTS for token in tokens(operation.where)) or any(
        token.kind == "blank" or token.text in _NEW for token in tokens(operation.inserted or "")
    )
