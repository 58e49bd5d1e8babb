"""Inferred statements in a graph: what names and joins by them, and how they follow what users state."""

from __future__ import annotations

import shutil
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from graph.canonical import canonical
from graph.corpus import write_files
from graph.test_crash import ingest_and_kill
from pyoxigraph import Literal, NamedNode

from sage_ld.foundation import vocabulary as v
from sage_ld.foundation.errors import UnavailableError
from sage_ld.graph import KnowledgeGraph
from sage_ld.graph.shapes.shacl import validate
from sage_ld.graph.store.queries import select
from sage_ld.retrieval import Retriever

D = "http://example.org/d/"
PREFIXES = f"PREFIX d: <{D}>\n" + "".join(f"PREFIX {name}: <{iri}>\n" for name, iri in v.PREFIXES.items())
ONTOLOGY = {
    "ontology.ttl": PREFIXES
    + """d:officialTitle rdfs:subPropertyOf skos:prefLabel .
d:builtAt rdfs:subPropertyOf d:place ; rdfs:range d:Yard .
d:Yard rdfs:subClassOf d:Firm .
"""
}
FILES = {
    **ONTOLOGY,
    "ships.ttl": PREFIXES
    + """d:plover d:officialTitle "Grey Plover" ; d:builtAt d:halvorsen .
d:halvorsen d:officialTitle "Halvorsen Yard" ; d:at [ d:builtAt d:slip ] .
""",
    "crane.md": "# The crane\n\nThe Halvorsen Yard had a steam crane until a storm took it.\n",
}
INVERSE = {"inverse.ttl": PREFIXES + "d:builtAt owl:inverseOf d:built . d:near a owl:SymmetricProperty .\n"}
NEAR = {"near.ttl": PREFIXES + 'd:halvorsen d:near d:ferry . d:ferry rdfs:label "Ferry Quay" .\n'}


class Folder:
    """A folder of files, a graph that follows it, and graphs that are built of it at once."""

    def __init__(self, folder: Path, reason: str, *, share: float = 99.0) -> None:
        self.path, self.recipe, self.share = folder, folder / "recipe.toml", share
        self.recipe.write_text(f'reason = "{reason}"\n', "utf-8")
        (folder / "files").mkdir()
        self.graph = self._graph("followed")

    def put(self, files: dict[str, str]) -> None:
        self.graph.ingest([write_files(self.path / "files", files)])

    def delete(self, name: str) -> None:
        (self.path / "files" / name).unlink()
        self.graph.delete([name])

    def fresh(self) -> KnowledgeGraph:
        built = self._graph("fresh")
        built.ingest([self.path / "files"])
        return built

    def _graph(self, name: str) -> KnowledgeGraph:
        graph = KnowledgeGraph.create(self.path / name, encoder="jaccard", recipe=str(self.recipe))
        graph.settings = replace(graph.settings, relink_share=self.share)
        return graph


def inferred(graph: KnowledgeGraph) -> set[str]:
    """What is inferred, blank nodes without their labels."""
    name = NamedNode(graph.iris.inferred_graph)
    quads = graph.snapshot().store.quads_for_pattern(None, None, None, name)
    return {
        " ".join(map(short, (each.subject, each.predicate, each.object)))
        for each in quads
        if each.subject != name
    }


def short(term: object) -> str:
    text = str(term).strip("<>")
    for name, iri in {"d": D, **v.PREFIXES}.items():
        text = text.replace(iri, f"{name}:")
    return "_:" if text.startswith("_:") else text


def mentioned(graph: KnowledgeGraph, document: str) -> set[str]:
    """The resources of users that a document mentions."""
    rows = select(
        graph.snapshot().store,
        PREFIXES + "SELECT ?d ?e { ?c schema:isPartOf ?d ; schema:mentions ?e }",
        d=NamedNode(graph.iris.document(document)),
    )
    return {short(row["e"]) for row in rows if short(row["e"]).startswith("d:")}


def derived(graph: KnowledgeGraph) -> set[str]:
    """All that names and joins resources, which no threshold decides."""
    iris, store = graph.iris, graph.snapshot().store
    names = (iris.inferred_graph, iris.entities_graph, iris.resources_graph)
    quads = [quad for name in names for quad in store.quads_for_pattern(None, None, None, NamedNode(name))]
    quads += store.quads_for_pattern(None, NamedNode(v.MENTIONS), None, None)
    return {" ".join(map(short, (each.subject, each.predicate, each.object))) for each in quads}


BY_RDFS = {
    'd:plover skos:prefLabel "Grey Plover"',
    'd:halvorsen skos:prefLabel "Halvorsen Yard"',
    "d:plover d:place d:halvorsen",
    "_: d:place d:slip",
    *(f"d:{each} rdf:type d:{kind}" for each in ("halvorsen", "slip") for kind in ("Yard", "Firm")),
}


