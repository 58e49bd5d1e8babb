"""What all tests share: no model hub is reached, and vectors are cached in the session's folder."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

os.environ["HF_HUB_OFFLINE"] = "1"
collect_ignore = ["fuzz/seeds"]
"""Files that tests read, programs among them."""


@pytest.fixture(autouse=True, scope="session")
def _own_cache(tmp_path_factory: pytest.TempPathFactory) -> None:
    os.environ["SAGE_LD_CACHE_DIR"] = str(tmp_path_factory.mktemp("cache"))


@pytest.fixture(scope="session")
def data() -> Path:
    """The folder of real data; a test that asks for it is skipped where there is none."""
    if not (folder := os.environ.get("SAGE_DATA")):
        pytest.skip("SAGE_DATA does not name a folder of real data")
    return Path(folder)
