"""Metadata of each source in the graph: in SPARQL, in exports, within the shapes, gone with its document."""

from __future__ import annotations

from pathlib import Path

import pytest
from graph.canonical import canonical
from graph.corpus import built

from sage_ld.foundation import vocabulary as v
from sage_ld.foundation.errors import InputError
from sage_ld.foundation.metadata_terms import builtin_terms, normal_key
from sage_ld.graph import KnowledgeGraph
from sage_ld.graph.shapes.shacl import validate
from sage_ld.graph.store.stores import answer
from sage_ld.graph.upkeep.backup import copy_graph

YAML = "author: Ada\nteam: red\nyear: 2024\nready: true\ndate: 2024-05-17\ntags: [a, b]\nlang: de\n"
FILES = {
    "yaml.md": f"---\n{YAML}---\nText.",
    "toml.md": '+++\nauthor = "Ada"\nteam = "red"\nyear = 2024\nready = true\ndate = 2024-05-17\n'
    'tags = ["a", "b"]\nlang = "de"\n+++\nText.',
    "lines.jsonl": '{"_id": "lines.jsonl", "text": "Text.", "metadata": {"author": "Ada", "team": "red", '
    '"year": 2024, "ready": true, "date": "2024-05-17", "tags": ["a", "b"], "lang": "de"}}\n',
    "page.html": '<html lang="de"><meta name="author" content="Ada"><meta name="team" content="red">'
    '<meta name="year" content="2024"><meta name="ready" content="true">'
    '<meta property="article:published_time" content="2024-05-17">'
    '<meta name="keywords" content="a, b"><p>Text.</p></html>',
    "sidecar.txt": "Text.",
    "sidecar.txt.meta.yaml": YAML,
}
NAMES = [name for name in FILES if not name.endswith(".meta.yaml")]
QUERY = """PREFIX schema: <https://schema.org/> PREFIX own: <http://localhost:8000/id/property/>
SELECT ?author ?team ?year ?ready ?date ?keyword ?language
WHERE { ?d schema:identifier "NAME" ; schema:author ?author ;
own:team ?team ; own:year ?year ; own:ready ?ready ; schema:datePublished ?date ; schema:keywords ?keyword ;
schema:inLanguage ?language } ORDER BY ?keyword"""


def corpus(folder: Path) -> Path:
    folder.mkdir()
    for name, text in FILES.items():
        (folder / name).write_text(text)
    return folder


@pytest.fixture(scope="module")
def graph(tmp_path_factory: pytest.TempPathFactory) -> KnowledgeGraph:
    folder = tmp_path_factory.mktemp("metadata")
    made = KnowledgeGraph.create(folder / "graph", encoder="jaccard")
    made.ingest([corpus(folder / "corpus")], metadata={"project": "heron", "since": 2020})
    return made


@pytest.mark.parametrize("name", NAMES)
def test_each_source_comes_out_in_sparql_with_its_types(graph: KnowledgeGraph, name: str) -> None:
    rows = answer(graph.snapshot().stores, QUERY.replace("NAME", name), 1000, "tsv").decode().splitlines()
    typed = f'"2024-05-17"^^<{v.XSD}date>'
    assert rows[1:] == [f'"Ada"\t"red"\t2024\ttrue\t{typed}\t"{word}"\t"de"' for word in ("a", "b")]


@pytest.mark.parametrize("name", NAMES)
def test_what_a_run_states_is_said_of_each_document(graph: KnowledgeGraph, name: str) -> None:
    query = (
        "PREFIX own: <http://localhost:8000/id/property/> ASK "
        f'{{ ?d <{v.IDENTIFIER}> "{name}" ; own:project "heron" ; own:since 2020 }}'
    )
    assert b"true" in answer(graph.snapshot().stores, query, 1000, "json")


@pytest.mark.parametrize("form", ["turtle", "ntriples", "jsonld", "rdfxml"])
def test_it_is_in_each_export(graph: KnowledgeGraph, form: str) -> None:
    text = answer(
        graph.snapshot().stores, f'DESCRIBE ?d {{ ?d <{v.IDENTIFIER}> "yaml.md" }}', 1000, form
    ).decode()
    for part in ("property/", "team", "red", "author", "Ada", "2024-05-17"):
        assert part in text


def test_the_graph_conforms_to_the_shapes(graph: KnowledgeGraph) -> None:
    assert validate(graph.snapshot().store).conforms


def test_other_metadata_of_the_run_replaces_the_documents(tmp_path: Path) -> None:
    folder = corpus(tmp_path / "corpus")
    graph = KnowledgeGraph.create(tmp_path / "graph", encoder="jaccard")
    graph.ingest([folder], metadata={"project": "heron"})
    assert graph.ingest([folder], metadata={"project": "heron"}).unchanged == len(NAMES)
    assert graph.ingest([folder], metadata={"project": "crane"}).replaced == len(NAMES)
    assert graph.ingest([folder]).replaced == len(NAMES)
    fresh = built(tmp_path / "fresh", folder)
    assert canonical(graph) == canonical(fresh)


def test_it_goes_with_its_document(tmp_path: Path) -> None:
    graph = built(tmp_path / "graph", corpus(tmp_path / "corpus"))
    graph.delete(NAMES)
    assert not [quad for quad in graph.snapshot().store if "/property/" in quad.predicate.value]


