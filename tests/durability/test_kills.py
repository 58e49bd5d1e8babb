"""`kill -9` while revisions are published and removed: nothing acknowledged is lost, nothing stays behind."""

from __future__ import annotations

import os
import random
import shutil
import signal
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from durability.writing import (
    COUNTER,
    JOBS,
    LONG,
    NUMBER,
    begin,
    check_whole,
    children,
    disk_use,
    leftovers,
    number_of,
    small_graph,
    write_once,
)
from pyoxigraph import NamedNode, Quad

from sage_ld.foundation import vocabulary as v
from sage_ld.foundation.recipes import Reasoning, load_recipe, write_recipe
from sage_ld.graph import KnowledgeGraph
from sage_ld.graph.shapes.shacl import validate
from sage_ld.graph.store.directory import Directory
from sage_ld.graph.store.pins import MARK
from sage_ld.graph.upkeep.checking.findings import Cure

KILLS = 200 if LONG else 15
SEED = int(os.environ.get("SAGE_LD_TEST_SEED", "10"))
MEMORY = Path("/dev/shm")
LONGEST = 0.3  # seconds that a child lives at most: three or four writes


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a graph that has been written three times."""
    result = small_graph(tmp_path_factory.mktemp("written") / "graph")
    for _ in range(3):
        write_once(result)
    return result.directory.path


@pytest.fixture
def graph(written: Path, tmp_path: Path) -> Iterator[KnowledgeGraph]:
    """A copy of it; in memory where there is room, since nothing here depends on a disk and its speed."""
    with tempfile.TemporaryDirectory(dir=MEMORY if roomy(MEMORY) else tmp_path) as folder:
        shutil.copytree(written, Path(folder) / "graph", ignore=shutil.ignore_patterns("live"))
        yield KnowledgeGraph.open(Path(folder) / "graph")


def roomy(folder: Path) -> bool:
    """Whether there is such a folder, with space to spare."""
    return folder.is_dir() and shutil.disk_usage(folder).free > 1 << 28


def check(folder: Path, expected: set[int]) -> None:
    """The graph opens at a state that may be, can be written, and nothing is left over then."""
    reopened = KnowledgeGraph.open(folder)
    seen = number_of(reopened.snapshot())
    assert seen in expected
    assert all(each.cure is not Cure.NONE for each in reopened.check().findings)
    reopened.close()
    assert write_once(reopened) == seen + 1
    assert number_of(reopened.snapshot()) == seen + 1
    reopened.close()
    assert leftovers(folder) == []


@pytest.mark.parametrize("seed", [SEED])  # where its name shows it
def test_killed_at_random_moments(graph: KnowledgeGraph, seed: int) -> None:
    chance = random.Random(seed)
    folder = graph.directory.path
    write_once(graph)
    before = disk_use(folder)
    with children(folder) as writing:
        for _ in range(KILLS):
            done = number = number_of(graph.snapshot())
            if chance.random() < 0.5:  # else the revision stays pinned, and must outlive all that happens
                graph.close()
            writing.start()
            if chance.random() < 0.8:  # what follows its first write removes the revision of another
                done = writing.wrote()
            time.sleep(chance.uniform(0, LONGEST))
            writing.kill()
            acknowledged, _ = writing.ended()
            done = max(acknowledged, done)
            if graph._snapshot is not None:
                assert number_of(graph._snapshot) == number
                graph.close()
            check(folder, {done, done + 1})
    assert validate(graph.snapshot().store).conforms
    graph.close()
    for _ in range(3):
        write_once(graph)
    assert disk_use(folder) < 2 * before


def test_killed_before_each_change_of_a_name(graph: KnowledgeGraph) -> None:
    folder = graph.directory.path
    killed = 0
    with children(folder) as writing:
        for step in range(1, 1_000, 1 if LONG else 8):
            number = number_of(graph.snapshot())
            graph.close()
            writing.start(step)
            acknowledged, status = writing.ended()
            if status == 0:  # it has fewer steps
                assert acknowledged == number + 1
                break
            assert status == -signal.SIGKILL
            killed += 1
            check(folder, {number, number + 1})
    assert killed > 3


@pytest.mark.parametrize("job", ["copy", "create"])
def test_a_graph_whose_making_was_killed_is_made_by_the_next(graph: KnowledgeGraph, job: str) -> None:
    folder = graph.directory.path
    folder.with_name("own.toml").write_text(write_recipe(load_recipe("default")))
    made = folder.with_name("copy" if job == "copy" else "new")
    with children(folder, job) as making:
        for step in range(1, 1_000):
            making.start(step)
            _, status = making.ended()
            if status == 0:  # it has fewer steps
                break
            assert status == -signal.SIGKILL
            assert not Directory(made).exists()
            if LONG or step % 4 == 0:  # else the next one finds what several have left
                check_made(folder, made, job)
    assert step > 3
    check_made(folder, made, job)


@pytest.mark.parametrize("bad", [False, True], ids=["that works", "that fails"])
def test_an_ingest_that_was_killed_as_it_made_a_graph_refuses_no_other(
    graph: KnowledgeGraph, bad: bool
) -> None:
    """The next one may have another base IRI, if nothing was published; also where the first one failed."""
    folder = graph.directory.path
    files, made = folder.with_name("files"), folder.with_name("begun")
    files.mkdir()
    steps = 0
    with children(folder, "begin") as making:
        for step in range(1, 1_000, 1 if LONG else 11):
            (files / "page.json").write_text("{" if bad else '{"name": "Good words."}')
            making.start(step)
            _, status = making.ended()
            if status != -signal.SIGKILL:  # it has fewer steps
                break
            if not (Directory(made).exists() and Directory(made).current()):
                steps += 1
                (files / "page.json").write_text('{"name": "Good words."}')
                assert begin(folder, "http://two.example/id/") == 1
                assert KnowledgeGraph.open(made).configuration.base_iri == "http://two.example/id/"
                check_whole(made)
            shutil.rmtree(made)
    assert steps > 3


def test_a_recipe_and_what_it_derives_are_there_or_neither(graph: KnowledgeGraph) -> None:
    folder = graph.directory.path
    folder.with_name("own.toml").write_text('reason = "rdfs"\n')
    with graph.writer() as writer:
        writer.change().add(Quad(NUMBER, NamedNode(v.RDFS + "subPropertyOf"), COUNTER))
        writer.publish()
    graph.close()
    shutil.copytree(folder, folder.with_name("before"))
    with children(folder, "relink") as relinking:

        def is_relinked(step: int) -> bool:
            relinking.start(step)
            relinking.ended()
            result = check_relinked(folder)
            shutil.rmtree(folder)
            shutil.copytree(folder.with_name("before"), folder)
            return result

        published = next(step for step in range(8, 1_000, 1 if LONG else 8) if is_relinked(step))
        assert {is_relinked(step) for step in range(published - 7, published + 4)} == {False, True}


def check_relinked(folder: Path) -> bool:
    """Whether a graph has inferred statements, as its recipe says; the doctor and the next relink agree."""
    graph = KnowledgeGraph.open(folder)
    result = is_reasoned(graph)
    assert (graph.recipe.reason is Reasoning.RDFS) is result
    is_written = graph.configuration.recipe == "recipe.toml"
    assert any(each.where == "recipe.toml" for each in graph.check().findings) is (is_written is not result)
    assert graph.check(repair=True).clean
    graph.relink()
    assert (folder / "recipe.toml").exists() is is_reasoned(graph) is result
    graph.close()
    return result


def is_reasoned(graph: KnowledgeGraph) -> bool:
    """Whether the newest revision of a graph has inferred statements."""
    name = NamedNode(graph.iris.inferred_graph)
    return any(graph.snapshot().store.quads_for_pattern(None, None, None, name))


def check_made(folder: Path, made: Path, job: str) -> None:
    """Makes the graph in `made`, unless it is there already; it is whole. Removes it."""
    if not Directory(made).exists():
        JOBS[job](folder)
    if job == "copy":
        check_whole(made)
    else:
        assert KnowledgeGraph.open(made).recipe == load_recipe("default")
        assert sorted(each.name for each in made.iterdir()) == ["recipe.toml", "revisions", "sage-ld.toml"]
    shutil.rmtree(made)


def test_a_folder_without_its_mark_stops_no_write(graph: KnowledgeGraph) -> None:
    (graph.directory.revisions / "000001").mkdir()
    number = write_once(graph)
    assert number_of(graph.snapshot()) == number
    graph.close()
    write_once(graph)
    assert leftovers(graph.directory.path) == []


@pytest.mark.parametrize("name", ["000001", "000001.removed", "000009.tmp", "000099", "0000001"])
@pytest.mark.parametrize("with_mark", [True, False])
def test_what_a_killed_writer_left_is_cleared_up(graph: KnowledgeGraph, name: str, with_mark: bool) -> None:
    folder = graph.directory.revisions / name
    (folder / "store").mkdir(parents=True)
    (folder / "store" / "000001.sst").write_text("half")
    if with_mark:
        (folder / MARK).touch()
    write_once(graph)
    assert leftovers(graph.directory.path) == []


def test_files_of_others_stay(graph: KnowledgeGraph) -> None:
    (graph.directory.revisions / "notes.tmp").write_text("mine")
    write_once(graph)
    assert leftovers(graph.directory.path) == ["notes.tmp"]


def test_a_file_in_the_place_of_a_revision_is_cleared_up(graph: KnowledgeGraph) -> None:
    (graph.directory.revisions / "000001").write_text("a file")
    write_once(graph)
    assert leftovers(graph.directory.path) == []


def test_what_cannot_be_deleted_fails_no_write(
    graph: KnowledgeGraph, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    revisions = graph.directory.revisions
    (revisions / "000001").mkdir()
    (revisions / f"{graph.directory.current() + 1:06d}.tmp").mkdir()  # where the next one would be built
    real = os.rmdir

    def refuse(path: object, *arguments: object, **options: object) -> None:
        if str(path).endswith((".removed", ".tmp")):
            raise PermissionError(13, "Permission denied", str(path))
        real(path, *arguments, **options)  # type: ignore[arg-type]

    with monkeypatch.context() as patched:
        patched.setattr(os, "rmdir", refuse)
        number = write_once(graph)
        assert write_once(graph) == number + 1
    assert "000001.removed cannot be deleted" in caplog.text
    assert number_of(graph.snapshot()) == number + 1
    graph.close()
    write_once(graph)
    assert leftovers(graph.directory.path) == []


def test_a_pinned_revision_is_neither_renamed_nor_deleted(graph: KnowledgeGraph) -> None:
    snapshot = graph.snapshot()
    number = number_of(snapshot)
    other = KnowledgeGraph.open(graph.directory.path)
    write_once(other)
    write_once(other)
    assert graph.directory.revision(snapshot.number).is_dir()
    assert number_of(snapshot) == number
    snapshot.close()
    write_once(other)
    assert leftovers(graph.directory.path) == []


def test_the_current_revision_without_its_mark_is_named_and_mended_by_a_write(graph: KnowledgeGraph) -> None:
    (graph.directory.revision(graph.directory.current()) / MARK).unlink()
    with pytest.raises(Exception, match="in-use is missing"):
        KnowledgeGraph.open(graph.directory.path).snapshot()
    number = write_once(graph)
    assert number_of(graph.snapshot()) == number
