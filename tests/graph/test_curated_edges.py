"""Curated edges: what a user states stays, whatever is derived again, and goes with what it is about."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest
from graph.corpus import built, write
from pyoxigraph import NamedNode, parse

from sage_ld.foundation import package_files
from sage_ld.foundation import vocabulary as v
from sage_ld.foundation.errors import (
    ConflictError,
    InputError,
    LimitError,
    NotFoundError,
    PreconditionError,
    ShapeError,
)
from sage_ld.foundation.relation_types import RelationType, RelationTypes
from sage_ld.graph import KnowledgeGraph
from sage_ld.graph.changes import curated_edges
from sage_ld.graph.changes.curated_edges import EdgeDraft
from sage_ld.graph.shapes.shacl import validate
from sage_ld.graph.store import reading
from sage_ld.graph.store.statistics import summary

RELATION = "https://w3id.org/sage-ld/relations#"
TYPES = """@prefix ex: <http://example.org/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix sage: <https://w3id.org/sage-ld#> .
@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
@prefix relation: <https://w3id.org/sage-ld/relations#> .
ex:scoredBy skos:notation "scored by" ; sage:weight 0.7 ; rdfs:label "scored by"@en .
relation:uses sage:weight 0.6 .
"""
FILM, PEOPLE, PRIZE = "films/night-bus.md", "people/mira-tolland.md", "heron.md"


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    return write(tmp_path / "corpus", (FILM, PEOPLE, PRIZE, "records.ttl"))


@pytest.fixture
def graph(corpus: Path, tmp_path: Path) -> KnowledgeGraph:
    return built(tmp_path / "graph", corpus)


def chunk_of(graph: KnowledgeGraph, identifier: str) -> str:
    return reading.chunks_of(graph.snapshot().store, graph.iris.document(identifier))[0]


def test_an_edge_is_a_reified_statement_that_conforms(graph: KnowledgeGraph) -> None:
    edge = graph.edges.add(
        FILM,
        "Depends on",
        PEOPLE,
        weight=0.5,
        valid_from=date(1987, 1, 1),
        valid_through="1999-12-31",
        comment="the score",
        metadata={"team": "red", "author": "Ada", "year": 1987},
    )
    film, person = graph.iris.document(FILM), graph.iris.document(PEOPLE)
    text = f"""SELECT ?w {{ GRAPH <{graph.iris.curated_graph}> {{
        <{film}> <{RELATION}dependsOn> <{person}> ~ <{edge.iri}> .
        <{edge.iri}> a <{v.CURATED_EDGE}> ; <{v.SOURCE}> <{film}> ; <{v.TARGET}> <{person}> ;
            <{v.RELATION_TYPE}> <{RELATION}dependsOn> ; <{v.WEIGHT}> ?w ; <{v.SCHEMA}author> "Ada" ;
            <{graph.iris.base}property/team> "red" }} }}"""
    assert [row["w"].value for row in graph.snapshot().store.query(text)] == ["0.5"]
    assert validate(graph.snapshot().store).conforms
    assert graph.edges.get(edge.identifier) == graph.edges.get(edge.iri)
    assert [each.iri for each in graph.edges] == [edge.iri]
    assert graph.edges.get(edge.iri).valid_through == "1999-12-31"
    assert summary(graph.snapshot().stores)["edges"]["curated"] == 1


def test_a_message_names_some_types_however_many_there_are() -> None:
    many = {f"http://example.org/{each}": RelationType(f"http://example.org/{each}") for each in range(1000)}
    long = {"http://example.org/long": RelationType("http://example.org/long", ("a" * 10_000,))}
    with pytest.raises(InputError, match="and 961 more") as error:
        RelationTypes(many | long).named("nothing")
    assert len(str(error.value)) < 2_000


@pytest.mark.parametrize("name", ["name", "url", "inLanguage"])
def test_an_edge_that_breaks_the_shapes_of_its_source_is_refused(graph: KnowledgeGraph, name: str) -> None:
    good = EdgeDraft(FILM, "part of", PEOPLE)
    with pytest.raises(ShapeError) as error:
        graph.edges.add_all([good, EdgeDraft(FILM, v.SCHEMA + name, PEOPLE)])
    assert graph.iris.document(FILM) in error.value.report[0]
    assert not list(graph.edges)
    edge = graph.edges.add(FILM, "part of", PEOPLE)
    with pytest.raises(ShapeError):
        graph.edges.replace(edge.iri, v.SCHEMA + name)
    assert [each.relation_type for each in graph.edges] == [RELATION + "partOf"]
    assert graph.edges.add(FILM, v.SCHEMA + "award", PRIZE).relation_type == v.SCHEMA + "award"
    assert validate(graph.snapshot().store).conforms


def test_shapes_are_held_only_to_sources_whose_statement_they_look_at(
    graph: KnowledgeGraph, monkeypatch: pytest.MonkeyPatch
) -> None:
    checked: list[set[str]] = []
    monkeypatch.setattr(curated_edges, "check_change", lambda _, nodes: checked.append(nodes))
    film = graph.iris.document(FILM)
    graph.edges.add_all([EdgeDraft(FILM, each, PEOPLE) for each in ("part of", "http://example.org/p")])
    assert checked == []
    graph.edges.add_all([EdgeDraft(each, v.SCHEMA + "url", PRIZE) for each in (FILM, PEOPLE)])
    named = graph.edges.add(FILM, "uses", PEOPLE, metadata={"title": "The hymn"})
    assert checked == [{film, graph.iris.document(PEOPLE)}, {named.iri}]


@pytest.mark.parametrize(
    ("changes", "error", "words"),
    [
        ({"weight": 1.5}, InputError, "outside 0..1"),
        ({"weight": float("nan")}, InputError, "outside 0..1"),
        ({"weight": True}, InputError, "not a number"),
        ({"valid_from": "2024-02-30"}, InputError, "valid_from"),
        ({"valid_from": "2024-05-02", "valid_through": "2024-05-01"}, InputError, "after"),
        ({"relation": "dependson"}, InputError, "part_of"),
        ({"relation": v.MENTIONS}, InputError, "describes the structure of a graph"),
        ({"relation": v.NEXT}, InputError, "describes the structure of a graph"),
        ({"source": "nobody.md"}, InputError, "source: "),
        ({"target": FILM}, InputError, "source and target"),
        ({"target": "http://example.org/nothing"}, InputError, "target: "),
        ({"target": "not an IRI <>"}, InputError, "target: "),
        ({"target": "\ud800"}, InputError, "target: "),
        ({"relation": "\ud800"}, InputError, "part_of"),
        ({"metadata": {"comment": "x", v.COMMENT: "y"}}, InputError, "field of an edge"),
        ({"metadata": {"x": "y" * 5_000_000}}, LimitError, "max_metadata_length"),
        ({"comment": "y" * 5_000_000}, LimitError, "max_metadata_length"),
    ],
)
def test_what_does_not_fit_is_refused_and_nothing_is_changed(
    graph: KnowledgeGraph, changes: dict[str, object], error: type[Exception], words: str
) -> None:
    before = graph.directory.current()
    good = EdgeDraft(FILM, "uses", PRIZE)
    values = {"source": FILM, "relation": "part_of", "target": PEOPLE} | changes
    with pytest.raises(error, match="edge 2: ") as raised:
        graph.edges.add_all([good, EdgeDraft(**values)])
    assert words in str(raised.value)
    assert graph.directory.current() == before
    assert len(graph.edges) == 0


def test_a_comment_is_text_that_can_be_stored(graph: KnowledgeGraph) -> None:
    edge = graph.edges.add(FILM, "uses", PEOPLE, comment="a\ud800\x00b", metadata={"x": "\ud800y"})
    assert graph.edges.get(edge.iri) == edge
    assert "a" in edge.comment


def test_sections_and_mentions_are_no_ends(graph: KnowledgeGraph) -> None:
    store = graph.snapshot().store
    for cls in (v.SECTION, v.MENTION):
        quad = next(store.quads_for_pattern(None, NamedNode(v.TYPE), NamedNode(cls), None))
        with pytest.raises(InputError, match="no document, chunk, entity"):
            graph.edges.add(FILM, "uses", quad.subject.value)


def test_the_same_edge_is_there_once_and_other_content_is_a_conflict(graph: KnowledgeGraph) -> None:
    first = graph.edges.add(FILM, "uses", PEOPLE, metadata={"share": 0.50, "code": "007"})
    number = graph.directory.current()
    assert graph.edges.add(FILM, "uses", PEOPLE, metadata={"share": 0.50, "code": "007"}).iri == first.iri
    assert graph.directory.current() == number
    with pytest.raises(ConflictError, match=first.iri):
        graph.edges.add(FILM, "uses", PEOPLE, weight=0.2)
    later = graph.edges.add(FILM, "uses", PEOPLE, valid_from="2020-01-01")
    assert later.iri != first.iri
    assert len(list(graph.edges.find(source=FILM, relation="uses", target=PEOPLE))) == 2
    graph.edges.remove(later.identifier)
    store = graph.snapshot().store
    statement = (NamedNode(first.source), NamedNode(first.relation_type), NamedNode(first.target), None)
    assert list(store.quads_for_pattern(*statement)), "the statement of an edge that stays is gone"


def test_an_edge_is_changed_and_a_new_one_takes_no_iri_that_is_taken(graph: KnowledgeGraph) -> None:
    edge = graph.edges.add(FILM, "uses", PEOPLE, comment="old")
    changed = graph.edges.replace(edge.iri, "part_of", weight=0.25)
    assert (changed.iri, changed.comment, changed.weight) == (edge.iri, "", 0.25)
    assert graph.edges.get(edge.iri) == changed
    again = graph.edges.add(FILM, "uses", PEOPLE)
    assert again.iri != edge.iri
    assert validate(graph.snapshot().store).conforms
    with pytest.raises(NotFoundError, match="no edge"):
        graph.edges.remove([edge.iri, "0" * 24])
    assert len(graph.edges) == 2
    assert graph.edges.remove([edge.iri, again.iri]) == 2
    assert not list(
        graph.snapshot().store.quads_for_pattern(None, None, None, NamedNode(graph.iris.curated_graph))
    )


def test_two_programs_do_not_overwrite_an_edge_unseen(graph: KnowledgeGraph) -> None:
    read = graph.edges.add(FILM, "uses", PEOPLE)
    newest = graph.edges.replace(read.iri, "uses", weight=0.5, if_match=read.tag)
    with pytest.raises(PreconditionError, match="if_match does not hold"):
        graph.edges.replace(read.iri, "uses", weight=0.7, if_match=read.tag)
    with pytest.raises(PreconditionError, match="if_match does not hold"):
        graph.edges.remove(read.iri, if_match=read.tag)
    assert graph.edges.get(read.iri) == newest
    other = graph.edges.add(PEOPLE, "uses", FILM)
    with pytest.raises(InputError, match="to one edge, but 2"):
        graph.edges.remove([newest.iri, other.iri], if_match=newest.tag)
    assert graph.edges.remove(newest.iri, if_match=newest.tag) == 1


def test_a_statement_is_there_once_after_a_change_and_a_move(graph: KnowledgeGraph) -> None:
    edge = graph.edges.add(FILM, "part_of", PEOPLE)
    changed = graph.edges.replace(edge.iri, "uses")
    assert graph.edges.add(FILM, "uses", PEOPLE) == changed
    with pytest.raises(ConflictError, match=edge.iri):
        graph.edges.add(FILM, "uses", PEOPLE, weight=0.2)
    first = graph.edges.add(FILM, "part_of", PEOPLE)
    with pytest.raises(ConflictError, match=edge.iri):
        graph.edges.replace(first.iri, "uses")
    assert graph.edges.replace(first.iri, "part_of", weight=0.5).weight == 0.5
    later = graph.edges.replace(first.iri, "uses", valid_from="2020-01-01")
    with pytest.raises(ConflictError, match=edge.identifier):
        graph.edges.replace(later.iri, "uses")
    graph.rebase("https://films.example.org/id/")
    moved = graph.edges.add_all(
        [EdgeDraft(FILM, "uses", PEOPLE), EdgeDraft(FILM, "uses", PEOPLE, valid_from="2020-01-01")]
    )
    assert moved.added == 0
    assert len(graph.edges) == 2


def test_edges_stay_when_all_is_derived_anew(graph: KnowledgeGraph) -> None:
    entity = graph.iris.entity("nils garrow")
    graph.edges.add_all(
        [
            EdgeDraft(chunk_of(graph, FILM), "related_to", entity),
            EdgeDraft("http://example.org/score", "part_of", FILM),
        ]
    )
    before = set(graph.edges)
    graph.relink()
    assert set(graph.edges) == before != set()
    graph.reencode("jaccard")
    assert set(graph.edges) == before


def test_removing_a_document_removes_the_edges_at_it_and_at_what_it_alone_names(
    graph: KnowledgeGraph, corpus: Path
) -> None:
    drafts = [
        EdgeDraft(FILM, "uses", PRIZE),
        EdgeDraft(PRIZE, "uses", chunk_of(graph, FILM)),
        EdgeDraft(PEOPLE, "uses", PRIZE),
        EdgeDraft("http://example.org/score", "part_of", PRIZE),
    ]
    *_, stays, of_rdf = graph.edges.add_all(drafts).edges
    graph.delete(FILM)
    assert {each.iri for each in graph.edges} == {stays.iri, of_rdf.iri}
    graph.delete("records.ttl")
    assert {each.iri for each in graph.edges} == {stays.iri}
    assert validate(graph.snapshot().store).conforms


def test_edges_go_with_all_that_rdf_says_and_stay_while_another_file_says_something(
    graph: KnowledgeGraph, corpus: Path
) -> None:
    said = "<http://example.org/a> <http://example.org/in> <http://example.org/b> .\n"
    (corpus / "one.ttl").write_text(said + '<http://example.org/a> <http://example.org/size> "5" .\n')
    (corpus / "two.ttl").write_text("<http://example.org/c> <http://example.org/in> <http://example.org/b> .")
    graph.ingest([corpus])
    ends = [f"http://example.org/{name}" for name in ("a", "b", "in")]
    of_subject, of_object, of_property = graph.edges.add_all(
        EdgeDraft(FILM, "uses", end) for end in ends
    ).edges
    (corpus / "one.ttl").write_text(said)
    graph.ingest([corpus])
    assert set(graph.edges) == {of_subject, of_object, of_property}
    assert graph.check().clean
    (corpus / "one.ttl").write_text(said.replace("/a>", "/d>"))
    graph.ingest([corpus])
    assert set(graph.edges) == {of_object, of_property}
    graph.delete(["one.ttl", "two.ttl"])
    assert len(graph.edges) == 0


def test_replacing_a_document_keeps_its_edges_and_those_of_chunks_that_stay(
    graph: KnowledgeGraph, corpus: Path
) -> None:
    table, prose = sorted(
        reading.chunks(
            graph.snapshot().store, reading.chunks_of(graph.snapshot().store, graph.iris.document(PRIZE))
        ),
        key=lambda each: each.chunk.kind,
    )[:2]
    assert table.chunk.kind != prose.chunk.kind
    drafts = [EdgeDraft(each, "uses", PEOPLE) for each in (PRIZE, table.iri, prose.iri)]
    whole, of_table, of_prose = graph.edges.add_all(drafts).edges
    text = (corpus / PRIZE).read_text("utf-8")
    (corpus / PRIZE).write_text(text.replace("first given in 1931", "first given in 1932"), "utf-8")
    assert graph.ingest([corpus]).replaced == 1
    assert {each.iri for each in graph.edges} == {whole.iri, of_table.iri}
    assert of_prose.iri not in {each.iri for each in graph.edges}


def test_rebasing_moves_edges_to_the_iris_of_a_graph_made_there(
    graph: KnowledgeGraph, corpus: Path, tmp_path: Path
) -> None:
    base = "https://films.example.org/id/"
    graph.edges.add(FILM, "uses", PEOPLE, valid_from="2020-01-01", metadata={"team": "red"})
    graph.edges.add(FILM, "uses", PEOPLE)
    graph.rebase(base)
    fresh = KnowledgeGraph.create(tmp_path / "fresh", encoder="jaccard", base_iri=base)
    fresh.ingest([corpus])
    fresh.edges.add(FILM, "uses", PEOPLE)
    fresh.edges.add(FILM, "uses", PEOPLE, valid_from="2020-01-01", metadata={"team": "red"})
    assert list(graph.edges) == list(fresh.edges)


def test_a_user_extends_the_table_of_types(graph: KnowledgeGraph, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="scored_by"):
        graph.edges.add(FILM, "scored_by", PEOPLE)
    file = tmp_path / "types.ttl"
    file.write_text(TYPES)
    count = len(graph.edges.types().types)
    assert graph.edges.extend_types(file) == count + 1
    edge = graph.edges.add(FILM, "Scored By", PEOPLE)
    assert edge.relation_type == "http://example.org/scoredBy"
    types = graph.edges.types()
    assert (types.named("uses").weight, types.named("uses").inverse) == (0.6, RELATION + "usedBy")
    graph.relink()
    assert graph.edges.types() == types
    assert validate(graph.snapshot().store).conforms
    file.write_text("")
    assert graph.edges.extend_types(file) == count
    assert graph.edges.types().of(edge.relation_type).weight == 0.3


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("not Turtle", "Turtle"),
        (TYPES.replace("0.7", "1.7"), "0..1"),
        (TYPES.replace("ex:scoredBy", "<https://schema.org/isPartOf>"), "describes the structure of a graph"),
        (TYPES.replace('"scored by" ;', '"uses" ;'), "keep one"),
        (
            "".join(
                f'<http://x/{n}> <http://www.w3.org/2004/02/skos/core#notation> "n{n}" .' for n in range(201)
            ),
            "max_relation_types",
        ),
        ("# " + "x" * 2**20, "max_relation_types_bytes"),
    ],
)
def test_a_table_that_does_not_fit_is_refused(
    graph: KnowledgeGraph, tmp_path: Path, text: str, words: str
) -> None:
    file = tmp_path / "types.ttl"
    file.write_text(text)
    with pytest.raises(InputError, match=words):
        graph.edges.extend_types(file)


def test_an_edge_that_goes_with_its_end_is_named(
    graph: KnowledgeGraph, caplog: pytest.LogCaptureFixture
) -> None:
    graph.add("A note.", identifier="note")
    edge = graph.edges.add("note", "uses", PEOPLE)
    summary = graph.remove("note")
    assert (summary.removed_edges, len(graph.edges)) == ((edge,), 0)
    (said,) = [each.getMessage() for each in caplog.records if edge.iri in each.getMessage()]
    assert edge.source in said
    assert edge.target in said


def test_a_summary_has_the_edges_that_went(graph: KnowledgeGraph, corpus: Path) -> None:
    graph.add("A note.\n\nOf herons.", identifier="note")
    edges = [graph.edges.add(chunk_of(graph, "note"), "uses", PEOPLE), graph.edges.add(FILM, "uses", PRIZE)]
    assert graph.add("Another one.", identifier="note").removed_edges == (edges[0],)
    (corpus / PRIZE).unlink()
    assert graph.ingest([corpus], sync=True).removed_edges == (edges[1],)
    assert graph.add("A third.", identifier="note").removed_edges == ()


def test_an_inverse_holds_in_both_directions(graph: KnowledgeGraph, tmp_path: Path) -> None:
    (tmp_path / "types.ttl").write_text("""
        @prefix owl: <http://www.w3.org/2002/07/owl#> .
        @prefix skos: <http://www.w3.org/2004/02/skos/core#> .
        <http://example.org/guards> skos:notation "guards" .
        <http://example.org/guardedBy> skos:notation "guarded_by" ;
            owl:inverseOf <http://example.org/guards> .
    """)
    graph.edges.extend_types(tmp_path / "types.ttl")
    both = {"http://example.org/guards", "http://example.org/guardedBy"}
    assert graph.edges.types().with_inverses(["guards"]) == both
    assert graph.edges.types().with_inverses(["guarded_by"]) == both


def test_each_type_of_the_table_says_what_it_is(graph: KnowledgeGraph) -> None:
    types = graph.edges.types().types
    for each in types.values():
        assert each.names, each
        assert each.label, each
        assert each.comment.endswith("."), each
        if each.inverse is not None:
            assert types[each.inverse].inverse == each.iri
            assert types[each.inverse].weight == each.weight
    matches = [match for each in types.values() for match in each.matches]
    assert len(matches) == len(set(matches))
    page = (package_files.path(package_files.ONTOLOGY).parent.parent / "docs" / "relations.md").read_text(
        "utf-8"
    )
    for each in types.values():
        assert f"| `{each.name}` | {each.weight:g} |" in page
    assert list(parse(path=str(package_files.path(package_files.RELATIONS))))


def test_an_edge_between_resources_of_users_is_no_statement_property(graph: KnowledgeGraph) -> None:
    edge = graph.edges.add("http://example.org/score", "uses", "http://example.org/mira")

    def statement_properties() -> set[str]:
        quads = graph.snapshot().store.quads_for_pattern(
            None, NamedNode(v.TYPE), NamedNode(v.STATEMENT_PROPERTY), None
        )
        return {quad.subject.value for quad in quads}

    assert statement_properties() == {"http://example.org/composer"}
    graph.edges.replace(edge.iri, "part_of")
    graph.relink()
    assert statement_properties() == {"http://example.org/composer"}
