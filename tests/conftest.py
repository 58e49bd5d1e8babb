"""What all tests share: no model hub is reached, and vectors are cached in the session's folder."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import portalocker
import pytest
from graph.corpus import PRIZES, write_files
from hypothesis import HealthCheck, settings

from sage_ld.build.encoders import load_encoder
from sage_ld.foundation.settings import Settings
from sage_ld.graph import KnowledgeGraph

os.environ["HF_HUB_OFFLINE"] = "1"
settings.register_profile(
    "unhurried", parent=settings(), deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("unhurried")  # a slow machine is no fault
collect_ignore = ["fuzz/seeds"]
"""Files that tests read, programs among them."""


@pytest.fixture(autouse=True, scope="session")
def shared_cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that encoders keep vectors in; all processes of a run of the tests share it."""
    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "cache"
    folder.mkdir(exist_ok=True)
    os.environ["SAGE_LD_CACHE_DIR"] = str(folder)
    return folder


@pytest.fixture(scope="session")
def static_table(shared_cache: Path) -> Path:
    """The folder of the cache, with the table of the encoder static, which takes long to distil."""
    with portalocker.Lock(shared_cache / "static.lock", timeout=600):
        load_encoder("static", Settings(cache_dir=str(shared_cache))).encode(["word"])
    return shared_cache


@pytest.fixture(scope="session")
def prizes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KnowledgeGraph]:
    """A graph of three texts for tests that only read."""
    folder = tmp_path_factory.mktemp("prizes")
    made = KnowledgeGraph.create(folder / "graph", encoder="jaccard")
    made.ingest([write_files(folder / "corpus", PRIZES)])
    yield made
    made.close()


@pytest.fixture(scope="session")
def data() -> Path:
    """The folder of real data; a test that asks for it is skipped where there is none."""
    if not (folder := os.environ.get("SAGE_DATA")):
        pytest.skip("SAGE_DATA does not name a folder of real data")
    return Path(folder)
