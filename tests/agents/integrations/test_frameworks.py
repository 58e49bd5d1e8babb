"""Each adapter with its framework, in a process of its own that reaches no network.

There, a framework is imported once, and neither its plugins for pytest nor what it does to its process
reach the other tests. The checks are in `frameworks/`, one module for each.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.agents.integrations.offline import QUIET

CHECKS = sorted((Path(__file__).parent / "frameworks").glob("check_*.py"))
OFFLINE = ["--disable-socket", "--allow-unix-socket", "--allow-hosts=127.0.0.1,::1"]
OPTIONS = [
    "addopts=",
    "asyncio_mode=auto",
    "asyncio_default_fixture_loop_scope=function",
    "markers=benchmark\nvcr",
]


@pytest.mark.parametrize("checks", CHECKS, ids=lambda path: path.stem.removeprefix("check_"))
def test_an_adapter_does_what_its_framework_asks(checks: Path, tmp_path: Path) -> None:
    command = [
        *(sys.executable, "-m", "pytest", str(checks), "-q", "-p", "no:cacheprovider"),
        *("-p", "pytest_asyncio.plugin", "-p", "pytest_socket", *OFFLINE),
        *(word for option in OPTIONS for word in ("-o", option)),
        f"--basetemp={tmp_path / 'checks'}",
    ]
    environment = os.environ | QUIET | {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    environment["DSPY_CACHEDIR"] = str(tmp_path / "dspy")
    environment.pop("PYTEST_XDIST_WORKER", None)
    done = subprocess.run(
        command, cwd=Path(__file__).parents[3], env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
