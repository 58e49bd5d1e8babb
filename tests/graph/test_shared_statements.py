"""sage-ld states nothing in two graphs; what users' files share is known, whatever is added or deleted."""

from __future__ import annotations

from pathlib import Path

import pytest
from graph.corpus import built, write
from pyoxigraph import Store

from sage_ld.graph import KnowledgeGraph
from sage_ld.graph.store.shared_statements import everywhere
from sage_ld.graph.store.stores import SHARED_FILE, Stores

FILMS = Path(__file__).parents[2] / "examples" / "films"
COMMON = "<http://e.x/press> a <https://schema.org/Organization> ; <https://schema.org/name> 'The Press' .\n"
BOOK = "<http://e.x/{0}> a <https://schema.org/Book> ; <https://schema.org/publisher> <http://e.x/press> .\n"


def common(name: str) -> str:
    """The statements that several files make, each in a named graph of its own."""
    return f"<http://e.x/graph/{name}> {{ {COMMON} }}\n"


def check(graph: KnowledgeGraph) -> int:
    """How many statements are shared, as the newest revision says and as is so."""
    snapshot = graph.snapshot()
    named = snapshot.stores.named
    assert snapshot.stores.shared == everywhere(named)
    assert len(snapshot.store) == len({quad.triple for quad in named})
    return len(snapshot.stores.shared.graphs)


@pytest.mark.parametrize("corpus", ["films", "every kind of file"])
def test_nothing_is_stated_twice(tmp_path: Path, corpus: str) -> None:
    graph = KnowledgeGraph.create(tmp_path / "graph", encoder="jaccard")
    folder = FILMS if corpus == "films" else write(tmp_path / "corpus")
    graph.ingest([folder])
    assert check(graph) == 0
    note = tmp_path / "later.md"
    note.write_text("# Later\n\nTobias Wren saw Night Bus by Mira Tolland.\n")
    graph.ingest([note])
    assert check(graph) == 0
    graph.delete(["later.md"])
    assert check(graph) == 0
    graph.close()


def test_what_metadata_states_and_we_derive_is_known_after_the_first_ingest(tmp_path: Path) -> None:
    (tmp_path / "yard.ttl").write_text('<http://e.x/yard> <https://schema.org/name> "Halvorsen Yard" .\n')
    (tmp_path / "yard.html").write_text(
        """<title>Halvorsen Yard</title><script type="application/ld+json">{"@context": "https://schema.org",
        "@type": "Article", "name": "Halvorsen Yard", "about": {"@id": "http://e.x/yard"}}</script>
        <p>The yard had a crane for ships.</p>"""
    )
    graph = KnowledgeGraph.create(tmp_path / "graph", encoder="jaccard")
    graph.ingest([tmp_path / "yard.ttl", tmp_path / "yard.html"])
    assert check(graph) == 1
    graph.close()


def test_what_files_share_is_followed(tmp_path: Path) -> None:
    corpus = tmp_path / "books"
    corpus.mkdir()
    for name in "abcdefghijklmnopqrstuvwxyz0123":
        (corpus / f"{name}.trig").write_text(BOOK.format(name) + (common(name) if name in "ab" else ""))
    graph = built(tmp_path / "graph", corpus)
    assert check(graph) == 2
    (corpus / "c.trig").write_text(BOOK.format("c") + common("c"))
    graph.ingest([corpus])
    assert check(graph) == 2
    graph.delete(["a.trig"])
    assert check(graph) == 2
    graph.delete(["b.trig"])
    assert check(graph) == 0
    graph.close()


def test_a_revision_of_an_earlier_version_is_looked_through_by_the_next_writer(tmp_path: Path) -> None:
    graph = KnowledgeGraph.create(tmp_path / "graph", encoder="jaccard")
    (tmp_path / "a.trig").write_text(BOOK.format("a") + common("a"))
    (tmp_path / "b.trig").write_text(BOOK.format("b") + common("b"))
    graph.ingest([tmp_path / "a.trig", tmp_path / "b.trig"])
    graph.close()
    revision = graph.directory.revision(1)
    (revision / SHARED_FILE).unlink()
    assert not Stores.open(revision).shared
    with graph.writer() as writer:
        writer.refresh([])
        writer.publish()
    assert check(graph) == 2
    graph.close()


def test_a_description_of_a_chunk_elsewhere_does_not_count_in_what_is_derived(tmp_path: Path) -> None:
    """A user's graph that repeats ours changes no label of an entity."""
    graph = built(tmp_path / "graph", write(tmp_path / "corpus"))
    before = labels(graph)
    with graph.writer() as writer:
        writer.change().update(
            "INSERT { GRAPH <http://e.x/copy> { ?s ?p ?o } } WHERE { GRAPH ?g { ?s ?p ?o } }"
        )
        writer.publish()
    assert check(graph) > 100
    with graph.writer() as writer:
        writer.derive_entities(iri for iri, _ in before)
        writer.publish()
    assert labels(graph) == before
    graph.close()


def labels(graph: KnowledgeGraph) -> set[tuple[str, str]]:
    store: Store = graph.snapshot().stores.named
    rows = store.query(
        f"SELECT ?e ?n {{ GRAPH <{graph.iris.entities_graph}> "
        "{ ?e <https://w3id.org/sage-ld#chunkFrequency> ?n } }"
    )
    return {(row["e"].value, row["n"].value) for row in rows}
