"""What files hold, on a terminal: click strips escape codes where output is none, so a terminal is made."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

pty = pytest.importorskip("pty")


def on_a_terminal(*words: str | Path) -> bytes:
    """What the program writes to a terminal."""
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [sys.executable, "-m", "sage_ld.cli", *map(str, words)], stdin=theirs, stdout=theirs, stderr=theirs
    ):
        os.close(theirs)
        written = b""
        try:
            while block := os.read(ours, 1 << 16):
                written += block
        except OSError:  # Linux: the other side has been closed
            pass
    os.close(ours)
    return written


def test_a_file_sends_nothing_to_the_terminal(tmp_path: Path) -> None:
    folder = tmp_path / "corpus"
    folder.mkdir()
    (folder / "bad\x1b[45m.json").write_text("{")
    (folder / "good.md").write_text("# A\u009b45m title\u202e\n\nSome words \u009b45m and more.\n")
    printed = on_a_terminal("ingest", tmp_path / "kg", folder, "--encoder", "jaccard")
    assert b"bad\\x1b[45m.json" in printed
    printed += on_a_terminal("search", tmp_path / "kg", "title")
    printed += on_a_terminal("show", tmp_path / "kg", "good.md")
    assert b"title" in printed
    assert b"[45m" in printed.replace(b"\x1b[45m", b"")
    for code in (b"\x1b[45m", "\u009b".encode(), "\u202e".encode()):
        assert code not in printed
