"""Snapshots over HTTP: taken by hard links, listed, and restored while the graph is served."""

from __future__ import annotations

import io
import json
import os
import shutil
import tarfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Barrier
from typing import IO

import pytest
from flask.testing import FlaskClient
from graph.corpus import built, write
from service.web import client_of, fits
from typer.testing import CliRunner
from werkzeug.test import TestResponse

from sage_ld.cli.main import app
from sage_ld.foundation.errors import ConflictError, InputError, LimitError, NotFoundError
from sage_ld.graph import KnowledgeGraph
from sage_ld.graph.store import reading
from sage_ld.graph.store.digests import DIGESTS_FILE
from sage_ld.graph.store.directory import PARTS, READ_INDEXES, Directory
from sage_ld.graph.store.locks import try_lock_exclusive
from sage_ld.graph.upkeep import backup
from sage_ld.graph.upkeep.backup import copy_graph, restore_revision
from sage_ld.graph.upkeep.checking import check_graph
from sage_ld.service.access.tokens import AccessRole, create_token


@dataclass
class Place:
    """A served graph, with a folder for snapshots."""

    graph: KnowledgeGraph
    snapshots: Path
    client: FlaskClient
    token: str

    def send(self, method: str, path: str, **more: object) -> TestResponse:
        headers = {"Authorization": f"Bearer {self.token}"}
        return self.client.open(f"/v1/admin/{path}", method=method, headers=headers, **more)

    def served(self) -> list[str]:
        """The documents that the service shows."""
        listed = self.client.get("/v1/documents", headers={"Accept": "application/ld+json"}).json
        return [each["item"]["identifier"] for each in listed["itemListElement"]]

    def documents(self) -> list[str]:
        return [each.identifier for each in reading.documents(self.graph.snapshot().store)]


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    graph = built(tmp_path / "graph", write(tmp_path / "corpus", ("heron.md", "towns.csv")))
    token = create_token(graph.directory.path, "boss", AccessRole.ADMIN, "2026-11-21")
    with client_of(graph.directory.path, snapshot_dir=str(tmp_path / "saved"), max_snapshots=2) as client:
        yield Place(graph, tmp_path / "saved", client, token)
    graph.close()


def test_a_snapshot_is_taken_listed_and_restored(place: Place) -> None:
    before = place.documents()
    taken = place.send("POST", "snapshot")
    assert taken.status_code == 201
    fits(taken.json, "Snapshot")
    listed = place.send("GET", "snapshots").json
    fits(listed, "Snapshots")
    assert listed == {"snapshots": [taken.json]}
    place.graph.delete(["heron.md"])
    assert len(place.documents()) == len(before) - 1
    restored = place.send("POST", "restore", json={"name": taken.json["name"]})
    assert restored.status_code == 200, restored.json
    fits(restored.json, "Restored")
    assert restored.json["revision"] == place.graph.directory.current() == taken.json["revision"] + 2
    assert place.documents() == before
    assert place.client.get("/health").json == {"status": "ok", **restored.json}
    assert place.graph.check().clean
    place.graph.delete(["towns.csv"])  # it can be written
    assert place.documents() == ["heron.md"]
    assert KnowledgeGraph.open(place.snapshots / taken.json["name"]).check().clean


def test_a_snapshot_is_downloaded_as_a_file_that_is_a_backup(place: Place, tmp_path: Path) -> None:
    name = place.send("POST", "snapshot").json["name"]
    before = place.documents()
    place.graph.delete(["heron.md"])
    head, answer = (place.send(method, f"snapshots/{name}") for method in ("HEAD", "GET"))
    assert (answer.status_code, answer.content_type) == (200, "application/x-tar")
    assert head.headers["Content-Disposition"] == f'attachment; filename="sage-ld-{name}.tar"'
    with tarfile.open(fileobj=io.BytesIO(answer.data)) as packed:
        assert not [each for each in packed.getnames() if "tokens" in each or "retrievals" in each]
        packed.extractall(tmp_path, filter="data")
    assert KnowledgeGraph.open(tmp_path / name).check().clean
    copy_graph(tmp_path / name, tmp_path / "restored")
    restored = KnowledgeGraph.open(tmp_path / "restored").snapshot().store
    assert [each.identifier for each in reading.documents(restored)] == before


