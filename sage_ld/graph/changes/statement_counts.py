"""The numbers of statements that a change adds and removes: the graph after it against the graph before it.

pyoxigraph does not say what an update has changed. A statement counts once in each named graph that makes it,
and another lexical form makes it another statement.
"""

from __future__ import annotations

from collections.abc import Iterator, Set
from typing import Final, NamedTuple

from pyoxigraph import BlankNode, NamedNode, Quad, Triple

from sage_ld.graph.store.protocol import Object, Store, Subject
from sage_ld.graph.store.user_statements import as_written

MOST_LOOKED_UP: Final = 1_000_000
"""Statements up to which each is looked up; of more, both graphs are read as a whole."""
_Pattern = tuple[Subject | None, NamedNode, Object | None]


class StatementCounts(NamedTuple):
    """The numbers of statements that were added and removed."""

    added: int
    removed: int


class StatementDifference(NamedTuple):
    """The statements that came or went, None where they are not known, and their numbers."""

    counts: StatementCounts
    statements: set[Quad] | None
    added: Set[Quad] = frozenset()

    def without_restored(self, store: Store, base: str) -> StatementCounts:
        """The numbers without what stands below `base` again as before: it was derived once more."""
        added, removed = self.counts
        for quad in self.statements or ():
            if isinstance(quad.graph_name, NamedNode) and quad.graph_name.value.startswith(base):
                stands = next(store.quads_for_pattern(*quad), None) is not None
                added -= quad in self.added and not stands
                removed -= quad not in self.added and stands
        return StatementCounts(added, removed)


class ChangedStatements:
    """The statements that a change may add or remove, as far as they are known before it is made."""

    def __init__(self) -> None:
        self._statements: set[Triple] = set()
        self.unknown = False
        """Whether the change does what nobody knows before; then both graphs are read as a whole."""
        self.new_terms = False
        """Whether it makes IRIs or literals of its own, such as a UUID or the time."""

    def __iter__(self) -> Iterator[Triple]:
        return iter(self._statements)

    def add(self, statement: Triple) -> None:
        """Takes a statement."""
        if not self.unknown:
            self._statements.add(statement)
            if len(self._statements) > MOST_LOOKED_UP:
                self.unknown = True
                self._statements.clear()

    def difference(self, before: Store, after: Store) -> StatementDifference:
        """The statements that came and went: in proportion to the change, unless it is `unknown`."""
        if self.unknown:
            were, are = {hash(each) for each in before}, {hash(each) for each in after}
            return StatementDifference(StatementCounts(len(are - were), len(were - are)), None)
        was: set[Quad] = set()
        now: set[Quad] = set()
        for pattern in self._patterns(before, after):
            was.update(as_written(before, before.quads_for_pattern(*pattern, None)))
            now.update(as_written(after, after.quads_for_pattern(*pattern, None)))
        counts = StatementCounts(len(now - was), len(was - now))
        return StatementDifference(counts, now.symmetric_difference(was), now - was)

    def _patterns(self, before: Store, after: Store) -> set[_Pattern]:
        """The patterns of the statements: a term of the change's own making stands for any."""

        def known(term: Object) -> Object | None:
            new = any(_is_new(each, before, after) for each in self._doubtful(term))
            return None if new else term

        return {(known(each.subject), each.predicate, known(each.object)) for each in self._statements}  # type: ignore[misc]

    def _doubtful(self, term: Object) -> Iterator[Object]:
        """The terms in a term that may be named otherwise when the change is made."""
        if isinstance(term, Triple):
            yield from self._doubtful(term.subject)
            yield from self._doubtful(term.object)
        elif self.new_terms or isinstance(term, BlankNode):
            yield term


def _is_new(term: Object, before: Store, after: Store) -> bool:
    """Whether neither graph knows a term."""
    as_subject = isinstance(term, NamedNode | BlankNode)
    return all(
        next(graph.quads_for_pattern(None, None, term), None) is None
        and not (as_subject and next(graph.quads_for_pattern(term, None, None), None))  # type: ignore[arg-type]
        for graph in (before, after)
    )
