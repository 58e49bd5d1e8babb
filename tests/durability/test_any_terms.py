"""Any term in any place of the graph: nothing that reads the store fails for it.

The shapes refuse such statements in an update; a graph may have them from a file, or from before a shape.
"""

from __future__ import annotations

import io
import itertools
import shutil
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from urllib.parse import quote, urlencode

import pytest
from durability.writing import LONG
from graph.corpus import FILES, write
from pyoxigraph import BlankNode, Literal, NamedNode, Quad, Triple
from service.web import client_of

from sage_ld.foundation import vocabulary as v
from sage_ld.foundation.errors import NotFoundError
from sage_ld.foundation.question import Filter
from sage_ld.foundation.recipes import PRESETS, load_recipe
from sage_ld.graph import KnowledgeGraph
from sage_ld.graph.exports.streams import FORMATS, export
from sage_ld.graph.exports.void import Publication, description
from sage_ld.graph.shapes.shacl import validate
from sage_ld.graph.store.protocol import Object, WritableStore
from sage_ld.graph.store.statistics import statistics, summary
from sage_ld.graph.store.stored_documents import describe
from sage_ld.retrieval import Mode, Retriever
from sage_ld.retrieval.answers.results import answer_jsonld, turtle

NOWHERE = NamedNode("http://example.org/nowhere")
GRAPH = NamedNode("http://example.org/graph")
ODD = tuple(
    NamedNode(iri)
    for iri in (
        "mailto:a@example.org",
        "x:y",
        "urn:x:y",
        "tag:e,1:é",
        "data:,a",
        "http://[::1]/",
        "a:%00?#/..//",
    )
)
TYPES = (
    v.DOCUMENT, v.SECTION, v.CHUNK, v.TEXT_CHUNK, v.TABLE_CHUNK, v.LINK, v.MENTION, v.ADJACENCY,
    v.TABLE_DOCUMENT_EDGE, v.BUILD, v.THRESHOLD, v.CONCEPT, v.ENTITY, v.CSVW_COLUMN, v.RETRIEVAL,
)  # fmt: skip


def typed(text: str, kind: str) -> Literal:
    return Literal(text, datatype=NamedNode(v.XSD + kind))


TERMS: dict[str, Object | None] = {
    "a word": Literal("abc"),
    "an IRI": NamedNode("mailto:a@example.org"),
    "a blank node": BlankNode("b"),
    "a triple term": Triple(NOWHERE, NamedNode(v.NAME), Literal("abc")),
    "nothing": None,
    "a double that is no number": typed("NaN", "double"),
    "an integer without end": typed("9" * 5_000, "integer"),
    "a word in a language": Literal("abc", language="en"),
    "a double below zero": typed("-1.5e300", "double"),
    "infinity": typed("INF", "double"),
    "an integer beyond 32 bits": Literal(1 << 40),
    "an empty text": Literal(""),
    "a control character": Literal("\x01\ufffe"),
    "an ill-typed integer": typed("abc", "integer"),
    "a number of another script": typed("٣", "integer"),
    "a date": typed("2024-02-30", "date"),
    "a resource of the graph": NamedNode("http://localhost:8000/id/graph/edges"),
}
SHORT = ("a word", "an IRI", "a blank node", "a triple term", "nothing", "a double that is no number")


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sound")
    graph = KnowledgeGraph.create(folder / "graph", encoder="jaccard")
    graph.ingest([write(folder / "corpus", tuple(FILES)[:-2])])
    return folder / "graph"


@pytest.fixture
def graph(sound: Path, tmp_path: Path) -> Iterator[KnowledgeGraph]:
    shutil.copytree(sound, tmp_path / "graph")
    opened = KnowledgeGraph.open(tmp_path / "graph")
    yield opened
    opened.close()


def properties(store: WritableStore) -> list[NamedNode]:
    used = {quad.predicate for quad in store} | {
        NamedNode(getattr(v, name)) for name in dir(v) if str(getattr(v, name)).startswith(v.SAGE)
    }
    return sorted(used, key=str)


def spoil(store: WritableStore, term: Object | None, *, instead: bool) -> set[str]:
    """Gives every property the term as a value, each of some other node, beside or instead of its own."""
    touched: set[str] = set()
    for number, predicate in enumerate(properties(store)):
        quads = sorted(store.quads_for_pattern(None, predicate, None, None), key=str)
        subjects = list(dict.fromkeys(quad.subject for quad in quads))
        chosen = [*subjects[number % 7 :: 7][:2], *subjects[:1]] or [NOWHERE]
        for subject in chosen:
            own = list(store.quads_for_pattern(subject, predicate, None, None))
            for quad in own if instead else ():
                store.remove(quad)
            if term is not None:
                store.extend([Quad(subject, predicate, term, own[0].graph_name if own else GRAPH)])
            if isinstance(subject, NamedNode):
                touched.add(subject.value)
    return touched


