"""Labels of users' RDF in prose and tables, whatever their case, and in whatever order files come."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path

import pytest
from graph.canonical import canonical
from graph.followed import FollowedFolder
from graph.test_entity_identity import statements
from pyoxigraph import NamedNode

from sage_ld.foundation import vocabulary as v
from sage_ld.foundation.rdf_values import integer_of, iri_of, text_of
from sage_ld.graph import KnowledgeGraph
from sage_ld.graph.derivations import label_mentions
from sage_ld.graph.indexes.strings import text_number
from sage_ld.graph.shapes.shacl import validate
from sage_ld.graph.store import reading
from sage_ld.graph.views.neighbourhood import entities_named
from sage_ld.retrieval import Retriever
from sage_ld.retrieval.questions.question_nodes import ENTITY_NODES, named_nodes

D = "http://example.org/d/"
HEAD = f"""@prefix d: <{D}> .
@prefix skos: <{v.SKOS}> .
@prefix schema: <{v.SCHEMA}> .
@prefix dcterms: <{v.DCTERMS}> .
@prefix owl: <{v.OWL}> .
"""
THESAURUS = (
    HEAD
    + """d:gurdy a skos:Concept ; skos:prefLabel "hurdy-gurdy"@en , "Drehleier"@de ;
    skos:altLabel "wheel fiddle"@en ; skos:hiddenLabel "hurdie gurdie" .
d:shawm a skos:Concept ; skos:prefLabel "shawm"@en , "Schalmei"@de ; skos:altLabel "of the"@en , "ut"@en .
d:alto a skos:Concept ; skos:prefLabel "alto shawm"@en .
d:plover a schema:Vehicle ; schema:name "Plover" .
d:lubber a schema:Thing ; schema:name "landlubber" .
"""
)
TEXTS = {
    "gurdy.md": "# A loan\n\nThe old hurdy gurdy\nwas lent; no other hurdy-gurdy, and no wheel-fiddle.\n",
    "both.md": "# A talk\n\nThen we saw the Hurdy-Gurdy, and that hurdy-gurdy was his.\n",
    "hidden.md": "# A letter\n\nmy uncle had a hurdie-gurdie of the best.\n",
    "leier.md": "# Ein Brief\n\nEr hat eine Drehleier und eine Schalmei, die schalmei ging verloren.\n",
    "alto.md": "# Pipes\n\nan alto shawm, not a rackett; a plover cried at the landlubber.\n",
    "shawm.md": "# Rooms\n\nnext to the shawm there are shawmists and a bass\n\nshawm.\n",
    "list.csv": "number,what\n1,a shawm of pear\n2,a lute\n3,shawm\n",
}
MATCHES = (
    HEAD
    + """d:a412 a skos:Concept ; skos:prefLabel "organ lyre"@en , "Bauernleier"@de ; skos:exactMatch d:gurdy .
d:older a skos:Concept ; skos:prefLabel "Pommer"@de ; dcterms:isReplacedBy d:old .
d:old a skos:Concept ; skos:prefLabel "pomart"@en ; dcterms:isReplacedBy d:shawm .
d:rackett a skos:Concept ; skos:prefLabel "rackett"@en .
d:gone a skos:Concept ; skos:prefLabel "rackett"@en ; skos:altLabel "sausage bassoon"@en ;
    owl:deprecated true .
"""
)
MATCHED = {"leiern.md": "# Leiern\n\nein pommer und eine bauernleier, a pomart, one sausage bassoon.\n"}


def linked(graph: KnowledgeGraph) -> dict[str, set[str]]:
    """The resources that each document's chunks mention."""
    store = graph.snapshot().store
    found: dict[str, set[str]] = {}
    for name in {*TEXTS, *MATCHED, "rooms.md"}:
        for chunk in store.quads_for_pattern(
            None, NamedNode(v.IS_PART_OF), NamedNode(graph.iris.document(name)), None
        ):
            for quad in store.quads_for_pattern(chunk.subject, NamedNode(v.MENTIONS), None, None):
                if isinstance(quad.object, NamedNode) and quad.object.value.startswith(D):
                    found.setdefault(name, set()).add(quad.object.value.removeprefix(D))
    return found


