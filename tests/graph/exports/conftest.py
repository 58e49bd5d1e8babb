"""A small graph with every kind of node and edge, written with the project's own functions."""

import numpy as np
import pyoxigraph
import pytest
from pyoxigraph import Literal, NamedNode, Quad

from sage_ld.foundation import vocabulary as v
from sage_ld.foundation.model import (
    Annotation,
    CellValue,
    Chunk,
    ChunkKind,
    Document,
    EdgeKind,
    EdgeSet,
    Hyperlink,
    Link,
    LinkKind,
    Mention,
    Prose,
    Section,
    Table,
    TablePart,
)
from sage_ld.graph.store.curated_edges import CuratedEdge, edge_quads
from sage_ld.graph.store.derived import (
    BuildRecord,
    analogy_lines,
    build_lines,
    edge_thresholds,
    entity_lines,
    link_lines,
    maker_lines,
    similarity_lines,
)
from sage_ld.graph.store.documents import PreparedDocument, document_lines
from sage_ld.graph.store.iris import Iris
from sage_ld.graph.store.nquads import quads_of

IRIS = Iris("http://localhost:8000/id/")
SUBJECT = "http://example.org/alien"


def article():
    prose = 'A film by Ridley Scott, <on> "LV-426" & further.'
    rows = "title: Alien; year: 1979\ntitle: Aliens; year: 1986"
    text = f"Alien\n{prose}\n{rows}"
    first, second = text.index(rows), text.index("title: Aliens")
    links = (
        Hyperlink("../people/scott.html", "Ridley Scott", 16, 28),
        Hyperlink("https://example.org/a b|c", "", second, second, row=1, column="title"),
    )
    document = Document(
        identifier="films/alien.md",
        title="Alien",
        text=text,
        blocks=(
            Prose(6, first - 1, 0),
            Table(
                first,
                len(text),
                ("title", "year"),
                (("Alien", "1979"), ("Aliens", "1986")),
                ((first, second - 1), (second, len(text))),
                section=1,
                values=(CellValue(1, "year", "1986", "integer"),),
            ),
        ),
        media_type="text/markdown",
        content_hash="0" * 64,
        sections=(Section("Alien", 1, None, 0, len(text)), Section("Films", 2, 0, first, len(text))),
        links=links,
        url="https://example.org/films/alien",
        language="en",
        modified="2026-01-31T12:00:00Z",
        types=(v.SCHEMA + "Article",),
        description="On a film.",
        keywords=("film",),
    )
    chunks = (
        Chunk(
            document.identifier, ChunkKind.TEXT, 0, "Alien", "Alien", prose, 6, first - 1,
            section=0, links=links[:1],
        ),
        Chunk(
            document.identifier, ChunkKind.TABLE, 1, "Alien: Films", "Alien, Films", rows, first, len(text),
            section=1, table=TablePart(0, ("title", "year"), 0, 1), links=links[1:],
        ),
    )  # fmt: skip
    mentions = (
        Mention("ridley scott", "Ridley Scott", 16, 28),
        Mention("alien", "Alien", first + 7, first + 12, count=2, row=0, column="title"),
    )
    annotations = (
        Annotation("space horror", ("film", "space"), mentions[:1]),
        Annotation("list of films", (), mentions[1:]),
    )
    return PreparedDocument(document, chunks, tuple(IRIS.chunks(chunks)), annotations, (0.4375,))


def person():
    """An RDF file with what is hard to carry over: languages, blank nodes, long doubles, odd IRIs."""
    text = "name: Ridley Scott\nknown for: Alien"
    name = "people.ttl"
    chunk = Chunk(name, ChunkKind.RECORD, 0, "Ridley Scott", "people", text, 0, len(text), subject=SUBJECT)
    said = (
        ("http://example.org/ns#born", Literal("1937-11-30", datatype=NamedNode(v.XSD + "date"))),
        ("http://example.org/ns#label", Literal('Étranger\n"1" \\', language="fr")),
        (v.NAME, Literal("Ridley", language="en")),
        (v.WEIGHT, Literal("0.12345678901234568", datatype=NamedNode(v.XSD + "double"))),
        (v.WEIGHT, Literal("INF", datatype=NamedNode(v.XSD + "double"))),
        (v.WEIGHT, Literal("0.5")),
        (v.POSITION, Literal(10**20)),
        (v.SCHEMA + "about", NamedNode("schema:a/b")),
        (v.TYPE, pyoxigraph.BlankNode("kind")),
        (v.MENTIONS, Literal("no IRI")),
        ("http://example.org/ns#seen", Literal(True)),
    )
    statements = [(NamedNode(SUBJECT), NamedNode(predicate), value) for predicate, value in said]
    statements.append((pyoxigraph.BlankNode("kind"), NamedNode(v.NAME), Literal("a kind")))
    document = Document(name, "People", text, (), "text/turtle", "1" * 64, statements=tuple(statements))
    mentions = (Mention("ridley scott", "R. Scott", 6, 18), Mention("alien", "Alien", 30, 35))
    note = Annotation("a director", ("director",), mentions)
    return PreparedDocument(document, (chunk,), tuple(IRIS.chunks((chunk,))), (note,), ())


