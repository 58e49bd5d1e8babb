"""Filters by plain keys of metadata: on the command line's text, in JSON and from Python."""

from __future__ import annotations

from pathlib import Path

import pytest
from graph.corpus import built, write_files

from sage_ld.foundation.errors import InputError, LimitError
from sage_ld.foundation.settings import Settings
from sage_ld.graph import KnowledgeGraph, Snapshot
from sage_ld.graph.store import reading
from sage_ld.retrieval import Filter, Retriever
from sage_ld.retrieval.filtering.conditions import Budget
from sage_ld.retrieval.filtering.filters import documents
from sage_ld.retrieval.filtering.key_conditions import matching_key, read_key_condition

FILES = {
    "red.md": """---
team: red
year: 2024
price: 1.50
code: 007
draft: true
date: 2024-05-17
tags: [tides, harbour]
author: Isolde Brack
"Cost centre": A | B
---
The tide at Osmere is high.
""",
    "blue.md": """---
team: blue
year: 1999
price: 12
date: 1999-12-31
author: {name: Tobias Wren}
---
The tide at Osmere is low.
""",
    "lines.jsonl": '{"_id": "line", "text": "The tide turns.", "metadata": {"team": "red", "Year": 2010}}\n',
    "book.ttl": """@prefix schema: <https://schema.org/> .
<http://example.org/book> schema:name "A Timetable of Tides" ; schema:author "Ada Marsh" .
""",
}
TERMS = """@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
<http://example.org/owner> skos:notation "team" , "squad" .
<http://example.org/due> skos:notation "due" ; rdfs:range xsd:date .
"""


@pytest.fixture(scope="module")
def graph(tmp_path_factory: pytest.TempPathFactory) -> KnowledgeGraph:
    folder = tmp_path_factory.mktemp("metadata")
    return built(folder / "graph", write_files(folder / "corpus", FILES))


@pytest.fixture(scope="module")
def snapshot(graph: KnowledgeGraph) -> Snapshot:
    return graph.snapshot()


def passed(snapshot: Snapshot, *where: str, **fields: object) -> set[str]:
    """The identifiers of the documents that a filter lets through."""
    found = documents(snapshot, Filter(where=where, **fields), Settings())  # type: ignore[arg-type]
    return {each.identifier for each in reading.documents(snapshot.store) if each.iri in found}


@pytest.mark.parametrize(
    ("where", "expected"),
    [
        ("team=red", {"red.md", "line"}),
        ('team = "red"', {"red.md", "line"}),
        ('"team" = "red"', {"red.md", "line"}),
        ("Team=red", {"red.md", "line"}),
        ("team!=red", {"blue.md"}),
        ("team=red|blue", {"red.md", "blue.md", "line"}),
        ("team!=red|blue", set()),
        ("team=green", set()),
        ("year=2024", {"red.md"}),
        ('year="2024"', {"red.md"}),
        ("year>=2010", {"red.md", "line"}),
        ("year < 2010", {"blue.md"}),
        ("price>2", {"blue.md"}),
        ("price=1.5", {"red.md"}),
        ("code=007", {"red.md"}),
        ("code=7", set()),
        ("draft=true", {"red.md"}),
        ("date>=2024", {"red.md"}),
        ("date>=2024-05-18", set()),
        ("date=2024-05", {"red.md"}),
        ("published<2000-01-01", {"blue.md"}),
        ("author=Isolde Brack", {"red.md"}),
        ("author=Tobias Wren", {"blue.md"}),
        ("author=Ada Marsh", {"book.ttl"}),
        ("tags=harbour", {"red.md"}),
        ('cost_centre="A | B"', {"red.md"}),
        ('"Cost centre"="A | B"', {"red.md"}),
    ],
)
def test_a_plain_key_finds_its_documents(snapshot: Snapshot, where: str, expected: set[str]) -> None:
    assert passed(snapshot, where) == expected


def test_metadata_of_python_is_the_same(snapshot: Snapshot) -> None:
    assert passed(snapshot, metadata={"team": "red", "year": 2024}) == {"red.md"}
    assert passed(snapshot, metadata={"team": ["red", "blue"]}) == {"red.md", "blue.md", "line"}
    assert passed(snapshot, metadata={"draft": True}) == {"red.md"}
    assert passed(snapshot, metadata={"cost centre": "A | B"}) == {"red.md"}


def test_dates_and_keywords_feed_the_fields_of_a_filter(snapshot: Snapshot) -> None:
    assert passed(snapshot, since="2024") == {"red.md"}
    assert passed(snapshot, until="1999") == {"blue.md"}
    assert passed(snapshot, keywords=("harbour",)) == {"red.md"}


def test_an_answer_keeps_to_it_and_says_it(graph: KnowledgeGraph) -> None:
    answer = Retriever(graph).retrieve("Is the tide high?", 10, 5, only=Filter(metadata={"team": "blue"}))
    assert {result.view.identifier for result in answer.results} == {"blue.md"}
    assert answer.filter.where == ('"team" = "blue"',)


def test_an_unknown_key_names_those_that_there_are(snapshot: Snapshot) -> None:
    with pytest.raises(InputError) as raised:
        passed(snapshot, "taem=red")
    message = str(raised.value)
    assert "the key 'taem'; its keys are team, author" in message
    for key in ("cost_centre", "date", "keywords", "year"):
        assert key in message


@pytest.mark.parametrize("where", ["team=", "team=red|", "team = a < b", 'team = "open', 'team = "a" b'])
def test_what_is_no_value_is_refused(snapshot: Snapshot, where: str) -> None:
    with pytest.raises(InputError, match="expected a value after the operator"):
        passed(snapshot, where)


