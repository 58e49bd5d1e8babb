"""CSV on the Web: https://www.w3.org/TR/tabular-metadata/ (TM), https://www.w3.org/TR/csv2rdf/ (RDF)."""

import json
import re
from datetime import date
from pathlib import Path

import pytest
from build.readers.reading import read as read_one
from pyoxigraph import Literal, NamedNode, RdfFormat, Triple, parse, serialize

from sage_ld.build.readers.csvw.description import CellRules, Datatype
from sage_ld.build.readers.csvw.values import literal, values_of
from sage_ld.build.readers.tables import cells
from sage_ld.foundation import vocabulary as v
from sage_ld.foundation.errors import InputError, LimitError
from sage_ld.foundation.settings import Settings

XSD = "http://www.w3.org/2001/XMLSchema#"
KINDS = ("csv", "json", "turtle")
PEOPLE = "id,dob,from\nw,3.5.1968,NO\nk,,SE\n"
METADATA = {
    "@context": ["http://www.w3.org/ns/csvw", {"@language": "en"}],
    "url": "people.csv",
    "dc:title": "People of the harbour",
    "dc:description": "Who works there.",
    "dcat:keyword": ["harbour", "work"],
    "dc:modified": {"@value": "2024-05-01", "@type": "xsd:date"},
    "dc:license": {"@id": "https://creativecommons.org/licenses/by/4.0/"},
    "tableSchema": {
        "aboutUrl": "http://example.org/person/{id}",
        "foreignKeys": [
            {
                "columnReference": "country",
                "reference": {"resource": "countries.csv", "columnReference": "code"},
            }
        ],
        "columns": [
            {"name": "id", "titles": "id", "suppressOutput": True},
            {
                "name": "dob",
                "titles": ["dob", "Date of birth"],
                "dc:description": "The day on which the person was born",
                "datatype": {"base": "date", "format": "d.M.yyyy"},
                "propertyUrl": "schema:birthDate",
            },
            {
                "name": "country",
                "titles": ["from", "Country"],
                "propertyUrl": "schema:nationality",
                "valueUrl": "http://example.org/country/{country}",
            },
            {"virtual": True, "propertyUrl": "rdf:type", "valueUrl": "schema:Person"},
        ],
    },
}


def read(folder, text=PEOPLE, metadata=METADATA, name="people.csv", settings=None, beside=None):
    content = metadata if isinstance(metadata, str) else json.dumps(metadata)
    (folder / (beside or f"{name}-metadata.json")).write_text(content)
    return read_one(folder, name, text, settings)


def triples(document):
    statements = (Triple(*each) for each in document.statements)
    return set(serialize(statements, format=RdfFormat.N_TRIPLES).decode().splitlines())


def table(schema, **more):
    return {"@context": "http://www.w3.org/ns/csvw", "url": "people.csv", "tableSchema": schema, **more}


def test_rows_make_the_statements_of_csv2rdf_in_minimal_mode(tmp_path):
    rows = {each for each in triples(read(tmp_path)) if each.startswith("<http://example.org/")}
    type_ = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <http://schema.org/Person> ."
    assert rows == {
        f'<http://example.org/person/w> <http://schema.org/birthDate> "1968-05-03"^^<{XSD}date> .',
        "<http://example.org/person/w> <http://schema.org/nationality> <http://example.org/country/NO> .",
        f"<http://example.org/person/w> {type_}",
        "<http://example.org/person/k> <http://schema.org/nationality> <http://example.org/country/SE> .",
        f"<http://example.org/person/k> {type_}",
    }


def test_the_document_has_titles_descriptions_keywords_language_and_date(tmp_path):
    document = read(tmp_path)
    assert (document.title, document.description) == ("People of the harbour", "Who works there.")
    assert (document.keywords, document.language) == (("harbour", "work"), "en")
    assert document.modified == "2024-05-01"
    prose, rows = document.blocks
    assert document.text[prose.begin : prose.end] == "Date of birth: The day on which the person was born"
    assert rows.columns == ("id", "Date of birth", "Country")
    assert [column for column, _, _ in cells(rows.columns, document.text[slice(*rows.row_spans[1])])] == [
        "id",
        "Country",
    ]


def test_common_properties_are_statements_about_the_tables_url(tmp_path):
    about = {each for each in triples(read(tmp_path)) if each.startswith("<file:///people.csv>")}
    assert len(about) == 6
    licence = "<https://creativecommons.org/licenses/by/4.0/>"
    assert f"<file:///people.csv> <http://purl.org/dc/terms/license> {licence} ." in about
    title = '<http://purl.org/dc/terms/title> "People of the harbour"@en .'
    assert f"<file:///people.csv> {title}" in about


