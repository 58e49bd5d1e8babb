"""`sage-ld ingest` on the command line: what it leaves behind when it fails, and what it reports."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from cli.program import Ended, sage_ld
from waiting import PATIENCE

from sage_ld.graph import KnowledgeGraph


def ingest(*words: str | Path, status: int = 0) -> Ended:
    return sage_ld("ingest", *words, status=status)


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
        (files / f"{number}.pages").write_bytes(b"PK\0")
    done = ingest(tmp_path / "new", files, "--encoder", "jaccard")
    names = "0.pages, 1.pages, 2.pages, 3.pages, 4.pages and 2 more"
    assert f"skipped 7 files (unknown kind .pages): {names}\n" in done.stdout
    failed = ingest(tmp_path / "new", files / "0.pages", files / "good.txt", status=1)
    assert "0.pages: unknown kind .pages; docs/reading.md lists what is read" in failed.stderr
    assert "1 unchanged" in failed.stdout
    ingest(tmp_path / "other", files / "0.pages", status=1)
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


def test_metadata_is_stated_found_and_reported(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("---\nteam: [red\n---\nThe tide is high.")
    (tmp_path / "terms.ttl").write_text(
        '<http://e.org/owner> <http://www.w3.org/2004/02/skos/core#notation> "team" .'
    )
    words = (
        tmp_path / "kg",
        tmp_path / "a.md",
        "--encoder",
        "jaccard",
        "--metadata-terms",
        tmp_path / "terms.ttl",
    )
    done = ingest(*words, "--meta", "team=red", "--meta", "year=2024")
    assert "warning: a.md: not valid YAML: " in done.stdout
    for where, found in (("team=red", True), ("year>=2024", True), ("year<2024", False)):
        search = sage_ld("search", tmp_path / "kg", "tide?", "--where", where)
        assert ("a.md" in search.stdout) == found, search.stdout
    assert "is not KEY=VALUE" in ingest(*words, "--meta", "team", status=1).stderr


def test_a_dry_run_makes_no_graph_and_names_what_would_be_done(tmp_path: Path) -> None:
    files = tmp_path / "files"
    files.mkdir()
    for number in range(7):
        (files / f"{number}.txt").write_text(f"Number {number}.")
    done = ingest(tmp_path / "kg", files, "--encoder", "jaccard", "--dry-run")
    assert "7 documents would be added, 0 would be replaced, 0 unchanged\n" in done.stdout
    assert "would be added: 0.txt, 1.txt, 2.txt, 3.txt, 4.txt and 2 more\n" in done.stdout
    assert not (tmp_path / "kg").exists()
    ingest(tmp_path / "kg", files, "--encoder", "jaccard")
    (files / "3.txt").unlink()
    (files / "4.txt").write_text("Number four.")
    assert (
        "1 document whose file has gone (--sync takes them out): 3.txt"
        in ingest(tmp_path / "kg", files, "--dry-run").stdout
    )
    dry = ingest(tmp_path / "kg", files, "--sync", "--dry-run").stdout
    assert "would be replaced: 4.txt\nwould be removed: 3.txt\n" in dry
    done = ingest(tmp_path / "kg", files, "--sync")
    assert "0 documents added, 1 replaced, 1 removed, 5 unchanged; 1 chunk\nremoved: 3.txt\n" in done.stdout


def test_a_dry_run_leaves_a_graph_without_a_revision_as_it_is(tmp_path: Path) -> None:
    graph = KnowledgeGraph.create(tmp_path / "kg", encoder="jaccard")
    (tmp_path / "a.txt").write_text("One.")
    words = (tmp_path / "kg", tmp_path / "a.txt", "--base-iri", "http://new.example/")
    assert "1 document would be added" in ingest(*words, "--dry-run").stdout
    assert graph.directory.configuration() == graph.configuration
    ingest(*words)
    assert graph.directory.configuration().base_iri == "http://new.example/"


def test_the_report_names_what_was_left_out_and_what_to_do(tmp_path: Path) -> None:
    files = tmp_path / "files"
    files.mkdir()
    for number in range(7):
        (files / f"{number}.bin").write_bytes(b"\0")
    for name in ("a.txt", "b.txt"):
        (files / name).write_text("The same.")
    done = ingest(tmp_path / "kg", files, "--encoder", "jaccard", "--duplicates", "skip", "--verbose")
    names = ", ".join(f"{number}.bin" for number in range(7))
    assert f"skipped 7 files (unknown kind .bin): {names}\n" in done.stdout
    assert "to have them in the graph: save them in a format that docs/reading.md lists" in done.stdout
    assert "1 document with the content of another one (skipped): b.txt = a.txt" in done.stdout


def test_progress_is_a_line_now_and_then_where_there_is_no_terminal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "files").mkdir()
    for number in range(20):
        (tmp_path / "files" / f"{number}.txt").write_text(f"Number {number}.")
    monkeypatch.setenv("SAGE_LD_PROGRESS_INTERVAL", "0")
    lines = ingest(tmp_path / "kg", tmp_path / "files", "--encoder", "jaccard").stderr.splitlines()
    assert all(re.fullmatch(r"sage-ld: \w+: \d+ of \d+ after \d+ s", line) for line in lines)
    assert "sage-ld: reading: 20 of 20" in "\n".join(lines)
    monkeypatch.setenv("SAGE_LD_PROGRESS_INTERVAL", "3600")
    assert ingest(tmp_path / "other", tmp_path / "files", "--encoder", "jaccard").stderr == ""


def _heed_ctrl_c() -> None:
    """What a shell starts in the background ignores Ctrl-C, and so do its children unless told otherwise."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGINT for one process")
