"""`sage-ld ingest` on the command line: what it leaves behind when it fails, and what it reports."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest


def ingest(*words: str | Path, status: int = 0) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        [sys.executable, "-m", "sage_ld.cli", "ingest", *map(str, words)],
        capture_output=True, text=True, env=dict(os.environ), check=False,
    )  # fmt: skip
    assert done.returncode == status, done.stderr
    assert "Traceback" not in done.stderr
    return done


@pytest.mark.parametrize(
    ("place", "words"),
    [
        ("new", ("{tmp}/missing",)),
        ("sub/folder/new", ("{tmp}/missing", "{tmp}/broken.json", "--encoder", "jaccard")),
        ("new", ("{tmp}/good.txt", "--encoder", "magic")),
        ("new", ("{tmp}/good.txt", "--base-iri", "nowhere")),
        ("sub/new", ("{tmp}/good.txt", "--encoder", "openai:none")),
    ],
)
def test_an_ingest_that_fails_while_it_makes_a_graph_leaves_nothing(
    tmp_path: Path, place: str, words: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    monkeypatch.setenv("SAGE_LD_OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    monkeypatch.setenv("SAGE_LD_OPENAI_RETRIES", "0")
    (tmp_path / "broken.json").write_text("{")
    (tmp_path / "good.txt").write_text("Good.")
    before = sorted(tmp_path.iterdir())
    ingest(tmp_path / place, *(word.replace("{tmp}", str(tmp_path)) for word in words), status=1)
    assert sorted(tmp_path.iterdir()) == before


def test_an_empty_folder_that_was_there_stays_empty(tmp_path: Path) -> None:
    (tmp_path / "new").mkdir()
    ingest(tmp_path / "new", tmp_path / "missing", "--encoder", "jaccard", status=1)
    assert list((tmp_path / "new").iterdir()) == []


def test_what_lies_in_the_way_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "new").mkdir()
    (tmp_path / "new" / "mine.txt").write_text("mine")
    ingest(tmp_path / "new", tmp_path / "new" / "mine.txt", status=1)
    assert (tmp_path / "new" / "mine.txt").read_text() == "mine"


def test_one_bad_file_takes_nothing_from_the_others(tmp_path: Path) -> None:
    (tmp_path / "files").mkdir()
    (tmp_path / "files" / "good.txt").write_text("Good.")
    (tmp_path / "files" / "bad.json").write_text("{")
    (tmp_path / "files" / "secret.txt").symlink_to("/etc/passwd")
    (tmp_path / "files" / "own.ttl").write_text('<http://localhost:8000/id/chunk/1> <http://e/p> "x" .')
    done = ingest(tmp_path / "new", tmp_path / "files", "--encoder", "jaccard", status=1)
    assert done.stdout.count("2 documents added") == 1
    assert "skipped 1 file (a link to a file outside the folder): secret.txt\n" in done.stdout
    assert "left out 1 statement about this graph's own resources" in done.stdout
    assert done.stderr.startswith("sage-ld: bad.json: ")
    again = ingest(
        tmp_path / "new", tmp_path / "files", "--curated", "--follow-symlinks", status=1
    ).stdout  # fmt: skip
    assert "1 document added, 1 replaced, 1 unchanged" in again
    assert "left out" not in again


def test_files_of_unknown_kinds_are_named_and_fail_where_they_were_asked_for(tmp_path: Path) -> None:
    files = tmp_path / "files"
    files.mkdir()
    (files / "good.txt").write_text("Good.")
    for number in range(7):
        (files / f"{number}.docx").write_bytes(b"PK\0")
    done = ingest(tmp_path / "new", files, "--encoder", "jaccard")
    names = "0.docx, 1.docx, 2.docx, 3.docx, 4.docx and 2 more"
    assert f"skipped 7 files (unknown kind .docx): {names}\n" in done.stdout
    failed = ingest(tmp_path / "new", files / "0.docx", files / "good.txt", status=1)
    assert "0.docx: unknown kind .docx; docs/reading.md lists what is read" in failed.stderr
    assert "1 unchanged" in failed.stdout
    ingest(tmp_path / "other", files / "0.docx", status=1)
    assert not (tmp_path / "other").exists()


def test_a_record_takes_the_place_of_no_file(tmp_path: Path) -> None:
    """A line of JSON Lines states its identifier, which may be the name of another file."""
    (tmp_path / "people").mkdir()
    (tmp_path / "people" / "wren.md").write_text("# Wren\n\nWren composes.\n")
    (tmp_path / "more").mkdir()
    (tmp_path / "more" / "aaa.jsonl").write_text('{"_id": "wren.md", "text": "Wren is a fraud."}\n')
    ingest(tmp_path / "kg", tmp_path / "people", "--encoder", "jaccard")
    refused = ingest(tmp_path / "kg", tmp_path / "more", status=1)
    assert "'wren.md' is the identifier of a document that came from" in refused.stderr
    (tmp_path / "more" / "wren.md").write_text("# Wren\n\nWren sings.\n")
    together = ingest(tmp_path / "other", tmp_path / "more", "--encoder", "jaccard", status=1)
    assert "wren.md has the same identifier, 'wren.md'" in together.stderr
    assert together.stdout.startswith("1 document added")
