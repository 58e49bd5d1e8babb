"""Names and texts of every sort of character: one bad file is reported, and the others are taken."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from sage_ld.build.readers.registry import OWN_READERS
from sage_ld.graph import KnowledgeGraph

SUFFIXES = sorted({suffix for reader in OWN_READERS for suffix in reader.media_types} | {".unknown", ""})
NAMES = (
    *(b"d\xff", "é".encode("latin-1"), b"line\nfeed", b"\x1b[31mred", "right\u202eleft".encode()),
    *(b"a" * 200, "\u0301combining".encode(), b"%00", b"-option", b"back\\slash"),
)
HALF = "\ud800"
TEXTS = {
    ".json": json.dumps({"title": HALF, "text": f"a {HALF}", f"key{HALF}": [HALF, {"x": HALF}]}),
    ".jsonl": json.dumps({"_id": HALF, "title": HALF, "text": HALF}),
    ".yaml": 'title: "\\ud800"\ntext: "\\uDFFF"\n',
    ".toml": 'title = "\\ud800"\n',
    ".md": '---\ntitle: "\\ud800"\n---\n# A\n\ntext &#xD800;\n',
    ".html": "<title>&#xD800;x</title><p>&#55296; y",
    ".xml": "<a>&#xD800;</a>",
    ".ttl": '<http://e/a> <http://e/b> "\\uD800" .\n',
    ".eml": "Subject: =?utf-8?b?7aCA?=\nFrom: =?utf-8?q?=ED=A0=80?= <a@b>\n\nx\n",
    ".ipynb": json.dumps({"cells": [{"cell_type": "markdown", "source": [HALF]}], "nbformat": 4}),
}
"""Files that spell half of a surrogate pair, which no text in UTF-8 has."""


def write(folder: Path, name: bytes, content: bytes) -> None:
    path = os.path.join(os.fsencode(folder), name)  # a Path is text
    with open(path, "wb") as file:
        file.write(content)


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """A folder with files that cannot be read, a folder of such a name, and one good file."""
    folder = tmp_path / "files"
    folder.mkdir()
    (folder / "good.md").write_text("# The bridge\n\nIt was built of stone.\n")
    os.mkdir(os.fsencode(folder) + b"/sub\xfe")
    write(folder, b"sub\xfe/inner.md", b"# Inner\n\ntext\n")
    return folder


def taken(folder: Path, files: Path) -> tuple[list[str], list[tuple[str, str]]]:
    graph = KnowledgeGraph.create(folder / "graph", encoder="jaccard")
    summary = graph.ingest([files])
    graph.close()
    assert graph.check().clean
    return summary.added_documents, summary.failed


@pytest.mark.parametrize("content", [b"# Title\n\ntext\n", b"\x00\x01\xff garbage"], ids=["text", "garbage"])
def test_a_bad_name_of_any_format_stops_no_other_file(tmp_path: Path, files: Path, content: bytes) -> None:
    for suffix in SUFFIXES:
        for name in NAMES[:1] if content.startswith(b"#") else NAMES[1:2]:
            write(files, name + suffix.encode(), content)
    added, failed = taken(tmp_path, files)
    assert added == ["good.md"]
    reasons = dict(failed)
    assert all("not UTF-8; rename the file" in reason for reason in reasons.values())
    assert len([name for name in reasons if "/" not in name]) >= len(SUFFIXES) - 2


def test_names_of_every_sort_are_taken_or_reported(tmp_path: Path, files: Path) -> None:
    for name in NAMES:
        write(files, name + b".md", b"# Title of " + name.hex().encode() + b"\n\ntext\n")
    added, failed = taken(tmp_path, files)
    assert "good.md" in added
    assert len(added) + len(failed) == len(NAMES) + 2


@pytest.mark.parametrize("suffix", TEXTS)
def test_half_of_a_surrogate_pair_in_a_file_stops_no_other_file(
    tmp_path: Path, files: Path, suffix: str
) -> None:
    write(files, b"half" + suffix.encode(), TEXTS[suffix].encode("utf-8", "surrogatepass"))
    assert "good.md" in taken(tmp_path, files)[0]


@pytest.mark.parametrize("command", ["search", "ask", "ask-graph", "analyse", "sparql", "outline"])
def test_an_argument_that_is_not_utf_8_is_named(tmp_path: Path, files: Path, command: str) -> None:
    taken(tmp_path, files)
    arguments = [os.fsencode(tmp_path / "graph"), b"bridge \xff", b"x"]
    run = subprocess.run(
        [sys.executable, "-m", "sage_ld.cli", command, *arguments[: 3 if command == "outline" else 2]],
        capture_output=True,
        check=False,
    )
    assert run.returncode != 0
    assert b"Traceback" not in run.stderr
    assert b"UTF-8" in run.stderr or b"no document" in run.stderr


def test_an_output_that_cannot_be_encoded_is_no_fault_of_an_argument(tmp_path: Path) -> None:
    (tmp_path / "cafe.md").write_text("# Café\n\nThe café is on a bridge.\n", "utf-8")
    graph = KnowledgeGraph.create(tmp_path / "graph", encoder="jaccard")
    graph.ingest([tmp_path / "cafe.md"])
    graph.close()
    run = subprocess.run(
        [sys.executable, "-m", "sage_ld.cli", "search", str(tmp_path / "graph"), "bridge"],
        env={**os.environ, "PYTHONIOENCODING": "ascii"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 1
    assert "the output cannot be written in ascii" in run.stderr
    assert "set PYTHONIOENCODING=utf-8" in run.stderr