def test_a_stated_title_takes_the_place_of_the_files_own(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text('<html lang="en"><title>Quay</title><p>Text.</p></html>')
    graph = KnowledgeGraph.create(tmp_path / "graph", encoder="jaccard")
    graph.ingest(
        [tmp_path / "a.html"], metadata={"title": "Harbour", "language": "de", "url": "https://e.org/a"}
    )
    said = {
        quad.predicate.value: quad.object.value
        for quad in graph.snapshot().store
        if "/document/" in quad.subject.value
    }
    assert (said[v.NAME], said[v.IN_LANGUAGE], said[v.URL]) == ("Harbour", "de", "https://e.org/a")


def statements(graph: KnowledgeGraph, identifier: str) -> set[tuple[str, str]]:
    """Property and value of each statement about a document."""
    store = graph.snapshot().store
    [document] = {
        quad.subject.value
        for quad in store
        if quad.predicate.value == v.IDENTIFIER and quad.object.value == identifier
    }
    return {(quad.predicate.value, quad.object.value) for quad in store if quad.subject.value == document}


def test_a_value_that_a_field_cannot_have_is_stated_otherwise(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text(
        "---\nmodified: May 2024\nurl: doi:10.1/2\nlanguage: en, de\n---\nThe quay is of stone."
    )
    graph = KnowledgeGraph.create(tmp_path / "graph", encoder="jaccard")
    graph.ingest([tmp_path / "a.md"])
    assert statements(graph, "a.md") >= {
        (v.SCHEMA + "dateModified", "May 2024"),
        (v.SCHEMA + "sameAs", "doi:10.1/2"),
        (v.DCTERMS + "language", "en, de"),
    }


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.md", "---\nlanguage: German\n---\nHaus."),
        ("a.html", '<meta name="dc.language" content="German"><p>Haus.</p>'),
        ("a.txt", "Haus."),
    ],
)
def test_the_name_of_a_language_is_understood(tmp_path: Path, name: str, text: str) -> None:
    folder = tmp_path / "corpus"
    folder.mkdir()
    (folder / name).write_text(text)
    if name == "a.txt":
        (folder / "a.txt.meta.yaml").write_text("language: German\n")
    graph = built(tmp_path / "graph", folder)
    assert (v.IN_LANGUAGE, "de") in statements(graph, name)


def test_keys_never_name_what_the_graph_is_made_of(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text(
        "---\nschema:isPartOf: x\n'http://localhost:8000/id/chunk/1': x\n"
        "'https://w3id.org/sage-ld#weight': x\nschema:encodingFormat: x\n---\nText."
    )
    graph = KnowledgeGraph.create(tmp_path / "graph", encoder="jaccard")
    graph.ingest([tmp_path / "a.md"])
    stated = {quad.predicate.value for quad in graph.snapshot().store if quad.object.value == "x"}
    assert stated == {
        f"http://localhost:8000/id/property/{name}"
        for name in ("is_part_of", "1", "weight", "encoding_format")
    }
    assert validate(graph.snapshot().store).conforms


def test_a_backup_has_the_graphs_own_table(tmp_path: Path) -> None:
    table = '<http://e.org/owner> <http://www.w3.org/2004/02/skos/core#notation> "team" .'
    (tmp_path / "terms.ttl").write_text(table)
    (tmp_path / "a.md").write_text("---\nteam: red\n---\nText.")
    graph = KnowledgeGraph.create(tmp_path / "graph", encoder="jaccard")
    graph.ingest([tmp_path / "a.md"], metadata_terms=tmp_path / "terms.ttl")
    copy_graph(tmp_path / "graph", tmp_path / "copy")
    terms = KnowledgeGraph.open(tmp_path / "copy").directory.metadata_terms()
    assert terms.properties["team"] == "http://e.org/owner"


@pytest.mark.parametrize("metadata", [["team"], {"team": object()}, {1: "red"}])
def test_what_is_no_metadata_is_refused(graph: KnowledgeGraph, tmp_path: Path, metadata: object) -> None:
    with pytest.raises(InputError, match=r"team|metadata"):
        graph.ingest([tmp_path], metadata=metadata)  # type: ignore[arg-type]


def test_the_table_is_in_normal_form_and_names_terms_of_schema_org_and_dublin_core() -> None:
    terms = builtin_terms()
    assert all(key == normal_key(key) for key in terms.properties)
    assert all(iri.startswith((v.SCHEMA, v.DCTERMS)) for iri in terms.properties.values())
    assert set(terms.ranges.values()) == {"date", "anyURI"}


@pytest.mark.parametrize(
    ("key", "expected"),
    [
        ("creator", v.SCHEMA + "author"),
        ("lastModifiedBy", v.SCHEMA + "contributor"),
        ("Author", v.SCHEMA + "author"),
        ("CreationDate", v.SCHEMA + "dateCreated"),
        ("From", v.SCHEMA + "sender"),
        ("To", v.SCHEMA + "toRecipient"),
        ("Date", v.SCHEMA + "datePublished"),
        ("Subject", v.DCTERMS + "subject"),
        ("Message-ID", v.DCTERMS + "identifier"),
        ("DC.creator", v.SCHEMA + "author"),
        ("dcterms:issued", v.SCHEMA + "datePublished"),
        ("https://e.org/p", "https://e.org/p"),
        ("über uns", "http://localhost:8000/id/property/%C3%BCber_uns"),
    ],
)
def test_keys_of_office_files_mails_and_pdf_are_known(key: str, expected: str) -> None:
    assert builtin_terms().property(key, "http://localhost:8000/id/") == expected
