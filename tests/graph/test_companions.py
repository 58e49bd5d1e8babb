"""What a companion of a file makes is stored with the file's document, follows a change, and goes with it."""

import json
import os

import pytest
from graph.canonical import canonical

from sage_ld.graph import KnowledgeGraph

COUNTRIES = "code,name\nNO,Norway\nSE,Sweden\n"
METADATA = {
    "@context": "http://www.w3.org/ns/csvw",
    "url": "people.csv",
    "tableSchema": {
        "aboutUrl": "http://example.org/person/{id}",
        "foreignKeys": [
            {
                "columnReference": "country",
                "reference": {"resource": "countries.csv", "columnReference": "code"},
            }
        ],
        "columns": [
            {"name": "id"},
            {"name": "age", "datatype": "integer", "propertyUrl": "http://example.org/age"},
            {"name": "country", "valueUrl": "http://example.org/country/{country}"},
        ],
    },
}
AGES = "SELECT ?age { ?person <http://example.org/age> ?age } ORDER BY ?age"


@pytest.fixture
def graph(tmp_path):
    folder = tmp_path / "files"
    folder.mkdir()
    (folder / "countries.csv").write_text(COUNTRIES)
    graph = KnowledgeGraph.create(tmp_path / "graph", encoder="jaccard")
    graph.ingest(folder)
    yield graph, folder
    graph.close()


def describe(folder, metadata=METADATA):
    (folder / "people.csv-metadata.json").write_text(json.dumps(metadata))


def ages(graph):
    rows = graph.snapshot().stores.named.query(AGES)
    return [row["age"].value + " " + row["age"].datatype.value.partition("#")[2] for row in rows]


def test_statements_of_rows_are_stored_follow_the_metadata_and_go_with_the_document(graph):
    graph, folder = graph
    before = canonical(graph)
    (folder / "people.csv").write_text("id,age,country\nw,47,NO\nk,9,SE\n")
    describe(folder)
    assert graph.ingest(folder).added == 1
    assert ages(graph) == ["9 integer", "47 integer"]
    summary = graph.ingest(folder)
    assert (summary.added, summary.replaced) == (0, 0)
    changed = json.loads(json.dumps(METADATA).replace('"integer"', '"decimal"'))
    describe(folder, changed)
    assert graph.ingest(folder).replaced == 1
    assert ages(graph) == ["9 decimal", "47 decimal"]
    os.remove(folder / "people.csv-metadata.json")
    assert graph.ingest(folder).replaced == 1
    assert ages(graph) == []
    graph.delete("people.csv")
    graph.relink()
    assert canonical(graph) == before


def test_what_a_mapping_makes_follows_its_table_and_goes_with_the_mapping(graph):
    graph, folder = graph
    (folder / "people.csv").write_text("id,age\nw,47\n")
    graph.ingest(folder)
    before = canonical(graph)
    (folder / "people.r2rml.ttl").write_text(
        """PREFIX rr: <http://www.w3.org/ns/r2rml#>
        <#m> rr:logicalTable [ rr:tableName "people" ] ;
          rr:subjectMap [ rr:template "http://example.org/{id}" ] ;
          rr:predicateObjectMap [ rr:predicate <http://example.org/age> ; rr:objectMap [ rr:column "age" ;
            rr:datatype <http://www.w3.org/2001/XMLSchema#integer> ] ] ."""
    )
    assert graph.ingest(folder).added == 1
    assert ages(graph) == ["47 integer"]
    assert graph.ingest(folder).replaced == 0
    (folder / "people.csv").write_text("id,age\nw,48\n")
    assert graph.ingest(folder, sync=True, only=[folder / "people.csv"]).replaced == 2
    assert ages(graph) == ["48 integer"]
    (folder / "people.csv").write_text("id,age\nw,47\n")
    graph.ingest(folder)
    graph.delete("people.r2rml.ttl")
    graph.relink()
    assert canonical(graph) == before
