"""A browser, a served graph, and pages that fail where a script fails or asks another host."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from graph.corpus import built
from playwright.sync_api import Browser, BrowserContext, expect, sync_playwright
from service.serving import Server, serving
from web.browsing import DESKTOP, Visit, Visitor

from sage_ld.service.access.tokens import AccessRole

_PATIENCE = 120_000
"""Milliseconds that a page may take for anything, on a machine three times slower and busy."""
expect.set_options(timeout=_PATIENCE)
ROOT = Path(__file__).parents[2]
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")


@pytest.fixture(scope="session")
def films_graph(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The graph of examples/films, to be read only."""
    folder = tmp_path_factory.mktemp("films") / "graph"
    graph = built(folder, ROOT / "examples" / "films")
    graph.close()
    return folder


@pytest.fixture(scope="session")
def films(films_graph: Path) -> Iterator[Server]:
    """A service of the films with a token of each role; no test changes its graph."""
    roles = (AccessRole.READ, AccessRole.WRITE, AccessRole.ADMIN)
    with serving(films_graph, roles, sparql_timeout=_PATIENCE // 1000) as server:
        yield server


@pytest.fixture(scope="module")  # no longer: while it is open, no other event loop may run in this thread
def browser() -> Iterator[Browser]:
    """Chromium without a window, which draws WebGL by software."""
    if CHROMIUM is None:
        pytest.skip("there is no chromium on the PATH; the Debian package is called chromium")
    with sync_playwright() as playwright:
        options = ["--enable-unsafe-swiftshader"]
        options += ["--no-sandbox"] if os.geteuid() == 0 else []
        opened = playwright.chromium.launch(executable_path=CHROMIUM, args=options)
        yield opened
        opened.close()


@pytest.fixture
def visit(browser: Browser) -> Iterator[Visitor]:
    """Opens tabs: `visit(server)`, or with options of a browser context such as `viewport=PHONE`."""
    contexts: list[BrowserContext] = []
    visits: list[Visit] = []

    def start(server: Server, **options: object) -> Visit:
        context = browser.new_context(**{"viewport": DESKTOP, **options})
        contexts.append(context)
        context.set_default_timeout(_PATIENCE)
        page = context.new_page()
        opened = Visit(server, page)
        visits.append(opened)
        opened.watch()
        return opened

    yield start
    for context in contexts:
        context.close()
    assert [each.faults for each in visits if each.faults] == []
