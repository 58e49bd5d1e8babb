"""Filters: what each field lets through, the grammar of conditions, and limits that hostile ones meet."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pyoxigraph as ox
import pytest
from graph.corpus import FILES, built, write, write_files
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sage_ld.foundation import vocabulary as v
from sage_ld.foundation.errors import InputError, LimitError, UnavailableError
from sage_ld.foundation.settings import Settings
from sage_ld.graph import KnowledgeGraph, Snapshot
from sage_ld.graph.store import queries, reading
from sage_ld.retrieval import Filter, Retriever
from sage_ld.retrieval.filtering import filters
from sage_ld.retrieval.filtering.conditions import OPERATORS, Budget, matching, read
from sage_ld.retrieval.filtering.filters import allowed, checked_filter

MORE = {
    "dated.html": """<!doctype html><html lang="en-GB"><title>The Fog Gala</title>
<meta property="article:modified_time" content="2024-05-17T10:00:00Z">
<meta name="keywords" content="Fog, Osmere"><p>The Fog Gala honours the cinematographers of Osmere.</p></html>
""",
    "alt.html": """<!doctype html><html lang="de"><title>Die Nebelgala</title>
<meta property="article:modified_time" content="2021-02-03"><p>Die Nebelgala ehrt in Osmere.</p></html>
""",
    "book.ttl": """@prefix schema: <https://schema.org/> .
<http://example.org/book> a schema:Book ; schema:name "A Timetable of Tides" ; schema:datePublished "1968" ;
  schema:numberOfPages 212 ; schema:inLanguage "fr" ; schema:keywords "tides" .
