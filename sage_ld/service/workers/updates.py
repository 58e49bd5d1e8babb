"""Execution of SPARQL updates; what is not allowed is refused before the first operation runs.

pyoxigraph 0.5 does not merge them (`sage_ld.graph.store.shared_statements`). What an update inserts and
deletes are sets, so most updates do the same all the same; one that counts, or makes something new of each
solution, is refused.
"""

from __future__ import annotations

import threading
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from itertools import islice
from typing import Final

import pyoxigraph as ox

from sage_ld.foundation.errors import InputError, ResultLimitError
from sage_ld.foundation.processes import sandbox
from sage_ld.foundation.processes.failures import parser_message
from sage_ld.graph.changes.statement_counts import StatementCounts
from sage_ld.graph.store.protocol import GraphName, Store, WritableStore
from sage_ld.graph.store.query_graphs import DatasetNames, dataset
from sage_ld.graph.store.terms import in_graph
from sage_ld.graph.store.user_statements import DEFAULT_GRAPH, with_users_graphs
from sage_ld.service.workers import graph_writes, searches, update_text
from sage_ld.service.workers.commit import Job, Result, Write
from sage_ld.service.workers.effects import Touched, idle_reason, takes_effect
from sage_ld.service.workers.outbound_calls import IN_UPDATES, refuse_calls
from sage_ld.service.workers.text_limits import TextLimits, measure, tokens
from sage_ld.service.workers.update_text import Operation

_COUNTS: Final = frozenset({"SELECT", "RAND", "UUID", "STRUUID", "BNODE"})
"""Keywords by which the number of equal solutions matters; aggregates stand in a SELECT."""
_NEW: Final = frozenset({"[", "("})
"""Signs that make blank nodes, beside `_:`."""


def merged(
    operation: Operation, base: str, store: Store, share: Callable[[Sequence[str]], bool]
) -> Operation:
    """The operation, with each graph after USING named once, and users' graphs for `{base}graph/own`.

    `share` says whether some graphs make the same statement. Raises InputError if they do and it matters.
    """
    if not operation.using:
        return operation
    listed = dataset(f"{operation.prologue}\nASK {_as_from(operation.using)} {{ }}", base)
    if listed is None:
        return operation
    listed = with_users_graphs(store, listed)
    if _counts(operation) and share(listed.default):
        raise InputError(
            "several graphs after USING make the same statement, which this update would count twice; name "
            "one of them, or ask a query first and insert what it gives"
        )
    return replace(operation, source=None, using=_using(listed))


def _as_from(clauses: str) -> str:
    return " ".join("FROM" if token.keyword == "USING" else token.text for token in tokens(clauses))


def _using(listed: DatasetNames) -> str:
    pairs = [("USING", iri) for iri in listed.default] + [("USING NAMED", iri) for iri in listed.named]
    return "\n".join(f"{word} <{iri}>" for word, iri in pairs if not iri.startswith("_:"))


@contextmanager
def _named_default(write: Write, operation: Operation) -> Iterator[None]:
    """The default graph under the name by which datasets speak of it, while an operation looks at it.

    USING takes no name for it in pyoxigraph, nor for graphs that are named by blank nodes, which it has, too.
    Raises ResultLimitError over `max_merged_statements`, InputError where a user's graph has the name.
    """
    if str(DEFAULT_GRAPH) not in operation.using:
        yield
        return
    most, store = write.graph.settings.max_merged_statements, write.writer.change(told=True)
    if store.contains_named_graph(DEFAULT_GRAPH):
        raise InputError(f"{DEFAULT_GRAPH} after USING is the default graph; give the graph another name")
    unnamed: list[GraphName] = [
        ox.DefaultGraph(),
        *(each for each in store.named_graphs() if isinstance(each, ox.BlankNode)),
    ]
    quads = [
        in_graph(quad.triple, DEFAULT_GRAPH)
        for graph in unnamed
        for quad in islice(store.quads_for_pattern(None, None, None, graph), most + 1)
    ]
    if len(quads) > most:
        raise ResultLimitError.of(
            "the default graph after USING",
            len(quads),
            most,
            "statements",
            "max_merged_statements",
            "name the graphs that are meant",
        )
    store.bulk_extend(quads)
    try:
        yield
    finally:
        store.remove_graph(DEFAULT_GRAPH)


def _counts(operation: Operation) -> bool:
    """Whether it matters how often a solution comes."""
    return any(token.keyword in _COUNTS for token in tokens(operation.where)) or any(
        token.kind == "blank" or token.text in _NEW for token in tokens(operation.inserted or "")
    )


