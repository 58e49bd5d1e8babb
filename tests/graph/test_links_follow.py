"""Links after small ingests and deletions: the same as in a graph that is built at once."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from graph.corpus import built, write
from graph.followed import FollowedFolder
from pyoxigraph import NamedNode

from sage_ld.foundation import vocabulary as v
from sage_ld.graph import KnowledgeGraph
from sage_ld.graph.indexes.links import LinkIndex
from sage_ld.graph.indexes.mentions import MentionIndex
from sage_ld.graph.store import reading
from sage_ld.graph.store.configuration import MADE_FILE

FILES = {
    "alpha.md": "# Alpha river\n\nRead [here](beta.md), [there](guide/), [that](old.html) or [this](#top).\n",
    "guide/walk.md": "# A walk\n\n[Up](..), [back](../beta), [home](/index.html), [on](./steep%20way.md).\n",
    "list.csv": "Place,Note\nQuarry of Łodz,wide\nBlue Harbour,calm\n",
    "prose.md": "# Plain prose\n\nPeople like the Quarry of Lodz, and the Blue Harbour as well.\n",
    "filler.txt": "Nothing is linked here.\n",
}
"""Path -> text; what they refer to comes later."""


def referred(note: str) -> dict[str, str]:
    """The documents that others refer to, whose texts change with the note."""
    return {
        "beta.md": f"# Zebra mountains\n\nA text about stones{note}.\n",
        "old.md": f"# Something old\n\nIt was of old{note}.\n",
        "guide/README.md": f"# How to begin\n\nIt begins{note}.\n",
        "guide/steep way.md": f"# Upwards\n\nOne goes up{note}.\n",
        "index.md": f"# Contents\n\nWhat is where{note}.\n",
        "quarry.md": f"# Quarry of Łódź\n\nA hole in the ground{note}.\n",
        "harbour.md": f"# Blue Harbour (town)\n\nA town by the sea{note}.\n",
    }


def hyperlinks(graph: KnowledgeGraph) -> set[tuple[str, str]]:
    """Pairs of reference and the identifier of the document to which it leads."""
    store = graph.snapshot().store
    names = {each.iri: each.identifier for each in reading.documents(store)}
    pairs = set()
    for quad in store.quads_for_pattern(None, NamedNode(v.HREF), None, None):
        for target in store.quads_for_pattern(quad.subject, NamedNode(v.TARGET), None, None):
            pairs.add((quad.object.value, names[target.object.value]))
    return pairs


def links(graph: KnowledgeGraph) -> set[tuple[str, str]]:
    """Pairs of chunk and document, of links of all kinds."""
    quads = graph.snapshot().store.quads_for_pattern(None, NamedNode(v.LINKS_TO), None, None)
    return {(quad.subject.value, quad.object.value) for quad in quads}


ALL = {
    ("beta.md", "beta.md"),
    ("../beta", "beta.md"),
    ("guide/", "guide/README.md"),
    ("old.html", "old.md"),
    ("..", "index.md"),
    ("/index.html", "index.md"),
    ("./steep%20way.md", "guide/steep way.md"),
}


def one_by_one(growing: FollowedFolder) -> None:
    growing.put(FILES)
    for name, text in referred("").items():
        growing.put({name: text})


def all_at_once(growing: FollowedFolder) -> None:
    growing.put(FILES)
    growing.put(referred(""))


def each_changed(growing: FollowedFolder) -> None:
    growing.put(FILES | referred(""))
    for name, text in referred(" and more").items():
        growing.put({name: text})


def deleted_and_back(growing: FollowedFolder) -> None:
    growing.put(FILES | referred(""))
    for name, text in referred("").items():
        growing.delete(name)
        growing.put({name: text})


@pytest.mark.parametrize("change", [one_by_one, all_at_once, each_changed, deleted_and_back])
def test_links_are_those_of_a_graph_built_at_once(
    change: Callable[[FollowedFolder], None], tmp_path: Path
) -> None:
    growing = FollowedFolder(tmp_path)
    change(growing)
    fresh = growing.fresh("fresh")
    assert hyperlinks(growing.graph) == hyperlinks(fresh) == ALL
    assert links(growing.graph) == links(fresh)
    assert len(links(fresh)) > len(ALL)


def test_a_reference_goes_to_the_next_best_document_and_back(tmp_path: Path) -> None:
    growing = FollowedFolder(tmp_path)
    better, worse = {"old.html": "<h1>Old page</h1><p>Old.</p>"}, {"old.md": "# Old note\n\nOld.\n"}
    growing.put(FILES | worse)
    assert ("old.html", "old.md") in hyperlinks(growing.graph)
    growing.put(better)
    assert hyperlinks(growing.graph) == hyperlinks(growing.fresh("one")) == {("old.html", "old.html")}
    growing.delete("old.html")
    assert hyperlinks(growing.graph) == hyperlinks(growing.fresh("two")) == {("old.html", "old.md")}


def linked(folder: Path) -> KnowledgeGraph:
    return built(
        folder / "graph",
        write(folder / "corpus", ("films/night-bus.md", "people/mira-tolland.md", "heron.md")),
    )


def test_an_index_of_links_that_is_not_the_published_one_is_made_anew(tmp_path: Path) -> None:
    graph = linked(tmp_path)
    index = LinkIndex.open(graph.directory.live / "links", read_only=False)
    before = list(index.iris)
    assert before
    index.update({}, before[:1])
    with graph.writer() as writer:
        assert writer.links.index.iris == before
        writer.publish()
    revision = graph.directory.revision(graph.directory.current())
    assert LinkIndex.open(revision / "links").iris == before
    graph.close()


def test_a_revision_of_an_earlier_release_does_not_say_which_links_it_has(tmp_path: Path) -> None:
    graph = linked(tmp_path)
    file = graph.directory.revision(graph.directory.current()) / MADE_FILE
    said = file.read_text().splitlines()
    (links_line,) = [each for each in said if each.startswith("links = ")]
    file.unlink()
    file.write_text("\n".join(each for each in said if each != links_line))
    with graph.writer() as writer:
        assert not writer.changed
    graph.add("A lone otter.")
    made = graph.directory.made(graph.directory.current())
    assert made is not None
    revision = graph.directory.revision(graph.directory.current())
    assert made.links == LinkIndex.open(revision / "links").digest
    graph.close()


@pytest.mark.parametrize("is_told", [True, False])
def test_an_index_of_mentions_that_is_not_the_published_one_is_made_anew(
    tmp_path: Path, is_told: bool
) -> None:
    graph = linked(tmp_path)
    index = MentionIndex.open(graph.directory.live / "mentions", read_only=False)
    before = list(index.iris)
    assert before
    index.update({}, before[:1])
    if not is_told:  # an earlier release wrote the revision, and left the index behind
        file = graph.directory.revision(graph.directory.current()) / MADE_FILE
        said = [each for each in file.read_text().splitlines() if not each.startswith("mentions = ")]
        file.unlink()
        file.write_text("\n".join(said))
    with graph.writer() as writer:
        writer.publish()
    revision = graph.directory.revision(graph.directory.current())
    assert MentionIndex.open(revision / "mentions").iris == before
    graph.close()
