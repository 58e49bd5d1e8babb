"""The answer to a question about the graph: rows, the query behind them, how sure it is, their sources."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from sage_ld.agents.text_to_sparql.compiler import Binding
from sage_ld.agents.text_to_sparql.missing_names import MissingName
from sage_ld.foundation.question import Answer


class Way(StrEnum):
    """The way in which a question was answered."""

    GRAMMAR = "grammar"
    """By a query that the grammar compiled."""
    MODEL = "model"
    """By a query that a language model wrote."""
    INTERSECTION = "intersection"
    """By the resources that the searches of all fields found."""
    UNION = "union"
    """By the resources that the search of some field found."""
    HYBRID = "hybrid"
    """By chunks, of a hybrid search."""


class Language(StrEnum):
    """The language of a query."""

    SPARQL = "sparql"
    SQL = "sql"


@dataclass(frozen=True, slots=True)
class RowCell:
    """A value in a row: a text, and the IRI where it names a resource."""

    value: Any
    """A text, a number or a truth value; None where a row has nothing in a column."""
    iri: str | None = None


@dataclass(frozen=True, slots=True)
class RowSource:
    """A graph, and the document whose graph it is, that states what a query matched."""

    graph: str | None
    document: str | None = None
    identifier: str = ""
    """The document's identifier."""
    chunks: tuple[str, ...] = ()
    """The IRIs of the chunks that hold matched rows of a table."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """A query that was tried, and what came of it."""

    query: str
    error: str = ""
    """Why it could not be run; empty where it ran and found nothing."""


@dataclass(frozen=True, slots=True)
class GraphAnswer:
    """The answer of the graph to a question."""

    question: str
    revision: int
    way: Way
    is_sure: bool
    """Whether the confidence reaches the setting least_query_confidence; if not, read `fallback`."""
    confidence: float
    """From 0 to 1."""
    language: Language | None = None
    query: str | None = None
    columns: tuple[str, ...] = ()
    rows: tuple[tuple[RowCell, ...], ...] = ()
    is_complete: bool = True
    """Whether these are all rows."""
    sources: tuple[RowSource, ...] = ()
    bindings: tuple[Binding, ...] = ()
    unused: tuple[str, ...] = ()
    """Words of the question that the query does not cover."""
    missing: tuple[MissingName, ...] = ()
    """Names in the question that the graph does not have; of an answer that is not sure."""
    attempts: tuple[Attempt, ...] = ()
    """Queries of a model that failed or found nothing, in order."""
    fallback: Answer | None = None
    """Chunks that a hybrid search found; None where the rows answer."""