def add_odd_nodes(store: WritableStore, term: Object | None) -> set[str]:
    """Nodes of all classes, with odd names and the term for every property; and whole chunks so named."""
    all_properties = properties(store)
    for node in (NOWHERE, BlankNode("odd"), *ODD):
        store.extend(Quad(node, NamedNode(v.TYPE), NamedNode(each), GRAPH) for each in TYPES)
        if term is not None:
            store.extend(Quad(node, each, term, GRAPH) for each in all_properties)
    chunk = min(
        (q.subject for q in store.quads_for_pattern(None, NamedNode(v.TYPE), NamedNode(v.TEXT_CHUNK), None)),
        key=str,
    )
    said = list(store.quads_for_pattern(chunk, None, None, None))
    for node in (BlankNode("whole"), *ODD[:4]):
        store.extend(Quad(node, quad.predicate, quad.object, GRAPH) for quad in said)
        store.extend(
            [
                Quad(chunk, NamedNode(each), node, GRAPH)
                for each in (v.MENTIONS, v.LINKS_TO, v.NEXT, v.SIMILAR_TO)
            ]
        )
        for role, kind in ((v.SOURCE, v.LINK), (v.TARGET, v.MENTION), (v.TARGET, v.TABLE_DOCUMENT_EDGE)):
            edge = BlankNode()
            store.extend(
                [
                    Quad(edge, NamedNode(v.TYPE), NamedNode(kind), GRAPH),
                    Quad(edge, NamedNode(role), node, GRAPH),
                    Quad(edge, NamedNode(v.TARGET if role == v.SOURCE else v.SOURCE), chunk, GRAPH),
                    Quad(edge, NamedNode(v.WEIGHT), typed("0.5", "double"), GRAPH),
                    Quad(edge, NamedNode(v.CONFIDENCE), typed("0.5", "double"), GRAPH),
                    Quad(edge, NamedNode(v.BEGIN_INDEX), Literal(1), GRAPH),
                ]
            )
    return {NOWHERE.value, *(each.value for each in ODD), chunk.value}


def search(graph: KnowledgeGraph) -> None:
    """All modes, rankings and filters, each answer in all its forms."""
    only = Filter(
        kinds=("text", "table"), since="1900", languages=("*",), where=("schema:isPartOf/schema:name != 'x'",)
    )
    for preset in PRESETS:
        retriever = Retriever(graph, load_recipe(preset).retrieval)
        for mode in Mode:
            answer = retriever.retrieve("Who wrote the music and plays the accordion?", 18, 9, mode=mode)
            assert answer.results
            assert turtle(answer_jsonld(answer))
        retriever.retrieve("Nils Garrow", 6, 3, only=only)
        retriever.identifiers(graph.snapshot())


def write_out(graph: KnowledgeGraph) -> None:
    """All exports, and what the graph says of itself."""
    stores = graph.snapshot().stores
    store = stores.named
    validate(store)
    summary(stores)
    list(description(statistics(stores), Publication("http://example.org/", graph.iris.base)))
    for name in FORMATS:
        for version in ("1.1", "1.2") if name != "jsonld" else ("1.1",):
            export(store, io.BytesIO(), name, version)


def show(graph: KnowledgeGraph, iris: set[str]) -> None:
    """The pages of resources in all formats, the lists, and answers over HTTP."""
    for iri in iris:
        with suppress(NotFoundError):  # nothing may be left of it
            describe(graph.snapshot().store, iri, graph.iris)
    paths = [f"/describe?{urlencode({'iri': iri})}" for iri in iris]
    paths += [
        quote(iri.removeprefix("http://localhost:8000")) for iri in iris if iri.startswith(graph.iris.base)
    ]
    paths += [f"/v1/{name}{filtered}" for name in ("chunks", "documents") for filtered in ("", "?kinds=text")]
    paths += [
        "/v1/entities",
        "/v1/stats",
        "/v1/retrieve?q=accordion",
        "/?q=accordion",
        "/.well-known/void",
        "/export?format=trig",
    ]
    paths += [f"/v1/chunks/{iri.rpartition('/')[2]}/neighbours" for iri in iris if "/chunk/" in iri]
    with client_of(graph.directory.path) as client:
        for path in paths:
            for form in ("text/html", "text/turtle", "application/ld+json", "application/rdf+xml"):
                answer = client.get(path, headers={"Accept": form})
                assert answer.status_code < 500, (path, form, answer.get_data(as_text=True))


def change(graph: KnowledgeGraph, corpus: Path) -> None:
    """Ingests a new file and a changed one, deletes a document, derives all edges again."""
    write(corpus, tuple(FILES)[-2:])
    graph.settings = type(graph.settings)(relink_share=1.0)
    summary = graph.ingest([corpus])
    assert summary.added
    assert not summary.failed
    (corpus / "songs.jsonl").write_text('{"title": "High Water", "singer": "Piet Ansgar"}\n')
    graph.ingest([corpus])
    graph.delete([next(iter(_identifiers(graph)))])
    graph.relink()


def _identifiers(graph: KnowledgeGraph) -> list[str]:
    from sage_ld.graph.store import reading

    return [
        each.identifier for each in reading.documents(graph.snapshot().store) if "songs" in each.identifier
    ]


PLACES = list(itertools.product(TERMS, (False, True)))
SOME = [(name, number % 2 == 1) for number, name in enumerate(SHORT)]


@pytest.mark.parametrize(("name", "instead"), PLACES if LONG else SOME)
def test_any_term_may_stand_anywhere(graph: KnowledgeGraph, tmp_path: Path, name: str, instead: bool) -> None:
    with graph.writer() as writer:
        store = writer.change()
        iris = spoil(store, TERMS[name], instead=instead) | add_odd_nodes(store, TERMS[name])
        del store
        writer.refresh(iris)
        writer.publish()
    search(graph)
    write_out(graph)
    show(graph, iris)
    change(graph, tmp_path / "more")
    search(graph)
