"""Concepts after changes: those of a fresh build, from the terms that a change touches."""

from __future__ import annotations

import random
import shutil
from itertools import pairwise
from pathlib import Path

import pytest
from graph.test_concepts import concepts, made
from pyoxigraph import Literal, NamedNode, Quad

from sage_ld.build.concepts.grouping import LEAST
from sage_ld.foundation import vocabulary as v
from sage_ld.graph import KnowledgeGraph
from sage_ld.graph.derivations.concept_regrouping import TermFollower
from sage_ld.graph.indexes.strings import HashedLists
from sage_ld.graph.indexes.terms import IndexedTerm, TermIndex
from sage_ld.graph.indexes.vectors import VectorIndex

NAMES = (
    *("Osmere Film Festival", "Osmere Film-Festival", "Osmere Film Festivals", "Osmere Festival of Film"),
    *("World Health Organization", "World Health Organisation", "WHO", "World Health Office"),
    *("Mira Tolland", "M. Tolland", "Mira Tollands", "St. Velmoor Harbour", "Saint Velmoor Harbour"),
    *("Velmoor Harbours", "Harbour of Velmoor", "Harbor Velmoor", "Enterpreneur Ball", "Entrepreneur Ball"),
    *("Velmoor Harbour Board", "Velmoor Harbor Board", "Vale Hall Ball", "VHB"),
)
ALIKE = tuple(
    name
    for word in ("Osmere", "Velmoor", "Tolland")
    for name in (f"{word} Film Ball", f"{word} Filmball", f"{word}film Ball", f"{word} Film-Ball")
)
SPELLED = "Usmerefilmball"
RECIPE = "[concepts]\nderive = true\nnear_threshold = 0.3\nmax_group_size = 3\n"


def text(chance: random.Random) -> str:
    met = ("{} met {} at the {}.".format(*chance.sample(NAMES, 3)) for _ in range(chance.randint(1, 3)))
    introduction = f"The {chance.choice(NAMES[-4:-1])} (WHO) was there."
    return " ".join([*met, introduction] if chance.random() < 0.4 else met)


def thesaurus(chance: random.Random) -> str:
    labels = chance.sample(NAMES, 5)
    return (
        f"PREFIX skos: <{v.SKOS}>\nPREFIX ex: <http://example.org/>\n"
        f'ex:one a skos:Concept ; skos:prefLabel "{labels[0]}" ; '
        f'skos:altLabel "{labels[1]}", "{labels[2]}" .\n'
        f'ex:two a skos:Concept ; skos:prefLabel "{labels[3]}" ; skos:altLabel "{labels[4]}" .\n'
    )


def add(graph: KnowledgeGraph, name: str, content: str) -> None:
    media_type = "text/turtle" if name == "thesaurus" else "text/plain"
    graph.add(content, identifier=name, media_type=media_type)


def changed(graph: KnowledgeGraph, documents: dict[str, str], chance: random.Random) -> None:
    """Adds, replaces or deletes a document, in a graph and in the list of what it holds."""
    name = chance.choice(("one", "two", "three", "four", "thesaurus"))
    if name in documents and chance.random() < 0.4:
        del documents[name]
        graph.delete([name])
    else:
        documents[name] = thesaurus(chance) if name == "thesaurus" else text(chance)
        add(graph, name, documents[name])


def delete(graph: KnowledgeGraph, name: str, _content: str) -> None:
    graph.delete([name])


def terms(graph: KnowledgeGraph) -> tuple[dict[str, IndexedTerm], dict[str, set[int]], set[str]]:
    """The indexes of the newest revision: terms, the numbers of each, preferred labels."""
    folder = graph.directory.revision(graph.directory.current())
    index, numbers = TermIndex.open(folder / "terms"), dict[str, set[int]]()
    for segment in index.segments:
        lists = HashedLists.of(segment.arrays)
        for number, row in zip(lists.expanded().tolist(), lists.rows.tolist(), strict=True):
            if segment.live[row]:
                numbers.setdefault(segment.keys[row], set()).add(number)
    return index.among(index.iris), numbers, set(VectorIndex.open(folder / "concepts").iris)


@pytest.mark.parametrize("seed", range(4))
def test_after_random_changes_they_are_those_of_a_fresh_build(seed: int, tmp_path: Path) -> None:
    chance, documents = random.Random(seed), dict[str, str]()
    graph, states = made(tmp_path / "graph", RECIPE), set[frozenset[str]]()
    add(graph, "first", "World Health Organization and Saint Velmoor met M. Tolland and Mira Tolland.")
    for number in range(3):
        for _ in range(4):
            changed(graph, documents, chance)
        fresh = made(tmp_path / f"fresh{number}", RECIPE)
        add(fresh, "first", "World Health Organization and Saint Velmoor met M. Tolland and Mira Tolland.")
        for name in sorted(documents):
            add(fresh, name, documents[name])
        fresh.relink()
        assert concepts(graph) == concepts(fresh)
        assert terms(graph) == terms(fresh)
        states.add(frozenset(concepts(graph)))
    graph.relink()
    assert frozenset(concepts(graph)) in states
    assert len(states) == 3


