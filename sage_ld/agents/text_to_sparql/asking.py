"""Questions answered by the graph's statements and tables, with hybrid search where that is not sure."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import partial
from typing import Final

from sage_ld.agents.tables.stored_tables import StoredTable
from sage_ld.agents.tables.workers import TableWorkers
from sage_ld.agents.text_to_sparql.answers import Attempt, GraphAnswer, Language, RowCell, RowSource, Way
from sage_ld.agents.text_to_sparql.clauses import clauses, without_pronouns
from sage_ld.agents.text_to_sparql.compiler import Interpretation, interpretations
from sage_ld.agents.text_to_sparql.field_search import by_fields
from sage_ld.agents.text_to_sparql.mentions import words_of
from sage_ld.agents.text_to_sparql.missing_names import missing_names
from sage_ld.agents.text_to_sparql.model_queries import write_query
from sage_ld.agents.text_to_sparql.plan import Form, QueryPlan, counted
from sage_ld.agents.text_to_sparql.provenance import MOST_RESOURCES, rdf_sources, table_sources
from sage_ld.agents.text_to_sparql.query_text import sparql_of, sql_of
from sage_ld.agents.text_to_sparql.question_worlds import facts_of, worlds
from sage_ld.agents.text_to_sparql.running import RdfQueries
from sage_ld.foundation import arguments
from sage_ld.foundation.deadline import Check, unchecked
from sage_ld.foundation.errors import BusyError, InputError, LimitError, UnavailableError
from sage_ld.foundation.language_model import LanguageModel
from sage_ld.foundation.processes.task import Gone
from sage_ld.foundation.question import Mode
from sage_ld.foundation.settings import Settings
from sage_ld.graph import KnowledgeGraph, Snapshot
from sage_ld.retrieval import Retriever

_TRIED: Final = 3
"""Plans of a question that are run, one after the other, until one finds something."""
_EMPTY: Final = 0.5
"""The factor of confidence of a plan that finds nothing."""
_RIVAL: Final = 0.95
"""The part of the surest plan's confidence from which that of another table is its rival."""
_TORN: Final = 0.5
"""The factor of confidence where a rival gives other rows."""
_SHOWN: Final = 0.08
"""The least confidence of a plan whose rows are shown, though they are not sure."""
_PARTS: Final = 4
"""Questions of one text that are answered."""
_RESULTS: Final = 5

Searching = Callable[[], AbstractContextManager[Check]]
"""Takes a place to compute in this process, for as long as the block lasts; returns what bounds the work."""


@dataclass(frozen=True, slots=True)
class _Ran:
    """The rows of a query, and what they come from."""

    language: Language
    columns: tuple[str, ...]
    rows: tuple[tuple[RowCell, ...], ...]
    is_complete: bool
    chunks: tuple[tuple[str, ...], ...] = ()
    tables: tuple[StoredTable, ...] = ()


@dataclass(frozen=True, slots=True)
class _Bounds:
    """The limits of the work on a question."""

    most: int
    check: Check
    gone: Gone | None
    client: Hashable | None
    searching: Searching


class Asking(StrEnum):
    """The author of the query: grammar or language model."""

    AUTO = "auto"
    GRAMMAR = "grammar"
    MODEL = "model"

    @classmethod
    def named(cls, name: str) -> Asking:
        """The way of that name. Raises InputError."""
        try:
            return cls(name)
        except ValueError:
            raise InputError(f"unknown way {name[:40]!r}; choose from {', '.join(cls)}") from None


