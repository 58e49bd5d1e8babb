"""What only POSIX has is imported where it is used: the package and its commands load without it.

The service and the processes that limit what runs in them need POSIX; reading, searching and writing do not.
"""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path
from types import SimpleNamespace

import pytest

from sage_ld.cli import serve
from sage_ld.foundation.errors import InputError

ROOT = Path(__file__).resolve().parents[1]
WITHOUT = """
import signal, sys
for name in ("fcntl", "resource", "termios", "pwd", "grp"):
    sys.modules[name] = None
for name in ("SIGALRM", "SIGBUS", "SIGHUP", "SIGKILL", "SIGQUIT", "SIGUSR1", "ITIMER_REAL", "setitimer"):
    delattr(signal, name)

import sage_ld
for name in sage_ld.__all__:
    getattr(sage_ld, name)
from typer.main import get_command
from sage_ld.cli.main import app
assert get_command(app).commands.keys() >= {"ingest", "search", "serve"}
import sage_ld.build.readers.isolation, sage_ld.graph.store.pins
import sage_ld.graph.upkeep.backup, sage_ld.graph.shapes.shacl
"""


def test_the_package_and_the_command_line_load_without_what_only_posix_has() -> None:
    done = subprocess.run([sys.executable, "-c", WITHOUT], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_serve_says_that_it_needs_posix(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serve, "os", SimpleNamespace(name="nt"))
    with pytest.raises(InputError, match="Linux and macOS only"):
        serve.serve(Path("films"))


def test_the_platforms_are_said() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    said = [each for each in project["classifiers"] if each.startswith("Operating System")]
    assert said == ["Operating System :: MacOS", "Operating System :: POSIX :: Linux"]
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert all(name in readme for name in ("Linux", "macOS", "Windows"))
