"""Kept retrievals as RDF: both ways of writing them say the same, and it fits the shapes."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pyoxigraph as ox
import pytest
from graph.provenance.answers import BASE, answer_of

from sage_ld.foundation import vocabulary as v
from sage_ld.foundation.settings import Settings
from sage_ld.graph.provenance import KeptRetrieval, RetrievalLog
from sage_ld.graph.shapes.shacl import validate
from sage_ld.retrieval.answers.kept_retrievals import document, moment, nquads

GRAPH = ox.NamedNode(f"{BASE}graph/retrievals")


@pytest.fixture
def kept(tmp_path: Path) -> KeptRetrieval:
    log = RetrievalLog(tmp_path, BASE, Settings())
    iri = log.keep(
        answer_of('Who said "ä\\n"?\n\0\x85 \ufffe', "a", "b", question_language="en", window=2), 1.5
    )
    log.judge(iri, True, rank=1, comment='"yes"\n')
    log.judge(iri, False, rank=2, client="other")
    return log.get(iri)


def same(term: object) -> object:
    """A term by its value: a number may be written in more than one way."""
    if isinstance(term, ox.Literal) and term.datatype.value == v.XSD + "double":
        return float(term.value)
    return term


def test_n_quads_say_what_json_ld_says(kept: KeptRetrieval) -> None:
    written = "".join(nquads([kept], GRAPH.value)).encode()
    quads = list(ox.parse(written, ox.RdfFormat.N_QUADS))
    assert {quad.graph_name for quad in quads} == {GRAPH}
    from_json = ox.parse(json.dumps(document(kept)).encode(), ox.RdfFormat.JSON_LD)
    said, expected = (
        {(quad.subject, quad.predicate, same(quad.object)) for quad in each} for each in (quads, from_json)
    )
    assert said == expected
    assert not any(isinstance(term, ox.BlankNode) for quad in quads for term in (quad.subject, quad.object))


def test_it_fits_the_shapes(kept: KeptRetrieval) -> None:
    store = ox.Store()
    store.load("".join(nquads([kept], GRAPH.value)).encode(), ox.RdfFormat.N_QUADS)
    assert validate(store).conforms


def test_what_another_version_kept_is_left_out(kept: KeptRetrieval) -> None:
    later = {**kept.parameters, "colour": "red", "filter": {"kinds": ["text"], "colour": "red"}}
    assert document(replace(kept, parameters=later))["numberOfItems"] == 2


def test_times_say_how_long_it_took(kept: KeptRetrieval) -> None:
    node = document(kept)["wasGeneratedBy"]
    assert isinstance(node, dict)
    assert node["endedAtTime"] == moment(kept.time)
    assert node["startedAtTime"] == moment(kept.time - 1.5)