def test_an_inferred_label_is_a_name_and_an_inferred_property_joins(tmp_path: Path) -> None:
    folder = Folder(tmp_path, "owl-rl")
    folder.put(FILES | INVERSE | NEAR)
    graph = folder.graph
    assert mentioned(graph, "crane.md") == {"d:halvorsen"}
    found = {"d:halvorsen d:built d:plover", "d:slip d:built _:", "d:ferry d:near d:halvorsen"}
    assert inferred(graph) == BY_RDFS | found | {"d:built owl:inverseOf d:builtAt"}
    assert validate(graph.snapshot().store).conforms
    assert canonical(graph) == canonical(folder.fresh())


@pytest.mark.parametrize(("reason", "joined"), [("owl-rl", {"Quay", "Osmere"}), ("rdfs", {"Quay"})])
def test_an_inferred_statement_is_an_edge(tmp_path: Path, reason: str, joined: set[str]) -> None:
    """What is transitive leads from the yard to the town in one step: the quay has a record of its own."""
    within = """d:within a owl:TransitiveProperty .
    d:halvorsen rdfs:label "Halvorsen Yard" ; d:within d:quay .
    d:quay rdfs:label "Quay" ; d:within d:osmere . d:osmere rdfs:label "Osmere" .
    """
    folder = Folder(tmp_path, reason)
    folder.put({"within.ttl": PREFIXES + within, "crane.md": FILES["crane.md"]})
    found = Retriever(folder.graph).retrieve("Who had a steam crane?", k=10, from_graph=9).results
    steps = [each for each in found if each.path and D + "within" in each.path[0].properties]
    assert {each.view.name for each in steps} == joined


def test_a_dataset_has_what_is_inferred_or_has_not(tmp_path: Path) -> None:
    folder = Folder(tmp_path, "rdfs")
    folder.put(FILES)
    stores, base = folder.graph.snapshot().stores, folder.graph.iris.base
    own, only = f"FROM <{base}graph/own>", f"FROM <{base}graph/inferred>"
    for dataset, is_there in ((own, False), (only, True), (own + only, True), ("", True)):
        text = f"{PREFIXES} ASK {dataset} {{ d:plover d:place d:halvorsen }}"
        assert bool(stores.query(text, most=100)) is is_there
    both = f"{PREFIXES} ASK {own} {only} {{ ?x d:place d:halvorsen . d:builtAt rdfs:subPropertyOf d:place }}"
    assert bool(stores.query(both, most=100))


@pytest.mark.parametrize("share", [99.0, 0.0])
def test_conclusions_go_with_their_premises(tmp_path: Path, share: float) -> None:
    folder = Folder(tmp_path, "owl-rl", share=share)
    folder.put({"crane.md": FILES["crane.md"]})
    assert inferred(folder.graph) == set()
    folder.put(FILES)
    assert inferred(folder.graph) == BY_RDFS
    folder.put(INVERSE | NEAR)
    assert "d:halvorsen d:built d:plover" in inferred(folder.graph)
    folder.delete("inverse.ttl")
    assert inferred(folder.graph) == BY_RDFS
    folder.delete("ontology.ttl")
    assert inferred(folder.graph) == set()
    assert mentioned(folder.graph, "crane.md") == set()
    assert derived(folder.graph) == derived(folder.fresh())
    folder.put(ONTOLOGY)
    assert mentioned(folder.graph, "crane.md") == {"d:halvorsen"}


@pytest.mark.parametrize("order", [list(FILES), list(reversed(FILES))])
def test_the_order_of_files_does_not_matter(tmp_path: Path, order: list[str]) -> None:
    folder = Folder(tmp_path, "rdfs")
    for name in order:
        folder.put({name: FILES[name]})
    assert derived(folder.graph) == derived(folder.fresh())
    assert inferred(folder.graph) == BY_RDFS


