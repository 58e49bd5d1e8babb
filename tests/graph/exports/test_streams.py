"""Every export says what the store says, to the readers that people have."""

import io
import json
import tracemalloc
import warnings
from collections import Counter

import networkx
import pyoxigraph
import pytest
import rdflib
from hypothesis import given
from hypothesis import strategies as st
from pyld import jsonld as pyld
from pyoxigraph import (
    BaseDirection,
    BlankNode,
    DefaultGraph,
    Literal,
    NamedNode,
    Quad,
    RdfFormat,
    Store,
    Triple,
)
from rdflib.compare import isomorphic

from sage_ld.foundation import vocabulary as v
from sage_ld.foundation.errors import InputError
from sage_ld.graph.exports.streams import FORMATS, export, stream, view

RDFLIB = {"jsonld": "json-ld", "turtle": "turtle", "trig": "trig", "ntriples": "nt", "nquads": "nquads"}
OXIGRAPH = {
    "jsonld": RdfFormat.JSON_LD,
    "turtle": RdfFormat.TURTLE,
    "trig": RdfFormat.TRIG,
    "ntriples": RdfFormat.N_TRIPLES,
    "nquads": RdfFormat.N_QUADS,
}


def written(store, format, rdf="1.1"):
    return b"".join(stream(store, format, rdf))


def by_value(term, digits):
    """Equal doubles are the same term however they are written."""
    if isinstance(term, Literal) and term.datatype.value == v.XSD + "double":
        try:
            return Literal(f"{float(term.value):.{digits - 1}e}", datatype=term.datatype)
        except ValueError:
            return term
    return term


def without_graphs(quads):
    return [Quad(each.subject, each.predicate, each.object) for each in quads]


def canonical(quads, digits=17):
    """The dataset with canonical blank nodes; PyLD writes doubles with 16 digits, the last one rounded."""
    dataset = pyoxigraph.Dataset(
        Quad(each.subject, each.predicate, by_value(each.object, digits), each.graph_name) for each in quads
    )
    dataset.canonicalize(pyoxigraph.CanonicalizationAlgorithm.RDFC_1_0)
    return dataset


@pytest.mark.parametrize("format", OXIGRAPH)
def test_json_ld_alone_has_base_directions_in_the_first_view(format):
    store, subject = Store(), NamedNode("http://x/a")
    store.add(Quad(subject, subject, Literal("a", language="ar", direction=BaseDirection.RTL)))
    [read] = pyoxigraph.parse(written(store, format), OXIGRAPH[format])
    assert read.object.direction == (BaseDirection.RTL if format == "jsonld" else None)


@pytest.mark.parametrize("format", OXIGRAPH)
def test_oxigraph_reads_the_first_view_of_the_store(disk_store, format):
    read = list(pyoxigraph.parse(written(disk_store, format), OXIGRAPH[format]))
    kept = list(view(disk_store, "1.1"))
    if not FORMATS[format].graphs:
        read, kept = without_graphs(each for each in read), without_graphs(kept)
    assert canonical(read) == canonical(kept)


@pytest.mark.parametrize("format", ["turtle", "trig", "ntriples", "nquads"])
def test_version_1_2_keeps_everything(disk_store, format):
    read = list(pyoxigraph.parse(written(disk_store, format, "1.2"), OXIGRAPH[format]))
    kept = list(disk_store)
    if not FORMATS[format].graphs:
        kept = without_graphs(kept)
    assert canonical(read) == canonical(kept)
    assert any(isinstance(each.object, Triple) for each in read)


@pytest.mark.parametrize("format", RDFLIB)
def test_rdflib_reads_the_same_triples(disk_store, format):
    read = rdflib.Dataset()
    with warnings.catch_warnings(action="ignore", category=DeprecationWarning):  # rdflib's own
        read.parse(data=written(disk_store, format), format=RDFLIB[format])
        triples = rdflib.Graph()
        for s, p, o, _ in read.quads():
            triples.add((s, p, rdf_value(o)))
    assert isomorphic(triples, union(disk_store))


