"""What a user's file says changes nothing that the graph says of its own resources, unless it is curated."""

from __future__ import annotations

from pathlib import Path

import pytest
from graph.corpus import built, write
from pyoxigraph import NamedNode, Quad, Triple

from sage_ld.foundation import vocabulary as v
from sage_ld.graph.shapes.shacl import validate
from sage_ld.graph.store import reading, user_statements
from sage_ld.graph.store.statistics import summary
from sage_ld.graph.store.terms import node

FORGED = """\
PREFIX ex: <http://example.org/> PREFIX sage: <https://w3id.org/sage-ld#> PREFIX schema: <https://schema.org/>
PREFIX skos: <http://www.w3.org/2004/02/skos/core#> PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>
PREFIX rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> PREFIX owl: <http://www.w3.org/2002/07/owl#>
PREFIX nif: <http://persistence.uni-leipzig.org/nlp2rdf/ontologies/nif-core#>

{chunk} a sage:TextChunk , ex:Thing ; schema:text "forged" ; schema:name "forged" ; schema:position "x" ;
    nif:beginIndex "abc" ; schema:isPartOf ex:document ; schema:mentions {entity} , ex:entity ;
    sage:linksTo {document} ; sage:next {other} ; sage:similarTo {other} ; sage:heading "forged" .
{document} schema:name "forged" ; schema:identifier "forged" ; sage:contentHash "0" ; schema:url "http://e/" .
{entity} skos:prefLabel "forged" ; skos:altLabel "forged" ; sage:chunkFrequency "abc" .
ex:chunk a sage:Chunk , sage:TextChunk ; schema:isPartOf {document} ; schema:mentions {entity} ;
    sage:next {chunk} ; schema:text "forged" ; schema:position 0 ; schema:mainEntity {chunk} ;
    nif:beginIndex 0 ; nif:endIndex 9 .
ex:link a sage:Link ; sage:source {chunk} ; sage:target {document} ; sage:confidence 1.0 ;
    nif:beginIndex "abc" ; sage:linkKind "title" ; rdf:reifies <<( {chunk} sage:linksTo {document} )>> .
ex:edge a sage:SimilarityEdge , sage:DocumentDocumentEdge ; sage:source {chunk} ; sage:target {other} ;
    sage:weight "abc" ; rdf:reifies <<( {chunk} sage:similarTo {other} )>> .
ex:mention a sage:Mention ; sage:surfaceForm "forged" ; sage:target {entity} ;
    rdf:reifies <<( {chunk} schema:mentions {entity} )>> , <<( ex:a ex:b <<( {chunk} ex:b ex:c )>> )>> .
_:b rdf:reifies <<( {other} ex:b ex:c )>> ; owl:sameAs {other} .
ex:build a sage:Build ; sage:chunkCount "abc" ; sage:threshold [ sage:thresholdValue "abc" ] .
ex:class rdfs:subClassOf sage:Chunk . sage:linksTo rdfs:label "forged" . ex:a {other} ex:b .
ex:concept a skos:Concept ; skos:prefLabel "A concept of the file's own" ; schema:mentions ex:entity .
ex:kept ex:knows <<( ex:a schema:mentions ex:b )>> .
"""
KEPT = {
    "<http://example.org/chunk> text",
    "<http://example.org/chunk> position",
    "<http://example.org/chunk> beginIndex",
    "<http://example.org/chunk> endIndex",
    "<http://example.org/link> beginIndex",
    "<http://example.org/concept> a Concept",
    "<http://example.org/concept> prefLabel",
    "<http://example.org/concept> mentions",
    "<http://example.org/kept> knows",
}


class Attack:
    """A graph of the small corpus, and a file about its resources."""

    def __init__(self, folder: Path) -> None:
        self.graph = built(folder / "graph", write(folder / "corpus"))
        store = self.graph.snapshot().store
        chunks = {each.chunk.document: each for each in reading.chunks(store)}
        chunk, other = chunks["films/night-bus.md"], chunks["people/mira-tolland.md"]
        self.own = {
            "chunk": chunk.iri,
            "other": other.iri,
            "document": chunk.document,
            "entity": next(each for each in chunk.entities if each.startswith(self.graph.iris.base)),
        }
        self.file = folder / "forged.ttl"
        self.file.write_text(FORGED.format(**{name: f"<{iri}>" for name, iri in self.own.items()}))
        self.named = NamedNode(self.graph.iris.document_graph(self.graph.iris.document("forged.ttl")))

    def said(self) -> set[str]:
        """All that is said of the resources, by whom ever."""
        store = self.graph.snapshot().store
        return {str(quad) for quad in store if any(names(quad, iri) for iri in self.own.values())}

    def stated(self) -> list[Quad]:
        """What the file states, as the graph of its document says."""
        return list(user_statements.claimed(self.graph.snapshot().stores.named, self.named))


