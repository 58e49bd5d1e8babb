"""What a web page states in `meta` elements, Open Graph, JSON-LD, microdata and RDFa."""

from __future__ import annotations

from pathlib import Path

import pytest
from build.readers.reading import read, results

from sage_ld.foundation import vocabulary as v
from sage_ld.foundation.model import Document, Property
from sage_ld.graph import KnowledgeGraph

HEAD = (
    '<!doctype html><html><head><title>Quay</title><link rel="canonical" href="https://example.org/quay">{}'
)
PAGE = HEAD + "</head><body><h1>Quay</h1><p>The quay is of stone.</p>{}</body></html>"
JSON_LD = '<script type="application/ld+json">{}</script>'
ARTICLE = """{"@context": "https://schema.org", "@type": "NewsArticle", "headline": "The quay",
"author": {"@type": "Person", "name": "Tobias Wren"}, "datePublished": "2024-05-17", "wordCount": 120,
"image": "https://example.org/i.png", "mainEntityOfPage": "https://example.org/quay"}"""
MICRODATA = """<div itemscope itemtype="https://schema.org/Person"><b itemprop="name">Isolde</b>
<a itemprop="url" href="/isolde">more</a><div itemprop="address" itemscope
itemtype="https://schema.org/PostalAddress"><b itemprop="addressLocality">Osmere</b></div></div>"""
RDFA = """<div vocab="http://schema.org/" typeof="Place" resource="#osmere"><b property="name">Osmere</b>
<b property="foundingDate" content="1901-02-03">1901</b><i property="geo" typeof="GeoCoordinates">
<b property="latitude">54.1</b></i></div>"""


def page(folder: Path, head: str = "", body: str = "") -> Document:
    return read(folder, "a.html", PAGE.format(head, body))


def stated(document: Document) -> set[tuple[str, str, str]]:
    return {(each.key.removeprefix(v.SCHEMA), each.value, each.datatype) for each in document.metadata}


def triples(document: Document) -> list[str]:
    """Predicates and objects, without those between blank nodes."""
    return [
        f"{p.value.removeprefix(v.SCHEMA)} {o.value.removeprefix(v.SCHEMA)}"  # type: ignore[attr-defined]
        for _, p, o in document.statements
        if p.value != v.TYPE and hasattr(o, "value") and not str(o).startswith("_:")  # type: ignore[attr-defined]
    ]


def test_meta_elements_and_open_graph(tmp_path: Path) -> None:
    document = page(
        tmp_path,
        '<meta name="author" content="Ada"><meta property="og:site_name" content="Osmere">'
        '<meta name="volume" content="12"><meta property="article:published_time" content="2024-05-17">'
        '<meta name="viewport" '
        'content="width=1"><meta name="empty" content=" ">',
    )
    assert stated(document) == {
        ("author", "Ada", "string"),
        ("og:site_name", "Osmere", "string"),
        ("volume", "12", "integer"),
        ("article:published_time", "2024-05-17", "date"),
    }
    assert document.statements == ()


@pytest.mark.parametrize("context", ["https://schema.org", "http://schema.org/", "https://www.schema.org"])
def test_json_ld_states_its_subjects_and_the_page(tmp_path: Path, context: str) -> None:
    document = page(tmp_path, JSON_LD.format(ARTICLE.replace("https://schema.org", context)))
    assert document.warnings == ()
    assert document.types == (v.SCHEMA + "WebPage", v.SCHEMA + "NewsArticle")
    assert stated(document) == {
        ("headline", "The quay", "string"),
        ("author", "Tobias Wren", "string"),
        ("datePublished", "2024-05-17", "date"),
        ("wordCount", "120", "integer"),
        ("image", "https://example.org/i.png", "anyURI"),
    }
    assert "name Tobias Wren" in triples(document)
    assert "Tobias" not in document.text


def test_microdata(tmp_path: Path) -> None:
    document = page(tmp_path, body=MICRODATA)
    assert sorted(triples(document)) == [
        "addressLocality Osmere",
        "name Isolde",
        "url https://example.org/isolde",
    ]
    assert document.metadata == ()


def test_rdfa(tmp_path: Path) -> None:
    document = page(tmp_path, body=RDFA)
    assert sorted(triples(document)) == ["foundingDate 1901-02-03", "latitude 54.1", "name Osmere"]
    subjects = {str(subject) for subject, _, _ in document.statements}
    assert "<https://example.org/quay#osmere>" in subjects
    assert len(subjects) == 2, "the place and its coordinates"


def test_two_readings_agree(tmp_path: Path) -> None:
    first, second = (page(tmp_path, JSON_LD.format(ARTICLE), MICRODATA + RDFA) for _ in range(2))
    assert first == second