def union(store):
    """The first view of the store, without its graphs, as an rdflib graph."""
    text = pyoxigraph.serialize({quad.triple for quad in view(store, "1.1")}, format=RdfFormat.N_TRIPLES)
    graph = rdflib.Graph()
    for s, p, o in rdflib.Graph().parse(data=text, format="nt"):
        graph.add((s, p, rdf_value(o)))
    return graph


def rdf_value(term):
    if isinstance(term, rdflib.Literal) and term.datatype == rdflib.XSD.double:
        return rdflib.Literal(f"{float(term):.14e}", datatype=term.datatype)
    return term


def test_pyld_reads_the_same_quads_from_jsonld(disk_store):
    nquads = pyld.to_rdf(json.loads(written(disk_store, "jsonld")), {"format": "application/n-quads"})
    read = pyoxigraph.parse(nquads.encode(), RdfFormat.N_QUADS)
    assert canonical(read, 15) == canonical(view(disk_store, "1.1"), 15)


def test_jsonld_reads_as_plain_json(disk_store):
    document = json.loads(written(disk_store, "jsonld"))
    nodes = [node for graph in document["@graph"] for node in graph.get("@graph", ())]
    edge = next(node for node in nodes if "TableDocumentEdge" in node.get("type", ()))
    assert edge["weight"] == 0.7225
    chunk = next(node for node in nodes if "TableChunk" in node.get("type", ()))
    assert chunk["position"] == 1
    assert len(chunk["isPartOf"]) == 2
    assert "Alien; year: 1979" in chunk["text"]


def test_on_disk_a_subject_comes_once_in_a_graph(disk_store):
    document = json.loads(written(disk_store, "jsonld"))
    for graph in (each for each in document["@graph"] if "@graph" in each):
        assert max(Counter(node["id"] for node in graph["@graph"]).values()) == 1


@pytest.mark.parametrize("format", FORMATS)
def test_the_same_graph_gives_the_same_bytes(disk_store, tmp_path, format):
    other = Store(str(tmp_path / "store"))
    for quad in sorted(disk_store, key=str, reverse=True):
        other.add(quad)
    assert written(other, format) == written(disk_store, format)


@pytest.mark.parametrize("format", FORMATS)
def test_an_empty_graph_is_a_whole_document(format):
    text = written(Store(), format)
    if format == "graphml":
        assert len(networkx.parse_graphml(text.decode())) == 0
    else:
        assert not list(pyoxigraph.parse(text, OXIGRAPH[format]))


@pytest.mark.parametrize("format", FORMATS)
def test_export_writes_what_the_stream_yields(store, format):
    output = io.BytesIO()
    export(store, output, format)
    assert output.getvalue() == written(store, format)


@pytest.mark.parametrize("format", ["turtle", "trig"])
def test_prefixes_are_said_once(format, tmp_path):
    store = Store(str(tmp_path / "store"))
    store.bulk_extend(many(12_000))  # more than are written at once
    lines = b"".join(stream(store, format)).splitlines()
    assert sum(line.startswith(b"@prefix") for line in lines) == len(v.PREFIXES)
    assert len(list(pyoxigraph.parse(b"\n".join(lines), format=FORMATS[format].rdf))) == 24_000


@pytest.mark.growth
@pytest.mark.parametrize("format", FORMATS)
def test_memory_does_not_grow_with_the_graph(format, tmp_path):
    """Four times the graph, written to nowhere, takes no more Python memory (within a tenth)."""
    peaks = []
    for size in (10_000, 40_000):
        store = Store(str(tmp_path / f"{format}{size}"))
        store.bulk_extend(many(size))
        for _ in stream(store, format):  # the first time fills caches
            break
        tracemalloc.start()
        for _ in stream(store, format):
            pass
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < peaks[0] * 1.1 + 100_000


