"""`sage-ld doctor`: it finds each fault that is made here, and repairs what is derived, and nothing else."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from durability.test_damaged_indexes import (
    DAMAGE,
    arrays,
    cut,
    graph,
    largest,
    replaced,
    rewritten,
    undamaged,
)
from pyoxigraph import Literal, NamedNode, Quad
from typer.testing import CliRunner

from sage_ld import Retriever
from sage_ld.cli.main import app
from sage_ld.foundation import vocabulary as v
from sage_ld.foundation.errors import ConflictError, InputError, NotFoundError
from sage_ld.foundation.question import Answer, Question
from sage_ld.graph import KnowledgeGraph
from sage_ld.graph.indexes.strings import Arrays
from sage_ld.graph.provenance.retrieval_log import RetrievalLog
from sage_ld.graph.shapes.shacl import validate
from sage_ld.graph.store.configuration import MADE_FILE
from sage_ld.graph.store.digests import DIGESTS_FILE, write_digests
from sage_ld.graph.store.directory import PARTS, Directory
from sage_ld.graph.store.pins import MARK
from sage_ld.graph.store.stores import SHARED_FILE
from sage_ld.graph.upkeep.checking.check import repaired
from sage_ld.graph.upkeep.checking.indexes import CHECKS

__all__ = ["graph", "undamaged"]
USERS = NamedNode("http://example.org/mine")
NOWHERE = NamedNode("http://localhost:8000/id/chunk/none")


def newest(graph: KnowledgeGraph) -> Path:
    return graph.directory.revision(graph.directory.current())


def statements(folder: Path) -> set[str]:
    """All statements but those of builds, which say when they were made."""
    opened = KnowledgeGraph.open(folder)
    try:
        builds = NamedNode(opened.iris.builds_graph)
        return {str(quad) for quad in opened.snapshot().stores.named if quad.graph_name != builds}
    finally:
        opened.close()


def disturbed_vectors(graph: KnowledgeGraph) -> None:
    file = largest(newest(graph) / "vectors")
    with file.open("r+b") as handle:  # the same file as the writer's, which begins with the vectors
        handle.seek(file.stat().st_size // 3)
        handle.write(np.ones(16, np.float32).tobytes())


def in_its_place(folder: Path) -> None:
    shutil.rmtree(folder)
    folder.write_text("a file")


def without_edges(graph: KnowledgeGraph) -> None:
    """Takes the reifiers of half of the edges out, as no command does."""
    with graph.writer() as writer:
        edges = NamedNode(graph.iris.edges_graph)
        for quad in list(writer.store.quads_for_pattern(None, NamedNode(v.SOURCE), None, edges)):
            writer.change().remove(quad)
        writer.publish()


def with_a_dangling_link(graph: KnowledgeGraph) -> None:
    with graph.writer() as writer:
        chunk, gone = f"{graph.iris.base}chunk/none", NamedNode(f"{graph.iris.base}document/none")
        edges = NamedNode(graph.iris.edges_graph)
        writer.change().extend([Quad(NamedNode(chunk), NamedNode(v.LINKS_TO), gone, edges)])
        writer.publish()


FAULTS: dict[str, Callable[[KnowledgeGraph], object]] = {
    "no mark": lambda graph: (newest(graph) / MARK).unlink(),
    "no current": lambda graph: (graph.directory.path / "current").unlink(),
    "an empty current": lambda graph: replaced(graph.directory.path / "current", b""),
    "a current that names nothing": lambda graph: replaced(graph.directory.path / "current", b"99"),
    "no revision": lambda graph: shutil.rmtree(newest(graph)),
    "no store": lambda graph: shutil.rmtree(newest(graph) / "store"),
    "a store that is cut": lambda graph: cut(next((newest(graph) / "store").glob("*.sst")), 0.5),
    "no digests": lambda graph: (newest(graph) / DIGESTS_FILE).unlink(),
    "damaged digests": lambda graph: replaced(newest(graph) / DIGESTS_FILE, b"{"),
    "damaged names": lambda graph: replaced(newest(graph) / MADE_FILE, b"base_iri ="),
    "names of no kind": lambda graph: replaced(newest(graph) / MADE_FILE, b"base_iri = 5\nencoder = []"),
    "deep digests": lambda graph: replaced(newest(graph) / DIGESTS_FILE, b"[" * 100_000),
    "damaged shared statements": lambda graph: replaced(newest(graph) / SHARED_FILE, b"\xff"),
    "a current without end": lambda graph: replaced(graph.directory.path / "current", b"9" * 300),
    "no revisions": lambda graph: shutil.rmtree(graph.directory.revisions),
    "a file in the place of a revision": lambda graph: in_its_place(newest(graph)),
    "a damaged copy of the writer": lambda graph: replaced(graph.directory.live / "store" / "CURRENT", b"x"),
    "half a revision": lambda graph: (graph.directory.revisions / "000077.tmp").mkdir(),
    "a revision without pin": lambda graph: graph.directory.revision(78).mkdir(),
    "a draft": lambda graph: (graph.directory.path / "roots.json.tmp").write_text("{"),
    "vectors of others": disturbed_vectors,
    "edges without source": without_edges,
    "an edge to nothing": with_a_dangling_link,
    **{f"{part}: {name}": (lambda graph, part=part, name=name: DAMAGE[name](newest(graph) / part))
       for part in PARTS[1:] for name in ("no folder", "half an array")},
}  # fmt: skip


def test_what_the_next_write_does_by_itself_is_no_fault(graph: KnowledgeGraph) -> None:
    (graph.directory.live / "revision").unlink()  # a writer died before it published
    graph.snapshot()
    KnowledgeGraph.open(graph.directory.path).delete(["heron.md"])
    graph.close()  # the revision before has lost its last reader
    assert graph.check().clean


def test_a_whole_graph_is_clean(graph: KnowledgeGraph) -> None:
    health = graph.check()
    assert health.findings == ()
    assert health.clean
    assert health.revision == graph.directory.current()


@pytest.mark.parametrize(
    "fault",
    [
        pytest.param(each, marks=[pytest.mark.damage] if each.endswith("half an array") else [])
        for each in FAULTS
    ],
)
def test_each_fault_is_found_and_repaired(graph: KnowledgeGraph, undamaged: Path, fault: str) -> None:
    FAULTS[fault](graph)
    graph.close()
    health = graph.check()
    assert not health.clean
    assert graph.check().findings == health.findings  # a check changes nothing
    fixed = graph.check(repair=True)
    assert fixed.findings == ()
    assert fixed.repaired
    assert graph.check().clean
    assert statements(graph.directory.path) == statements(undamaged)


def test_what_is_not_derived_is_named_and_stays(graph: KnowledgeGraph) -> None:
    with graph.writer() as writer:
        chunk = NamedNode(f"{graph.iris.base}chunk/mine")
        writer.change().extend(
            [
                Quad(chunk, NamedNode(v.TYPE), NamedNode(v.CHUNK), USERS),
                Quad(chunk, NamedNode(v.TEXT), Literal(""), USERS),
                Quad(chunk, NamedNode(v.NEXT), NamedNode(f"{graph.iris.base}chunk/none"), USERS),
            ]
        )
        writer.publish()
    before = statements(graph.directory.path)
    health = graph.check(repair=True)
    assert {each.check for each in health.findings} == {"shapes", "edges"}
    assert all("you can" in str(each) for each in health.findings)
    assert statements(graph.directory.path) == before


def test_all_findings_are_counted_and_the_first_are_described(graph: KnowledgeGraph) -> None:
    with graph.writer() as writer:
        chunks = [NamedNode(f"{graph.iris.base}chunk/mine{number}") for number in range(120)]
        writer.change().extend([Quad(each, NamedNode(v.TYPE), NamedNode(v.CHUNK), USERS) for each in chunks])
        writer.change().extend([Quad(each, NamedNode(v.NEXT), NOWHERE, USERS) for each in chunks])
        writer.publish()
    health = graph.check()
    counts = Counter(each.check for each in health.findings)
    assert counts == {"shapes": 100, "edges": 100}
    assert health.more == 20 + validate(graph.snapshot().store).count - 100


def test_each_step_tells_its_progress(graph: KnowledgeGraph) -> None:
    reports: dict[str, list[tuple[int, int]]] = {}
    graph.check(progress=lambda step, *counts: reports.setdefault(step, []).append(counts))
    assert list(reports) == ["digests", "indexes", "edges", "shapes"]
    for counts in reports.values():
        assert len(counts) > 3
        assert counts[-1][0] == counts[-1][1]
        assert [done for done, _ in counts] == sorted(done for done, _ in counts)


def test_an_end_of_a_curated_edge_that_is_gone_is_named(graph: KnowledgeGraph) -> None:
    ends = [NamedNode(f"http://example.org/{name}") for name in "ab"]
    relation = NamedNode("https://w3id.org/sage-ld/relations#partOf")
    said = Quad(ends[0], relation, ends[1], USERS)  # as the edge says, too: the merged store has it once
    with graph.writer() as writer:
        writer.extend([said])
        writer.publish()
    edge = graph.edges.add(ends[0].value, "part_of", ends[1].value)
    assert graph.check().clean
    with graph.writer() as writer:
        writer.change().remove(said)
        writer.publish()
    findings = graph.check(repair=True).findings
    assert [(each.check, each.where) for each in findings] == [("edges", each.value) for each in ends]
    assert all(edge.iri in each.meaning for each in findings)
    graph.edges.remove(edge.iri)
    assert graph.check().clean


def test_a_store_that_is_damaged_everywhere_is_named(graph: KnowledgeGraph) -> None:
    file = max((newest(graph) / "store").glob("*.sst"), key=lambda each: each.stat().st_size)
    for each in (file, graph.directory.live / "store" / file.name):
        with each.open("r+b") as handle:
            handle.seek(100)
            handle.write(b"damage")
    health = graph.check(repair=True)
    assert any("restore a backup" in each.remedy for each in health.findings)
    assert file.exists()


def test_a_damaged_configuration_is_named(graph: KnowledgeGraph) -> None:
    replaced(graph.directory.path / "sage-ld.toml", b"")
    result = CliRunner().invoke(app, ["doctor", str(graph.directory.path)])
    assert result.exit_code == 1
    assert "sage-ld.toml is damaged" in result.output


def shifted(name: str, by: int) -> Callable[[Arrays], None]:
    """Makes the first value of an array larger, and the second one smaller by as much."""

    def lie(arrays: Arrays) -> None:
        arrays[name][:2] += np.array([by, -by], arrays[name].dtype)

    return lie


def filled(name: str, value: float) -> Callable[[Arrays], None]:
    def lie(arrays: Arrays) -> None:
        arrays[name][...] = value

    return lie


@pytest.mark.parametrize(
    ("part", "lie"),
    [
        ("links", shifted("counts", 10**9)),
        ("links", filled("confidences", np.nan)),
        ("positions", shifted("lengths", 10**9)),
        ("positions", filled("headings", 10**9)),
        ("mentions", filled("rows", -1)),
        ("lexical", filled("rows", 10**9)),
        ("vectors", filled("vectors", np.nan)),
        ("aspects", filled("topic_vectors", np.inf)),
        ("words", filled("starts", 7)),
        ("documents", filled("records", ord("["))),
    ],
)
def test_an_index_whose_values_lie_is_found_and_built_anew(
    graph: KnowledgeGraph, part: str, lie: Callable[[Arrays], None]
) -> None:
    """Also where the digests were made to match, as in a folder of a stranger."""
    index = newest(graph) / part
    changed = {name: array.copy() for name, array in arrays(index).items()}
    lie(changed)
    rewritten(index, changed)
    (newest(graph) / DIGESTS_FILE).unlink()
    write_digests(newest(graph), None)
    [finding] = graph.check().findings
    assert (finding.check, finding.part) == ("indexes", part)
    health = graph.check(repair=True)
    assert health.clean
    assert Retriever(graph).retrieve("Who was given the Golden Heron?").results


@pytest.mark.parametrize(("part", "name"), [("links", "counts"), ("positions", "lengths")])
def test_who_reads_is_not_stopped_by_counts_that_lie(graph: KnowledgeGraph, part: str, name: str) -> None:
    changed = {name: array.copy() for name, array in arrays(newest(graph) / part).items()}
    shifted(name, 10**9)(changed)
    rewritten(newest(graph) / part, changed)
    assert Retriever(graph).retrieve("Who was given the Golden Heron?").results


@pytest.mark.parametrize(
    ("part", "lie"),
    [("lexical", filled("rows", 10**9)), ("vectors", filled("vectors", np.nan))],
    ids=["lexical", "vectors"],
)
def test_a_question_names_an_index_whose_values_lie(
    graph: KnowledgeGraph, part: str, lie: Callable[[Arrays], None]
) -> None:
    changed = {name: array.copy() for name, array in arrays(newest(graph) / part).items()}
    lie(changed)
    rewritten(newest(graph) / part, changed)
    with pytest.raises(InputError, match=rf"{part}: damaged index"):
        Retriever(graph).retrieve("Who was given the Golden Heron?")


def test_each_index_has_a_check_of_its_values() -> None:
    assert set(CHECKS) == {*PARTS[1:], "terms"}  # the other optional ones are indexes of vectors


def test_a_setting_that_the_file_may_not_say_is_named(graph: KnowledgeGraph) -> None:
    with (graph.directory.path / "sage-ld.toml").open("a") as file:
        file.write('snapshot_dir = "/"\n')
    (finding,) = graph.check().findings
    assert (finding.check, finding.where) == ("configuration", "sage-ld.toml")
    assert "set SAGE_LD_SNAPSHOT_DIR" in finding.meaning


def test_damaged_names_are_published_anew_by_one_repair(graph: KnowledgeGraph) -> None:
    number, before = graph.directory.current(), graph.directory.configuration()
    replaced(newest(graph) / MADE_FILE, b"base_iri =")
    (finding,) = graph.check().findings
    assert finding.remedy == "publishes a revision whose made.toml has base IRI and encoder from sage-ld.toml"
    repaired(graph.directory, [finding], lambda *_: None)
    assert graph.directory.current() == number + 1
    made = graph.directory.made(number + 1)
    assert made
    assert (made.base_iri, made.encoder) == (before.base_iri, before.encoder)
    assert graph.check().clean


def test_it_is_a_command(graph: KnowledgeGraph) -> None:
    folder, run = str(graph.directory.path), CliRunner().invoke
    assert run(app, ["doctor", folder]).exit_code == 0
    shutil.rmtree(newest(graph) / "links")
    told = run(app, ["doctor", folder, "--json"])
    assert told.exit_code == 1
    assert {each["repairable"] for each in json.loads(told.stdout)["findings"]} == {True}
    told = run(app, ["doctor", folder, "--repair"])
    assert told.exit_code == 0
    assert "repaired: " in told.output
    assert "nothing is wrong" in run(app, ["doctor", folder]).output


def test_nothing_is_repaired_while_another_writes(graph: KnowledgeGraph) -> None:
    shutil.rmtree(newest(graph) / "links")
    with graph.directory.locked():
        assert not KnowledgeGraph.open(graph.directory.path).check().clean
        with pytest.raises(ConflictError, match="is being written"):
            KnowledgeGraph.open(graph.directory.path).check(repair=True)


def test_no_graph_and_an_empty_one(tmp_path: Path) -> None:
    from sage_ld.graph.upkeep.checking import check_graph

    with pytest.raises(NotFoundError, match="is not a graph"):
        check_graph(Directory(tmp_path), repair=False, progress=lambda *_: None)
    assert KnowledgeGraph.create(tmp_path / "graph", encoder="jaccard").check().clean


@pytest.mark.parametrize("content", [b"<x:", b"\xff"])
def test_a_damaged_table_of_keys_is_named(graph: KnowledgeGraph, content: bytes) -> None:
    (graph.directory.path / "metadata.ttl").write_bytes(content)
    assert [each.where for each in graph.check().findings] == ["metadata.ttl"]
    with pytest.raises(InputError):
        graph.directory.metadata_terms()


@pytest.mark.parametrize("content", [b"\xff", b"[1]", b"[" * 100_000])
def test_a_damaged_table_of_roots_is_named(graph: KnowledgeGraph, content: bytes) -> None:
    (graph.directory.path / "roots.json").write_bytes(content)
    assert [each.where for each in graph.check().findings] == ["roots.json"]


@pytest.mark.parametrize("damage", [lambda file: cut(file, 0.5), lambda file: replaced(file, b"no database")])
def test_a_damaged_database_of_retrievals_is_named(
    graph: KnowledgeGraph, damage: Callable[[Path], None]
) -> None:
    log = RetrievalLog(graph.directory.path, graph.iris.base, graph.settings)
    for number in range(100):
        log.keep(Answer(Question(f"Who plays theremin {number}?"), "default", 3, ()))
    assert graph.check().clean
    damage(log.file)
    assert [each.where for each in graph.check().findings] == [log.file.name]