def test_a_download_needs_a_snapshot_a_right_and_a_place(place: Place) -> None:
    name = place.send("POST", "snapshot").json["name"]
    missing = place.send("GET", "snapshots/20261123T091500Z-000042")
    assert missing.status_code == 404
    assert missing.json["detail"].endswith("GET /v1/admin/snapshots lists those that are there")
    for strange in ("x", "..", "..%2Fgraph", f"{name}%00", f"{name}%0A"):
        assert place.send("GET", f"snapshots/{strange}").status_code in (400, 404), strange
    assert place.client.get(f"/v1/admin/snapshots/{name}").status_code == 401
    with client_of(place.graph.directory.path, snapshot_dir=str(place.snapshots), max_exports=1) as client:
        headers, path = {"Authorization": f"Bearer {place.token}"}, f"/v1/admin/snapshots/{name}"
        first = client.get(path, headers=headers, buffered=False)
        assert client.head(path, headers=headers).status_code == 200
        refused = client.get(path, headers=headers)
        assert (refused.status_code, "max_exports" in refused.json["detail"]) == (503, True)
        first.close()
        assert client.get(path, headers=headers).status_code == 200


def test_a_file_that_is_cut_while_it_is_sent_ends_the_download(place: Place) -> None:
    taken = backup.take(place.graph.directory, str(place.snapshots), 2)
    pieces = backup.archive(str(place.snapshots), taken.name)
    file = max((place.snapshots / taken.name).rglob("*.arrays"), key=lambda each: each.stat().st_size)
    for piece in pieces:
        if piece.startswith(f"{taken.name}/{file.relative_to(place.snapshots / taken.name)}".encode()):
            os.truncate(file, file.stat().st_size - 1)
            break
    with pytest.raises(OSError, match="1 bytes shorter while it was read"):
        list(pieces)


def test_its_files_are_links_that_no_write_changes(place: Place) -> None:
    name = place.send("POST", "snapshot").json["name"]
    saved = place.snapshots / name / "revisions" / "000001"
    published = place.graph.directory.revision(1)
    names = [each.relative_to(saved) for part in READ_INDEXES for each in (saved / part).iterdir()]
    assert names
    assert all((saved / each).samefile(published / each) for each in names)
    assert not (saved / "in-use").samefile(published / "in-use")
    before = {each: (saved / each).read_bytes() for each in names}
    place.graph.relink()
    assert {each: (saved / each).read_bytes() for each in names} == before


@pytest.mark.parametrize(
    "name", ["../graph", "x", "", "20261123T091500Z-000042/..", "/", ".", "2" * 100, 7, None]
)
def test_no_other_folder_is_read(place: Place, name: object) -> None:
    assert place.send("POST", "restore", json={"name": name}).status_code in (400, 413)
    assert place.graph.directory.current() == 1


def test_a_snapshot_that_is_not_there_is_named(place: Place) -> None:
    name = "20261123T091500Z-000042"
    answer = place.send("POST", "restore", json={"name": name})
    assert answer.status_code == 404
    hint = "; GET /v1/admin/snapshots lists those that are there"
    assert answer.json["detail"] == f"there is no snapshot {name}{hint}"
    with pytest.raises(NotFoundError) as raised:
        backup.restore(place.graph.directory, str(place.snapshots), name)
    assert "GET" not in str(raised.value)


def test_there_are_only_so_many(place: Place) -> None:
    assert [place.send("POST", "snapshot").status_code for _ in range(3)] == [201, 201, 413]
    assert len(place.send("GET", "snapshots").json["snapshots"]) == 2


def test_there_are_only_so_many_also_when_they_are_taken_at_once(place: Place) -> None:
    together = Barrier(8)

    def take(_: int) -> str:
        together.wait()
        while True:
            with suppress(ConflictError):
                try:
                    return backup.take(place.graph.directory, str(place.snapshots), 2).name
                except LimitError:
                    return ""
            time.sleep(0.01)

    with ThreadPoolExecutor(8) as pool:
        names = sorted(pool.map(take, range(8)))
    assert names[:6] == [""] * 6
    assert names[6:] == sorted(each.name for each in backup.listed(str(place.snapshots)))


def test_one_is_taken_at_a_time(place: Place) -> None:
    place.snapshots.mkdir()
    with (place.snapshots / "lock").open("a") as handle:
        assert try_lock_exclusive(handle)
        with pytest.raises(ConflictError, match="another snapshot is being taken"):
            backup.take(place.graph.directory, str(place.snapshots), 2)
    assert place.send("POST", "snapshot").status_code == 201