@pytest.mark.parametrize("value", [None, {"a": 1}, [], [None]])
def test_what_is_no_value_of_metadata_is_refused(value: object) -> None:
    with pytest.raises(InputError, match="metadata: the value of 'team'"):
        Filter(metadata={"team": value})


def test_a_key_with_more_values_than_the_budget_is_refused(snapshot: Snapshot) -> None:
    condition = read_key_condition("team=red")
    assert condition is not None
    with pytest.raises(LimitError, match="max_filter_statements"):
        list(matching_key(snapshot, condition, Budget(2, 2)))


@pytest.mark.parametrize(
    "path", ["schema:name = 'x'", "a = schema:Thing", "<http://e.org/p> > 5", "^schema:name/a 5"]
)
def test_property_paths_are_read_as_before(path: str) -> None:
    assert read_key_condition(path) is None


def test_a_users_table_says_what_keys_mean_and_is_kept(tmp_path: Path) -> None:
    (tmp_path / "terms.ttl").write_text(TERMS)
    (tmp_path / "a.md").write_text("---\nteam: red\ndue: '2024-05-17'\n---\nText.")
    graph = KnowledgeGraph.create(tmp_path / "graph", encoder="jaccard")
    graph.ingest([tmp_path / "a.md"])
    assert graph.ingest([tmp_path / "a.md"], metadata_terms=tmp_path / "terms.ttl").replaced == 1
    (tmp_path / "b.md").write_text("---\nsquad: red\n---\nMore text.")
    assert graph.ingest([tmp_path / "a.md", tmp_path / "b.md"]).unchanged == 1
    snapshot = graph.snapshot()
    assert passed(snapshot, "team=red") == {"a.md", "b.md"}
    assert passed(snapshot, "due>=2024-05") == {"a.md"}
    assert passed(snapshot, 'schema:isPartOf/<http://example.org/owner> "red"') == {"a.md", "b.md"}


def test_documents_read_before_a_table_are_found_after_it(tmp_path: Path) -> None:
    (tmp_path / "terms.ttl").write_text(TERMS)
    for name in ("a.md", "b.md"):
        (tmp_path / name).write_text(f"---\nteam: red\n---\nText of {name}.")
    graph = KnowledgeGraph.create(tmp_path / "graph", encoder="jaccard")
    graph.ingest([tmp_path / "a.md", tmp_path / "b.md"])
    graph.ingest([tmp_path / "a.md"], metadata_terms=tmp_path / "terms.ttl")
    assert passed(graph.snapshot(), "team=red") == {"a.md", "b.md"}


def test_a_table_is_kept_with_the_change_that_it_makes(tmp_path: Path) -> None:
    (tmp_path / "terms.ttl").write_text(TERMS)
    (tmp_path / "a.md").write_text("---\nteam: red\n---\nText.")
    (tmp_path / "bad.json").write_text("{")
    graph = KnowledgeGraph.create(tmp_path / "graph", encoder="jaccard")
    graph.ingest([tmp_path / "a.md"])
    assert graph.ingest([tmp_path / "bad.json"], metadata_terms=tmp_path / "terms.ttl").failed
    assert not (tmp_path / "graph" / "metadata.ttl").exists()
    graph.ingest([tmp_path / "a.md"], metadata_terms=tmp_path / "terms.ttl")
    assert (tmp_path / "graph" / "metadata.ttl").read_text() == TERMS


def test_an_open_snapshot_keeps_its_base(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("---\nteam: red\n---\nText.")
    graph = KnowledgeGraph.create(tmp_path / "graph", encoder="jaccard")
    graph.ingest([tmp_path / "a.md"])
    snapshot = graph.snapshot()
    KnowledgeGraph.open(tmp_path / "graph").rebase("https://moved.example.org/id/")
    assert passed(snapshot, "team=red") == {"a.md"}
    assert passed(graph.snapshot(), "team=red") == {"a.md"}


def test_a_base_above_a_property_of_the_table_is_refused(tmp_path: Path) -> None:
    (tmp_path / "terms.ttl").write_text(TERMS)
    (tmp_path / "a.md").write_text("---\nteam: red\n---\nText.")
    graph = KnowledgeGraph.create(tmp_path / "graph", encoder="jaccard")
    graph.ingest([tmp_path / "a.md"], metadata_terms=tmp_path / "terms.ttl")
    with pytest.raises(InputError, match=r"below the graph's base IRI http://example\.org/;"):
        graph.rebase("http://example.org/")
    assert passed(graph.snapshot(), "squad=red") == {"a.md"}


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ("no Turtle", "not valid Turtle"),
        ('<http://e.org/a> <http://www.w3.org/2004/02/skos/core#notation> "k" . '
         '<http://e.org/b> <http://www.w3.org/2004/02/skos/core#notation> "K" .', "the key 'k' stands for"),
        ('<http://localhost:8000/id/owner> <http://www.w3.org/2004/02/skos/core#notation> "team" .',
         "below the graph's base IRI"),
    ],
)  # fmt: skip
def test_a_table_that_cannot_be_used_is_refused(tmp_path: Path, table: str, message: str) -> None:
    (tmp_path / "terms.ttl").write_text(table)
    graph = KnowledgeGraph.create(tmp_path / "graph", encoder="jaccard")
    with pytest.raises(InputError, match=message):
        graph.ingest([tmp_path / "terms.ttl"], metadata_terms=tmp_path / "terms.ttl")
    assert not (tmp_path / "graph" / "metadata.ttl").exists()
