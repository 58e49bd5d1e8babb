"""`/sparql` for people: the editor. Queries themselves are answered by `sparql/endpoint.py`."""

from __future__ import annotations

from itertools import islice
from typing import Any, Final

from flask import Response, render_template

from sage_ld.graph import Snapshot
from sage_ld.retrieval.channels.relations import followed_relations
from sage_ld.retrieval.chunks.chunk_table import ChunkTable
from sage_ld.service.context import service
from sage_ld.service.http import responses
from sage_ld.service.representations.labels import ontology_labels
from sage_ld.service.requests import held
from sage_ld.service.route import Surface
from sage_ld.service.views.naming import naming
from sage_ld.service.views.query_examples import query_examples

_SEEDS: Final = 5

surface = Surface("query_page", query=None)


@surface.get("/sparql")
def editor() -> Response:
    """The editor, with what completes names in it, and examples of this graph."""
    with held() as snapshot:
        answer = responses.html(render_template("sparql.html", data=_data(snapshot)))
    answer.cache_control.no_cache = True
    answer.vary.add("Accept")
    return answer


def _data(snapshot: Snapshot) -> dict[str, Any]:
    here = service()
    seeds = snapshot.derived(_seeds)
    examples = query_examples(seeds, here.graph.recipe.retrieval.hubs, followed_relations(snapshot))
    return {
        **naming(),
        "labels": ontology_labels(),
        "examples": [each._asdict() for each in examples],
        "seconds": here.settings.sparql_timeout,
    }


def _seeds(snapshot: Snapshot) -> tuple[str, ...]:
    """A few chunks from all parts of the graph."""
    rows = ChunkTable.of(snapshot).rows
    return tuple(islice(rows, 0, None, max(1, len(rows) // _SEEDS)))[:_SEEDS]