LINKED = {
    "gurdy.md": {"gurdy"},
    "both.md": {"gurdy"},
    "hidden.md": {"gurdy"},
    "leier.md": {"gurdy", "shawm"},
    "alto.md": {"alto", "lubber"},
    "shawm.md": {"shawm"},
    "list.csv": {"shawm"},
}
FILES = {"thesaurus.ttl": THESAURUS}
ORDERS: dict[str, list[dict[str, str]]] = {
    "at once": [FILES | TEXTS],
    "texts first": [TEXTS, FILES],
    "RDF first": [FILES, *({name: text} for name, text in TEXTS.items())],
    "changed": [
        TEXTS,
        {"thesaurus.ttl": THESAURUS.replace("alto shawm", "bass").replace("shawm", "lute")},
        FILES,
    ],
}


@pytest.mark.parametrize("order", ORDERS.values(), ids=ORDERS)
def test_labels_link_whatever_their_case_and_order(order: Sequence[dict[str, str]], tmp_path: Path) -> None:
    changing = FollowedFolder(tmp_path)
    for files in order:
        changing.put(files)
    graph = changing.graph
    assert linked(graph) == LINKED
    assert str(validate(graph.snapshot().store)).startswith("conforms")
    fresh = statements(changing.fresh("fresh"))
    assert statements(graph) == fresh
    graph.relink()
    assert statements(graph) == fresh


def test_a_mention_has_its_place_and_its_form(tmp_path: Path) -> None:
    changing = FollowedFolder(tmp_path)
    changing.put(FILES | TEXTS)
    store, places = changing.graph.snapshot().store, set()
    chunks = {each.iri: each.chunk for each in reading.chunks(store)}
    derived = NamedNode(changing.graph.iris.resources_graph)
    for quad in store.quads_for_pattern(None, NamedNode(v.SOURCE), None, derived):
        said = {
            each.predicate.value: each.object for each in store.quads_for_pattern(quad.subject, None, None)
        }
        chunk, surface = chunks[iri_of(quad.object) or ""], text_of(said[v.SURFACE_FORM])
        begin, end = ((integer_of(said[each]) or 0) - chunk.begin for each in (v.BEGIN_INDEX, v.END_INDEX))
        assert chunk.text[begin:end] == surface
        numbers = (integer_of(said.get(each)) for each in (v.COUNT, v.ROW))
        places.add((chunk.document, surface, *numbers, text_of(said.get(v.COLUMN_NAME))))
    assert ("gurdy.md", "hurdy gurdy", 3, None, "") in places
    assert ("list.csv", "shawm", 2, 0, "what") in places
    assert "both.md" not in {name for name, *_ in places}, "the text's own mention is enough"


@pytest.mark.parametrize("others", [{}, {"matches.ttl": MATCHES} | MATCHED], ids=["one", "two"])
def test_without_the_rdf_the_graph_is_as_if_it_had_never_been_there(
    others: dict[str, str], tmp_path: Path
) -> None:
    changing = FollowedFolder(tmp_path)
    changing.put(TEXTS | others)
    before = canonical(changing.graph)
    changing.put(FILES)
    assert canonical(changing.graph) != before
    changing.delete("thesaurus.ttl")
    assert canonical(changing.graph) == before


def test_without_the_text_the_graph_is_as_if_it_had_never_been_there(tmp_path: Path) -> None:
    changing = FollowedFolder(tmp_path)
    changing.put(FILES | {"list.csv": TEXTS["list.csv"]})
    before = canonical(changing.graph)
    changing.put({"shawm.md": TEXTS["shawm.md"]})
    changing.delete("shawm.md")
    assert canonical(changing.graph) == before


