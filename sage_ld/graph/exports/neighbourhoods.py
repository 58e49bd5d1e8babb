"""Neighbourhoods as pictures are drawn from: JSON, DOT (Graphviz) and GraphML."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Final

from sage_ld.graph.exports import graphml
from sage_ld.graph.views.neighbourhood import ORIGINS, Neighbourhood


def as_json(neighbourhood: Neighbourhood) -> dict[str, object]:
    """The nodes and edges of a neighbourhood as one JSON object."""
    return {
        "start": neighbourhood.start,
        "complete": neighbourhood.complete,
        "nodes": [
            {"id": each.iri, "kind": each.kind, "label": each.label, "hops": each.hops}
            for each in neighbourhood.nodes
        ],
        "edges": [
            {
                "source": each.source,
                "target": each.target,
                "kind": each.kind,
                "weight": each.weight,
                **({"origin": ORIGINS[each.kind]} if each.kind in ORIGINS else {}),
                **({"property": each.property} if each.property else {}),
                **({"edge": each.iri} if each.iri else {}),
            }
            for each in neighbourhood.edges
        ],
    }


def as_json_text(neighbourhood: Neighbourhood) -> str:
    """The JSON object as text."""
    return json.dumps(as_json(neighbourhood), ensure_ascii=False, indent=2) + "\n"


def as_dot(neighbourhood: Neighbourhood) -> str:
    r"""The neighbourhood in the language of Graphviz.

    >>> from sage_ld.graph.views.neighbourhood import GraphNode
    >>> as_dot(Neighbourhood("x:a", (GraphNode("x:a", "chunk", 'a "b"', 0),), (), True)).split("\n")[1]
    '  "x:a" [label="a \\"b\\"", class="chunk"];'
    """
    nodes = (
        f"  {_quoted(each.iri)} [label={_quoted(each.label)}, class={_quoted(each.kind)}];"
        for each in neighbourhood.nodes
    )
    edges = (
        f"  {_quoted(each.source)} -> {_quoted(each.target)} "
        f"[label={_quoted(each.kind)}, weight={each.weight:.6f}];"
        for each in neighbourhood.edges
    )
    return "\n".join(["digraph {", *nodes, *edges, "}", ""])


def as_graphml(neighbourhood: Neighbourhood) -> str:
    """The neighbourhood in GraphML."""

    def lines() -> Iterator[str]:
        yield graphml.HEAD
        for each in neighbourhood.nodes:
            label = f'<data key="label">{graphml.text(each.label)}</data>'
            yield graphml.node_element(each.iri, each.kind, label)
        for edge in neighbourhood.edges:
            yield graphml.edge_element(edge.source, edge.target, edge.kind, repr(edge.weight))
        yield graphml.TAIL

    return "".join(lines())


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", " ").replace("\x00", " ")
    return f'"{escaped}"'


FORMATS: Final[Mapping[str, Callable[[Neighbourhood], str]]] = {
    "json": as_json_text,
    "dot": as_dot,
    "graphml": as_graphml,
}
"""Name -> the neighbourhood as text."""
