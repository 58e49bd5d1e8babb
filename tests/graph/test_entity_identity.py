"""The identity of entities and users' resources: which mention is of which, whatever order files come in."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from graph.followed import FollowedFolder
from pyoxigraph import Literal, NamedNode

from sage_ld.foundation import vocabulary as v
from sage_ld.foundation.question import Filter
from sage_ld.graph import KnowledgeGraph
from sage_ld.graph.derivations import entities
from sage_ld.graph.shapes.shacl import validate
from sage_ld.graph.store.queries import select
from sage_ld.graph.store.resources import labels
from sage_ld.retrieval import Retriever

D = "http://example.org/d/"
PREFIXES = f"""@prefix d: <{D}> .
@prefix skos: <{v.SKOS}> .
@prefix rdfs: <{v.RDFS}> .
@prefix schema: <{v.SCHEMA}> .
"""
FILES = {
    "firms.ttl": PREFIXES
    + """d:halvorsen a schema:Organization ; skos:prefLabel "Halvorsen Marine" ; schema:location d:bergen ;
    rdfs:label "Halvorsen Marine AS" ; skos:altLabel "Halvorsen Yard" .
d:bergen rdfs:label "Bergen"@nb , "Bergen"@en ; schema:containedInPlace [ schema:containedInPlace d:norway ] .
d:norway rdfs:label "Norway" .
d:ember a schema:MusicGroup ; rdfs:label "Ember (band)" .
""",
    "halvorsen.md": "# Halvorsen Marine\n\nThe wharf of Halvorsen Yard was built by Piet Ansgar in 1912.\n",
    "ember.md": "# A night out\n\nWe heard Ember, and then Piet Ansgar, on the quay of Bergen.\n",
    "ferry.md": "# Ferries\n\nA ferry of Halvorsen Marine AS sails from Bergen to Norway's islands.\n",
}
RIVAL = {"rival.ttl": PREFIXES + 'd:other rdfs:label "Bergen" ; rdfs:comment "A town in Belgium." .\n'}


def statements(graph: KnowledgeGraph) -> set[str]:
    """All that mentions, entities and resources are said to be, which no threshold decides."""
    store = graph.snapshot().store
    named = (v.TARGET, v.MENTIONS, v.BY_LABEL, v.ABOUT)
    quads = [quad for name in named for quad in store.quads_for_pattern(None, NamedNode(name), None)]
    mentions = store.quads_for_pattern(None, NamedNode(v.TYPE), NamedNode(v.MENTION))
    for mention in list(mentions):
        quads += store.quads_for_pattern(mention.subject, NamedNode(v.REIFIES), None)
    for name in (graph.iris.entities_graph, graph.iris.resources_graph):
        quads += store.quads_for_pattern(None, None, None, NamedNode(name))
    edges = NamedNode(graph.iris.edges_graph)
    return {str(quad) for quad in quads if quad.graph_name != edges}


def mentioned(graph: KnowledgeGraph, name: str) -> set[str]:
    """What the chunks of a document mention: the preferred labels."""
    document = graph.iris.document(name)
    text = "SELECT ?d ?e ?l { ?c schema:isPartOf ?d ; schema:mentions ?e . ?e skos:prefLabel ?l }"
    rows = select(graph.snapshot().store, _prefixed(text), d=NamedNode(document))
    return {f"{row['e'].value.removeprefix(D)}" if D in row["e"].value else row["l"].value for row in rows}


def _prefixed(text: str) -> str:
    return "".join(f"PREFIX {name}: <{iri}>\n" for name, iri in v.PREFIXES.items()) + text


def at_once(changing: FollowedFolder) -> None:
    changing.put(FILES)


def texts_first(changing: FollowedFolder) -> None:
    changing.put({name: text for name, text in FILES.items() if name.endswith(".md")})
    changing.put(FILES)


def rdf_first(changing: FollowedFolder) -> None:
    changing.put({"firms.ttl": FILES["firms.ttl"]})
    for name, text in FILES.items():
        changing.put({name: text})


def rival_gone(changing: FollowedFolder) -> None:
    changing.put(FILES | RIVAL)
    changing.delete("rival.ttl")


def rival_changed(changing: FollowedFolder) -> None:
    changing.put(FILES | RIVAL)
    changing.put({"rival.ttl": RIVAL["rival.ttl"].replace("Bergen", "Mons")})
    changing.delete("rival.ttl")


def back_again(changing: FollowedFolder) -> None:
    changing.put(FILES)
    changing.delete("firms.ttl")
    changing.put(FILES)


@pytest.mark.parametrize("change", [at_once, texts_first, rdf_first, rival_gone, rival_changed, back_again])
def test_mentions_are_those_of_a_graph_built_at_once(
    change: Callable[[FollowedFolder], None], tmp_path: Path
) -> None:
    changing = FollowedFolder(tmp_path)
    change(changing)
    graph = changing.graph
    assert mentioned(graph, "halvorsen.md") == {"halvorsen", "Piet Ansgar"}
    assert mentioned(graph, "ember.md") == {"ember", "Piet Ansgar", "bergen"}
    assert mentioned(graph, "ferry.md") >= {"halvorsen", "bergen", "norway"}
    assert str(validate(graph.snapshot().store)).startswith("conforms")
    fresh = statements(changing.fresh("fresh"))
    assert statements(graph) == fresh
    graph.relink()
    assert statements(graph) == fresh


def test_a_first_build_writes_each_mention_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    moved: list[object] = []
    monkeypatch.setattr(entities, "set_targets", lambda writer, targets: moved.append(targets))
    changing = FollowedFolder(tmp_path)
    changing.put(FILES)
    assert mentioned(changing.graph, "halvorsen.md") == {"halvorsen", "Piet Ansgar"}
    assert moved == []


def test_without_the_rdf_the_names_are_entities_of_our_own_again(tmp_path: Path) -> None:
    changing = FollowedFolder(tmp_path)
    texts = {name: text for name, text in FILES.items() if name.endswith(".md")}
    changing.put(texts)
    before = statements(changing.graph)
    changing.put(FILES)
    assert statements(changing.graph) != before
    changing.delete("firms.ttl")
    assert statements(changing.graph) == before
    assert not any(D in each for each in before)


def test_a_label_of_two_resources_is_of_neither(tmp_path: Path) -> None:
    changing = FollowedFolder(tmp_path)
    changing.put(FILES | RIVAL)
    assert mentioned(changing.graph, "ember.md") == {"ember", "Piet Ansgar", "Bergen"}
    assert statements(changing.graph) == statements(changing.fresh("fresh"))


def test_a_name_is_a_better_claim_than_another_name(tmp_path: Path) -> None:
    changing = FollowedFolder(tmp_path)
    other = PREFIXES + 'd:isle rdfs:label "The Isle" ; skos:altLabel "Bergen" .\n'
    changing.put(FILES | {"isle.ttl": other})
    assert "bergen" in mentioned(changing.graph, "ember.md")


def test_a_part_of_a_title_is_no_label_of_what_the_title_names(tmp_path: Path) -> None:
    changing = FollowedFolder(tmp_path)
    history = "# Halvorsen Marine: a history\n\nWe saw how Halvorsen Marine built a wharf.\n"
    changing.put(FILES | {"history.md": history})
    assert mentioned(changing.graph, "history.md") == {"halvorsen", "Halvorsen Marine: a history"}
    entities = NamedNode(changing.graph.iris.entities_graph)
    store = changing.graph.snapshot().store
    named = store.quads_for_pattern(None, None, Literal("Halvorsen Marine"), entities)
    assert [quad for quad in named if quad.subject != NamedNode(D + "halvorsen")] == []
    assert statements(changing.graph) == statements(changing.fresh("fresh"))


def test_a_hidden_label_links_and_is_not_shown(tmp_path: Path) -> None:
    changing = FollowedFolder(tmp_path)
    texts = {"ferry.md": "# Ferries\n\nA ferry of Halvorsen Maryne sails.\n"}
    changing.put(FILES | texts)
    assert mentioned(changing.graph, "ferry.md") == {"Halvorsen Maryne"}
    hidden = FILES["firms.ttl"] + 'd:halvorsen skos:hiddenLabel "halvorsen maryne" .\n'
    changing.put({"firms.ttl": hidden})
    assert mentioned(changing.graph, "ferry.md") == {"halvorsen"}
    entities = NamedNode(changing.graph.iris.entities_graph)
    shown = changing.graph.snapshot().store.quads_for_pattern(None, None, None, entities)
    assert "maryne" not in " ".join(str(quad.object) for quad in shown).casefold()
    assert statements(changing.graph) == statements(changing.fresh("fresh"))


def test_classes_and_properties_are_named_by_no_text(tmp_path: Path) -> None:
    changing = FollowedFolder(tmp_path)
    changing.put(FILES | {"terms.ttl": PREFIXES + 'd:Place a rdfs:Class ; rdfs:label "Piet Ansgar" .\n'})
    assert mentioned(changing.graph, "ember.md") == {"ember", "Piet Ansgar", "bergen"}


def test_labels_are_told_apart(tmp_path: Path) -> None:
    changing = FollowedFolder(tmp_path)
    changing.put(FILES)
    store, graph = changing.graph.snapshot().store, changing.graph.iris.entities_graph

    def stated(name: str) -> set[Literal]:
        quads = store.quads_for_pattern(NamedNode(D + "halvorsen"), NamedNode(name), None)
        return {quad.object for quad in quads if isinstance(quad.object, Literal)}

    assert stated(v.PREF_LABEL) == {Literal("Halvorsen Marine")}
    assert stated(v.ALT_LABEL) == {*map(Literal, ("Halvorsen Yard", "Halvorsen Marine AS", "Halvorsen"))}
    bergen = store.quads_for_pattern(NamedNode(D + "bergen"), NamedNode(v.PREF_LABEL), None, NamedNode(graph))
    assert {quad.object for quad in bergen} == {Literal("Bergen", language=each) for each in ("en", "nb")}
    assert labels(store, D + "ember", changing.graph.iris).claims() == {"ember (band)": 0, "ember": 2}


def test_types_of_resources_filter_the_chunks_that_mention_them(tmp_path: Path) -> None:
    changing = FollowedFolder(tmp_path)
    changing.put(FILES)
    only = Filter(kinds=("text",), where=("schema:mentions/a schema:Organization",))
    answer = Retriever(changing.graph).retrieve("Who built it?", 10, 5, only=only)
    assert {each.view.identifier for each in answer.results} == {"halvorsen.md", "ferry.md"}
