"""From the model to quads and back; the 1.1 and the 1.2 view of an edge agree."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
from generated import IRIS, generate, prepared
from pyoxigraph import Store, Triple

from sage_ld.foundation import vocabulary as v
from sage_ld.foundation.model import (
    Annotation,
    Chunk,
    ChunkKind,
    Document,
    Hyperlink,
    Mention,
    Table,
    TablePart,
)
from sage_ld.graph.store import reading
from sage_ld.graph.store.documents import PreparedDocument, document_lines
from sage_ld.graph.store.nquads import quads_of
from sage_ld.graph.store.terms import node

TABLE_TEXT = "Film: Heron; Year: 1987\nFilm: Lantern; Year: 1990"


def table_document() -> PreparedDocument:
    link = Hyperlink("heron.md", "Heron", 6, 11, row=0, column="Film")
    unnamed = Hyperlink("year.md", "", 24, 24, row=0, column="Year")
    document = Document(
        identifier="films.html",
        title="Films",
        text=TABLE_TEXT,
        blocks=(
            Table(
                0,
                len(TABLE_TEXT),
                ("Film", "Year"),
                (("Heron", "1987"), ("Lantern", "1990")),
                ((0, 23), (24, 49)),
            ),
        ),
        media_type="text/html",
        content_hash="0" * 64,
        url="https://example.org/films",
        links=(link, unnamed),
    )
    chunk = Chunk(
        "films.html", ChunkKind.TABLE, 0, "Films", "Films", TABLE_TEXT, 0, len(TABLE_TEXT),
        table=TablePart(0, ("Film", "Year"), 0, 1), links=(link, unnamed),
    )  # fmt: skip
    notes, iris = (Annotation("Films", (), ()),), tuple(IRIS.chunks([chunk]))
    return PreparedDocument(document, (chunk,), iris, notes, (), skeletons={0: "a shape"})


def test_a_chunk_comes_back_as_it_was_stored() -> None:
    store = Store()
    table, prose = table_document(), prepared(7, 3, 20, np.random.default_rng(1))
    for each in (table, prose):
        store.bulk_extend(quads_of(document_lines(each, IRIS)))
    found = {each.iri: each for each in reading.chunks(store)}
    assert found[table.iris[0]].chunk == table.chunks[0]
    assert found[table.iris[0]].skeleton == "a shape"
    for iri, chunk, annotation in zip(prose.iris, prose.chunks, prose.annotations, strict=True):
        assert (found[iri].chunk.text, found[iri].chunk.heading) == (chunk.text, chunk.heading)
        assert (found[iri].topic, found[iri].skeleton) == (annotation.topic, "")
        assert found[iri].entities == tuple(sorted(IRIS.entity(m.label) for m in annotation.mentions))
    assert [each.identifier for each in reading.documents(store)] == ["films.html", "generated/7"]
    assert reading.chunks_of(store, IRIS.document("films.html")) == list(table.iris)


def test_chunks_of_one_table_share_what_is_said_of_its_columns() -> None:
    whole = table_document()
    (chunk,), (note,) = whole.chunks, whole.annotations
    parts = tuple(
        replace(chunk, position=at, text=line, begin=begin, end=begin + len(line), links=(), table=part)
        for at, (begin, line, part) in enumerate(
            (
                (0, TABLE_TEXT[:23], TablePart(0, ("Film", "Year"), 0, 0)),
                (24, TABLE_TEXT[24:37], TablePart(0, ("Film",), 1, 1)),
                (39, TABLE_TEXT[39:], TablePart(0, ("Year",), 1, 1)),
            )
        )
    )
    cut = PreparedDocument(whole.document, parts, tuple(IRIS.chunks(parts)), (note, note, note), ())
    quads = list(quads_of(document_lines(cut, IRIS)))
    counts = Counter(quad.predicate.value for quad in quads)
    assert (counts[v.COLUMN], counts[v.CSVW_NAME], counts[v.COLUMN_NUMBER]) == (4, 2, 2)
    store = Store()
    store.bulk_extend(quads)
    stored = {each.iri: each.chunk.table for each in reading.chunks(store)}
    assert [stored[iri] for iri in cut.iris] == [each.table for each in parts]


def test_resources_of_rdf_do_not_follow_each_other_and_a_single_name_is_not_counted() -> None:
    texts = ("name: Heron", "name: Lantern", "and its keeper", "a note")
    subjects = ("urn:heron", "urn:lantern", "urn:lantern", None)
    chunks = tuple(
        Chunk("films.ttl", ChunkKind.RECORD, at, text, "Films", text, 0, len(text), subject=subject)
        for at, (text, subject) in enumerate(zip(texts, subjects, strict=True))
    )
    named = tuple(Mention(label, label, 6, 11, count) for label, count in (("Heron", 1), ("Lantern", 2)))
    notes = (Annotation("Films", (), named), *[Annotation("Films", (), ())] * 3)
    document = replace(table_document().document, identifier="films.ttl", blocks=(), links=())
    made = PreparedDocument(document, chunks, tuple(IRIS.chunks(chunks)), notes, (0.5, 0.5, 0.5))
    quads = list(quads_of(document_lines(made, IRIS)))
    order = {quad.subject.value for quad in quads if quad.predicate == node(v.NEXT)}
    assert order == {made.iris[1], made.iris[2]}
    assert [quad.object.value for quad in quads if quad.predicate == node(v.COUNT)] == ["2"]


def test_both_views_of_every_edge_agree() -> None:
    store = Store()
    generate(store, documents=20, edges=60)
    reified = 0
    for quad in store.quads_for_pattern(None, node(v.REIFIES), None, None):
        triple = quad.object
        assert isinstance(triple, Triple)
        assert next(
            store.quads_for_pattern(triple.subject, triple.predicate, triple.object, quad.graph_name), None
        )
        for role, end in ((v.SOURCE, triple.subject), (v.TARGET, triple.object)):
            assert [q.object for q in store.quads_for_pattern(quad.subject, node(role), None, None)] == [end]
        reified += 1
    plain = {q.subject for q in store.quads_for_pattern(None, node(v.TARGET), None, None)}
    assert reified == len(plain) > 60


def test_surface_forms_count_chunks() -> None:
    store = Store()
    store.bulk_extend(quads_of(document_lines(prepared(1, 3, 2, np.random.default_rng(0)), IRIS)))
    forms = reading.surface_forms(store, reading.mentioned_entities(store))
    assert forms[IRIS.entity("entity 0")] == {"Entity 0": 3}
    assert reading.surface_forms(store, [IRIS.entity("nobody")]) == {}
