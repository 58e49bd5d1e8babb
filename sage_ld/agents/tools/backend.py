"""The ways to a graph that tools use: directly from a program, or through the workers of the service."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import replace
from typing import IO, Any, Final, Protocol, TypeAlias

from sage_ld.agents.tables import TableWorkers
from sage_ld.agents.text_to_sparql.running import RdfQueries
from sage_ld.foundation.deadline import Check, deadline
from sage_ld.foundation.language_model import LanguageModel
from sage_ld.foundation.processes.pool import Pool, Unobserved
from sage_ld.foundation.question import Answer
from sage_ld.graph import KnowledgeGraph, Snapshot
from sage_ld.graph.exports.curated_edges import draft_of, edge_json
from sage_ld.graph.store.statistics import Statistics, statistics
from sage_ld.service.api.retrieval import RetrievalRequest
from sage_ld.service.workers.document_writes import report
from sage_ld.service.workers.query_jobs import query_job, query_output, query_worker

Gone: TypeAlias = Callable[[], bool]
"""Says whether the caller has gone, so that nobody waits for the result."""
Told: TypeAlias = Callable[[str, int, int], None]
"""Is told of progress: the step, how much of it is done, how much there is."""
_FORMATS: Final = {"SELECT": "json", "ASK": "json", "CONSTRUCT": "turtle", "DESCRIBE": "turtle"}


class Backend(Protocol):
    """A graph as tools see it. Its methods may be called from several threads at once."""

    @property
    def graph(self) -> KnowledgeGraph:
        """The graph."""

    @property
    def is_owner(self) -> bool:
        """Whether the caller owns the process, and may use memory as it likes."""

    def revision(self) -> AbstractContextManager[Snapshot]:
        """The newest revision, held for as long as the block lasts. Raises NotFoundError without one."""

    def searching(self, gone: Gone) -> AbstractContextManager[Check]:
        """A place among the searches that may run at once; returns the check that ends the work."""

    def answer(self, snapshot: Snapshot, parameters: Mapping[str, Any], gone: Gone) -> Answer:
        """The answer to a question with the parameters of `/v1/retrieve`."""

    def statistics(self, snapshot: Snapshot) -> Statistics:
        """The counts of classes and properties. Raises UnavailableError while they are being counted."""

    @property
    def rdf(self) -> RdfQueries:
        """Runs SPARQL that sage-ld writes, in processes that can be killed."""

    @property
    def tables(self) -> TableWorkers:
        """Runs SQL over the graph's tables, in processes that can be killed."""

    @property
    def client(self) -> Hashable | None:
        """For whom queries of `rdf` and `tables` count, where clients share the processes."""

    def language_model(self, purpose: str) -> LanguageModel:
        """The language model, if the caller may use one. Raises UnavailableError, ForbiddenError."""

    def asking_model(self) -> AbstractContextManager[None]:
        """A place among the calls of tools that ask the language model at once. Raises BusyError."""

    def query(self, text: str, form: str, gone: Gone) -> IO[bytes]:
        """The answer to a checked SPARQL query of a form: SPARQL results in JSON, or Turtle."""

    def add(self, document: Mapping[str, Any], gone: Gone, told: Told) -> dict[str, Any]:
        """Adds a text, as `/v1/documents` takes and reports it; the report has the `revision`."""

    def delete(self, identifier: str) -> dict[str, Any]:
        """Deletes a document; returns the number of its `chunks` and the new `revision`."""

    def relate(self, edge: Mapping[str, Any]) -> dict[str, Any]:
        """States a curated edge, as `/v1/edges` takes and reports it."""


