"""The answers of a worker are in the version of RDF that was asked for: triple terms and base directions."""

from __future__ import annotations

import io
from typing import Any

import pyoxigraph as ox
import pytest

from sage_ld.graph.store.stores import Stores
from sage_ld.service.workers.query_process import read_graph, run_query

DATA = """PREFIX : <http://e/> PREFIX rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#>
:g { :a :b "abc"@ar--rtl , "d"@he . :r rdf:reifies <<( :a :b "abc"@ar--rtl )>> . }"""
JOB: dict[str, Any] = {
    "base": "http://e/",
    "default_graphs": None,
    "named_graphs": None,
    "max_merged": 100,
    "max_rows": 100,
    "max_bytes": 10_000,
    "graph": "http://e/g",
    "head": False,
}


@pytest.fixture(scope="module")
def stores() -> Stores:
    named, merged = ox.Store(), ox.Store()
    named.load(DATA.encode(), ox.RdfFormat.TRIG)
    merged.extend(ox.Quad(each.subject, each.predicate, each.object) for each in named)
    return Stores(named, merged)


def answer(stores: Stores, version: str, form: str, query: str | None) -> str:
    kept = io.BytesIO()
    job = JOB | {"version": version, "format": form, "query": query}
    (read_graph if query is None else run_query)(stores, job, kept)  # type: ignore[arg-type]
    return kept.getvalue().decode()


CONSTRUCT, SELECT = "CONSTRUCT WHERE { ?s ?p ?o }", "SELECT * { ?s ?p ?o }"
CASES = [(query, form) for query in (None, CONSTRUCT) for form in ("turtle", "ntriples", "rdfxml")]
CASES += [(SELECT, form) for form in ("json", "xml", "tsv", "csv")]


@pytest.mark.parametrize(("query", "form"), CASES)
def test_base_directions_and_triple_terms_are_of_1_2_alone(
    stores: Stores, query: str | None, form: str
) -> None:
    basic, full = (answer(stores, version, form, query) for version in ("1.1", "1.2"))
    assert "abc" in basic
    assert not any(mark in basic for mark in ("rtl", "its:dir", "<<", "reifies"))
    assert len(full) > len(basic)
    assert form == "csv" or "rtl" in full