def many(size):
    for i in range(size):
        chunk, graph = (
            NamedNode(f"http://example.org/chunk/{i}"),
            NamedNode(f"http://example.org/graph/{i // 50}"),
        )
        yield Quad(chunk, NamedNode(v.TYPE), NamedNode(v.CHUNK), graph)
        yield Quad(chunk, NamedNode(v.NAME), Literal(f"Chunk {i}"), graph)


def test_graphml_loads_in_networkx(disk_store):
    graph = networkx.parse_graphml(written(disk_store, "graphml").decode())
    kinds = Counter(data["kind"] for _, data in graph.nodes(data=True))
    assert kinds == {"Document": 2, "Chunk": 3, "Entity": 2, "Concept": 1}
    assert all(data["label"] for _, data in graph.nodes(data=True))
    edges = Counter(data["kind"] for _, _, data in graph.edges(data=True))
    assert edges["isPartOf"] == 3
    assert edges["Link"] == 2
    weights = [data["weight"] for _, _, data in graph.edges(data=True) if data["kind"] == "TableDocumentEdge"]
    assert weights == [0.7225]


def test_graphml_escapes_what_xml_forbids():
    store = Store()
    node = NamedNode("http://example.org/a?b=1&c='2'")
    store.add(Quad(node, NamedNode(v.TYPE), NamedNode(v.CHUNK)))
    store.add(Quad(node, NamedNode(v.NAME), Literal('</data> & "\x00\x0b" ]]>')))
    graph = networkx.parse_graphml(written(store, "graphml").decode())
    assert graph.nodes[node.value]["label"] == '</data> & "\ufffd\ufffd" ]]>'


@pytest.mark.parametrize(
    ("format", "rdf", "message"),
    [
        ("jsonld", "1.2", "trig or nquads"),
        ("xml", "1.1", "jsonld, turtle"),
        ("turtle", "2", "choose from 1.1, 1.2"),
    ],
)
def test_what_cannot_be_written_is_refused_with_a_remedy(format, rdf, message):
    with pytest.raises(InputError, match=message):
        stream(Store(), format, rdf)


IRIS = st.sampled_from(
    ["http://example.org/a", "urn:x:y", "schema:a", "text:b", "http://example.org/ä?q=1#f", v.CHUNK]
)
PREDICATES = st.sampled_from(
    [v.TYPE, v.WEIGHT, v.NAME, v.URL, v.IS_PART_OF, v.PATH, v.POSITION, "urn:p", v.RDF + "first"]
)
TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), max_size=8)
LITERALS = st.one_of(
    TEXT.map(Literal),
    TEXT.map(lambda text: Literal(text, language="en")),
    st.floats().map(lambda value: Literal(float(f"{value:.8e}"))),
    st.integers().map(lambda value: Literal(value)),
    st.booleans().map(lambda value: Literal(value)),
    TEXT.map(lambda text: Literal(text, datatype=NamedNode(v.XSD + "anyURI"))),
    st.sampled_from(["1", "01", "1.0", "x"]).map(
        lambda text: Literal(text, datatype=NamedNode(v.XSD + "double"))
    ),
)
NODES = st.one_of(IRIS.map(NamedNode), st.sampled_from(["b1", "b2"]).map(BlankNode))
QUADS = st.builds(
    Quad,
    NODES,
    PREDICATES.map(NamedNode),
    st.one_of(NODES, LITERALS),
    st.one_of(st.just(DefaultGraph()), IRIS.map(NamedNode)),
)


@given(st.lists(QUADS, max_size=12))
def test_any_quads_survive_jsonld(quads):
    store = Store()
    store.extend(quads)
    text = written(store, "jsonld")
    by_oxigraph = pyoxigraph.parse(text, RdfFormat.JSON_LD)
    assert canonical(by_oxigraph) == canonical(store)
    nquads = pyld.to_rdf(json.loads(text), {"format": "application/n-quads"})
    assert canonical(pyoxigraph.parse(nquads.encode(), RdfFormat.N_QUADS), 9) == canonical(store, 9)
