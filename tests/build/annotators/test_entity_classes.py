"""What texts say that entities are, and which class an entity has by all its mentions."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from graph.canonical import canonical

from sage_ld.build.annotators.entity_classes import (
    class_in_text,
    class_of_column,
    class_of_lead,
    class_of_name,
    class_of_phrase,
)
from sage_ld.foundation import vocabulary as v
from sage_ld.foundation.question import Filter
from sage_ld.graph import KnowledgeGraph
from sage_ld.graph.store import queries
from sage_ld.retrieval import Retriever


@pytest.mark.parametrize(
    ("text", "name", "expected"),
    [
        ("Inka Rahn (born 3 May 1951) came first.", "Inka Rahn", "Person"),
        ("Ada Lund (12 May 1931 – 3 June 2008) was the first.", "Ada Lund", "Person"),
        ("He met Piet Ansgar, a Norwegian composer, at sea.", "Piet Ansgar", "Person"),
        ("Salt Over Sennet is a 1986 drama film directed by Ruth.", "Salt Over Sennet", "CreativeWork"),
        ("Hask is the capital of Lirr.", "Hask", "Place"),
        (
            "They were heard at the Osmere Festival. Low Water are an English band.",
            "Low Water",
            "Organization",
        ),
        ("She fought in the Battle of Sennet.", "Battle of Sennet", "Event"),
        ("The ferry of Halvorsen Marine AS was late.", "Halvorsen Marine AS", "Organization"),
        ("The director of Salt is a woman of Hask.", "Salt", None),
        ("In Oslo, a composer met a king.", "Oslo", None),
        ("Directed by Nils Garrow, the film was long.", "Nils Garrow", None),
        ("The island is of the Lirr Islands (1914–1918).", "The", None),
        ("Sharon Hope, CBE (born 22 February 1933) spoke.", "CBE", None),
    ],
)
def test_a_text_says_it_or_is_silent(text: str, name: str, expected: str | None) -> None:
    begin = text.index(name)
    assert class_in_text(text, begin, begin + len(name)) == expected


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("Dr. Mira Ida Tolland", "Person"),
        ("Mr. India", None),
        ("University of Bergen", "Organization"),
        ("University of Bergen Library", None),
        ("River Osme", "Place"),
        ("Sheriff of Osme County", None),
        ("1998 Winter Olympics", "Event"),
        ("The Company", None),
    ],
)
def test_the_parts_of_a_name(name: str, expected: str | None) -> None:
    assert class_of_name(name) == expected


def test_columns_leads_and_phrases() -> None:
    assert class_of_column("Away team") == "Organization"
    assert class_of_column("Artist") is None  # people and bands
    assert (
        class_of_lead("Osmere Rovers, known as The Rovers, is a football club of Osmere.") == "Organization"
    )
    assert class_of_lead("It rained. Nobody knew that Hask was a town.") is None
    assert class_of_phrase("public school district in Lirr") == "Organization"
    assert class_of_phrase("group of islands") is None


def test_no_text_takes_long() -> None:
    """Names and contexts that lead regular expressions astray cost no more than others."""
    begun = time.process_time()
    for hostile in (
        "Dr " + "A" * 4000,
        "Dr" + " A" * 2000 + "!",
        "A of " * 900,
        "1998 " + "Cup " * 900 + "!",
    ):
        class_of_name(hostile)
        class_in_text(hostile + "(" * 300 + " " * 300 + "was a", 0, len(hostile))
        class_of_lead(hostile + " is" * 900)
        class_of_phrase(hostile)
    assert time.process_time() - begun < 10


FILES = {
    "hask.md": "# Hask\n\nHask is a town on the Lirr. Mira Tolland was born here.\n",
    "tolland.md": "# Mira Tolland\n\nMira Tolland is a composer. She lives in Hask.\n",
    "night.md": "# Hask (film)\n\nHask is a film by Nils Garrow.\n",
    "games.csv": "Team,Score\nOsmere Rovers,2\nSennet United,1\n",
}


def classes(graph: KnowledgeGraph) -> dict[str, str]:
    """Preferred label -> local name of the class, of the entities that have one."""
    rows = queries.select(
        graph.snapshot().store,
        "PREFIX skos: <http://www.w3.org/2004/02/skos/core#> PREFIX sage: <https://w3id.org/sage-ld#> "
        "SELECT ?label ?class { ?e sage:chunkFrequency ?n ; skos:prefLabel ?label ; a ?class }",
    )
    pairs = [(row["label"].value, row["class"].value) for row in rows]
    return {label: name.removeprefix(v.SCHEMA) for label, name in pairs if name in v.ENTITY_CLASSES}


def test_the_majority_of_mentions_decides_and_follows_every_change(tmp_path: Path) -> None:
    folder = tmp_path / "files"
    folder.mkdir()
    for name in ("hask.md", "tolland.md", "games.csv"):
        (folder / name).write_text(FILES[name], encoding="utf-8")
    graph = KnowledgeGraph.create(tmp_path / "graph", encoder="jaccard")
    graph.ingest([folder])
    expected = {
        "Hask": "Place",
        "Mira Tolland": "Person",
        "Osmere Rovers": "Organization",
        "Sennet United": "Organization",
    }
    assert classes(graph) == expected
    before = canonical(graph)
    (folder / "night.md").write_text(FILES["night.md"], encoding="utf-8")
    graph.ingest([folder])
    assert classes(graph) == {name: each for name, each in expected.items() if name != "Hask"}  # one to one
    graph.delete(["night.md"])
    graph.relink()
    assert canonical(graph) == before
    only = Filter(where=("schema:mentions/rdf:type schema:Organization",))
    found = Retriever(graph).retrieve("Who played?", only=only)
    assert {each.view.identifier for each in found.results} == {"games.csv"}