def test_a_foreign_key_is_a_link_to_the_other_table(tmp_path):
    links = [(each.target, each.text, each.row, each.column) for each in read(tmp_path).links]
    assert links == [("countries.csv", "NO", 0, "Country"), ("countries.csv", "SE", 1, "Country")]


def test_without_templates_rows_are_blank_and_columns_lead_to_the_table(tmp_path):
    """RDF 6.1: Sdef is a new blank node; P is the table's URL, `#`, and the column's name."""
    document = read(tmp_path, "name,the age\nWren,7\n", table({}))
    predicates = sorted(each[1].value for each in document.statements)
    assert predicates == ["file:///people.csv#name", "file:///people.csv#the%20age"]
    assert len({each[0] for each in document.statements}) == 1
    assert read(tmp_path, "name,the age\nWren,7\n", table({})).statements == document.statements


def test_a_list_is_several_values_or_an_rdf_collection(tmp_path):
    """TM 5.7: separator, ordered."""
    schema = {"aboutUrl": "#{n}", "columns": [{"name": "n"}, {"name": "tags", "separator": ";"}]}
    values = {each[2].value for each in read(tmp_path, "n,tags\n1,a;b\n", table(schema)).statements}
    assert values == {"1", "a", "b"}
    schema["columns"][1]["ordered"] = True
    document = read(tmp_path, "n,tags\n1,a;b\n", table(schema))
    assert [each[2].value for each in document.statements if each[1].value.endswith("#first")] == ["a", "b"]


@pytest.mark.parametrize(
    ("text", "datatype", "expected"),
    [
        ("1.234,5", Datatype("decimal", decimal=",", group="."), ("1234.5", "decimal")),
        ("12.5%", Datatype("decimal"), ("0.125", "decimal")),
        ("7", Datatype("byte"), ("7", "byte")),
        ("300", Datatype("byte"), ("300", "string")),
        ("1e3", Datatype("number"), ("1e3", "double")),
        ("1e3", Datatype("decimal"), ("1e3", "string")),
        ("Y", Datatype("boolean", format="Y|N"), ("true", "boolean")),
        ("1", Datatype("boolean", format="Y|N"), ("1", "string")),
        ("0", Datatype("boolean"), ("false", "boolean")),
        ("31/12/1999", Datatype("date", format="dd/MM/yyyy"), ("1999-12-31", "date")),
        ("31/02/1999", Datatype("date", format="dd/MM/yyyy"), ("31/02/1999", "string")),
        ("19991231", Datatype("date", format="yyyyMMdd"), ("1999-12-31", "date")),
        (
            "1.2.2003 04:05 +0100",
            Datatype("datetime", format="d.M.yyyy HH:mm XX"),
            ("2003-02-01T04:05:00+01:00", "dateTime"),
        ),
        ("2003-02-01T04:05:06.7Z", Datatype("dateTime"), ("2003-02-01T04:05:06.7Z", "dateTime")),
        ("0405", Datatype("time", format="HHmm"), ("04:05:00", "time")),
        ("P1Y", Datatype("duration"), ("P1Y", "duration")),
    ],
)
def test_values_are_typed_and_those_that_do_not_fit_stay_strings(text, datatype, expected):
    """TM 6.4: formats of numbers, Booleans, dates and times."""
    value = literal(text, CellRules(datatype=datatype))
    assert (value.value, value.datatype.value.removeprefix(XSD)) == expected


def test_null_default_language_and_own_datatypes():
    rules = CellRules(null=("-", "n/a"), default="none", language="de")
    assert [values_of(text, rules) for text in ("n/a", "-", "", " a ")] == [None, None, ["none"], [" a "]]
    assert literal("Zaunkönig", rules) == Literal("Zaunkönig", language="de")
    own = CellRules(datatype=Datatype("string", iri="http://example.org/code"))
    assert literal("A1", own) == Literal("A1", datatype=NamedNode("http://example.org/code"))
    number = CellRules(datatype=Datatype("integer"), null=("-",))
    assert values_of("", number) is None


def test_the_dialect_says_how_the_file_is_cut(tmp_path):
    """TM 5.9."""
    dialect = {
        "encoding": "windows-1252",
        "delimiter": ";",
        "header": False,
        "quoteChar": "'",
        "commentPrefix": "%",
        "skipRows": 1,
        "trim": True,
    }
    schema = {"columns": [{"name": "bird", "titles": "The bird"}, {"name": "n", "datatype": "integer"}]}
    text = "exported today\n% a comment\n'Zaunkönig; klein'; 3 \n#1;4\n".encode("cp1252")
    document = read(tmp_path, text, table(schema, dialect=dialect))
    assert document.blocks[0].columns == ("The bird", "n")
    assert document.blocks[0].rows == (("Zaunkönig; klein", "3"), ("#1", "4"))
    assert {each[2].value for each in document.statements} == {"Zaunkönig; klein", "3", "#1", "4"}


