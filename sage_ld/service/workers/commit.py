"""A write job, and how its changes are checked, indexed and published."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import pyoxigraph as ox

from sage_ld.build.readers.uploads import ReadUpload
from sage_ld.foundation.errors import InputError
from sage_ld.foundation.metadata_terms import MetadataTerms
from sage_ld.foundation.progress import Progress, silent
from sage_ld.graph import KnowledgeGraph
from sage_ld.graph.changes import preconditions
from sage_ld.graph.changes.named_graphs import follow_graphs
from sage_ld.graph.changes.shape_checks import check_change, check_own_shapes, check_relation_types
from sage_ld.graph.changes.statement_counts import StatementCounts
from sage_ld.graph.exports.curated_edges import edge_json
from sage_ld.graph.store.curated_edges import CuratedEdge
from sage_ld.graph.store.graph_files import revision_tag
from sage_ld.graph.store.protocol import Store
from sage_ld.graph.store.relations import relation_types
from sage_ld.graph.store.user_statements import DEFAULT_GRAPH
from sage_ld.graph.writing.writer import Writer
from sage_ld.service.workers.effects import Touched

Job = dict[str, Any]
Result = dict[str, Any]


@dataclass(frozen=True)
class Write:
    """A job for the process that writes, while that holds the graph's lock."""

    graph: KnowledgeGraph
    writer: Writer
    job: Job
    body: bytes = b""
    announce: Callable[[int], None] = lambda number: None
    """Is told the number of the revision that is about to be published."""
    progress: Progress = silent
    """Is told how far a long job has come."""
    reads: Sequence[ReadUpload] = ()
    """The texts and files of the job, which were read before the job began."""

    @cached_property
    def terms(self) -> MetadataTerms:
        """The properties that keys of metadata mean in this graph. Raises InputError for a damaged table."""
        return self.graph.directory.metadata_terms()

    def check_conditions(self, name: str | None) -> None:
        """Holds what the request asks of a graph against the current revision; the lock keeps it current.

        Raises PreconditionError.
        """
        if (conditions := self.job.get("conditions")) is not None:
            directory = self.graph.directory
            tag = revision_tag(directory.path, directory.current())
            preconditions.check(conditions, exists(self.writer.store, name), tag)

    def commit(
        self,
        touched: Touched,
        graphs: Collection[str] | None = None,
        retrievable: bool | None = None,
        *,
        may_be_idle: bool = False,
    ) -> Result:
        """Checks the change, has the indexes and retrievable graphs follow, publishes.

        `graphs` are the named graphs that may have changed, any for None; with `retrievable`, they become
        documents or cease to be. What `may_be_idle` is published if a statement changes. Raises ShapeError,
        LimitError for too large a table of relation types, and InputError for a graph by the name that
        datasets have for the default graph.
        """
        if self.writer.store.contains_named_graph(DEFAULT_GRAPH) and not (
            self.writer.published_store().contains_named_graph(DEFAULT_GRAPH)
        ):
            raise InputError(f"{DEFAULT_GRAPH} stands for the default graph; give the graph another name")
        check_relation_types(self.writer)
        check_change(self.writer, touched.to_check(self.writer.store))
        difference = touched.statements.difference(self.writer.published_store(), self.writer.store)
        warnings = check_own_shapes(self.writer, self.graph.directory.path, difference.statements)
        self.writer.forget_absent()
        self.writer.refresh(touched.nodes)
        follow_graphs(self.graph.deriver(self.writer), graphs, retrievable)
        counts = difference.without_restored(self.writer.store, self.writer.iris.base)
        done = self.counted(counts, self.published(not may_be_idle or any(counts)))
        return {**done, "warnings": warnings + self.writer.warnings}

    def counted(self, counts: StatementCounts, done: Result) -> Result:
        """The result of a change of statements: with their numbers, and the tag of the revision."""
        directory = self.graph.directory
        tag = revision_tag(directory.path, directory.current())
        return {**done, **counts._asdict(), "tag": tag, "warnings": []}

    def published(self, changed: bool = True) -> Result:
        """Publishes, unless nothing was `changed`: the number of the revision that is current then.

        With the curated edges that went with what they joined, if there are any. A dry run publishes nothing:
        the next writer makes `live/` from the current revision.
        """
        directory = self.graph.directory
        if not changed:
            return {"revision": directory.current()}
        self.writer.remove_loose_edges()
        lost = self.edges_json(self.writer.lost_edges)  # read before publishing: it fails for a damaged table
        if self.job.get("dry_run"):
            done: Result = {"revision": directory.current()}
        else:
            self.announce(directory.next_number())
            done = {"revision": self.writer.publish()}
        if lost:
            done["removedEdges"] = lost
        return done

    def edges_json(self, edges: Sequence[CuratedEdge]) -> list[Result]:
        """Curated edges as JSON; the table of types is read once. Raises InputError."""
        if not edges:
            return []
        types = relation_types(self.writer.store, self.writer.iris)
        return [edge_json(each, types, self.terms, self.writer.iris.base) for each in edges]


def exists(store: Store, name: str | None) -> bool:
    """Whether there is a graph of that name; None is the default graph, which always is."""
    return name is None or store.contains_named_graph(ox.NamedNode(name))