_FAILS: Final = "DROP GRAPH <urn:sage-ld:none>"


def run_update(write: Write) -> Result:
    """Carries out the update in the body; one that changes nothing makes no revision.

    Raises InputError and LimitError for one that may not run, SyntaxError, ForbiddenError, PreconditionError,
    ShapeError.
    """
    job, writer = write.job, write.writer
    base = job["base"]
    write.check_conditions(job["within"] or None)
    text = write.body.decode("utf-8")
    limits = TextLimits(**job["limits"])
    measure(tokens(text), limits)
    searches.refuse(tokens(text))
    operations = [_directed(each, job) for each in checked_operations(text, base, limits.bytes)]
    if not job["may_remove"]:
        graph_writes.refuse_removals(writer.store, operations, base, write.graph.configuration.base_iri)
    touched, warnings = Touched(writer.touch), list[str]()
    done = 0

    def carry_out() -> None:
        nonlocal done
        for number, directed in enumerate(operations, 1):
            operation = merged(directed, base, writer.store, writer.share)
            with _named_default(write, operation):
                if takes_effect(writer.store, operation, base, touched):
                    _update(writer.change(told=True), operation.text, base)
                    done += 1
                elif reason := idle_reason(writer.store, operation):
                    warnings.append(f"operation {number} does nothing: {reason}")

    without_network(carry_out)
    if not done:
        said = write.counted(StatementCounts(0, 0), write.published(changed=False))
    else:
        may_be_idle = not any(map(_manages, operations))
        said = write.commit(touched, may_be_idle=may_be_idle)
        if may_be_idle and said["added"] == said["removed"] == 0:
            warnings.append(_NO_EFFECT)
    return {**said, "warnings": _shortened(warnings) + said["warnings"]}


_NO_EFFECT: Final = (
    "the update leaves every graph as it was: what it inserts is there already, and what it deletes is not "
    "in the graphs that it names"
)
_MOST_WARNINGS: Final = 20


def _manages(operation: Operation) -> bool:
    return operation.kind is update_text.Kind.MANAGEMENT


def _shortened(warnings: list[str]) -> list[str]:
    """The first warnings, and how many more there are."""
    more = len(warnings) - _MOST_WARNINGS
    return warnings if more <= 0 else [*warnings[:_MOST_WARNINGS], f"… and {more:,} more operations"]


def checked_operations(text: str, base: str, max_declared: int) -> list[update_text.Operation]:
    """The operations of an update that may be carried out.

    Raises SyntaxError if one does not parse, and InputError if one would call another server, or where
    a parser reads in it what our tokens do not say; LimitError as `update_text.operations`.
    """
    store = ox.Store()

    def parse(text: str) -> None:
        """Parses alone: pyoxigraph runs no operation behind one that fails."""
        with suppress(RuntimeError):
            store.update(text, base_iri=base)

    operations = update_text.operations(text, max_declared)
    for number, each in enumerate(operations, 1):
        begin, source = f"{each.prologue} {_FAILS} ; ", each.source or ""
        parse(begin + source)
        refuse_calls(begin + source, IN_UPDATES, parse)
        if each.kind is update_text.Kind.DATA:  # which cannot be read in two ways
            continue
        try:
            parse(begin + update_text.blanked(source))
        except SyntaxError:
            raise InputError(
                f"operation {number} of the update can be read in two ways; put a space after each < that "
                "compares, and on both sides of each keyword"
            ) from None
    return operations


def _update(store: WritableStore, text: str, base: str) -> None:
    """Carries out one operation. Raises InputError if it fails: it drops a graph that is not there."""
    try:
        store.update(text, base_iri=base)
    except RuntimeError as error:
        raise InputError(parser_message(error)) from None


def without_network(work: Callable[[], None]) -> None:
    """Runs `work` in a thread that can reach no host (the encoder, in this one, may have to)."""
    raised: list[BaseException] = []

    def run() -> None:
        try:
            sandbox.no_network()
            work()
        except BaseException as error:  # raised again below, in the thread that waits
            traceback.clear_frames(error.__traceback__)  # results release their store only in this thread
            raised.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    if raised:
        raise raised.pop()


def _directed(operation: update_text.Operation, job: Job) -> update_text.Operation:
    """The operation on the graphs that the request names."""
    if job["using"] is not None:
        operation = update_text.using(operation, *job["using"])
    if job["within"] is not None:
        operation = update_text.within(operation, job["within"])
    return operation
