"""The named graphs that sage-ld keeps itself, and the right that removing or replacing one as a whole needs.

They lie below `{base}graph/`: `docs/architecture.md` lists them. Single statements in them are data like any
other, which a token that writes may change.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import pyoxigraph as ox

from sage_ld.foundation.errors import ForbiddenError
from sage_ld.graph.store.protocol import WritableStore
from sage_ld.service.workers.effects import graph_named
from sage_ld.service.workers.text_limits import tokens
from sage_ld.service.workers.update_text import Kind, Operation

_EVERY = ("ALL", "NAMED")


def refuse_removal(graph: str | None, base_iri: str) -> None:
    """Raises ForbiddenError if `graph` is one of those of the graph with `base_iri`."""
    if graph is not None and graph.startswith(_root(base_iri)):
        raise ForbiddenError(
            f"sage-ld keeps the graph <{graph[:200]}> itself; removing or replacing it as a whole needs a "
            "token of role admin"
        )


def refuse_removals(store: WritableStore, operations: Iterable[Operation], base: str, base_iri: str) -> None:
    """Raises ForbiddenError if an operation clears, drops, moves or overwrites one of them.

    `base` is what relative IRIs in the update are relative to.
    """
    for operation in operations:
        if operation.kind is Kind.MANAGEMENT:
            for graph in _removed(store, operation, base):
                refuse_removal(graph, base_iri)


def _removed(store: WritableStore, operation: Operation, base: str) -> Iterator[str]:
    """The graphs of which nothing that is in them now is left."""
    verb, *others = tokens(operation.source or "")
    reached = verb.keyword in ("CLEAR", "DROP", "MOVE")
    if not reached and verb.keyword != "COPY":
        return
    for token in others:
        if token.keyword in _EVERY:
            yield from (each.value for each in store.named_graphs() if isinstance(each, ox.NamedNode))
        elif token.keyword == "TO":
            reached = True
        elif reached and token.kind in ("iri", "name"):
            yield graph_named(store, token.text, operation.prologue, base).value


def _root(base_iri: str) -> str:
    return f"{base_iri}graph/"
