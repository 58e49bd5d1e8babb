"""Questions answered by the graph's statements and tables, with hybrid search where that is not sure."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from sage_ld import arguments
from sage_ld.bounded_cache import BoundedCache
from sage_ld.deadline import Check, unchecked
from sage_ld.errors import LimitError, SageError, UnavailableError
from sage_ld.graph import KnowledgeGraph, Snapshot
from sage_ld.model import Answer
from sage_ld.rdf_values import iri_of
from sage_ld.retrieval import Retriever
from sage_ld.settings import Settings
from sage_ld.store import queries, reading
from sage_ld.store.iris import Iris
from sage_ld.store.resources import is_of_rdf
from sage_ld.tables.catalogue import StoredTable, catalogue
from sage_ld.tables.workers import TableWorkers
from sage_ld.text_to_sparql.answers import Cell, GraphAnswer, Language, Way
from sage_ld.text_to_sparql.assembly import Fact, Facts
from sage_ld.text_to_sparql.compiler import Interpretation, interpretations
from sage_ld.text_to_sparql.plan import Form
from sage_ld.text_to_sparql.provenance import rdf_sources, table_sources
from sage_ld.text_to_sparql.rdf_schema import rdf_schema
from sage_ld.text_to_sparql.running import RdfQueries
from sage_ld.text_to_sparql.schema import World
from sage_ld.text_to_sparql.sparql_text import sparql_of
from sage_ld.text_to_sparql.sql_text import sql_of
from sage_ld.text_to_sparql.table_schema import table_world
from sage_ld.text_to_sparql.values import ValueIndex
from sage_ld.workers.task import Gone

_TRIED: Final = 3
"""Plans of a question that are run, one after the other, until one finds something."""
_EMPTY: Final = 0.5
"""What is left of the confidence of a plan that finds nothing."""
_STATEMENTS: Final = 2_000
"""Statements of a resource, each way, by which it is known what joins it with others."""
_KEPT: Final = 10_000
"""Resources for which that is kept."""
_RESULTS: Final = 5


@dataclass(frozen=True, slots=True)
class _Ran:
    """The rows of a query, and what they come from."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    is_complete: bool
    chunks: tuple[tuple[str, ...], ...] = ()


class GraphQuestions:
    """Answers questions about a graph by queries that it compiles: SPARQL over RDF, SQL over tables.

    Use it as a context manager, or close it: it starts processes of its own for the queries, unless it is given
    some. Without DuckDB, tables are left out.
    """

    def __init__(
        self, graph: KnowledgeGraph, rdf: RdfQueries | None = None, tables: TableWorkers | None = None
    ) -> None:
        self.graph = graph
        self._owned = [each for each, given in ((0, rdf), (1, tables)) if given is None]
        self._rdf = rdf or RdfQueries(graph.directory, graph.settings)
        self._tables = tables or TableWorkers(graph.settings)

    def close(self) -> None:
        """Ends the processes of its own."""
        for number in self._owned:
            (self._rdf, self._tables)[number].close()

    def __enter__(self) -> GraphQuestions:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def ask(
        self,
        question: str,
        most: int = 100,
        *,
        at: Snapshot | None = None,
        check: Check = unchecked,
        gone: Gone | None = None,
        client: Hashable | None = None,
    ) -> GraphAnswer:
        """The answer to a question, of at most `most` rows.

        `at` is the revision that is asked, the newest unless given. `check` ends the work by raising an error;
        `gone` and `client` are for the pools. Raises InputError, LimitError for a question that is too long,
        BusyError, AbandonedError.
        """
        settings = self.graph.settings
        text = arguments.text(question, "question")
        _check(text, most, settings)
        snapshot = self.graph.snapshot() if at is None else at
        run = partial(self._run, snapshot, most=most, gone=gone, client=client)
        found = self.interpretations(text, snapshot, check)
        best: GraphAnswer | None = None
        for interpretation in found[:_TRIED]:
            if interpretation.confidence < settings.least_query_confidence:
                break
            check()
            if (answer := self._answered(text, snapshot, interpretation, run)) is None:
                continue
            if best is None or answer.confidence > best.confidence:
                best = answer
            if best.is_sure:
                return best
        return self._unsure(text, snapshot, found, best, check)

    def interpretations(
        self, question: str, snapshot: Snapshot, check: Check = unchecked
    ) -> list[Interpretation]:
        """What a question may mean in a revision, the surest first, without running anything."""
        found = []
        for world, values in worlds(self.graph, snapshot, question, check):
            check()
            found += interpretations(question, world, values, partial(_facts, snapshot))
        return sorted(found, key=lambda each: -each.confidence)

    def _answered(
        self,
        question: str,
        snapshot: Snapshot,
        found: Interpretation,
        run: Callable[[Interpretation, str], _Ran],
    ) -> GraphAnswer | None:
        """The answer of a plan; None where its query cannot be run within the limits."""
        plan = found.plan
        query = query_of(found, self.graph.settings.max_question_rows)
        try:
            ran = run(found, query)
        except (LimitError, UnavailableError):
            return None
        is_empty = not ran.rows or (
            plan.form is not Form.ASK and all(_is_nothing(row[0]) for row in ran.rows)
        )
        confidence = found.confidence * (_EMPTY if is_empty else 1.0)
        if plan.table:
            sources = table_sources(catalogue(snapshot)[plan.table], ran.chunks)
        else:
            sources = rdf_sources(snapshot, plan, [row[0].iri for row in ran.rows if row[0].iri])
        return GraphAnswer(
            question,
            snapshot.number,
            Way.GRAMMAR,
            confidence >= self.graph.settings.least_query_confidence,
            confidence,
            Language.SQL if plan.table else Language.SPARQL,
            query,
            ran.columns,
            ran.rows,
            ran.is_complete,
            sources,
            found.bindings,
            found.unused,
        )

    def _run(
        self,
        snapshot: Snapshot,
        found: Interpretation,
        query: str,
        most: int,
        gone: Gone | None,
        client: Hashable | None,
    ) -> _Ran:
        if not found.plan.table:
            rows = self._rdf.run(snapshot, query, most + 1, gone, client)
            return _Ran(rows.columns, rows.rows[:most], len(rows.rows) <= most)
        answer = self._tables.run(snapshot, query, max_rows=most, gone=gone, client=client)
        cells = tuple(tuple(Cell(value) for value in row) for row in answer.rows)
        return _Ran(tuple(name for name, _ in answer.columns), cells, answer.complete, answer.chunks)

    def _unsure(
        self,
        question: str,
        snapshot: Snapshot,
        found: Sequence[Interpretation],
        best: GraphAnswer | None,
        check: Check,
    ) -> GraphAnswer:
        """The chunks of a hybrid search, beside the query that was least unsure."""
        fallback = self._hybrid(question, snapshot, check)
        if best is None and not found:
            return GraphAnswer(question, snapshot.number, Way.HYBRID, False, 0.0, fallback=fallback)
        first = found[0]
        return GraphAnswer(
            question,
            snapshot.number,
            Way.HYBRID,
            False,
            first.confidence if best is None else best.confidence,
            Language.SQL if first.plan.table else Language.SPARQL,
            query_of(first, self.graph.settings.max_question_rows),
            bindings=first.bindings,
            unused=first.unused,
            fallback=fallback,
        )

    def _hybrid(self, question: str, snapshot: Snapshot, check: Check) -> Answer:
        return Retriever(self.graph).retrieve(question, _RESULTS, _RESULTS, at=snapshot, check=check)


