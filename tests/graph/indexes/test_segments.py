"""Durability: nothing is written in place, and a stop at any moment leaves the old or the new state."""

import json
import os
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sage_ld.build.annotators.targets import Target
from sage_ld.foundation.errors import ConflictError, InputError
from sage_ld.graph.indexes import LexicalIndex, VectorIndex, files
from sage_ld.graph.indexes.documents import DocumentIndex, IndexedDocument
from sage_ld.graph.indexes.segments import plan


def filled(folder, count=40):
    index = VectorIndex.create(folder, 4)
    index.update([f"x:{n:03d}" for n in range(count)], np.ones((count, 4), np.float32), [])
    return index


def links(source, target):
    """What publishing does."""
    target.mkdir()
    for path in source.iterdir():
        os.link(path, target / path.name)


def contents(folder):
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def test_updates_leave_hard_linked_copies_as_they_were(tmp_path):
    index = filled(tmp_path / "live")
    links(tmp_path / "live", tmp_path / "revision")
    before = contents(tmp_path / "revision")
    index.update(["x:new"], np.zeros((1, 4), np.float32), ["x:001"])
    index.merge()
    VectorIndex.create(tmp_path / "live", 4)
    assert contents(tmp_path / "revision") == before
    assert "x:new" not in VectorIndex.open(tmp_path / "revision").iris


@pytest.mark.parametrize("step", range(12))
def test_a_stop_at_any_write_leaves_the_old_or_the_new_state(tmp_path, monkeypatch, step):
    """The process stops just before its nth change of the disk: here by an exception."""
    index = filled(tmp_path)
    left = [step]

    def stopping(function):
        def run(*arguments, **named):
            if left[0] == 0:
                raise KeyboardInterrupt
            left[0] -= 1
            return function(*arguments, **named)

        return run

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", stopping(os.fsync))
        patch.setattr(Path, "replace", stopping(Path.replace))
        patch.setattr(Path, "unlink", stopping(Path.unlink))
        try:
            index.update(["x:new"], np.zeros((1, 4), np.float32), ["x:001"])
        except KeyboardInterrupt:
            stopped = True
        else:
            stopped = False
    again = VectorIndex.open(tmp_path, read_only=False)
    assert ("x:001" in again.iris) != ("x:new" in again.iris)
    if not stopped:
        assert "x:new" in again.iris
    again.update(["x:more"], np.zeros((1, 4), np.float32), [])
    assert "x:more" in VectorIndex.open(tmp_path).iris
    entries = files.read_manifest(tmp_path, "vectors").segments
    named = {name for entry in entries for name in (entry.name, entry.removed) if name}
    assert {path.name.split(".")[0] for path in tmp_path.glob("*.arrays")} == named


def test_stored_rows_count_removed_rows(tmp_path):
    index = DocumentIndex.create(tmp_path)
    index.update({f"x:{n}": IndexedDocument(Target(str(n), "")) for n in range(8)}, [])
    index.update({"x:new": IndexedDocument(Target("new", ""))}, ["x:1"])
    directory = index.directory
    assert directory.rows(["x:0", "x:2", "x:new", "x:1"]).tolist() == [0, 1, 7, -1]
    assert directory.stored_rows(["x:new", "x:2", "x:1", "x:0"]).tolist() == [0, 2, 8]
    assert [directory.key_at(row) for row in (0, 2, 8)] == ["x:0", "x:2", "x:new"]
    with pytest.raises(IndexError):
        directory.key_at(9)


KILLED = """
import sys
from sage_ld.graph.indexes import LexicalIndex
index = LexicalIndex.open(sys.argv[1], read_only=False)
for n in range(10**6):
    added = [(f"x:{n % 50}", f"word{n} text"), (f"{sys.argv[2]}:{n}", "update")]
    index.update(added, [f"x:{(n * 7) % 50}"] if n % 2 else [])
    print(n, flush=True)
"""


def test_kill_during_updates_leaves_an_index_that_opens(tmp_path):
    LexicalIndex.create(tmp_path).update([("x:keep", "keep")], [])
    for updates in (1, 4, 6):
        with subprocess.Popen(
            [sys.executable, "-c", KILLED, str(tmp_path), f"run{updates}"], stdout=subprocess.PIPE
        ) as process:
            for _ in range(updates):
                process.stdout.readline()
            process.kill()
        index = LexicalIndex.open(tmp_path, read_only=False)
        assert index.search("keep", 1)[0] == ["x:keep"]
        assert {f"run{updates}:{number}" for number in range(updates)} <= set(index.iris)


def test_a_newer_format_is_refused(tmp_path):
    filled(tmp_path)
    path = tmp_path / files.MANIFEST
    path.write_text(json.dumps({**json.loads(path.read_text()), "format": 99, "unheard": 1}))
    with pytest.raises(ConflictError, match="index format 99"):
        VectorIndex.open(tmp_path)


def test_a_manifest_of_an_earlier_release_is_read(tmp_path):
    index = filled(tmp_path)
    path = tmp_path / files.MANIFEST
    path.write_text(json.dumps({**json.loads(path.read_text()), "stamp": "1"}))
    assert VectorIndex.open(tmp_path).iris == index.iris


@pytest.mark.parametrize(
    "text", ["", "{", "[]", "[" * 200_000, '{"format": "x"}', '{"format": 1, "segments": [{"what": 1}]}']
)
def test_a_broken_manifest_is_named(tmp_path, text):
    filled(tmp_path)
    (tmp_path / files.MANIFEST).write_text(text)
    with pytest.raises(InputError, match=r"damaged index .*manifest\.json"):
        VectorIndex.open(tmp_path)


def test_a_table_of_arrays_that_is_nested_too_deep_is_named(tmp_path):
    filled(tmp_path)
    [file] = tmp_path.glob("*.arrays")
    table = b"[" * 200_000
    file.write_bytes(b"sage-arr" + len(table).to_bytes(8, "little") + table)
    with pytest.raises(InputError, match=r"damaged index .*\.arrays"):
        VectorIndex.open(tmp_path)


def test_an_index_of_another_kind_is_refused(tmp_path):
    filled(tmp_path)
    with pytest.raises(InputError, match="'vectors', expected 'lexical'"):
        LexicalIndex.open(tmp_path)


@given(st.lists(st.integers(1, 10_000), max_size=200))
def test_plan_keeps_order_and_few_segments(sizes):
    groups = plan(sizes)
    assert [index for group in groups for index in group] == list(range(len(sizes)))
    totals = [sum(sizes[index] for index in group) for group in groups]
    assert all(left > 2 * right for left, right in pairwise(totals))
