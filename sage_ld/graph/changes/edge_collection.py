"""`KnowledgeGraph.edges`: the curated edges of a graph, as a collection."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import date
from pathlib import Path

from sage_ld.foundation import arguments
from sage_ld.foundation import vocabulary as v
from sage_ld.foundation.errors import InputError, LimitError
from sage_ld.foundation.metadata_terms import read_terms
from sage_ld.foundation.relation_types import RelationTypes, builtin_types, checked_extension
from sage_ld.foundation.settings import Settings
from sage_ld.graph.changes.curated_edges import (
    AddedEdges,
    EdgeDraft,
    add_edges,
    edge_iri,
    existing_edge,
    remove_edges,
    replace_edge,
    resolved_end,
)
from sage_ld.graph.changes.preconditions import PYTHON, check, conditions_of
from sage_ld.graph.open_graph import OpenGraph
from sage_ld.graph.store.curated_edges import CuratedEdge, edge_iris, read_edge
from sage_ld.graph.store.iris import Iris
from sage_ld.graph.store.protocol import Store
from sage_ld.graph.store.relations import relation_types
from sage_ld.graph.store.terms import in_graph, node


class EdgeCollection:
    r"""The curated edges of a graph. What reads sees the newest revision; each change makes one.

    >>> import tempfile, pathlib
    >>> from sage_ld import KnowledgeGraph
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> for name in ("gearbox", "engine"):
    ...     _ = (folder / f"{name}.md").write_text(f"# {name}\n\nHow the {name} is serviced.")
    >>> graph = KnowledgeGraph.create(folder / "graph", encoder="jaccard")
    >>> _ = graph.ingest(folder, only=[folder / "gearbox.md", folder / "engine.md"])
    >>> edge = graph.edges.add("gearbox.md", "part_of", "engine.md", weight=0.8)
    >>> [(each.weight, each.relation_type) for each in graph.edges]
    [(0.8, 'https://w3id.org/sage-ld/relations#partOf')]
    >>> graph.edges.remove(edge.iri)
    1
    >>> graph.close()
    """

    def __init__(self, graph: OpenGraph) -> None:
        self._graph = graph

    def __iter__(self) -> Iterator[CuratedEdge]:
        return self.find()

    def __len__(self) -> int:
        return len(edge_iris(*self._read())) if self._graph.directory.current() else 0

    def get(self, name: str) -> CuratedEdge:
        """The edge with an IRI, or with the end of one. Raises NotFoundError."""
        store, iris = self._read()
        return existing_edge(store, iris, edge_iri(iris, arguments.text(name, "name")))

    def find(
        self, *, source: str | None = None, relation: str | None = None, target: str | None = None
    ) -> Iterator[CuratedEdge]:
        """The edges that lead from a source, to a target or are of a type, by IRI; all without any of these.

        Raises InputError for what the graph does not have.
        """
        if self._graph.directory.current() == 0:
            return
        store, iris = self._read()
        for each in edge_iris(store, iris, conditions(store, iris, source, relation, target)):
            if (edge := read_edge(store, iris, each)) is not None:
                yield edge

    def add(
        self,
        source: str,
        relation: str,
        target: str,
        *,
        weight: float = 1.0,
        valid_from: str | date | None = None,
        valid_through: str | date | None = None,
        comment: str = "",
        metadata: Mapping[str, object] | None = None,
    ) -> CuratedEdge:
        """States that `source` has a relation to `target`; an edge that is there already is given back.

        Both are identifiers of documents, or IRIs of documents, chunks, entities or other resources of the
        graph; `relation` is the name or the IRI of a type. The edge is valid from its first day through its
        last one, which may be open. Raises InputError for what does not fit, ConflictError where the edge is
        there with other content, or another process writes, ShapeError where it breaks the shapes.
        """
        draft = EdgeDraft(source, relation, target, weight, valid_from, valid_through, comment, metadata)
        return self.add_all([draft]).edges[0]

    def add_all(self, drafts: Iterable[EdgeDraft]) -> AddedEdges:
        """States several edges in one revision, all or none. Raises what `add` raises."""
        stated = list(drafts)
        with self._graph.writer() as writer:
            added = add_edges(writer, stated, self._graph.directory.metadata_terms())
            writer.publish()
        return added

    def replace(
        self,
        name: str,
        relation: str,
        *,
        weight: float = 1.0,
        valid_from: str | date | None = None,
        valid_through: str | date | None = None,
        comment: str = "",
        metadata: Mapping[str, object] | None = None,
        if_match: str | None = None,
    ) -> CuratedEdge:
        """Gives an edge, named as in `get`, another type, weight and the rest; its ends stay.

        With `if_match`, the `tag` of the edge as it was read, only if it has not changed since. Raises
        NotFoundError, PreconditionError, and what `add` raises.
        """
        conditions = conditions_of(if_match)
        arguments.text(name, "name")
        with self._graph.writer() as writer:
            iri = edge_iri(writer.iris, name)
            before = existing_edge(writer.store, writer.iris, iri)
            check(conditions, True, before.tag, PYTHON)
            draft = EdgeDraft(
                before.source, relation, before.target, weight, valid_from, valid_through, comment, metadata
            )
            edge = replace_edge(writer, iri, draft, self._graph.directory.metadata_terms())
            writer.publish()
        return edge

    def remove(self, names: str | Iterable[str], *, if_match: str | None = None) -> int:
        """Removes edges, named as in `get`, all or none; returns how many.

        `if_match` is the `tag` of an edge as it was read, for one alone: it is removed only if it has not
        changed since. Raises NotFoundError, PreconditionError.
        """
        wanted = arguments.texts([names] if isinstance(names, str) else names, "names")
        conditions = conditions_of(if_match)
        if conditions is not None and len(wanted) != 1:
            raise InputError(f"if_match applies to one edge, but {len(wanted):,} are named; name one")
        with self._graph.writer() as writer:
            iris = [edge_iri(writer.iris, each) for each in wanted]
            for each in iris if conditions else ():
                check(conditions, True, existing_edge(writer.store, writer.iris, each).tag, PYTHON)
            removed = remove_edges(writer, iris)
            writer.publish()
        return removed

    def types(self) -> RelationTypes:
        """The types of relation that the graph has: those of sage-ld, and its own."""
        return relation_types(*self._read()) if self._graph.directory.current() else builtin_types()

    def extend_types(self, file: str | Path) -> int:
        """Adds the relation types of a Turtle file to the graph's table, in place of those added before.

        Gives how many types the table has then. Raises InputError for a file that is not a table, LimitError.
        """
        path = arguments.path(file, "file")
        statements = checked_extension(_text(path, self._graph.settings), str(path), self._graph.settings)
        with self._graph.writer() as writer:
            graph = node(writer.iris.relations_graph)
            before = set(writer.store.quads_for_pattern(None, None, None, graph))
            after = {in_graph(each, graph) for each in statements}
            writer.exchange(sorted(before - after, key=str), sorted(after - before, key=str))
            writer.publish()
            return len(relation_types(writer.store, writer.iris).types)

    def _read(self) -> tuple[Store, Iris]:
        """The newest revision's graphs, and their IRIs."""
        snapshot = self._graph.snapshot()
        return snapshot.stores.named, Iris(snapshot.configuration.base_iri)


def _text(file: Path, settings: Settings) -> str:
    """The text of a file with types. Raises InputError, and LimitError for a large one, which is not read."""
    most = settings.max_relation_types_bytes
    if file.is_file() and (size := file.stat().st_size) > most:
        raise LimitError.of(str(file), size, most, "bytes", "max_relation_types_bytes")
    return read_terms(file)


def conditions(
    store: Store, iris: Iris, source: str | None, relation: str | None, target: str | None
) -> dict[str, str]:
    """The arguments of `edge_iris`, from the names that a user gives. Raises InputError for unknown ones."""
    found = {
        predicate: resolved_end(store, iris, arguments.text(name, role), role)
        for predicate, role, name in ((v.SOURCE, "source", source), (v.TARGET, "target", target))
        if name is not None
    }
    if relation is not None:
        found[v.RELATION_TYPE] = relation_types(store, iris).named(arguments.text(relation, "relation")).iri
    return found