def similar(kind, source, target, weight, **signals):
    one = np.array([1.0])
    return EdgeSet(
        kind, np.array([source]), np.array([target]), one * weight,
        {name: one * value for name, value in signals.items()}, 95.0, dict(signals), 3,
    )  # fmt: skip


def statement_quads(document):
    """A statement between the resource of the record and the one that a document is about."""
    film, directed = NamedNode("http://example.org/film"), NamedNode("http://example.org/ns#seenIn")
    graph = NamedNode(IRIS.resources_graph)
    return [
        Quad(NamedNode(SUBJECT), directed, film, NamedNode("http://example.org/own")),
        Quad(directed, NamedNode(v.TYPE), NamedNode(v.STATEMENT_PROPERTY), graph),
        Quad(NamedNode(document), NamedNode(v.ABOUT), film, graph),
    ]


def concept_quads(*chunks):
    """A concept that has two names, and the chunks about it."""
    concept, graph = NamedNode(IRIS.concept("film")), NamedNode(IRIS.concepts_graph)
    said = [
        (v.TYPE, NamedNode(v.CONCEPT)),
        (v.IN_SCHEME, NamedNode(IRIS.concept_scheme)),
        (v.PREF_LABEL, Literal("film")),
        (v.ALT_LABEL, Literal("motion picture")),
        (v.CHUNKS_ABOUT, Literal(len(chunks))),
    ]
    about = [Quad(NamedNode(chunk), NamedNode(v.ABOUT), concept, graph) for chunk in chunks]
    return [*about, *(Quad(concept, NamedNode(predicate), value, graph) for predicate, value in said)]


def sample_quads():
    film, scott = article(), person()
    chunks = [*film.iris, *scott.iris]
    documents = [IRIS.document(each.document.identifier) for each in (film, scott)]
    entities = [IRIS.entity("ridley scott"), IRIS.entity("alien")]
    edges = [
        similar(EdgeKind.TABLE_DOCUMENT, 0, 1, 0.7225, contentSimilarity=0.8, topicSimilarity=0.5),
        similar(EdgeKind.RECORD_DOCUMENT, 0, 2, 1.0, contentSimilarity=1.0),
    ]
    links = [
        Link(0, 1, LinkKind.HYPERLINK, "Ridley Scott", 1.0, 16, 28, href="../people/scott.html"),
        Link(2, 0, LinkKind.TITLE, "Alien", 0.9, 30, 35),
    ]
    surfaces = {entities[0]: {"Ridley Scott": 1, "R. Scott": 1}, entities[1]: {"Alien": 2}}
    record = BuildRecord("jaccard", "default", "0.1.0", 3, "2026-11-01T00:00:00Z")
    lines = [*document_lines(film, IRIS), *document_lines(scott, IRIS)]
    lines += link_lines(links, chunks, documents, IRIS)
    lines += analogy_lines([(0, 2, 0.5, 0.75, 0.25)], dict(enumerate(chunks)), IRIS)
    for each, shared in zip(edges, ((), (entities[0],)), strict=True):
        lines += similarity_lines(each, chunks, [shared], IRIS)
    lines += entity_lines(surfaces, {}, IRIS)
    lines += maker_lines("jaccard", "default", "0.1.0", {v.MENTION: "rules"}, IRIS)
    lines += build_lines(record, edge_thresholds(edges), IRIS)
    quads = list(quads_of(lines))
    quads += statement_quads(documents[0])
    quads += concept_quads(chunks[0], chunks[2])
    uses = "https://w3id.org/sage-ld/relations#uses"
    curated = CuratedEdge(
        IRIS.relation(documents[0], uses, chunks[2]), documents[0], uses, chunks[2], 0.5,
        "2026-01-01", "2026-12-31", "a remark",
    )  # fmt: skip
    quads += edge_quads(curated, IRIS)
    retrieval, result = NamedNode(IRIS.retrieval("1")), NamedNode(IRIS.retrieval("1", "1"))
    log = NamedNode(IRIS.base + "graph/retrievals")
    said = [
        (retrieval, v.TYPE, NamedNode(v.RETRIEVAL)),
        (retrieval, v.QUERY, Literal("Who made Alien?")),
        (result, v.TYPE, NamedNode(v.RESULT)),
        (result, v.RANK, Literal(1)),
        (result, v.SCORE, Literal("0.5", datatype=NamedNode(v.XSD + "double"))),
        (result, v.ITEM, NamedNode(chunks[0])),
    ]
    return quads + [Quad(s, NamedNode(p), o, log) for s, p, o in said]


@pytest.fixture
def store():
    filled = pyoxigraph.Store()
    filled.extend(sample_quads())
    return filled


@pytest.fixture(scope="session")
def disk_store(tmp_path_factory):
    """The same on disk, where Oxigraph keeps the quads sorted."""
    filled = pyoxigraph.Store(str(tmp_path_factory.mktemp("store")))
    filled.extend(sample_quads())
    return filled