def test_texts_leave_what_is_inferred_alone(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """No reasoner starts: with this limit, it would be stopped."""
    folder = Folder(tmp_path, "rdfs")
    folder.put(FILES)
    folder.graph.settings = replace(folder.graph.settings, max_inferred_statements=1)
    folder.put({"other.md": "# Another\n\nThe Grey Plover sails to Bergen.\n"})
    assert inferred(folder.graph) == BY_RDFS
    assert mentioned(folder.graph, "other.md") == {"d:plover"}
    assert not caplog.messages


def test_a_recipe_switches_it_on_and_off(tmp_path: Path) -> None:
    folder = Folder(tmp_path, "none")
    folder.put(FILES)
    plain = canonical(folder.graph)
    assert mentioned(folder.graph, "crane.md") == set()
    name = NamedNode(folder.graph.iris.inferred_graph)
    for reason, expected in (("rdfs", BY_RDFS), ("none", set())):
        folder.recipe.write_text(f'reason = "{reason}"\n', "utf-8")
        folder.graph.relink(recipe=folder.recipe)
        assert inferred(folder.graph) == expected
        assert folder.graph.snapshot().store.contains_named_graph(name) == bool(expected)
    assert canonical(folder.graph) == plain


@pytest.mark.parametrize(
    ("limits", "message"),
    [
        ({"max_reasoning_statements": 3}, "users' graphs have more than 3 statements"),
        ({"max_inferred_statements": 3}, "more than 3 statements follow by rdfs"),
        ({"reasoning_timeout": 0.1}, "stopped after 0.1 s"),
    ],
)
def test_beyond_a_limit_nothing_is_inferred_and_it_is_said(
    tmp_path: Path, limits: dict[str, float], message: str
) -> None:
    folder = Folder(tmp_path, "rdfs")
    folder.put(FILES)
    before = folder.graph.settings
    folder.graph.settings = replace(before, **limits)  # type: ignore[arg-type]
    write_files(folder.path / "files", NEAR)
    summary = folder.graph.ingest([folder.path / "files"])
    [warning] = summary.warnings
    assert message in warning
    assert next(iter(limits)) in warning
    assert inferred(folder.graph) == set()
    name = NamedNode(folder.graph.iris.inferred_graph)
    [said] = folder.graph.snapshot().store.quads_for_pattern(name, None, None, name)
    assert isinstance(said.object, Literal)
    assert message in said.object.value
    assert mentioned(folder.graph, "crane.md") == set()
    assert folder.graph.relink().warnings == (warning,)
    folder.graph.settings = before
    assert folder.graph.relink().warnings == ()
    assert inferred(folder.graph) == BY_RDFS


def test_a_reasoner_that_needs_too_much_memory_is_stopped(tmp_path: Path) -> None:
    chain = "".join(f"d:n{i} d:next d:n{i + 1} .\n" for i in range(500))
    folder = Folder(tmp_path, "owl-rl")
    folder.graph.settings = replace(folder.graph.settings, reasoning_memory=2**27)
    folder.put({"chain.ttl": PREFIXES + "d:next a owl:TransitiveProperty .\n" + chain})
    [warning] = folder.graph.relink().warnings
    assert "134,217,728 bytes" in warning or "reasoning_memory" in warning
    assert inferred(folder.graph) == set()


def test_without_the_library_nothing_is_changed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = Folder(tmp_path, "rdfs")
    folder.put(FILES)
    before = canonical(folder.graph)
    monkeypatch.setitem(sys.modules, "reasonable", None)
    with pytest.raises(UnavailableError, match=r"pip install 'sage-ld\[reasoning\]'"):
        folder.put(INVERSE)
    assert canonical(folder.graph) == before


def test_a_name_of_two_resources_that_are_the_same_is_that_of_the_first(tmp_path: Path) -> None:
    other = {
        "other.ttl": PREFIXES + 'd:yard rdfs:label "Halvorsen Yard" ; d:staff 40 .\n',
        "same.ttl": PREFIXES + "d:yard owl:sameAs d:halvorsen .\n",
    }
    folder = Folder(tmp_path, "owl-rl")
    folder.put(FILES | other)
    assert mentioned(folder.graph, "crane.md") == {"d:halvorsen"}
    assert {"d:halvorsen owl:sameAs d:yard", "d:plover d:builtAt d:yard"} <= inferred(folder.graph)
    folder.delete("same.ttl")
    assert mentioned(folder.graph, "crane.md") == set()  # the name is ambiguous
    assert derived(folder.graph) == derived(folder.fresh())


def test_killed_while_it_infers(tmp_path: Path) -> None:
    """The graph is that of before or after, whichever moment the process ends at."""
    folder = Folder(tmp_path, "owl-rl")
    folder.put(FILES)
    before = canonical(folder.graph)
    write_files(tmp_path / "files", INVERSE | NEAR)
    shutil.copytree(folder.graph.directory.path, tmp_path / "whole")
    seconds = ingest_and_kill(tmp_path / "whole", tmp_path / "files", None)
    after = canonical(KnowledgeGraph.open(tmp_path / "whole"))
    assert before != after
    for moment in range(4):
        copy = tmp_path / str(moment)
        shutil.copytree(folder.graph.directory.path, copy)
        ingest_and_kill(copy, tmp_path / "files", seconds * (moment + 0.5) / 4)
        graph = KnowledgeGraph.open(copy)
        assert canonical(graph) in (before, after)
        graph.ingest([tmp_path / "files"])
        assert canonical(graph) == after