""",
}


@pytest.fixture(scope="module")
def graph(tmp_path_factory: pytest.TempPathFactory) -> KnowledgeGraph:
    folder = tmp_path_factory.mktemp("filters")
    return built(folder / "graph", write_files(folder / "corpus", FILES | MORE))


@pytest.fixture(scope="module")
def snapshot(graph: KnowledgeGraph) -> Snapshot:
    return graph.snapshot()


NAMING = ("people/ruth-calloway.html", "dated.html", "alt.html", "book.ttl")
"""The documents that name a language."""


def passed(snapshot: Snapshot, **fields: object) -> list[str]:
    """The chunks that a filter lets through."""
    mask = allowed(snapshot, Filter(**fields), Settings())  # type: ignore[arg-type]
    return [iri for iri, let in zip(snapshot.vectors.iris, mask, strict=True) if let]


def documents(snapshot: Snapshot, **fields: object) -> set[str]:
    """The identifiers of the documents whose chunks a filter lets through."""
    return {each.chunk.document for each in reading.chunks(snapshot.store, passed(snapshot, **fields))}


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"documents": ("heron.md",)}, {"heron.md"}),
        ({"documents": ("heron.md", "towns.csv", "nowhere")}, {"heron.md", "towns.csv"}),
        ({"documents": ("nowhere", "http://no.where/", "not an <iri>")}, set()),
        ({"kinds": ("record",)}, {"songs.jsonl", "book.ttl", "records.ttl"}),
        ({"languages": ("en",), "documents": NAMING}, {"people/ruth-calloway.html", "dated.html"}),
        ({"languages": ("EN-gb",)}, {"dated.html"}),
        ({"languages": ("de", "fr")}, {"alt.html", "book.ttl"}),
        ({"keywords": ("Fog",)}, {"dated.html"}),
        ({"languages": ("en",), "documents": ("heron.md", "towns.csv")}, {"heron.md"}),  # detected
        ({"keywords": ("tides", "Fog"), "languages": ("*",)}, {"dated.html", "book.ttl"}),
        ({"since": "2024"}, {"dated.html"}),
        ({"since": "2024-05-17", "until": "2024-05-17"}, {"dated.html"}),
        ({"until": "2021"}, {"alt.html", "book.ttl"}),
        ({"since": "1968", "until": "2021-02"}, {"alt.html", "book.ttl"}),
        ({"since": "2024-05-18"}, set()),
        ({"where": ('schema:isPartOf/schema:name "The Fog Gala"',)}, {"dated.html"}),
        ({"where": ('schema:isPartOf/schema:name = "The Fog Gala"',)}, {"dated.html"}),
        ({"where": ("schema:isPartOf/(schema:inLanguage|schema:x) 'de'",)}, {"alt.html"}),
        ({"where": ("schema:mainEntity <http://example.org/book>",)}, {"book.ttl"}),
        ({"where": ("schema:mainEntity != <http://example.org/book>",)}, {"records.ttl"}),
        ({"where": ("schema:mainEntity/schema:numberOfPages = 212.0",)}, {"book.ttl"}),
        ({"where": ("schema:mainEntity/schema:numberOfPages 212.0",)}, set()),
        ({"where": ("schema:mainEntity/schema:numberOfPages > 211",)}, {"book.ttl"}),
        ({"where": ("schema:mainEntity/schema:numberOfPages > 212",)}, set()),
        ({"where": ("schema:mainEntity/a schema:Book", "a sage:TableChunk")}, set()),
        ({"where": ("^sage:source/sage:linkKind 'hyperlink'",)}, {"heron.md"}),
        ({"where": ("sage:column/csvw:name 'River'",)}, {"towns.csv"}),
    ],
)
def test_a_field_lets_through_what_it_names(
    snapshot: Snapshot, fields: dict[str, tuple[str, ...]], expected: set[str]
) -> None:
    assert documents(snapshot, **fields) == expected


def test_every_field_must_be_met(snapshot: Snapshot) -> None:
    assert documents(snapshot, languages=("en",), since="2024") == {"dated.html"}
    assert passed(snapshot, languages=("en-GB",), kinds=("table",)) == []
    assert passed(snapshot) == list(snapshot.vectors.iris)


def test_a_document_is_named_by_its_iri_too(graph: KnowledgeGraph, snapshot: Snapshot) -> None:
    assert documents(snapshot, documents=(graph.iris.document("heron.md"),)) == {"heron.md"}


def test_an_answer_holds_what_passes_and_says_so(graph: KnowledgeGraph, snapshot: Snapshot) -> None:
    only = Filter(kinds=("table",), where=('schema:mentions/skos:prefLabel = "Nils Garrow"',))
    answer = Retriever(graph).retrieve("Who directed Night Bus to Hask?", 6, 3, only=only)
    assert answer.filter == only
    assert {result.view.identifier for result in answer.results} == {"heron.md"}
    assert {str(result.view.kind) for result in answer.results} == {"table"}
    assert Retriever(graph).retrieve("Who?", only=Filter()).filter == Filter()


def test_the_conditions_of_the_page_are_read() -> None:
    page = (Path(__file__).parents[2] / "docs" / "filters.md").read_text(encoding="utf-8")
    block = next(block for block in page.split("```") if "Prime Suspect" in block and "\n^sage" in block)
    texts = [line.split("   ")[0] for line in block.strip().splitlines()]
    assert len(texts) == 7
    for text in texts:
        assert read(text).text == text


@pytest.mark.parametrize(
    ("text", "steps", "operator", "value"),
    [
        ('schema:name "x"', "<https://schema.org/name>", "", '"x"'),
        ("a sage:TableChunk", f"<{v.TYPE}>", "", f"<{v.TABLE_CHUNK}>"),
        ("^a/<http://x/p> >= -5", f"^<{v.TYPE}>/<http://x/p>", ">=", f'"-5"^^<{v.XSD}integer>'),
        ("<http://x/a>|^<http://x/b> 'é'@fr", "<http://x/a>|^<http://x/b>", "", '"é"@fr'),
        ("(<http://x/a>|<http://x/b>)/<http://x/c><1.5", "<http://x/a>|<http://x/b>/<http://x/c>", "<",
         f'"1.5"^^<{v.XSD}decimal>'),
        ('<http://x/a> != "2024-01-01"^^xsd:date # then', "<http://x/a>", "!=",
         f'"2024-01-01"^^<{v.XSD}date>'),
        ('<http://x/a> """a "b" \\u0063"""', "<http://x/a>", "", '"a \\"b\\" c"'),
        ("<http://x/a> = true", "<http://x/a>", "=", f'"true"^^<{v.XSD}boolean>'),
    ],
)  # fmt: skip
def test_a_condition_is_read(text: str, steps: str, operator: str, value: str) -> None:
    condition = read(text)
    assert "/".join("|".join(map(str, step)) for step in condition.steps) == steps
    assert (condition.operator, str(condition.value)) == (operator, value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "at its end: expected a property"),
        ("schema:name", "at its end: expected one value"),
        ("?s ?p ?o", r"at '\?s': expected a property"),
        ("schema:name ?x", r"at '\?x': expected one value"),
        ('schema:name "a" "b"', "expected one value"),
        ('schema:name "x" } DROP ALL #', "expected one value"),
        ('schema:name "x" . ?chunk schema:name ?n', "expected one value"),
        ("schema:name _:b", "expected one value"),
        ("schema:name (1 2)", "expected one value"),
        ("schema:name [ ]", "expected one value"),
        ("schema:name <<( <x:a> <x:b> <x:c> )>>", "expected one value"),
        ("schema:name* 'x'", "a path has a fixed length"),
        ("schema:name+ 'x'", "a path has a fixed length"),
        ("schema:isPartOf?/schema:name 'x'", "a path has a fixed length"),
        ("!schema:name 'x'", "expected a property"),
        ("((schema:name)) 'x'", "expected a property"),
        ("(schema:a/schema:b) 'x'", "a bracket holds properties"),
        ("(schema:a|schema:b 'x'", "a bracket holds properties"),
        ("schema:a/schema:b|schema:c 'x'", "put alternatives in brackets"),
        ("schema:a|schema:b/schema:c 'x'", "put alternatives in brackets"),
        ("SERVICE <http://127.0.0.1/> 'x'", "expected a property"),
        ("foo:bar 'x'", "foo: has not been declared.*; the prefixes are sage"),
        ("foo:bar 'x'", "write other IRIs out"),
        ("<relative> 'x'", "is not a term"),
        ("schema:name '\\uD800'", "is not a term"),
        ("schema:name 'x'^^foo:bar", "is not a term"),
    ],
)
def test_what_is_no_condition_is_told(text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read(text)


_PIECES = st.sampled_from([
    "schema:name", "<http://x/a>", "a", "^", "/", "|", "(", ")", '"x"', "'y'@en", "5", "-", "=", "<", "!=",
    "true", "?x", ".", "}", "{", "^^", "xsd:date", "+", "*", "#", ";", "_:b", "\\", '"',
])  # fmt: skip


@given(st.text(max_size=80) | st.lists(_PIECES, max_size=9).map(" ".join))
def test_any_text_is_a_condition_that_a_store_can_answer_or_is_refused(text: str) -> None:
    try:
        condition = read(text)
    except InputError:
        return
    assert list(matching(ox.Store(), condition, Budget(10, 10))) == []


_IRIS = st.sampled_from(["http://x/a", "http://x/b", "http://x/c"])
_TERMS = st.builds(ox.NamedNode, _IRIS) | st.builds(ox.Literal, st.integers(0, 3) | st.sampled_from("ab"))
_TRIPLES = st.lists(st.tuples(st.builds(ox.NamedNode, _IRIS), st.builds(ox.NamedNode, _IRIS), _TERMS))
_ELEMENTS = st.tuples(st.sampled_from(["", "^"]), _IRIS).map(lambda each: f"{each[0]}<{each[1]}>")
_STEPS = st.lists(_ELEMENTS, min_size=1, max_size=2).map(lambda each: f"({'|'.join(each)})")
_PATHS = st.lists(_STEPS, min_size=1, max_size=4).map("/".join)


@given(_TRIPLES, _PATHS, st.sampled_from(["", *OPERATORS]), _TERMS)
def test_a_condition_means_what_sparql_means(
    triples: list[tuple[ox.NamedNode, ox.NamedNode, ox.NamedNode | ox.Literal]],
    path: str,
    operator: str,
    value: ox.NamedNode | ox.Literal,
) -> None:
    store = ox.Store()
    store.extend(ox.Quad(*triple) for triple in triples)
    for iri in ("http://x/a", "http://x/b"):
        store.add(ox.Quad(ox.NamedNode(iri), ox.NamedNode(v.TYPE), ox.NamedNode(v.CHUNK)))
    found = list(matching(store, read(f"{path} {operator} {value}"), Budget(10_000, 10_000)))
    end = f"?chunk {path} ?end FILTER(?end {operator} {value})" if operator else f"?chunk {path} {value}"
    rows = queries.select(store, f"SELECT DISTINCT ?chunk {{ ?chunk a <{v.CHUNK}> . {end} }}")
    assert sorted(found) == sorted(row["chunk"].value for row in rows)


def test_a_path_that_follows_too_much_is_stopped_where_it_would() -> None:
    """From a hub of 300 chunks and back, four times: 300 to the power of 4 paths over 300 statements."""
    hub, part, store = ox.NamedNode("http://x/hub"), ox.NamedNode(v.IS_PART_OF), ox.Store()
    store.extend(ox.Quad(ox.NamedNode(f"http://x/{n}"), part, hub) for n in range(300))
    store.add(ox.Quad(ox.NamedNode("http://x/5"), ox.NamedNode(v.TYPE), ox.NamedNode(v.CHUNK)))
    there_and_back = read("/".join(["schema:isPartOf/^schema:isPartOf"] * 4) + " <http://x/7>")
    steps = [1, *[300] * 7]  # from chunk 7 to the hub, to all 300, to the hub, …
    followed = sum(sum(steps[:count]) for count in range(1, 9))  # to count a step, those before it are walked
    budget = Budget(followed, followed)
    assert list(matching(store, there_and_back, budget)) == ["http://x/5"]
    assert budget.left == 0
    with pytest.raises(LimitError, match="max_filter_statements"):
        list(matching(store, there_and_back, Budget(followed - 1, followed - 1)))


def test_long_walks_are_few_at_once_and_hinder_no_short_one(
    snapshot: Snapshot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(filters, "SHORT_WALK", 3)
    broad, narrow = ("schema:position <= 3",), ("schema:mainEntity <http://example.org/book>",)
    with filters.LONG_WALKS, filters.LONG_WALKS:
        with pytest.raises(UnavailableError, match="try again later"):
            passed(snapshot, where=broad)
        assert len(passed(snapshot, where=narrow)) == 1
    assert passed(snapshot, where=broad) == list(snapshot.vectors.iris)
    with pytest.raises(LimitError, match="the limit is 10"):
        allowed(
            snapshot, Filter(where=("schema:position <= 2",)), replace(Settings(), max_filter_statements=10)
        )
    assert all(filters.LONG_WALKS.acquire(blocking=False) for _ in range(2)), "given back after an error"
    filters.LONG_WALKS.release(2)


@pytest.mark.parametrize(
    ("fields", "changed", "message"),
    [
        ({"documents": ("a", "b", "c")}, {"max_filter_values": 2}, "3 values, the limit is 2"),
        ({"keywords": ("a" * 11,)}, {"max_filter_length": 10}, "11 characters, the limit is 10"),
        ({"where": ("a" * 11,)}, {"max_filter_length": 10}, "max_filter_length"),
        ({"where": ("<x:a>/<x:b> 1", "<x:a>|<x:b> 1")}, {"max_filter_steps": 3}, "4 steps, the limit is 3"),
        ({"kinds": ("chapter",)}, {}, "the kinds are text, table, record"),
        ({"languages": ("en_GB",)}, {}, "not a language range"),
        ({"since": "yesterday"}, {}, "not a year, month or day"),
        ({"until": "2024-5"}, {}, "not a year, month or day"),
        ({"since": "2020-13-45"}, {}, "since: '2020-13-45' is not a year, month or day"),
        ({"until": "1999-02-30"}, {}, "not a year, month or day"),
        ({"since": "2024-00"}, {}, "not a year, month or day"),
        ({"until": "２０２４"}, {}, "not a year, month or day"),
    ],
)
def test_what_is_outside_the_limits_is_told(
    fields: dict[str, tuple[str, ...]], changed: dict[str, int], message: str
) -> None:
    with pytest.raises(InputError, match=message):
        checked_filter(Filter(**fields), replace(Settings(), **changed))  # type: ignore[arg-type]


@given(st.lists(st.text(min_size=1, max_size=20), max_size=3).map(tuple), st.text(max_size=10))
@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_value_finds_nothing_or_is_refused(
    snapshot: Snapshot, values: tuple[str, ...], date: str
) -> None:
    assert not values or passed(snapshot, documents=values) == []
    assert not values or set(passed(snapshot, keywords=values)) < set(snapshot.vectors.iris)
    for fields in ({"languages": values}, {"since": date}, {"until": date}, {"where": values}):
        with suppress(InputError):
            passed(snapshot, **fields)


def test_what_a_filter_found_is_kept_for_its_revision_alone(tmp_path: Path) -> None:
    graph = built(tmp_path / "graph", write(tmp_path / "corpus", ("heron.md",)))
    tables = Filter(kinds=("table",))
    before = allowed(graph.snapshot(), tables, Settings())
    assert allowed(graph.snapshot(), tables, Settings()).tolist() == before.tolist()
    graph.ingest([write(tmp_path / "corpus", ("towns.csv",))])
    assert allowed(graph.snapshot(), tables, Settings()).sum() == before.sum() + 1
    graph.close()
