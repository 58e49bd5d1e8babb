"""R2RML over CSV files; the sections are those of https://www.w3.org/TR/r2rml/ ."""

import re
from pathlib import Path

import pytest
from build.readers.reading import read, results
from pyoxigraph import RdfFormat, Triple, parse, serialize

from sage_ld.foundation.errors import InputError, LimitError
from sage_ld.foundation.settings import Settings

PREFIXES = """\
@prefix rr: <http://www.w3.org/ns/r2rml#> . @prefix ex: <http://example.org/> .
@prefix rml: <http://semweb.mmlab.be/ns/rml#> . @prefix ql: <http://semweb.mmlab.be/ns/ql#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> . @prefix sage: <https://w3id.org/sage-ld#> .
"""
PEOPLE = "id,name,age,country\nw 1,Wren,47,NO\nk,Kay,,SE\n"
COUNTRIES = "code,title\nNO,Norway\nSE,Sweden\nSE,Svitjod\n"
SUBJECT = 'rr:subjectMap [ rr:template "http://example.org/p/{id}" ]'


def made(folder, mapping, name="people.r2rml.ttl", settings=None):
    (folder / "people.csv").write_text(PEOPLE)
    (folder / "countries.csv").write_text(COUNTRIES)
    document = read(folder, name, PREFIXES + mapping, settings)
    statements = (Triple(*each) for each in document.statements)
    text = serialize(statements, format=RdfFormat.N_TRIPLES).decode().replace("http://example.org/", "")
    return sorted(line.removesuffix(" .") for line in text.splitlines())


def people(objects, subject=SUBJECT):
    pairs = f"; rr:predicateObjectMap [ rr:predicate ex:p ; {objects} ]" if objects else ""
    return f'ex:M rr:logicalTable [ rr:tableName "people" ] ; {subject} {pairs} .'


@pytest.mark.parametrize(
    ("objects", "expected"),
    [
        ("rr:objectMap [ rr:column 'name' ]", ['<p/k> <p> "Kay"', '<p/w%201> <p> "Wren"']),
        ("rr:objectMap [ rr:column '\"name\"' ]", ['<p/k> <p> "Kay"', '<p/w%201> <p> "Wren"']),
        ("rr:objectMap [ rr:column 'NAME' ]", ['<p/k> <p> "Kay"', '<p/w%201> <p> "Wren"']),
        (
            "rr:objectMap [ rr:column 'age' ; rr:datatype xsd:integer ]",
            ['<p/w%201> <p> "47"^^<http://www.w3.org/2001/XMLSchema#integer>'],
        ),
        ("rr:objectMap [ rr:column 'age' ; rr:language 'en' ]", ['<p/w%201> <p> "47"@en']),
        ("rr:objectMap [ rr:constant ex:c ]", ["<p/k> <p> <c>", "<p/w%201> <p> <c>"]),
        (
            "rr:object ex:c , 'd'",
            ['<p/k> <p> "d"', "<p/k> <p> <c>", '<p/w%201> <p> "d"', "<p/w%201> <p> <c>"],
        ),
        (
            "rr:objectMap [ rr:template '{name} \\\\{of\\\\} {country}' ; rr:termType rr:Literal ]",
            ['<p/k> <p> "Kay {of} SE"', '<p/w%201> <p> "Wren {of} NO"'],
        ),
        (
            "rr:objectMap [ rr:column 'country' ; rr:termType rr:IRI ]",
            ["<p/k> <p> <file:///SE>", "<p/w%201> <p> <file:///NO>"],
        ),
        ("", []),
    ],
)
def test_term_maps_make_terms(tmp_path, objects, expected):
    """7.1 constants, 7.2 columns, 7.3 templates, 7.4 term types, 7.5 languages, 7.6 datatypes; NULL: 11.2."""
    kinds = people(objects, SUBJECT.replace(" ]", " ; rr:class ex:Person ]"))
    types = [
        f"<p/{each}> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <Person>" for each in ("k", "w%201")
    ]
    assert made(tmp_path, kinds) == sorted([*expected, *types])


def test_blank_nodes_are_the_same_for_the_same_value(tmp_path):
    """7.4, 11.2."""
    objects = "rr:objectMap [ rr:template 'c-{country}' ; rr:termType rr:BlankNode ]"
    first = made(tmp_path, people(objects))
    assert len({line.rsplit(" ", 1)[1] for line in first}) == 2
    assert first == made(tmp_path, people(objects))