class GraphQuestions:
    """Answers questions about a graph by queries that it compiles: SPARQL over RDF, SQL over tables.

    Use it as a context manager, or close it: it starts processes of its own for the queries, unless it is
    given some. Without DuckDB, tables are left out.
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
        way: Asking | str = Asking.AUTO,
        at: Snapshot | None = None,
        check: Check = unchecked,
        gone: Gone | None = None,
        client: Hashable | None = None,
        searching: Searching | None = None,
    ) -> GraphAnswer:
        """The answer to a question, of at most `most` rows.

        `way` selects the author of the query: the grammar, a language model, or (`auto`) the model where the
        grammar is not sure and a model is set. `at` is the revision that is asked, the newest unless given.
        `check` ends the work by raising an error; `gone` and `client` are for the pools. `searching` is
        entered around what this process computes itself, never around a query or a call. Raises InputError,
        LimitError for a question that is too long, BusyError, AbandonedError, and UnavailableError for the
        way `model` without a model.
        """
        text = arguments.text(question, "question")
        _check(text, most, self.graph.settings)
        chosen = Asking.named(way)
        model = self._model(chosen)
        snapshot = self.graph.snapshot() if at is None else at
        bounds = _Bounds(most, check, gone, client, searching or (lambda: nullcontext(check)))
        answer = None
        if chosen is not Asking.MODEL:
            answer = self._by_clauses(text, snapshot, bounds)
            if answer.is_sure or model is None:
                return answer if answer.is_sure else self._with_chunks(answer, snapshot, bounds)
        assert model is not None  # the way `model` needs one
        return self._by_model(text, snapshot, model, bounds, answer)

    def _model(self, way: Asking) -> LanguageModel | None:
        """The language model for a way. Raises UnavailableError where the way is `model` and none is set."""
        if way is Asking.GRAMMAR or (way is Asking.AUTO and not LanguageModel.is_set(self.graph.settings)):
            return None
        return self.graph.language_model("the way `model` (the way `grammar` does not)")

    def _by_clauses(self, question: str, snapshot: Snapshot, bounds: _Bounds) -> GraphAnswer:
        """The answer of the grammar; of several questions in one, the rows of each, beside its words."""
        asked = clauses(question)
        if not 1 < len(asked) <= _PARTS:
            answer = self._by_grammar(question, snapshot, bounds)
            return answer if len(asked) == 1 else replace(answer, is_sure=False)
        parts = [self._by_grammar(asked[0], snapshot, bounds)]
        for each in asked[1:]:
            named = without_pronouns(each, parts[0].bindings)
            parts.append(self._by_grammar(named, snapshot, bounds))
        return _joined(question, asked, parts)

    def _by_grammar(self, question: str, snapshot: Snapshot, bounds: _Bounds) -> GraphAnswer:
        """The rows of the surest plan that finds something; where no plan is sure, those to be checked."""
        with bounds.searching() as check:
            candidates = self.interpretations(question, snapshot, check)
        best: GraphAnswer | None = None
        for interpretation in candidates[:_TRIED]:
            if interpretation.confidence < self.graph.settings.least_query_confidence:
                break
            bounds.check()
            answer = self._answered(question, snapshot, interpretation, bounds)
            if answer is not None and (best is None or answer.confidence > best.confidence):
                best = answer
            if best is not None and best.is_sure:
                rivals = [each for each in candidates if _is_rival(each, interpretation)]
                return self._beside(best, rivals, snapshot, bounds)
        return self._unsure(question, snapshot, candidates, best, bounds)

    def _beside(
        self, best: GraphAnswer, rivals: Sequence[Interpretation], snapshot: Snapshot, bounds: _Bounds
    ) -> GraphAnswer:
        """An answer; not sure where another table answers the question as well, with other rows."""
        for each in rivals[:_TRIED]:
            bounds.check()
            other = self._answered(best.question, snapshot, each, bounds)
            if other is not None and other.is_sure and not _is_same(best, other):
                return replace(best, is_sure=False, confidence=best.confidence * _TORN)
        return best

    def interpretations(
        self, question: str, snapshot: Snapshot, check: Check = unchecked
    ) -> list[Interpretation]:
        """The interpretations of a question in a revision, the surest first, without running anything.

        Nothing where it has more words than the setting max_question_words.
        """
        if len(words_of(question)) > self.graph.settings.max_question_words:
            return []
        candidates = []
        for world, values in worlds(self.graph, snapshot, question, check):
            check()
            candidates += interpretations(question, world, values, partial(facts_of, snapshot), check)
        return sorted(candidates, key=lambda each: -each.confidence)

    def _answered(
        self, question: str, snapshot: Snapshot, interpretation: Interpretation, bounds: _Bounds
    ) -> GraphAnswer | None:
        """The answer of a plan; None where its query cannot be run within the limits."""
        plan = interpretation.plan
        language = Language.SQL if plan.table else Language.SPARQL
        query = query_of(interpretation, self.graph.settings.max_question_rows)
        try:
            ran = self._run(snapshot, language, query, bounds)
        except BusyError:
            raise
        except (InputError, UnavailableError):
            return None
        is_empty = all(_is_nothing(row[0]) for row in ran.rows)
        confidence = interpretation.confidence * (_EMPTY if is_empty else 1.0)
        return GraphAnswer(
            question,
            snapshot.number,
            Way.GRAMMAR,
            confidence >= self.graph.settings.least_query_confidence,
            confidence,
            language,
            query,
            ran.columns,
            ran.rows,
            ran.is_complete,
            self._sources(snapshot, ran, plan, bounds),
            interpretation.bindings,
            interpretation.unused,
        )

    def _by_model(
        self,
        question: str,
        snapshot: Snapshot,
        model: LanguageModel,
        bounds: _Bounds,
        before: GraphAnswer | None,
    ) -> GraphAnswer:
        """The rows of the model's query; else what the fields' searches find; else chunks."""
        attempts: list[Attempt] = []
        with bounds.searching() as check:
            asked = list(worlds(self.graph, snapshot, question, check))
        run = partial(self._found, snapshot, bounds=bounds)
        if (made := write_query(model, question, asked, run, attempts, bounds.check)) is not None:
            ran = made.result
            return GraphAnswer(
                question,
                snapshot.number,
                Way.MODEL,
                made.confidence >= self.graph.settings.least_query_confidence,
                made.confidence,
                made.language,
                made.query,
                ran.columns,
                ran.rows,
                ran.is_complete,
                self._sources(snapshot, ran, None, bounds),
                attempts=tuple(attempts),
            )
        unsure = before or GraphAnswer(question, snapshot.number, Way.HYBRID, False, 0.0)
        unsure = replace(unsure, attempts=tuple(attempts))
        with bounds.searching():
            fields = by_fields(snapshot, question, bounds.most)
        if fields is not None:
            way, resources = fields
            return replace(
                unsure,
                way=way,
                language=None,
                query=None,
                columns=("resource", "label"),
                rows=tuple((RowCell(iri, iri), RowCell(label)) for iri, label in resources),
                sources=rdf_sources(snapshot, None, [iri for iri, _ in resources]),
            )
        return self._with_chunks(unsure, snapshot, bounds)

    def _found(self, snapshot: Snapshot, language: Language, query: str, bounds: _Bounds) -> _Ran | None:
        """The answer to a model's query; None for nothing."""
        ran = self._run(snapshot, language, query, bounds)
        return ran if any(not _is_nothing(cell) for row in ran.rows for cell in row) else None

    def _run(self, snapshot: Snapshot, language: Language, query: str, bounds: _Bounds) -> _Ran:
        bounds.check()
        most, gone, client = bounds.most, bounds.gone, bounds.client
        if language is Language.SPARQL:
            rows = self._rdf.run(snapshot, query, most + 1, gone, client)
            return _Ran(language, rows.columns, rows.rows[:most], len(rows.rows) <= most)
        answer = self._tables.run(
            snapshot,
            query,
            max_rows=most,
            reading=lambda: nullcontext(bounds.check),
            gone=gone,
            client=client,
        )
        cells = tuple(tuple(RowCell(value) for value in row) for row in answer.rows)
        columns = tuple(name for name, _ in answer.columns)
        return _Ran(language, columns, cells, answer.complete, answer.chunks, answer.tables)

    def _sources(
        self, snapshot: Snapshot, ran: _Ran, plan: QueryPlan | None, bounds: _Bounds
    ) -> tuple[RowSource, ...]:
        """The sources of a query's rows; of a number or text, some of the sources that it was made of."""
        if ran.language is Language.SQL:
            return tuple(source for table in ran.tables for source in table_sources(table, ran.chunks))
        resources = _resources(ran)
        if not resources and plan is not None and plan.form is not Form.ASK:
            bounded = replace(bounds, most=MOST_RESOURCES)
            try:
                query = sparql_of(counted(plan), MOST_RESOURCES)
                resources = _resources(self._run(snapshot, Language.SPARQL, query, bounded))
            except BusyError:
                raise
            except (InputError, UnavailableError):
                resources = []
        return rdf_sources(snapshot, plan, resources)

    def _unsure(
        self,
        question: str,
        snapshot: Snapshot,
        candidates: Sequence[Interpretation],
        best: GraphAnswer | None,
        bounds: _Bounds,
    ) -> GraphAnswer:
        """The query that was least unsure, with its rows unless the graph lacks what the question names."""
        with bounds.searching() as check:
            missing = missing_names(question, list(worlds(self.graph, snapshot, question, check)))
        if not candidates:
            return GraphAnswer(question, snapshot.number, Way.HYBRID, False, 0.0, missing=missing)
        first = candidates[0]
        if not any(each.is_name for each in missing):
            shown = best if best is not None and best.rows else None
            shown = shown or self._to_check(question, snapshot, candidates, bool(missing), bounds)
            if shown is not None:
                return replace(shown, is_sure=False, missing=missing)
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
            missing=missing,
        )

    def _to_check(
        self,
        question: str,
        snapshot: Snapshot,
        candidates: Sequence[Interpretation],
        is_lacking: bool,
        bounds: _Bounds,
    ) -> GraphAnswer | None:
        """The rows of the first unsure plan that has some.

        Where the graph lacks a word of the question, a plan without restrictions shows the rows of others.
        """
        for each in candidates[:_TRIED]:
            if each.confidence < _SHOWN or (is_lacking and not (each.plan.restrictions or each.plan.links)):
                continue
            bounds.check()
            answer = self._answered(question, snapshot, each, bounds)
            if answer is not None and answer.rows:
                return answer
        return None

    def _with_chunks(self, answer: GraphAnswer, snapshot: Snapshot, bounds: _Bounds) -> GraphAnswer:
        """An answer that is not sure, with the chunks of a hybrid search."""
        retriever = Retriever(self.graph)
        with bounds.searching() as check:
            chunks = retriever.retrieve(
                answer.question, _RESULTS, _RESULTS, mode=Mode.HYBRID, at=snapshot, check=check
            )
        return replace(answer, fallback=chunks)