def names(quad: Quad, iri: str) -> bool:
    return f"<{iri}>" in str(quad)


@pytest.fixture
def attack(tmp_path: Path) -> Attack:
    return Attack(tmp_path)


def test_a_file_says_nothing_of_the_graphs_own_resources(attack: Attack) -> None:
    said = attack.said()
    summary = attack.graph.ingest([attack.file])
    assert summary.added == 1
    assert not summary.failed
    assert {f"{quad.subject} {local(quad.predicate)}" for quad in attack.stated()} == KEPT
    assert attack.said() == said
    report = validate(attack.graph.snapshot().store)
    assert report.conforms, str(report)
    attack.graph.relink()
    assert validate(attack.graph.snapshot().store).conforms


def local(predicate: NamedNode) -> str:
    return "a Concept" if predicate.value == v.TYPE else predicate.value.replace("#", "/").rpartition("/")[2]


def test_what_was_left_out_is_counted(attack: Attack) -> None:
    summary = attack.graph.ingest([attack.file])
    assert set(summary.left_out) == {"about this graph's own resources", "in the vocabulary of sage-ld"}
    assert sum(summary.left_out.values()) + len(KEPT) == statements(attack)
    assert not attack.graph.ingest([attack.file]).left_out  # it did not change


def statements(attack: Attack) -> int:
    from pyoxigraph import RdfFormat, parse

    return len(list(parse(attack.file.read_text(), RdfFormat.TURTLE)))


def test_a_file_without_words_changes_no_count_of_ours(attack: Attack) -> None:
    before = summary(attack.graph.snapshot().stores)
    forged = "".join(f"<http://e/{name}> <{v.MENTIONS}> <{iri}> .\n" for name, iri in attack.own.items())
    attack.file.write_text(f"{forged}<http://e/c> a <{v.CONCEPT}>, <{v.CHUNK}>, <{v.LINK}> .")
    assert not attack.graph.ingest([attack.file]).failed
    after = summary(attack.graph.snapshot().stores)
    assert after.pop("quads") > before.pop("quads")
    assert after == {**before, "documents": before["documents"] + 1}


def test_records_about_own_resources_are_text_and_no_more(attack: Attack) -> None:
    attack.graph.ingest([attack.file])
    store = attack.graph.snapshot().store
    subjects = {quad.object.value for quad in store.quads_for_pattern(None, node(v.MAIN_ENTITY), None)}
    assert "http://example.org/concept" in subjects
    assert not subjects & set(attack.own.values())


def test_a_curated_file_speaks_of_them_but_not_in_our_vocabulary(attack: Attack, tmp_path: Path) -> None:
    note = tmp_path / "note.ttl"
    note.write_text(
        f'<{attack.own["chunk"]}> <http://www.w3.org/2004/02/skos/core#note> "checked" ; '
        f"<https://w3id.org/sage-ld#linksTo> <{attack.own['other']}> ."
    )
    expected = (NamedNode(attack.own["chunk"]), NamedNode("http://www.w3.org/2004/02/skos/core#note"))

    def noted() -> int:
        return len(list(attack.graph.snapshot().store.quads_for_pattern(*expected, None)))

    first = attack.graph.ingest([note])
    assert (first.added, dict(first.left_out), noted()) == (
        1,
        {"about this graph's own resources": 1, "in the vocabulary of sage-ld": 1},
        0,
    )
    curated = attack.graph.ingest([note], curated=True)  # though it did not change
    assert (curated.replaced, dict(curated.left_out), noted()) == (1, {"in the vocabulary of sage-ld": 1}, 1)
    again = attack.graph.ingest([note])
    assert (again.unchanged, noted()) == (1, 1)
    assert validate(attack.graph.snapshot().store).conforms
    note.write_text(note.read_text() + " ")
    assert attack.graph.ingest([note]).replaced == 1
    assert noted() == 0


def test_a_triple_term_names_what_is_inside_it(attack: Attack) -> None:
    attack.graph.ingest([attack.file])
    terms = [quad.object for quad in attack.stated() if isinstance(quad.object, Triple)]
    assert [str(each) for each in terms] == [
        f"<http://example.org/a> <{v.MENTIONS}> <http://example.org/b>",
    ]
