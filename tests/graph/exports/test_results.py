"""An answer in JSON-LD says of the graph's resources only what the graph says."""

import json
from dataclasses import replace

import pyoxigraph
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pyld import jsonld as pyld
from pyoxigraph import BlankNode, Literal, NamedNode, RdfFormat

from sage_ld.foundation import vocabulary as v
from sage_ld.foundation.channels import CHANNEL_NAMES, CHANNELS, Hubs
from sage_ld.foundation.model import PathStep, Result, Role
from sage_ld.foundation.question import Answer, Filter, Question
from sage_ld.graph.exports import jsonld_context
from sage_ld.graph.store.reading import chunk_iris
from sage_ld.retrieval.answers.results import answer_context, answer_jsonld
from sage_ld.retrieval.channels.expansion import expand
from sage_ld.retrieval.channels.relations import FollowedProperty, FollowedRelations
from sage_ld.retrieval.chunks.chunk_table import chunk_views

PARAMETERS = {
    "bm25_weight": 0.5, "seed_share": 0.25, "hops": 2, "decay": 0.5, "ranking": "pagerank", "fusion": "rrf",
    "pool": 10, "damping": 0.75, "restart_power": 2.0, "walk_share": 0.125,
}  # fmt: skip


USES = "https://w3id.org/sage-ld/relations#uses"
RELATIONS = FollowedRelations((FollowedProperty(USES, USES, "uses", "used_by", 0.85, elsewhere=False),))


def answer(store, scores=(0.75, 1.0, 0.1234567), channels=CHANNEL_NAMES):
    """Every chunk as a seed, and every chunk again by every step that leads to it."""
    chunks = chunk_iris(store)
    shown = chunk_views(store, chunks)
    parts = {"bm25": 12.5, "dense": scores[1], "hybrid": scores[2], "graph": 0.0}
    seeds = [Result(i, Role.SEED, scores[0], parts, (), shown[iri]) for i, iri in enumerate(chunks, 1)]
    steps = expand(store, chunks, channels, chunks, Hubs(100, 100), relations=RELATIONS)
    found = [
        Result(i, Role.NEIGHBOUR, scores[2], parts, (step,), shown[step.chunk])
        for i, step in enumerate(steps, len(seeds) + 1)
    ]
    question = 'Who made "Alien" <&> \\ Ünïcödé?'
    only = Filter(
        ("a.md",), ("text",), ("en",), ('"k"',), "2020", "2024-05", ('schema:name "x\\n"', "a <x:y>")
    )
    results = (*seeds, *found)
    asked = Question(question, offset=10, channels=tuple(channels), only=only)
    return Answer(asked, "default", 3, results, PARAMETERS)


def triples(document):
    """What PyLD makes of it, with doubles by their value."""
    expanded = pyld.expand(document)
    nquads = pyld.to_rdf(expanded, {"format": "application/n-quads"})
    return {by_value(quad) for quad in pyoxigraph.parse(nquads.encode(), RdfFormat.N_QUADS)}


def by_value(quad):
    term = quad.object
    if isinstance(term, Literal) and term.datatype.value == v.XSD + "double":
        term = float(term.value)
    return quad.subject, quad.predicate, term


def said(store):
    return {by_value(quad) for quad in store}


def test_the_sample_answer_takes_every_channel(store):
    steps = [step for result in answer(store).results for step in result.path]
    assert {step.channel for step in steps} == set(CHANNEL_NAMES)
    assert {step.kind for step in steps} >= {"TableDocument", "links to", "linked from", "next", "previous"}


@given(
    st.tuples(*[st.floats(0, 1).map(lambda value: round(value, 6))] * 3),
    st.lists(st.sampled_from(CHANNEL_NAMES), unique=True),
)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=25, deadline=None)
def test_an_answer_says_only_what_the_graph_says(disk_store, scores, channels):
    document = answer_jsonld(answer(disk_store, scores, channels))
    of_the_graph = {each for each in triples(document) if not isinstance(each[0], BlankNode)}
    assert of_the_graph
    assert of_the_graph <= said(disk_store)


def test_nothing_in_an_answer_is_lost_on_the_way_to_rdf(store):
    """Every leaf of the JSON is one value in the RDF: no term without an IRI, no relative IRI."""
    document = answer_jsonld(answer(store))
    del document["@context"]
    known = {"id", "type"} | set(answer_context(document["wasGeneratedBy"]))
    for node in nodes(document):
        assert node.keys() <= known
    found = triples(answer_jsonld(answer(store)))
    assert {each[0] for each in found if isinstance(each[0], NamedNode)} >= set(
        map(NamedNode, chunk_iris(store))
    )
    assert not [each for each in found if "example.org/base" in str(each) or str(each[0]).startswith("<file")]
    queries = [each[2].value for each in found if each[1].value == v.QUERY]
    assert queries == [answer(store).question]


def nodes(value):
    if isinstance(value, dict):
        yield value
        for each in value.values():
            yield from nodes(each)
    elif isinstance(value, list):
        for each in value:
            yield from nodes(each)