class LocalBackend:
    """A graph in this process. Queries run in two worker processes, for SPARQL and for SQL.

    Each is started by the first query.
    """

    is_owner: Final = True

    def __init__(self, graph: KnowledgeGraph) -> None:
        self._graph = graph
        settings = graph.settings
        kind = query_worker(graph.directory, settings, lazy=True)
        self._queries = Pool(kind, 1, settings.sparql_queue, Unobserved(), max_wait=settings.queue_timeout)
        self._tables = TableWorkers(replace(settings, table_workers=1))

    @property
    def graph(self) -> KnowledgeGraph:
        """The graph."""
        return self._graph

    def close(self) -> None:
        """Ends the workers."""
        self._queries.close()
        self._tables.close()

    @property
    def rdf(self) -> RdfQueries:
        """SPARQL in the worker of `query`."""
        return RdfQueries(self._graph.directory, self._graph.settings, self._queries)

    @property
    def tables(self) -> TableWorkers:
        """SQL in one worker."""
        return self._tables

    @property
    def client(self) -> None:
        """All queries are the owner's."""
        return

    def language_model(self, purpose: str) -> LanguageModel:
        """The model of the settings."""
        return self._graph.language_model(purpose)

    def asking_model(self) -> AbstractContextManager[None]:
        """Any number may ask."""
        return nullcontext()

    @contextmanager
    def revision(self) -> Iterator[Snapshot]:
        """The newest revision."""
        yield self._graph.snapshot()

    @contextmanager
    def searching(self, gone: Gone) -> Iterator[Check]:
        """Any number may search."""
        yield deadline(self._graph.settings.retrieve_timeout, "retrieve_timeout", gone)

    def answer(self, snapshot: Snapshot, parameters: Mapping[str, Any], gone: Gone) -> Answer:
        """The answer, computed and not read from a cache."""
        with self.searching(gone) as check:
            return RetrievalRequest.of(self._graph, parameters).answer(snapshot, check)

    def statistics(self, snapshot: Snapshot) -> Statistics:
        """The counts, made once for each revision."""
        return snapshot.derived(_counted)

    def query(self, text: str, form: str, gone: Gone) -> IO[bytes]:
        """The answer of the worker. Raises what `Pool.run` raises."""
        settings, snapshot = self._graph.settings, self._graph.snapshot()
        folder = snapshot.directory.revision(snapshot.number).resolve()
        output = query_output(settings, _FORMATS[form])
        job = query_job(settings, folder, text, snapshot.configuration.base_iri, output)
        return self._queries.run(job, settings.sparql_timeout, gone=gone)

    def add(self, document: Mapping[str, Any], gone: Gone, told: Told) -> dict[str, Any]:
        """Adds the text in this process. Raises ConflictError where another process writes."""
        del gone, told  # what is published is published as a whole, and the reading takes no time
        from sage_ld.build.readers.uploads import Upload
        from sage_ld.foundation.model import Duplicates
        from sage_ld.graph.changes.adding import AddRules

        given = dict(document)
        upload = Upload(
            given["text"].encode(),
            identifier=given.get("identifier", ""),
            media_type=given.get("mediaType", "text/plain"),
            name=given.get("name", ""),
            metadata=given.get("metadata", {}),
        )
        rules = AddRules(given.get("replace", False), Duplicates.SKIP)
        summary = self._graph.add_uploads([upload], rules)
        for _, error in summary.failed:
            raise error
        return {**report(summary), "revision": summary.revision or self._graph.directory.current()}

    def delete(self, identifier: str) -> dict[str, Any]:
        """Deletes the document in this process."""
        summary = self._graph.delete([identifier])
        return {"chunks": summary.chunks, "revision": summary.revision}

    def relate(self, edge: Mapping[str, Any]) -> dict[str, Any]:
        """States the edge in this process."""
        added = self._graph.edges.add_all([draft_of(edge)])
        terms, types = self._graph.directory.metadata_terms(), self._graph.edges.types()
        edges = [edge_json(each, types, terms, self._graph.iris.base) for each in added.edges]
        return {"edges": edges, "added": added.added, "revision": self._graph.directory.current()}


def _counted(snapshot: Snapshot) -> Statistics:
    return statistics(snapshot.stores)
