"""A collection of music in RDF with pages about its artists: what its statements find, and SPARQL over it."""

from __future__ import annotations

import gzip
from collections import Counter
from pathlib import Path

import pytest
from pyoxigraph import NamedNode, QueryBoolean, RdfFormat, Store, parse, serialize
from retrieval.music_pages import MUSIC, QUESTIONS, MusicQuestion, write_pages

from sage_ld.foundation import vocabulary as v
from sage_ld.foundation.channels import STATEMENT
from sage_ld.foundation.model import Result
from sage_ld.foundation.question import Answer, Mode
from sage_ld.graph import KnowledgeGraph
from sage_ld.graph.store.protocol import Store as SparqlStore
from sage_ld.retrieval import Retriever

BUDGET = 5
"""Seeds, and as many neighbours."""
PREFIXES = f"PREFIX : <{MUSIC}>\n" + "".join(
    f"PREFIX {name}: <{iri}>\n" for name, iri in {**v.PREFIXES, "foaf": "http://xmlns.com/foaf/0.1/"}.items()
)


LEFT_OUT = {NamedNode(MUSIC + name) for name in ("Song", "Songwriter", "Producer")}
"""Most of the collection, which no question needs."""


@pytest.fixture(scope="module")
def collection(data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file of the albums and who recorded them."""
    text = gzip.decompress((data / "music" / "music" / "music.ttl.gz").read_bytes())
    stated = list(parse(text, RdfFormat.TURTLE))
    left_out = {each.subject for each in stated if each.object in LEFT_OUT}
    file = tmp_path_factory.mktemp("collection") / "music.ttl"
    kept = (each.triple for each in stated if each.subject not in left_out)
    serialize(kept, str(file), RdfFormat.TURTLE)
    return file


@pytest.fixture(scope="module")
def music(collection: Path) -> KnowledgeGraph:
    made = KnowledgeGraph.create(collection.parent / "graph", encoder="jaccard")
    made.ingest([collection, write_pages(collection.parent / "pages")])
    return made


def answered(answer: Answer, question: MusicQuestion, graph: KnowledgeGraph) -> Result | None:
    """The first result that answers the question: its record, or its page."""
    store = graph.snapshot().store
    subject = NamedNode(MUSIC + question.resource)
    records = {
        quad.subject.value for quad in store.quads_for_pattern(None, NamedNode(v.MAIN_ENTITY), subject)
    }
    named = (
        result
        for result in answer.results
        if result.view.iri in records or (question.page and result.view.title == question.page)
    )
    return next(named, None)


def test_questions_over_a_statement_are_answered_by_the_graph_alone(music: KnowledgeGraph) -> None:
    retriever = Retriever(music)
    over_statements = 0
    for question in QUESTIONS:
        flat, walked = (
            answered(retriever.retrieve(question.text, BUDGET, BUDGET, mode=mode), question, music)
            for mode in (Mode.HYBRID, Mode.SAGE)
        )
        if flat is None and walked is not None:
            over_statements += [step.channel for step in walked.path] == [STATEMENT]
    assert over_statements >= 8


def test_the_queries_of_the_collection_answer_as_over_its_file_alone(
    music: KnowledgeGraph, collection: Path, data: Path
) -> None:
    """A query that describes a resource also tells what it is as an entity."""
    alone, union = Store(), music.snapshot().store
    alone.load(collection.read_bytes(), RdfFormat.TURTLE)
    asked = 0
    for file in sorted((data / "music").rglob("*.sparql")):
        query = PREFIXES + file.read_text("utf-8")
        try:
            expected = rows(alone, query)
        except SyntaxError:  # an update, or an extension of SPARQL
            continue
        found = rows(union, query)
        assert found >= expected if "describe" in file.name else found == expected, file.name
        asked += 1
    assert asked == 39


def rows(store: SparqlStore, query: str) -> Counter[str]:
    """What a query over all graphs answers."""
    answer = store.query(query, use_default_graph_as_union=True)
    return Counter([str(bool(answer))] if isinstance(answer, QueryBoolean) else map(str, answer))