def test_one_target_for_what_matches_or_is_replaced(tmp_path: Path) -> None:
    changing = FollowedFolder(tmp_path)
    changing.put(FILES | TEXTS | MATCHED)
    assert linked(changing.graph) == LINKED
    changing.put({"matches.ttl": MATCHES})
    expected = {name: {"a412" if each == "gurdy" else each for each in of} for name, of in LINKED.items()}
    expected["alto.md"] |= {"rackett"}
    expected["leiern.md"] = {"a412", "shawm", "gone"}
    assert linked(changing.graph) == expected
    assert statements(changing.graph) == statements(changing.fresh("fresh"))
    parted = MATCHES.replace("skos:exactMatch", "skos:closeMatch").replace(
        "isReplacedBy d:shawm", "relation d:alto"
    )
    changing.put({"matches.ttl": parted})
    assert linked(changing.graph) == LINKED | {
        "alto.md": expected["alto.md"],
        "leiern.md": {"a412", "old", "gone"},
    }
    assert statements(changing.graph) == statements(changing.fresh("parted"))
    changing.delete("matches.ttl")
    assert linked(changing.graph) == LINKED


def test_any_order_of_changes_gives_one_graph(tmp_path: Path) -> None:
    changing, chance = FollowedFolder(tmp_path), random.Random(34)
    files = FILES | TEXTS | MATCHED | {"matches.ttl": MATCHES}
    for number in range(30):
        name = chance.choice(sorted(files))
        if (changing.folder / "corpus" / name).exists() and chance.random() < 0.4:
            changing.delete(name)
        else:
            changing.put({name: files[name]})
        if number % 6 == 5:
            assert statements(changing.graph) == statements(changing.fresh(f"fresh{number}"))


def test_a_word_that_many_chunks_hold_is_no_label(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(label_mentions, "_LEAST_FREQUENT", 4)
    changing = FollowedFolder(tmp_path)
    changing.put(FILES | TEXTS)
    assert linked(changing.graph) == {name: of for name, of in LINKED.items() if of != {"shawm"}}
    changing.delete("alto.md")
    changing.delete("list.csv")
    assert linked(changing.graph)["shawm.md"] == {"shawm"}
    assert statements(changing.graph) == statements(changing.fresh("rarer"))
    changing.put({"rooms.md": "# Rooms\n\nanother shawm, and a third shawm\n", "alto.md": TEXTS["alto.md"]})
    assert "shawm.md" not in linked(changing.graph)
    assert statements(changing.graph) == statements(changing.fresh("frequent"))


def test_a_question_in_another_language_finds_the_text(tmp_path: Path) -> None:
    graph = KnowledgeGraph.create(tmp_path / "graph", encoder="jaccard")
    for name in ("gurdy.md", "alto.md", "list.csv", "hidden.md"):
        graph.add(TEXTS[name], identifier=name)
    for number in range(20):
        graph.add(f"Nothing is said of instruments on page {number}.", identifier=f"{number}.md")
    graph.add(THESAURUS, identifier="thesaurus.ttl", media_type="text/turtle")
    found = [each.view.identifier for each in Retriever(graph).retrieve("Schalmei", 4).results]
    assert {"list.csv", "thesaurus.ttl"} <= {*found}
    for spelling in ("the wheel-fiddle", "wheel fiddle", "Hurdy Gurdy"):
        snapshot = graph.snapshot()
        (number,) = named_nodes(snapshot, f"Who lent {spelling}?", "en", (ENTITY_NODES,)).numbers.tolist()
        assert number == text_number(f"{D}gurdy")
        assert entities_named(snapshot.store, spelling, graph.iris, ["en"]) == [f"{D}gurdy"]
    graph.delete(["thesaurus.ttl"])
    found = [each.view.identifier for each in Retriever(graph).retrieve("Schalmei", 4).results]
    assert "list.csv" not in found


def test_a_graph_without_labels_of_users_has_no_such_mention(tmp_path: Path) -> None:
    changing = FollowedFolder(tmp_path)
    changing.put(TEXTS)
    graph = NamedNode(changing.graph.iris.resources_graph)
    store = changing.graph.snapshot().store
    assert list(store.quads_for_pattern(None, None, None, graph)) == []