def test_an_answer_says_how_it_was_asked(store):
    """Every parameter and every field of the filter, as typed values of the retrieval."""
    said = {
        (each[1].value.removeprefix(v.SAGE), str(each[2])) for each in triples(answer_jsonld(answer(store)))
    }
    expected = {
        "offset": [10], "hops": [2], "resultBudget": [10], "decay": [0.5], "bm25Weight": [0.5],
        "seedShare": [0.25], "ranking": ["pagerank"], "fusion": ["rrf"],
        "damping": [0.75], "restartPower": [2.0], "walkShare": [0.125], "onlyDocument": ["a.md"],
        "onlyKind": ["text"],
        "onlyLanguage": ["en"], "onlyKeyword": ['"k"'], "onlySince": ["2020"], "onlyUntil": ["2024-05"],
        "onlyWhere": ['schema:name "x\\n"', "a <x:y>"],
    }  # fmt: skip
    for name, values in expected.items():
        for value in values:
            assert (name, str(value if isinstance(value, float) else Literal(value))) in said
    assert "rankingModel" not in answer_jsonld(answer(store))["wasGeneratedBy"]
    plain = answer_jsonld(Answer(Question("Who?", channels=("link",)), "default", 3, ()))["wasGeneratedBy"]
    assert not [name for name in plain if name.startswith(("only", "walk"))]


def test_a_model_is_named_or_told_by_its_digest(store):
    def model(text):
        found = replace(answer(store), parameters={"ranking": "learned", "model": text})
        return answer_jsonld(found)["wasGeneratedBy"]["rankingModel"]

    assert model("default") == "default"
    assert model('{"a": 1}').startswith("sha256:")
    assert model('{"a": 1}') != model('{"a": 2}')


def test_oxigraph_reads_the_same_answer(store):
    document = answer_jsonld(answer(store))
    read = pyoxigraph.parse(json.dumps(document).encode(), RdfFormat.JSON_LD)
    named = {by_value(quad) for quad in read if isinstance(quad.subject, NamedNode)}
    assert named == {each for each in triples(document) if isinstance(each[0], NamedNode)}


def test_a_result_reads_as_plain_json(store):
    document = answer_jsonld(answer(store), "http://localhost:8000/id/retrieval/1")
    assert list(document) == [
        "@context", "id", "type", "numberOfItems", "wasGeneratedBy", "itemListElement",
    ]  # fmt: skip
    assert document["numberOfItems"] == len(document["itemListElement"])
    by_edge = [
        result
        for result in document["itemListElement"]
        for step in result["path"]
        if step.get("edge", {}).get("type") == ["TableDocumentEdge"]
    ]
    step = by_edge[0]["path"][0]
    assert step["evidence"] == step["edge"]["weight"] == 0.7225
    assert by_edge[0]["item"]["id"] == step["reaches"]
    linked = [
        result
        for result in document["itemListElement"]
        if result["path"] and result["path"][0]["relation"] == "links to"
    ]
    assert {"source", "confidence"} <= linked[0]["path"][0]["edge"].keys()


@pytest.mark.parametrize("channel", CHANNEL_NAMES)
def test_the_same_answer_gives_the_same_bytes(store, channel):
    first, second = (json.dumps(answer_jsonld(answer(store, channels=[channel]))) for _ in range(2))
    assert first == second


def test_a_document_without_a_name_has_none_in_the_answer(store):
    for quad in list(store.quads_for_pattern(None, NamedNode(v.NAME), Literal("People"), None)):
        store.remove(quad)
    found = triples(answer_jsonld(answer(store)))
    assert {each for each in found if not isinstance(each[0], BlankNode)} <= said(store)


def test_the_context_of_answers_is_a_part_of_the_published_one():
    whole = jsonld_context.inline()
    assert answer_context().items() <= whole.items()
    assert len(answer_context()) < len(whole)


def test_a_step_may_go_over_several_edges_and_nodes(store, monkeypatch):
    """As one over two entities would, of which a statement of the user's own joins one to the other."""
    x = "http://example.org/"

    def edge(step, place):
        ends = (step.seed, *step.via, step.chunk)
        return {"type": ["Mention"], "source": ends[3 * place], "target": ends[place + 1]}

    row = replace(CHANNELS["entity"], name="knows", edge=edge, edge_classes=(v.MENTION,))
    monkeypatch.setitem(CHANNELS, "knows", row)
    properties = (v.MENTIONS, x + "knows", "^" + v.MENTIONS)
    step = PathStep(
        x + "a", x + "b", "knows", "knows", 0.5, (x + "m1", x + "m2"), (x + "e1", x + "e2"), None, properties
    )
    whole = answer(store)
    (plain, *_) = whole.results
    node = answer_jsonld(replace(whole, results=(replace(plain, path=(step,)),)))
    read = {(quad[0], quad[1].value, quad[2]) for quad in triples(node)}
    (subject,) = {quad[0] for quad in read if quad[1] == v.PATH_REACHES}
    assert {quad[2].value for quad in read if quad[:2] == (subject, v.PATH_EDGE)} == {x + "m1", x + "m2"}
    assert {quad[2].value for quad in read if quad[:2] == (subject, v.PATH_VIA)} == {x + "e1", x + "e2"}
    assert (NamedNode(x + "m2"), v.SOURCE, NamedNode(x + "b")) in read
    assert (NamedNode(x + "m2"), v.TARGET, NamedNode(x + "e2")) in read
    path = f"<{v.MENTIONS}>/<{x}knows>/^<{v.MENTIONS}>"
    assert (subject, v.PATH_PROPERTY_PATH, Literal(path)) in read
    joined = pyoxigraph.Store()
    ends = [
        (x + "a", v.MENTIONS, x + "e1"),
        (x + "e1", x + "knows", x + "e2"),
        (x + "b", v.MENTIONS, x + "e2"),
    ]
    joined.extend(pyoxigraph.Quad(*map(NamedNode, each)) for each in ends)
    assert joined.query(f"ASK {{ <{step.seed}> {path} <{step.chunk}> }}")