class Overtaken(Directory):
    """A graph's directory in which another revision is published as soon as one has been pinned."""

    def pin(self) -> tuple[int, IO[bytes]]:
        pinned = super().pin()
        KnowledgeGraph.open(self.path).delete(["heron.md"])
        return pinned


def test_it_holds_the_revision_that_its_name_says(place: Place) -> None:
    saved = backup.take(Overtaken(place.graph.directory.path), str(place.snapshots), 2)
    assert saved.revision == 1
    assert place.graph.directory.current() == 2
    store = KnowledgeGraph.open(place.snapshots / saved.name).snapshot().store
    assert [each.identifier for each in reading.documents(store)] == ["heron.md", "towns.csv"]


def test_a_service_without_a_folder_takes_none(place: Place) -> None:
    with client_of(place.graph.directory.path) as client:
        headers = {"Authorization": f"Bearer {place.token}"}
        for method, path in (("POST", "snapshot"), ("GET", "snapshots")):
            answer = client.open(f"/v1/admin/{path}", method=method, headers=headers)
            assert answer.status_code == 404
            assert "snapshot_dir" in answer.json["detail"]


def test_a_damaged_snapshot_is_refused(place: Place) -> None:
    saved = place.snapshots / place.send("POST", "snapshot").json["name"]
    folder = saved / "revisions" / "000001" / "vectors"
    file = max(folder.iterdir(), key=lambda each: each.stat().st_size)
    content = file.read_bytes()
    file.unlink()
    file.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
    with pytest.raises(InputError, match=r"another content.*nothing was changed"):
        restore_revision(saved, place.graph.directory)
    with pytest.raises(InputError, match=r"another content.*nothing was changed"):
        copy_graph(saved, saved.parent / "new", verify=True)
    assert place.graph.directory.current() == 1


DIGESTS_OF_OTHERS = [
    {"/dev/zero": [0, "00"]},
    {"../../current": [1, "00"]},
    {"store/../made.toml": [1, "00"]},
    {"a\0b": [1, "00"]},
]


@pytest.mark.parametrize("digests", DIGESTS_OF_OTHERS)
def test_digests_of_files_outside_a_backup_are_refused(
    place: Place, tmp_path: Path, digests: dict[str, object]
) -> None:
    copy_graph(place.graph.directory.path, tmp_path / "copy")
    (tmp_path / "copy" / "revisions" / "000001" / DIGESTS_FILE).write_text(json.dumps(digests))
    with pytest.raises(InputError, match="is not a path in this folder"):
        restore_revision(tmp_path / "copy", place.graph.directory)
    with pytest.raises(InputError, match="is not a path in this folder"):
        copy_graph(tmp_path / "copy", tmp_path / "new", verify=True)
    assert not Directory(tmp_path / "new").exists()
    [finding] = KnowledgeGraph.open(tmp_path / "copy").check().findings
    assert finding.check == "digests"
    assert "is not a path in this folder" in finding.meaning


@pytest.mark.parametrize("name", ["store/more.sst", "secrets.txt", "vectors/more.npy"])
def test_a_file_that_was_not_published_with_a_revision_is_not_restored(
    place: Place, tmp_path: Path, name: str
) -> None:
    before = place.graph.directory.current()
    copy_graph(place.graph.directory.path, tmp_path / "copy")
    (tmp_path / "copy" / "revisions" / "000001" / name).write_text("of a stranger")
    with pytest.raises(InputError, match=f"{name} was not published with it; nothing was changed"):
        restore_revision(tmp_path / "copy", place.graph.directory)
    assert place.graph.directory.current() == before


