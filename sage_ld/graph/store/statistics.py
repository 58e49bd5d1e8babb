"""A graph in numbers: the one place where statements, resources, classes and properties are counted.

Triples and resources are those of the RDF merge of all graphs, quads are the statements of each graph.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from pyoxigraph import NamedNode

from sage_ld.foundation import vocabulary as v
from sage_ld.foundation.edge_kinds import ANALOGOUS, EDGE_KINDS
from sage_ld.graph.store import queries
from sage_ld.graph.store.queries import select
from sage_ld.graph.store.stores import Stores

_COUNTED: Final = {"documents": v.DOCUMENT, "sections": v.SECTION, "chunks": v.CHUNK}
_EDGES: Final = {"link": v.LINK, "mention": v.MENTION, "order": v.ADJACENCY, "curated": v.CURATED_EDGE} | {
    **{str(kind): row.edge_class for kind, row in EDGE_KINDS.items()},
    ANALOGOUS: v.ANALOGOUS_EDGE,
}


@dataclass(frozen=True, slots=True)
class Statistics:
    """The counts of a graph in the RDF 1.1 view, which leaves out statements with triple terms."""

    properties: dict[str, int]
    """Property -> how many triples have it."""
    classes: dict[str, int]
    """Class -> how many resources have it."""
    subjects: int
    """Of how many resources the graph says something."""
    entities: int
    """How many of these have an IRI."""

    @property
    def triples(self) -> int:
        """The number of triples."""
        return sum(self.properties.values())


def statistics(stores: Stores) -> Statistics:
    """The counts of a revision: some passes over it, 11 s for 5.6 million quads.

    >>> statistics(Stores.empty()).triples
    0
    """
    rows = select(stores.merged, queries.text("properties"))
    properties = {row["property"].value: int(row["triples"].value) for row in rows}
    for name in (v.REIFIES, v.STATES, v.FORM_OF):
        properties.pop(name, None)
    subjects = next(select(stores.merged, queries.text("subjects")))
    return Statistics(
        dict(sorted(properties.items())),
        _classes(stores),
        int(subjects["subjects"].value),
        int(subjects["entities"].value),
    )


def summary(stores: Stores) -> dict[str, int | dict[str, int]]:
    """Counts: `documents`, `sections`, `chunks`, `entities`, `concepts`, `edges` by kind, `quads`."""
    classes = _classes(stores)
    result: dict[str, int | dict[str, int]] = {name: classes.get(iri, 0) for name, iri in _COUNTED.items()}
    for name, predicate in (("entities", v.CHUNK_FREQUENCY), ("concepts", v.CHUNKS_ABOUT)):
        derived = stores.named.quads_for_pattern(None, NamedNode(predicate), None)
        result[name] = sum(1 for _ in derived)  # a file may have concepts of its own
    result["edges"] = {name: classes[iri] for name, iri in sorted(_EDGES.items()) if iri in classes}
    result["quads"] = len(stores.named)
    return result


def _classes(stores: Stores) -> dict[str, int]:
    """Class -> how many resources have it."""
    rows = select(stores.merged, queries.text("classes"))
    counts = {
        row["class"].value: int(row["entities"].value) for row in rows if isinstance(row["class"], NamedNode)
    }
    return dict(sorted(counts.items()))