@pytest.mark.parametrize(
    ("script", "reason"),
    [
        ("{broken", "not valid JSON"),
        (
            '{"@context": "https://nowhere.example/ctx", "@type": "X"}',
            "its context https://nowhere.example/ctx",
        ),
        ("[" * 300 + "]" * 300, "nested deeper"),
        ('{"@context": {"@version": 2}, "a": "b"}', "its JSON-LD: "),
    ],
)
def test_json_ld_that_cannot_be_read_is_left_out_and_reported(
    tmp_path: Path, script: str, reason: str
) -> None:
    document = page(tmp_path, JSON_LD.format(script) + JSON_LD.format(ARTICLE))
    [warning] = document.warnings
    assert warning.startswith("a.html: its JSON-LD: ")
    assert reason in warning
    assert warning.endswith("it was left out")
    assert ("headline", "The quay", "string") in stated(document)
    assert document.text == "Quay\n\nThe quay is of stone."


def test_our_own_vocabulary_is_left_out(tmp_path: Path) -> None:
    script = '{"@id": "https://e.org/a", "https://w3id.org/sage-ld#weight": 1, "https://e.org/p": 2}'
    document = page(tmp_path, JSON_LD.format(script))
    assert document.reserved == 1
    assert len(document.statements) == 1


def test_what_is_embedded_is_read_in_the_process_of_readers(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text(PAGE.format(JSON_LD.format(ARTICLE), MICRODATA + RDFA))
    [document] = results(tmp_path)["a.html"].documents
    assert document.warnings == ()
    assert Property(v.SCHEMA + "headline", "The quay") in document.metadata
    of_nodes = {str(subject) for subject, _, _ in document.statements if str(subject).startswith("_:")}
    assert len(of_nodes) == 5, "the article, its author, a person, her address, coordinates"
    assert "latitude" not in {each.key.removeprefix(v.SCHEMA) for each in document.metadata}


def test_a_page_says_nothing_of_the_graphs_own_resources(tmp_path: Path) -> None:
    own = "http://localhost:8000/id/chunk/1"
    script = (
        f'{{"@context": "https://schema.org", "@type": "Article", "about": {{"@id": "{own}"}}, '
        f'"{own}": "x", "@graph": []}}'
    )
    (tmp_path / "a.html").write_text(PAGE.format(JSON_LD.format(script.replace(', "@graph": []', "")), ""))
    graph = KnowledgeGraph.create(tmp_path / "graph", encoder="jaccard")
    graph.ingest([tmp_path / "a.html"])
    assert not [quad for quad in graph.snapshot().store if str(quad.object) == f"<{own}>"]
    assert not [quad for quad in graph.snapshot().store if quad.predicate.value == own]


PERSON = """<div lang="de" itemscope itemtype="http://xmlns.com/foaf/0.1/Person" itemid="https://e.org/ada"
itemref="more"><b itemprop="name" lang="en">Ada</b><i itemprop="nick">Addi</i>
<a itemprop="homepage" href="/ada">more</a><time itemprop="birthday" datetime="1815-12-10">1815</time>
<img itemprop="img" src="/a.png"><data itemprop="age" value="36">36</data></div><p id="more"><i
itemprop="http://purl.org/dc/terms/title" lang="">Countess</i></p>"""
CLAUSES = """<div prefix="dc: http://purl.org/dc/terms/" about="https://e.org/b" lang="de">
<b property="dc:title">Kai</b>
<time property="dc:date" datetime="2024-05-01">May</time><a rel="dc:creator" href="https://e.org/ada">A</a>
<i property="dc:extent" datatype="xsd:integer" content="7">sieben</i></div>"""


def test_values_of_microdata_are_what_their_elements_say(tmp_path: Path) -> None:
    document = page(tmp_path, body=PERSON)
    assert {f"{p.value.rpartition('/')[2]} {o}" for _, p, o in document.statements} == {  # type: ignore[attr-defined]
        "22-rdf-syntax-ns#type <http://xmlns.com/foaf/0.1/Person>",
        'name "Ada"@en',
        'nick "Addi"@de',
        "homepage <https://example.org/ada>",
        'birthday "1815-12-10"^^<http://www.w3.org/2001/XMLSchema#date>',
        "img <https://example.org/a.png>",
        'age "36"',
        'title "Countess"',
    }


def test_rdfa_is_that_of_html(tmp_path: Path) -> None:
    document = page(tmp_path, body=CLAUSES)
    assert {f"{p.value.rpartition('/')[2]} {o}" for _, p, o in document.statements} == {  # type: ignore[attr-defined]
        'title "Kai"@de',
        'date "2024-05-01"^^<http://www.w3.org/2001/XMLSchema#date>',
        "creator <https://e.org/ada>",
        'extent "7"^^<http://www.w3.org/2001/XMLSchema#integer>',
    }


def test_what_cannot_be_read_is_counted_among_what_was_passed_over(tmp_path: Path) -> None:
    document = page(tmp_path, JSON_LD.format("{broken") + JSON_LD.format('{"@context": 1}'), MICRODATA)
    assert dict(document.passed_over) == {"unreadable data block": 2}
    assert len(document.warnings) == 2
    assert "name Isolde" in triples(document)