@pytest.mark.slow
def test_watching_reports_each_change_and_ends_with_ctrl_c(tmp_path: Path) -> None:
    files = tmp_path / "files"
    files.mkdir()
    (files / "one.txt").write_text("One.")
    words = [sys.executable, "-m", "sage_ld.cli", "ingest", str(tmp_path / "kg"), str(files), "--watch"]
    with subprocess.Popen(
        [*words, "--encoder", "jaccard"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
        preexec_fn=_heed_ctrl_c,
    ) as process:  # fmt: skip
        assert process.stdout is not None
        lines = iter(process.stdout)

        def printed(part: str) -> bool:
            return any(part in line for line in lines)

        assert printed("1 document added, 0 replaced, 0 unchanged")
        assert printed("Ctrl-C ends it")
        (files / "two.txt").write_text("Two.")
        assert printed("1 added (two.txt)")
        (files / "bad.json").write_text("{")
        assert printed("sage-ld: bad.json: ")
        (files / "one.txt").unlink()
        assert printed("1 removed (one.txt)")
        process.send_signal(signal.SIGINT)
        assert printed("stopped; what was reported is in the graph")
        assert process.wait(PATIENCE) == 0


def test_watching_and_a_dry_run_exclude_each_other(tmp_path: Path) -> None:
    done = ingest(tmp_path / "kg", tmp_path, "--watch", "--dry-run", status=2)
    assert "leave out one of --watch and --dry-run" in done.stderr


def test_an_empty_graph_takes_other_options(tmp_path: Path) -> None:
    """An ingest that was killed leaves one; what was published is fixed."""
    (tmp_path / "one.txt").write_text("One.")
    KnowledgeGraph.create(tmp_path / "kg", encoder="jaccard")
    base = ["--base-iri", "http://two.example/id/"]
    ingest(tmp_path / "kg", tmp_path / "one.txt", *base)
    assert KnowledgeGraph.open(tmp_path / "kg").configuration.base_iri == "http://two.example/id/"
    assert KnowledgeGraph.open(tmp_path / "kg").configuration.encoder == "jaccard"
    refused = ingest(tmp_path / "kg", tmp_path / "one.txt", "--base-iri", "http://three.example/", status=1)
    assert "does not fit" in refused.stderr
    refused = ingest(tmp_path / "kg", tmp_path / "one.txt", "--recipe", "paper", status=1)
    assert "create another graph" in refused.stderr
    own = tmp_path / "own.toml"
    own.write_text("[concepts]\nderive = true\n")
    refused = ingest(tmp_path / "kg", tmp_path / "one.txt", "--recipe", own, status=1)
    assert f"relink {tmp_path / 'kg'} --recipe {own}" in " ".join(refused.stderr.split())


def test_what_was_passed_over_is_said_in_a_line_and_in_full(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.html").write_text("<p>It costs <del>14</del> 9.<svg><text>x</text></svg></p>")
    (tmp_path / "in" / "b.md").write_text("# Fares\n\nIt costs ~~14~~ <del>13</del> 9.")
    (tmp_path / "in" / "c.html").write_text("<h1>Alone</h1>")
    said = ingest(tmp_path / "kg", tmp_path / "in", "--encoder", "jaccard").stdout
    assert "passed over: 1 drawing (a.html); 3 struck-out texts (a.html, b.md)" in said
    assert "warning: c.html: nothing but headings was found in it" in said
    full = json.loads(ingest(tmp_path / "kg2", tmp_path / "in", "--encoder", "jaccard", "--json").stdout)
    assert full["passed_over"] == {"drawing": {"a.html": 1}, "struck-out text": {"a.html": 1, "b.md": 2}}
    assert full["passed_over_places"] == {"struck-out text": {"b.md": ["Fares"]}}
    assert full["added_documents"] == ["a.html", "b.md", "c.html"]