def _is_nothing(cell: Cell) -> bool:
    return cell.value is None or (cell.iri is None and cell.value == 0 and not isinstance(cell.value, bool))


def _check(question: str, most: int, settings: Settings) -> None:
    if len(question) > settings.max_question_length:
        raise LimitError.of(
            "question", len(question), settings.max_question_length, "characters", "max_question_length"
        )
    if not 1 <= most <= settings.max_question_rows:
        raise LimitError.of("rows", most, settings.max_question_rows, "rows", "max_question_rows")


def query_of(found: Interpretation, most: int) -> str:
    """The query of an interpretation: SQL for a table, else SPARQL."""
    return sql_of(found.plan, most) if found.plan.table else sparql_of(found.plan, most)


def worlds(
    graph: KnowledgeGraph, snapshot: Snapshot, question: str, check: Check = unchecked
) -> Iterator[tuple[World, ValueIndex]]:
    """What one query can ask: the RDF, and each of the tables that a question may be about."""
    schema = rdf_schema(snapshot)
    if schema.world.classes:
        yield schema
    for table in _tables(graph, snapshot, question, check):
        try:
            yield table_world(snapshot, table, graph.settings.max_table_cells)
        except LimitError:
            continue


def _tables(graph: KnowledgeGraph, snapshot: Snapshot, question: str, check: Check) -> list[StoredTable]:
    """All tables, or where they are many, those with the chunks that a search finds for the question."""
    tables = snapshot.derived(_data_tables)
    most = graph.settings.max_question_tables
    if len(tables) <= most:
        return list(tables)
    answer = Retriever(graph).retrieve(question, most, 0, mode="hybrid", at=snapshot, check=check)
    rank = {result.view.iri: result.rank for result in reversed(answer.results)}
    ranked = [
        (min((rank[chunk] for chunk in table.chunks if chunk in rank), default=0), table) for table in tables
    ]
    return [table for place, table in sorted(ranked, key=lambda each: each[0]) if place][:most]


def _data_tables(snapshot: Snapshot) -> tuple[StoredTable, ...]:
    """The tables of a revision that are not records of RDF, which is asked by SPARQL."""
    iris = Iris(snapshot.configuration.base_iri)
    return tuple(
        table
        for table in catalogue(snapshot).values()
        if table.number is not None or not is_of_rdf(snapshot.store, table.documents[0], iris)
    )


def _facts(snapshot: Snapshot, resource: str) -> Facts:
    """The properties that join a resource with others of a class, from a part of its statements."""
    kept = snapshot.derived(_kept_facts)
    if (known := kept.get(resource)) is None:
        text = queries.bind("linked_classes", node=[resource], most=_STATEMENTS)
        rows = reading.select(snapshot.store, text)
        known = tuple(sorted(filter(None, map(_fact, rows))))
        kept.keep({resource: known})
    return known


def _kept_facts(_: Snapshot) -> BoundedCache[str, tuple[Fact, ...]]:
    return BoundedCache(_KEPT)


def _fact(row: Any) -> Fact | None:
    name, class_name = iri_of(row["property"]), iri_of(row["class"])
    return Fact(name, row["inverse"].value == "true", class_name) if name and class_name else None