@pytest.mark.skipif(os.name == "nt", reason="Windows has no pipes in folders")
@pytest.mark.parametrize(
    "name",
    [
        "revisions/000001/pipe",
        "revisions/000001/in-use",
        "roots.json",
        "retrievals.sqlite",
        "retrievals.sqlite-wal",
        "live",
    ],
)
@pytest.mark.parametrize("made", [lambda path: os.mkfifo(path), lambda path: path.symlink_to("/dev/zero")])
def test_a_backup_with_a_file_that_is_never_read_to_its_end_is_refused(
    place: Place, tmp_path: Path, name: str, made: Callable[[Path], None]
) -> None:
    copy_graph(place.graph.directory.path, tmp_path / "copy")
    (tmp_path / "copy" / name).unlink(missing_ok=True)
    made(tmp_path / "copy" / name)
    for restore in (
        lambda: restore_revision(tmp_path / "copy", place.graph.directory),
        lambda: copy_graph(tmp_path / "copy", tmp_path / "new"),
    ):
        with pytest.raises(InputError, match=rf"{name} is not a plain file; delete it"):
            restore()
    [finding] = check_graph(Directory(tmp_path / "copy"), repair=False, progress=lambda *_: None).findings
    assert (finding.check, finding.where) == ("files", name)


def test_a_backup_whose_revisions_are_a_link_to_a_folder_is_refused(place: Place, tmp_path: Path) -> None:
    copy_graph(place.graph.directory.path, tmp_path / "copy")
    revisions = (tmp_path / "copy" / "revisions").rename(tmp_path / "elsewhere")
    (tmp_path / "copy" / "revisions").symlink_to(revisions, target_is_directory=True)
    with pytest.raises(InputError, match="revisions is not a plain file; delete it"):
        copy_graph(tmp_path / "copy", tmp_path / "new")
    [finding] = check_graph(Directory(tmp_path / "copy"), repair=False, progress=lambda *_: None).findings
    assert (finding.check, finding.where) == ("files", "revisions")


def copied_without_digests(graph: KnowledgeGraph, folder: Path) -> Path:
    """A backup as an earlier release made it; returns the folder of its revision."""
    copy_graph(graph.directory.path, folder)
    revision = Directory(folder).revision(1)
    (revision / DIGESTS_FILE).unlink()
    return revision


def test_a_backup_without_digests_is_restored_and_the_log_says_so(
    place: Place, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    revision = copied_without_digests(place.graph, tmp_path / "copy")
    for part in PARTS[5:]:  # which earlier releases did not have
        shutil.rmtree(revision / part)
    restore_revision(tmp_path / "copy", place.graph.directory)
    assert "has no digests.json, so its files could not be verified" in caplog.text
    assert place.graph.directory.current() == 2


def cut(revision: Path, file: str) -> None:
    path = max(revision.glob(file), key=lambda each: each.stat().st_size)
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def flipped(revision: Path) -> None:
    """Changes a block in each file of the store, all of which can be opened all the same."""
    for path in (revision / "store").glob("*.sst"):
        content = path.read_bytes()
        path.write_bytes(content[:100] + b"damage" + content[106:])


@pytest.mark.parametrize(
    ("damage", "named"),
    [
        (lambda revision: cut(revision, "vectors/*.arrays"), "vectors"),
        (lambda revision: cut(revision, "store/*.sst"), "store"),
        (flipped, "store"),
    ],
)
def test_a_backup_without_digests_that_cannot_be_read_is_refused(
    place: Place, tmp_path: Path, damage: Callable[[Path], None], named: str
) -> None:
    damage(copied_without_digests(place.graph, tmp_path / "copy"))
    with pytest.raises(InputError, match=named):
        restore_revision(tmp_path / "copy", place.graph.directory)
    assert place.graph.directory.current() == 1


def test_an_index_that_is_not_complete_is_refused(place: Place, tmp_path: Path) -> None:
    revision = copied_without_digests(place.graph, tmp_path / "copy")
    place.graph.delete(["towns.csv"])
    shutil.rmtree(revision / "lexical")
    shutil.copytree(place.graph.directory.revision(2) / "lexical", revision / "lexical")
    with pytest.raises(InputError, match=r"lexical: it lacks \d+ chunks.*nothing was changed"):
        restore_revision(tmp_path / "copy", place.graph.directory)


def test_a_backup_replaces_what_a_graph_holds(place: Place, tmp_path: Path) -> None:
    run, folder = CliRunner().invoke, str(place.graph.directory.path)
    assert run(app, ["backup", folder, str(tmp_path / "copy")]).exit_code == 0
    place.graph.delete(["heron.md"])
    assert run(app, ["restore", str(tmp_path / "copy"), folder]).exit_code == 1
    told = run(app, ["restore", str(tmp_path / "copy"), folder, "--replace"])
    assert told.exit_code == 0, told.output
    assert "as revision 3" in told.output
    assert sorted(place.documents()) == ["heron.md", "towns.csv"]