def _is_rival(each: Interpretation, best: Interpretation) -> bool:
    """Whether the plan of another table is as sure."""
    is_other = each.plan.table is not None and each.plan.table != best.plan.table
    return is_other and best.plan.table is not None and each.confidence >= _RIVAL * best.confidence


def _is_same(one: GraphAnswer, other: GraphAnswer) -> bool:
    """Whether two answers have the same first column."""
    first, second = ({str(row[0].value) for row in each.rows} for each in (one, other))
    return first == second


def _joined(question: str, asked: Sequence[str], parts: Sequence[GraphAnswer]) -> GraphAnswer:
    """The answers of several questions as one: each row begins with the words of its question."""
    rows = []
    for clause, part in zip(asked, parts, strict=True):
        values = [_told(row, part.columns, clause) for row in part.rows] or [RowCell(None)]
        rows += [(RowCell(clause), each) for each in values]
    open_ = [clause for clause, part in zip(asked, parts, strict=True) if not part.is_sure]
    languages = {part.language for part in parts}
    has_rows = any(part.rows for part in parts)
    return GraphAnswer(
        question,
        parts[0].revision,
        parts[0].way,
        not open_ and not (_is_dated(asked[-1]) and not _is_dated(asked[0])),
        min(part.confidence for part in parts),
        parts[0].language if len(languages) == 1 else None,
        "\n\n".join(part.query for part in parts if part.query) or None,
        ("question", "answer") if has_rows else (),
        tuple(rows) if has_rows else (),
        all(part.is_complete for part in parts),
        tuple(dict.fromkeys(source for part in parts for source in part.sources)),
        tuple(dict.fromkeys(each for part in parts for each in part.bindings)),
        tuple(dict.fromkeys((*open_, *(word for part in parts for word in part.unused)))),
        missing=tuple(dict.fromkeys(each for part in parts for each in part.missing)),
    )


