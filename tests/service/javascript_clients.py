"""The clients in JavaScript that tests run against the service, where they are installed."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

JAVASCRIPT = Path(__file__).parent / "javascript"
OLDEST_NODE = 20


def javascript_runs() -> bool:
    """Whether node is there, is not too old for the clients, and they are installed."""
    if not shutil.which("node") or not (JAVASCRIPT / "node_modules").is_dir():
        return False
    said = subprocess.run(["node", "--version"], capture_output=True, text=True).stdout
    return int(said.removeprefix("v").split(".")[0]) >= OLDEST_NODE


javascript = pytest.mark.skipif(
    not javascript_runs(), reason=f"needs node {OLDEST_NODE} or newer, and npm ci in tests/service/javascript"
)