@pytest.mark.parametrize(
    "by",
    [
        "rr:logicalTable [ rr:tableName 'countries' ]",
        "rml:logicalSource [ rml:source 'countries.csv' ; rml:referenceFormulation ql:CSV ]",
    ],
)
def test_maps_are_joined(tmp_path, by):
    """8, 8.1."""
    parent = f"ex:C {by} ; rr:subjectMap [ rr:template 'http://example.org/c/{{title}}' ] ."
    join = "rr:joinCondition [ rr:child 'country' ; rr:parent 'code' ]"
    child = people(f"rr:objectMap [ rr:parentTriplesMap ex:C ; {join} ]")
    assert made(tmp_path, parent + child) == [
        "<p/k> <p> <c/Svitjod>",
        "<p/k> <p> <c/Sweden>",
        "<p/w%201> <p> <c/Norway>",
    ]
    same = people("rr:objectMap [ rr:parentTriplesMap ex:N ]")
    own = "ex:N rr:logicalTable [ rr:tableName 'people' ] ; rr:subjectMap [ rr:template '/n/{name}' ] ."
    own = own.replace("'/n", "'http://example.org/n")
    assert made(tmp_path, same + own) == ["<p/k> <p> <n/Kay>", "<p/w%201> <p> <n/Wren>"]


@pytest.mark.parametrize(
    ("mapping", "reason"),
    [
        (
            "ex:M rr:logicalTable [ rr:sqlQuery 'SELECT 1' ] ; rr:subject ex:s .",
            "rr:sqlQuery needs a database",
        ),
        (
            "ex:M rr:logicalTable [ rr:tableName 'ships' ] ; rr:subject ex:s .",
            "'ships' has no file beside it",
        ),
        ("ex:M rml:logicalSource [ rml:source '../people.csv' ] ; rr:subject ex:s .", "no file beside it"),
        ("ex:M rr:logicalTable [ rr:tableName 'people' ] .", "has 0 subject maps"),
        (people("rr:objectMap [ rr:column 'nam' ]"), "no column 'nam'; the table has id, name, age, country"),
        (people("rr:objectMap [ rr:termType rr:IRI ]"), "no rr:constant, rr:column or rr:template"),
        (people("rr:objectMap [ rr:template '{name' ]"), "an unmatched brace"),
        (
            people("rr:objectMap [ rr:column 'name' ; rr:language 'no tag' ]"),
            "'no tag' is not a valid language tag",
        ),
        (people("rr:objectMap [ rr:column 'name' ; rr:termType ex:Thing ]"), "rr:termType"),
        (people("rr:objectMap [ rr:parentTriplesMap ex:X ]"), "is not a triples map"),
        (people("", "rr:subjectMap [ rr:constant 'x' ]"), "a subject map makes a literal"),
    ],
)
def test_a_mapping_that_cannot_be_carried_out_is_an_error(tmp_path, mapping, reason):
    with pytest.raises(InputError, match=r"people\.r2rml\.ttl") as raised:
        made(tmp_path, mapping)
    assert reason in str(raised.value)


def test_a_mapping_for_a_database_elsewhere_is_rdf_like_any_other(tmp_path):
    mapping = "ex:M rr:logicalTable [ rr:tableName 'ships' ] ; rr:subject ex:s ."
    assert len(made(tmp_path, mapping, "ships.ttl")) == 3
    assert made(tmp_path, people("rr:object ex:c"), "mapping.ttl") == ["<p/k> <p> <c>", "<p/w%201> <p> <c>"]


def test_the_hash_covers_the_tables_and_other_vocabulary_of_ours_is_left_out(tmp_path):
    mapping = people("rr:object ex:c").replace("rr:predicate ex:p", "rr:predicate ex:p , sage:linksTo")
    assert len(made(tmp_path, mapping)) == 2
    before = results(tmp_path)["people.r2rml.ttl"].documents[0]
    assert before.reserved == 2
    (tmp_path / "people.csv").write_text(PEOPLE + "x,Xan,1,NO\n")
    after = results(tmp_path)["people.r2rml.ttl"].documents[0]
    assert (before.content_hash == after.content_hash, len(after.statements)) == (False, 3)


def test_the_example_of_the_documentation_gives_what_it_says(tmp_path):
    page = (Path(__file__).parents[3] / "docs" / "reading.md").read_text(encoding="utf-8")
    section = page.split("## Mappings of CSV files")[1].split("\n## ")[0]
    mapping, turtle = re.findall(r"```turtle\n(.*?)```", section, re.DOTALL)
    (tmp_path / "people.csv").write_text(re.search(r"```csv\n(.*?)```", section, re.DOTALL)[1])
    expected = {Triple(quad.subject, quad.predicate, quad.object) for quad in parse(turtle, RdfFormat.TURTLE)}
    assert {Triple(*each) for each in read(tmp_path, "people.r2rml.ttl", mapping).statements} == expected


def test_what_a_join_makes_is_limited_in_proportion_to_the_files(tmp_path):
    rows = "".join(f"{n},N,1,{'SE'}\n" for n in range(300))
    join = "rr:joinCondition [ rr:child 'country' ; rr:parent 'country' ]"
    mapping = people(f"rr:objectMap [ rr:parentTriplesMap ex:M ; {join} ]")
    (tmp_path / "people.csv").write_text("id,name,age,country\n" + rows)
    with pytest.raises(LimitError, match="max_text_ratio"):
        read(tmp_path, "people.r2rml.ttl", PREFIXES + mapping, Settings(max_text_ratio=1))
