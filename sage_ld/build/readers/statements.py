"""Statements that a reader makes from a table, within the limits of the file that they are made of."""

from __future__ import annotations

from typing import TypeAlias

from pyoxigraph import BlankNode, Literal, NamedNode, Triple

from sage_ld.foundation import vocabulary as v
from sage_ld.foundation.errors import LimitError
from sage_ld.foundation.settings import Settings

Term: TypeAlias = NamedNode | BlankNode | Literal | Triple
Subject: TypeAlias = NamedNode | BlankNode
Statement: TypeAlias = tuple[Subject, NamedNode, Term]

_FREE = 2**20  # characters that the statements made of a file of any size may have


def is_reserved(term: Term) -> bool:
    """Whether a term is one of our own vocabulary: what edges and chunks are is not for files to say."""
    if isinstance(term, Triple):
        return is_reserved(term.subject) or is_reserved(term.predicate) or is_reserved(term.object)
    return isinstance(term, NamedNode) and term.value.startswith(v.SAGE)


class StatementCollector:
    """Statements, each once and in order, less those that name terms of our own vocabulary.

    A short mapping can make many long statements of each row: their characters are counted.
    """

    def __init__(self, identifier: str, size: int, settings: Settings) -> None:
        self.reserved = 0
        """The number of statements left out."""
        self._identifier = identifier
        self._limit = _FREE + settings.max_text_ratio * size
        self._characters = 0
        self._statements: dict[Statement, None] = {}

    def add(self, subject: Subject, predicate: NamedNode, value: Term) -> None:
        """Takes a statement. Raises LimitError if they get longer than `max_text_ratio` allows."""
        if is_reserved(subject) or is_reserved(predicate) or is_reserved(value):
            self.reserved += 1
            return
        self._characters += sum(len(str(term)) for term in (subject, predicate, value))
        if self._characters > self._limit:
            what = f"{self._identifier}: the statements made of it"
            raise LimitError.of(what, self._characters, self._limit, "characters", "max_text_ratio")
        self._statements[subject, predicate, value] = None

    @property
    def statements(self) -> tuple[Statement, ...]:
        """All that were taken."""
        return tuple(self._statements)