def test_one_file_describes_the_tables_of_a_folder_and_leaves_others_alone(tmp_path):
    group = {
        "@context": "http://www.w3.org/ns/csvw",
        "tables": [table({"aboutUrl": "#{id}"}, **{"dc:title": "Staff"})],
    }
    assert read(tmp_path, metadata=group, beside="csv-metadata.json").title == "Staff"
    other = read(tmp_path, metadata=group, name="ships.csv", beside="csv-metadata.json")
    assert (other.title, other.statements) == ("ships", ())


def test_statements_in_our_own_vocabulary_are_left_out_and_counted(tmp_path):
    schema = {"columns": [{"name": "id", "propertyUrl": v.SAGE + "linksTo"}]}
    document = read(tmp_path, "id\n1\n", table(schema))
    assert (document.statements, document.reserved) == ((), 1)


@pytest.mark.parametrize(
    ("metadata", "reason"),
    [
        ("{", "people.csv-metadata.json: not valid JSON"),
        ("[]", "is an object"),
        ({"@context": "http://schema.org", "url": "people.csv"}, "@context"),
        (table({}) | {"url": "ships.csv"}, "no table in it has the url 'people.csv'"),
        (table("people.schema.json"), "tableSchema refers to another file"),
        (table({"columns": [{"name": "id"}]}), "has 3 columns, its metadata describes 1"),
        (table({"columns": [{"name": n} for n in ("id", "born", "from")]}), "column 2 is 'dob' in the file"),
        (table({"columns": [{"name": "id"}, {"name": "id"}]}), "two columns have the same name"),
        (table({"columns": ["id"]}), "columns may contain only objects"),
        (table({"datatype": "datum"}), "datatype 'datum'"),
        (table({"datatype": {"base": "date", "format": "QQQ"}}), "format 'QQQ' is not valid for a date"),
        (table({"lang": "not a tag"}), "lang 'not a tag'"),
        (table({"aboutUrl": 7}), "aboutUrl is not a string"),
        (table({"aboutUrl": "http://[{id}"}), "is not an IRI"),
        (table({"propertyUrl": "{id:}"}), "is not a URI template"),
        (table({}, dialect={"delimiter": "::"}), "delimiter '::' is not one character"),
        (table({}, dialect={"encoding": "zlib"}), "encoding 'zlib' is unknown"),
        (table({"foreignKeys": [{"columnReference": "id"}]}), "foreign key"),
    ],
)
def test_wrong_metadata_is_an_error_that_names_it(tmp_path, metadata, reason):
    with pytest.raises(InputError) as raised:
        read(tmp_path, metadata=metadata)
    assert reason in str(raised.value)
    assert len(str(raised.value).splitlines()) == 1


def test_statements_are_limited_in_proportion_to_the_file(tmp_path):
    virtual = [
        {"virtual": True, "propertyUrl": "http://e/p", "valueUrl": f"http://e/{n}/{'v' * 400}"}
        for n in range(50)
    ]
    schema = {"aboutUrl": "#{id}", "columns": [{"name": "id"}, *virtual]}
    text = "id\n" + "".join(f"{n}\n" for n in range(200))
    with pytest.raises(LimitError, match="max_text_ratio"):
        read(tmp_path, text, table(schema), settings=Settings(max_text_ratio=1))


def test_dates_of_all_days_of_a_year_survive():
    rules = CellRules(datatype=Datatype("date", format="M/d/yyyy"))
    days = [date.fromordinal(date(1999, 12, 31).toordinal() + n) for n in range(366)]
    assert [literal(f"{d.month}/{d.day}/{d.year}", rules).value for d in days] == [
        d.isoformat() for d in days
    ]


def test_the_example_of_the_documentation_gives_what_it_says(tmp_path):
    page = (Path(__file__).parents[3] / "docs" / "reading.md").read_text(encoding="utf-8")
    section = page.split("## Metadata beside a CSV file")[1].split("\n## ")[0]
    csv, metadata, turtle = (re.search(rf"```{kind}\n(.*?)```", section, re.DOTALL)[1] for kind in KINDS)
    document = read(tmp_path, csv, metadata)
    assert document.text.splitlines()[0] in section
    assert f"“{document.title}”" in section
    expected = {Triple(quad.subject, quad.predicate, quad.object) for quad in parse(turtle, RdfFormat.TURTLE)}
    made = {Triple(*each) for each in document.statements}
    assert expected < made
    assert {each.object.value for each in made - expected} == {document.title}
