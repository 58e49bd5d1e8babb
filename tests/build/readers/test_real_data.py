from collections import Counter
from pathlib import Path

from build.readers.reading import check

from sage_ld.build.readers import read_paths
from sage_ld.foundation.model import Record, Table
from sage_ld.foundation.settings import Settings


def read(folder):
    found = list(read_paths([folder], Settings()))
    documents = [document for each in found for document in each.documents]
    for document in documents:
        check(document)
    return documents, {each.identifier: str(each.error) for each in found if each.error}, found


def test_a_benchmarks_passages_and_tables(data):
    documents, errors, found = read(data / "ottqa")
    assert errors == {}
    assert {each.identifier for each in found if each.skipped} == {"queries.jsonl", "qrels"}
    assert Counter(each.media_type for each in documents) == {"application/jsonl": 17_841, "text/html": 789}
    assert sum(isinstance(block, Table) for each in documents for block in each.blocks) == 789
    passages = {each.identifier for each in documents}
    rows = [link for each in documents for link in each.links if link.row is not None]
    assert all(link.column for link in rows)
    assert sum(link.target in passages for link in rows) > 20_000


def test_a_course_in_markdown(data):
    documents, errors, found = read(data / "documents" / "db_tutorial")
    assert errors == {}
    assert len(documents) == 19
    course = [each for each in documents if each.media_type == "text/markdown"]
    assert len(course) == 16
    assert course[0].title == "Part 1 - Introduction and Setting up the REPL"
    other = {Path(each.identifier).suffix: each.media_type for each in documents if each not in course}
    assert other == {"": "text/plain", ".c": "text/x-c", ".rb": "text/x-ruby"}
    assert not [each.skipped for each in found if each.skipped]


def test_a_catalogue_of_data_sets(data):
    documents, errors, _ = read(data / "documents" / "vega")
    assert errors == {}
    assert len(documents) == 13
    [movies] = [each for each in documents if each.identifier == "data/movies.json"]
    assert movies.blocks[0].name == "The Land Girls"


def test_a_collection_of_music_in_rdf(data):
    documents, errors, _ = read(data / "music" / "music")
    assert errors == {}
    [music] = [each for each in documents if each.identifier == "music.ttl.gz"]
    albums = {
        block.name
        for block in music.blocks
        if isinstance(block, Record) and ("type", "Album") in block.fields
    }
    assert "Abbey Road" in albums
    assert len(music.statements) > 30_000


def test_broken_turtle_of_the_music_tutorial_is_named(data):
    _, errors, _ = read(data / "music")
    assert sorted(errors) == [
        "reasoning/cowriter-rule.ttl",
        "reasoning/music_axioms.ttl",
        "shacl/invalid.ttl",
        "shacl/valid.ttl",
    ]
    assert all("line" in error for error in errors.values())