def _is_dated(clause: str) -> bool:
    """Whether a question has a year or a day: at the end of the last of several, it may be that of all."""
    return re.search(r"\b(?:1[0-9]|20)[0-9]{2}\b", clause) is not None


def _told(row: Sequence[RowCell], columns: Sequence[str], clause: str) -> RowCell:
    """The first value of a row; of a whole row that the question names by it, what else the row says."""
    if len(row) < 2 or str(row[0].value).casefold() not in clause.casefold():
        return row[0]
    pairs = zip(columns[1:], row[1:], strict=True)
    return RowCell("; ".join(f"{name}: {cell.value}" for name, cell in pairs if cell.value is not None))


def _resources(ran: _Ran) -> list[str]:
    """The resources in the first column."""
    return [cell.iri for row in ran.rows for cell in row[:1] if cell.iri]


def _is_nothing(cell: RowCell) -> bool:
    return cell.value is None or (cell.iri is None and cell.value == 0 and not isinstance(cell.value, bool))


def _check(question: str, most: int, settings: Settings) -> None:
    if len(question) > settings.max_question_length:
        raise LimitError.of(
            "question", len(question), settings.max_question_length, "characters", "max_question_length"
        )
    if not 1 <= most <= settings.max_question_rows:
        raise LimitError.of("rows", most, settings.max_question_rows, "rows", "max_question_rows")


def query_of(interpretation: Interpretation, most: int) -> str:
    """The query of an interpretation: SQL for a table, else SPARQL."""
    return (
        sql_of(interpretation.plan, most)
        if interpretation.plan.table
        else sparql_of(interpretation.plan, most)
    )