def test_they_follow_where_keys_say_nothing_and_many_concepts_are_near(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sage_ld.build.concepts.candidates.MOST_SHARING", 2)
    monkeypatch.setattr("sage_ld.build.concepts.grouping.MOST_RELATED", 1)
    monkeypatch.setattr("sage_ld.graph.derivations.concept_regrouping.MOST_RELATED", 1)
    graph, chance, states = made(tmp_path / "graph", RECIPE), random.Random(0), list[set[str]]()
    steps = [(add, each) for each in ALIKE] + [(delete, each) for each in chance.sample(ALIKE, len(ALIKE))]
    for step, name in steps:
        step(graph, name, f"The {name} was in June.")
        states.append(concepts(graph))
        graph.relink()
        assert concepts(graph) == states[-1]
    assert any(after < before for before, after in pairwise(states[: len(ALIKE)]))
    assert any(v.RELATED in statement for state in states for statement in state)


def test_a_key_that_says_nothing_says_nothing_of_a_part_of_the_terms(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sage_ld.build.concepts.candidates.MOST_SHARING", 2)
    for rule in LEAST:
        monkeypatch.setitem(LEAST, rule, 0.0)  # type: ignore[arg-type]
    graph = made(tmp_path / "graph", "[concepts]\nderive = true\n")
    for number in (4, 5, 7, 8, 9, 10, 11, 12):
        name = f"{SPELLED[:number]} {SPELLED[number:].capitalize()}"
        add(graph, name, f"The {name} was in June.")
    for name in ("Üsmere Filmball", "Uesmerefilmball", "Usmerefilmball"):
        add(graph, name, f"The {name} was in June.")
    followed = concepts(graph)
    assert {"Uesmerefilmball", "Usmerefilmball"} in [set(each.terms) for each in graph.concepts()]
    graph.relink()
    assert concepts(graph) == followed


def test_concepts_that_have_nothing_in_common_are_near_to_none(tmp_path: Path) -> None:
    graph = made(tmp_path / "graph", "[concepts]\nderive = true\nnear_threshold = 0.0\n")
    add(graph, "one", "The Osmere Film Festival is the Osmere Film-Festival.")
    add(graph, "two", "The Velmoor Harbour is the Velmoor-Harbour. The Osmere Film-Festival is not.")
    followed = concepts(graph)
    assert len(graph.concepts()) == 2
    graph.relink()
    assert concepts(graph) == followed


def test_a_concept_that_an_update_states_stops_no_change(tmp_path: Path) -> None:
    graph = made(tmp_path / "graph", RECIPE)
    add(graph, "one", "The Osmere Film Festival is the Osmere Film-Festival.")
    name, stated = graph.iris.concepts_graph, NamedNode("http://example.org/mine")
    with graph.writer() as writer:
        for label, text in ((v.PREF_LABEL, "Mine"), (v.ALT_LABEL, "Osmere Film Festival")):
            writer.extend([Quad(stated, NamedNode(label), Literal(text), NamedNode(name))])
        writer.publish()
    add(graph, "two", "The Osmere Film Festival is in June.")
    followed = concepts(graph)
    graph.relink()
    assert concepts(graph) == followed


def test_a_change_reads_the_terms_that_it_touches_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    graph = made(tmp_path / "graph", RECIPE)
    add(graph, "one", "Mira Tolland went to the Osmere Film Festival. She likes Velmoor Harbour.")
    add(graph, "two", "Nils Garrow went to Velmoor-Harbour. There was an Osmere Film-Festival.")
    assert {each.label for each in graph.concepts()} == {"Osmere Film Festival", "Velmoor Harbour"}
    read, reading = list[set[str]](), TermFollower.touched

    def touched(self: TermFollower, changes: object) -> object:
        found = reading(self, changes)
        read.append(set(found.terms))
        return found

    monkeypatch.setattr(TermFollower, "touched", touched)
    add(graph, "three", "Mira Tolland liked the Osmere Film-Festival.")
    assert read == [{"Osmere Film Festival", "Osmere Film-Festival"}]


@pytest.mark.parametrize("part", ["terms", "concepts"])
def test_an_index_that_is_damaged_is_made_again(part: str, tmp_path: Path) -> None:
    graph = made(tmp_path / "graph", RECIPE)
    add(graph, "one", "The WHO met Mira Tolland at the Osmere Film Festival.")
    add(graph, "two", "Mira Tollands met Nils Garrow at the Osmere Film-Festival.")
    before = terms(graph)
    assert graph.check().clean
    graph.close()
    for folder in (graph.directory.live, graph.directory.revision(graph.directory.current())):
        shutil.rmtree(folder / part)
        (folder / part).mkdir()
    opened = KnowledgeGraph.open(graph.directory.path)
    assert not opened.check().clean
    assert opened.check(repair=True).clean
    assert terms(opened) == before
    shutil.rmtree(opened.directory.live / part)
    add(opened, "three", "Osmere Film Festivals.")
    fresh = terms(opened)
    opened.relink()
    assert terms(opened) == fresh != before


def test_without_concepts_there_are_no_such_indexes(tmp_path: Path) -> None:
    graph = made(tmp_path / "graph", "")
    add(graph, "one", "The WHO met Mira Tolland at the Osmere Film Festival.")
    assert not (graph.directory.revision(graph.directory.current()) / "terms").exists()
