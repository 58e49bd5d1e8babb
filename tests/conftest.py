"""What all tests share: the kinds of slow ones, a folder in memory, and vectors that are computed once."""

from __future__ import annotations

import atexit
import gc
import os
import shutil
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import portalocker
import pytest
from _pytest.doctest import DoctestModule
from graph.corpus import PRIZES, built, write_files
from hypothesis import HealthCheck, settings
from rows import Rows

from sage_ld.build.encoders import load_encoder
from sage_ld.build.readers import isolation
from sage_ld.foundation.settings import Settings
from sage_ld.graph import KnowledgeGraph

os.environ["HF_HUB_OFFLINE"] = "1"
settings.register_profile(
    "unhurried", parent=settings(), deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("unhurried")  # a slow machine is no fault
collect_ignore = ["fuzz/seeds"]
"""Files that tests read, programs among them."""
MEMORY = Path("/dev/shm")
if MEMORY.is_dir() and shutil.disk_usage(MEMORY).free > 4 * 2**30:
    os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(MEMORY))  # no test waits for a disk

MODELS = ("minilm", "static", "load_encoder", "torch_bert")
KINDS = {
    "kills": ("kill processes at random moments", ["durability/test_*kills*.py"]),
    "damage": (
        "damage the files of a graph",
        ["durability/test_damaged_*.py", "durability/test_any_terms.py", "graph/test_crash.py"],
    ),
    "growth": (
        "measure how time and memory grow",
        ["fuzz/*growth.py", "build/readers/test_growth.py", "service/test_load.py"],
    ),
    "fuzz": ("search for inputs that break something", ["fuzz/*.py", "service/test_description.py"]),
    "browser": ("show the pages in a browser", ["web/*_page.py", "web/*_pages.py"]),
    "documentation": ("follow the documentation", ["test_documentation.py", "test_benchmarks.py"]),
    "frameworks": ("run an adapter with its framework", ["agents/integrations/test_frameworks.py"]),
    "encoder": ("encode with a real model", [f"build/encoders/test_{each}.py" for each in MODELS]),
    "sandbox": ("try to get out of a sandbox", ["agents/tables/test_*escapes.py"]),
    "servers": (
        "start servers of their own, or attack one",
        [f"service/test_{each}.py" for each in ("hostile", "connections", "server", "clients")]
        + ["agents/http/test_mcp.py"],
    ),
    "conformance": ("run a suite of the W3C", ["service/test_w3c_*.py"]),
    "data": ("read the real data of SAGE_DATA: those that take the fixture data", []),
}
"""The kinds of tests that are slow: what they do, and their files."""
LONGEST = ("test_rooms.py", "test_documentation.py", "test_kills.py", "test_kills_of_the_service.py")
"""The files of the longest tests, which come first: at the end, only one process would be at work."""
READERS = Path(__file__).parent / "build" / "readers"
ISOLATED = isolation.IsolatedReader
LEFT_OUT: Counter[str] = Counter()
"""How many tests of each kind this run leaves out."""
COLLECTED: set[str] = set()
"""The modules that are imported when all tests are collected."""


class FailuresAtOnce:
    """Names each test that fails when it does, for a run that is ended before its summary."""

    def __init__(self, terminal: pytest.TerminalReporter) -> None:
        self._terminal = terminal

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            crash = getattr(report.longrepr, "reprcrash", None)
            said = crash.message.partition("\n")[0] if crash else ""
            self._terminal.write_line(f"\nFAILED {report.nodeid} ({report.when}) {said}")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "slow: takes more than two seconds, or is of a kind that does")
    for kind, (what, _) in KINDS.items():
        config.addinivalue_line("markers", f"{kind}: slow tests that {what}")


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[Any]:
    """Looks for no garbage among modules and tests, which all stay to the end."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()
        atexit.register(gc.unfreeze)
        COLLECTED.update(sys.modules)


@pytest.hookimpl(wrapper=True)
def pytest_collect_file() -> Iterator[Any]:
    """No module of the tests is imported to look for examples in docstrings, which only the package has."""
    return [each for each in (yield) if not isinstance(each, DoctestModule)]


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Marks the tests in the files of a kind, or with a fixture of its name, as of this kind, and as slow.

    The longest come first.
    """
    folder = Path(__file__).parent
    for kind, (_, patterns) in KINDS.items():
        files = {file for pattern in patterns for file in folder.glob(pattern)}
        for item in items:
            if item.path in files or kind in getattr(item, "fixturenames", ()):
                item.add_marker(kind)
            if item.get_closest_marker(kind):
                item.add_marker("slow")
    items.sort(key=lambda item: item.path.name not in LONGEST)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Reads files in the test's own process, where a process for them is not what is tested."""
    is_isolated = item.path.is_relative_to(READERS) or item.get_closest_marker("slow")
    isolation.IsolatedReader = ISOLATED if is_isolated else isolation.DirectReader


@pytest.hookimpl(wrapper=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> Iterator[Any]:
    result = yield
    if isinstance(rows := pyfuncitem.funcargs.get("rows"), Rows):
        rows.check()
    return result


def pytest_deselected(items: Sequence[pytest.Item]) -> None:
    for each in items:
        LEFT_OUT[next((kind for kind in KINDS if each.get_closest_marker(kind)), "other")] += 1


def pytest_sessionstart(session: pytest.Session) -> None:
    if terminal := session.config.pluginmanager.getplugin("terminalreporter"):
        session.config.pluginmanager.register(FailuresAtOnce(terminal))


def pytest_sessionfinish(session: pytest.Session) -> None:
    if (output := getattr(session.config, "workeroutput", None)) is not None:
        output["left_out"] = dict(LEFT_OUT)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """All workers leave out the same."""
    LEFT_OUT.update(Counter(getattr(node, "workeroutput", {}).get("left_out", {})) - LEFT_OUT)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    if LEFT_OUT and config.option.markexpr == "not slow":
        kinds = ", ".join(f"{kind} {count}" for kind, count in sorted(LEFT_OUT.items()))
        terminalreporter.write_line(f"left out {LEFT_OUT.total()} tests (make test-slow runs them): {kinds}")


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
    made = built(folder / "graph", write_files(folder / "corpus", PRIZES))
    yield made
    made.close()


@pytest.fixture
def rows() -> Rows:
    """Collects the rows of a table that fail; the test fails at its end if there are any."""
    return Rows()


@pytest.fixture(scope="session")
def data() -> Path:
    """The folder of real data; a test that asks for it is skipped where there is none."""
    if not (folder := os.environ.get("SAGE_DATA")):
        pytest.skip("SAGE_DATA does not name a folder of real data")
    return Path(folder)
