"""The protocol of a store of RDF: what the rest of the package needs, whichever store it is.

`sage_ld.graph.store.oxigraph` opens the one that stands behind it; nothing else knows it but the worker
processes of `sage_ld.service.workers`. Terms, quads and results are pyoxigraph's classes whatever the store:
they can be made from the formats in which other stores answer (`parse_query_results`, `parse`).

A query of ours sees the union of all graphs (`use_default_graph_as_union`). All named queries but six are
SPARQL 1.1; each of the six has a twin beside it that is, `NAME_sparql11.rq`, for a store that has no more:

- `statement` and `relation` need LATERAL, to stop after so many statements of each node; the twins read all
  of them;
- `relation`, `chunk_links`, `link_edges`, `statement_without_edge` and `edge_against_statement` need triple
  terms, which lead from a statement to the edge that reifies it; the twins find the edge by its source and
  target.

A store without triple terms holds the RDF 1.1 view: all quads but those of `rdf:reifies`. `Writer` follows
these from an edge to its statement, and would have to follow the edge's source, class and target there.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from os import PathLike
from typing import Protocol, TypeAlias

from pyoxigraph import (
    BlankNode,
    DefaultGraph,
    Literal,
    NamedNode,
    Quad,
    QueryBoolean,
    QuerySolutions,
    QueryTriples,
    RdfFormat,
    Triple,
    Variable,
)

Subject: TypeAlias = NamedNode | BlankNode | Triple
Object: TypeAlias = NamedNode | BlankNode | Literal | Triple
GraphName: TypeAlias = NamedNode | BlankNode | DefaultGraph


class Store(Protocol):
    """A state of a graph that can be read; what it gives is for the thread that asks."""

    def query(
        self,
        query: str,
        /,
        *,
        base_iri: str | None = None,
        use_default_graph_as_union: bool = False,
        default_graph: DefaultGraph | list[NamedNode | BlankNode | DefaultGraph] | None = None,
        named_graphs: list[NamedNode | BlankNode] | None = None,
        substitutions: dict[Variable, Object] | None = None,
    ) -> QuerySolutions | QueryBoolean | QueryTriples:
        """The answer to a SPARQL query; `substitutions` give variables their values beforehand.

        Its default graph is the store's own, the union of all graphs, or the graphs `default_graph`; GRAPH
        ranges over `named_graphs`. Several graphs are joined, and need not be merged (`stores.py`).

        Raises SyntaxError for a text that is not a query.
        """

    def quads_for_pattern(
        self,
        subject: Subject | None,
        predicate: NamedNode | None,
        object: Object | None,
        graph_name: GraphName | None = None,
        /,
    ) -> Iterator[Quad]:
        """The quads with these terms, None being any; graph by graph, of each subject after subject."""

    def named_graphs(self) -> Iterator[NamedNode | BlankNode]:
        """The names of all graphs but the default one."""

    def contains_named_graph(self, graph_name: GraphName, /) -> bool:
        """Whether there is a graph of this name."""

    def __contains__(self, quad: Quad, /) -> bool:
        """Whether it has a quad, at a cost that does not grow with the graph."""

    def __iter__(self) -> Iterator[Quad]:
        """All quads."""

    def __len__(self) -> int:
        """The number of quads."""

    def backup(self, target_directory: str | PathLike[str], /) -> None:
        """Copies the state into a new directory, at a cost that does not grow with the graph."""


class WritableStore(Store, Protocol):
    """A store that one process changes. Each method is one transaction, but for those of very many quads."""

    def extend(self, quads: Iterable[Quad], /) -> None:
        """Adds quads."""

    def bulk_extend(self, quads: Iterable[Quad], /) -> None:
        """Adds very many quads, which may be seen before the last of them is there."""

    def bulk_load(self, input: bytes, format: RdfFormat, /, *, lenient: bool = False) -> None:
        """Adds all quads of a text, as `bulk_extend` does; `lenient` trusts that its terms are legal."""

    def remove(self, quad: Quad, /) -> None:
        """Takes a quad out; one that is not there is no error."""

    def update(self, update: str, /, *, base_iri: str | None = None) -> None:
        """Carries out a SPARQL update. Raises SyntaxError for a text that does not parse."""

    def add_graph(self, graph_name: GraphName, /) -> None:
        """Makes an empty graph, which stays where it is there already."""

    def remove_graph(self, graph_name: GraphName, /) -> None:
        """Takes a graph out with all its quads."""

    def clear(self) -> None:
        """Takes all graphs out."""

    def flush(self) -> None:
        """Returns when all that was written is on the disk."""

    def optimize(self) -> None:
        """Brings what is on disk into the form that is read fastest."""
