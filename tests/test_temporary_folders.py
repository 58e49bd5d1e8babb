"""Temporary folders: gone after their block, and after the process that made them."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from sage_ld.foundation.temporary_folders import remove_stale, temporary_folder

MAKES_ONE = """
import os
from sage_ld.foundation.temporary_folders import temporary_folder
with temporary_folder("upload") as folder:
    (folder / "a.md").touch()
    print(folder, flush=True)
    os.kill(os.getpid(), 9)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such signal")
def test_a_folder_outlives_a_killed_process_until_stale_ones_are_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    (tmp_path / "sage-ld-notes").mkdir()
    killed = subprocess.run([sys.executable, "-c", MAKES_ONE], stdout=subprocess.PIPE, text=True, check=False)
    left = Path(killed.stdout.strip())
    assert left.parent == tmp_path
    assert (left / "a.md").exists()
    with temporary_folder("upload") as own:
        remove_stale()
        assert own.exists()
        assert not left.exists()
    assert [each.name for each in tmp_path.iterdir()] == ["sage-ld-notes"]
