"""The pages in a browser: weight and readiness of the search page, frames of the graph, the whole store.

    python benchmarks/pages.py [KG] [--nodes 2000] [--edges 10000] [--seconds 6]

It serves KG, or a graph of examples/films, and opens its pages in Debian's chromium, which draws WebGL by
software. The graph whose frames are counted is made up; the page gets it in the place of KG's overview.
"""

from __future__ import annotations

import argparse
import contextlib
import itertools
import json
import math
import random
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from _report import ROOT, write

from sage_ld.graph import KnowledgeGraph

OPTIONS = ("--enable-unsafe-swiftshader", "--no-sandbox")  # what chromium does where no graphics card is
SIZE = {"width": 1280, "height": 900}
WATCH = """
for (const name of ["drawArrays", "drawElements"]) {
  const draw = WebGL2RenderingContext.prototype[name];
  WebGL2RenderingContext.prototype[name] = function (...given) {
    window.drawn_ = true;
    return draw.apply(this, given);
  };
}
"""
COUNT = """() => {
  [window.frames_, window.drawn_] = [[], false];
  const next = (time) => {
    if (window.drawn_) window.frames_?.push(time);
    window.drawn_ = false;
    if (window.frames_) requestAnimationFrame(next);
  };
  requestAnimationFrame(next);
}"""
COUNTED = "() => { const found = window.frames_; window.frames_ = null; return found; }"
SETTLED = ".graph-picture[data-settled=true]"
LEGEND = ".graph-legend li"
KINDS = ("part", "link", "similarity", "mention")


def main() -> None:
    """Prints the figures and writes them to bench-results/pages.json."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("graph", type=Path, nargs="?", metavar="KG")
    parser.add_argument("--nodes", type=int, default=2000)
    parser.add_argument("--edges", type=int, default=10_000)
    parser.add_argument("--seconds", type=float, default=6.0, help="that each movement lasts")
    args = parser.parse_args()
    from playwright.sync_api import sync_playwright

    figures: dict[str, Any] = {}
    with served(args.graph) as base, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=OPTIONS)
        for name in ("first", "again"):
            figures[f"search page, {name}"] = search_page(browser, base)
            figures[f"facets, {name}"] = seconds_of(base + "/v1/facets")
            figures[f"documents, {name}"] = seconds_of(base + "/documents")
            figures[f"whole store, {name}"] = whole_store(browser, base)
            for each in list(figures)[-4:]:
                print(f"{each}: {figures[each]}", flush=True)
        made = made_graph(args.nodes, args.edges)
        for solid in (False, True):
            figures |= frames(browser, base, json.dumps(made), solid, args.seconds)
        browser.close()
    write("pages", figures)


@contextlib.contextmanager
def served(graph: Path | None) -> Iterator[str]:
    """The address of a service of the graph, or of one of examples/films, once it is ready."""
    if graph is None:
        with tempfile.TemporaryDirectory() as folder:
            films = KnowledgeGraph.create(Path(folder) / "films", encoder="jaccard")
            films.ingest([ROOT / "examples" / "films"])
            films.close()
            with served(Path(folder) / "films") as base:
                yield base
        return
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = int(probe.getsockname()[1])
    command = [sys.executable, "-m", "sage_ld.cli", "serve", str(graph), "--port", str(port)]
    process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    base = f"http://127.0.0.1:{port}"
    try:
        for _ in range(600):
            with contextlib.suppress(OSError):
                urllib.request.urlopen(base + "/health/ready").close()
                break
            time.sleep(0.1)
        yield base
    finally:
        process.terminate()
        process.wait()


def seconds_of(address: str) -> float:
    """How long an answer takes."""
    begin = time.perf_counter()
    with urllib.request.urlopen(address, timeout=120) as answer:
        answer.read()
    return round(time.perf_counter() - begin, 3)


def search_page(browser: Any, base: str) -> dict[str, float]:
    """First byte, and when the controls are there, in milliseconds; what had come by then, in KB."""
    page = browser.new_context(viewport=SIZE).new_page()
    session = page.context.new_cdp_session(page)
    session.send("Network.enable")
    sizes: list[float] = []
    session.on("Network.loadingFinished", lambda event: sizes.append(event["encodedDataLength"]))
    begin = time.perf_counter()
    page.goto(base + "/", wait_until="commit")
    page.wait_for_selector("aside[aria-label=Choices] details", state="attached")
    controls, weight = time.perf_counter() - begin, sum(sizes)
    first = page.evaluate("() => performance.getEntriesByType('navigation')[0].responseStart")
    page.context.close()
    return {"first byte": round(first), "controls": round(controls * 1000), "KB": round(weight / 1024, 1)}


def whole_store(browser: Any, base: str) -> dict[str, float]:
    """Seconds until the communities of the graph are shown, and until their layout has settled."""
    page = browser.new_context(viewport=SIZE).new_page()
    begin = time.perf_counter()
    page.goto(base + "/graph", wait_until="commit")
    page.wait_for_selector(LEGEND)
    shown = time.perf_counter() - begin
    page.wait_for_selector(SETTLED)
    settled = time.perf_counter() - begin
    page.context.close()
    return {"shown": round(shown, 2), "settled": round(settled, 2)}


def frames(browser: Any, base: str, made: str, solid: bool, seconds: float) -> dict[str, Any]:
    """Frames a second, and the time of the slowest twentieth, while a made-up graph is laid out and moved."""
    page = browser.new_context(viewport=SIZE).new_page()
    page.add_init_script(WATCH)
    page.route(
        "**/v1/graph/overview", lambda route: route.fulfill(body=made, content_type="application/json")
    )
    page.goto(base + "/graph")
    page.wait_for_selector(LEGEND)
    if solid:
        page.get_by_role("button", name="3D", exact=True).click()
    found = {}

    def counted(name: str) -> None:
        times = page.evaluate(COUNTED)
        gaps = sorted(after - before for before, after in itertools.pairwise(times))
        found[name] = {
            "frames a second": round(1000 * len(gaps) / max(sum(gaps), 1), 1),
            "p95 ms": round(gaps[int(len(gaps) * 0.95)]) if gaps else None,
            "seconds": round(sum(gaps) / 1000, 1),
        }
        print(f"{name}: {found[name]}", flush=True)

    kind = "3D" if solid else "2D"
    page.evaluate(COUNT)
    page.wait_for_timeout(1000 * seconds) if solid else page.wait_for_selector(SETTLED, timeout=120_000)
    counted(f"{kind}, laid out")
    page.wait_for_timeout(10_000 if solid else 1500)
    box = page.locator(".graph-picture").bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.evaluate(COUNT)
    begin = time.perf_counter()
    while (passed := time.perf_counter() - begin) < seconds:
        page.mouse.move(x + 150 * math.sin(3 * passed), y + 80 * math.cos(2 * passed))
    counted(f"{kind}, dragged")
    page.mouse.up()
    page.evaluate(COUNT)
    begin = time.perf_counter()
    while (passed := time.perf_counter() - begin) < seconds:
        page.mouse.wheel(0, 60 if int(2 * passed) % 2 else -60)
    counted(f"{kind}, zoomed")
    page.context.close()
    return found


def made_graph(nodes: int, edges: int) -> dict[str, Any]:
    """Groups of nodes, with four of five edges inside them, as `/v1/graph/overview` would give them."""
    draw = random.Random(7)
    groups = max(nodes // 50, 1)
    shown = [
        {
            "id": f"http://example.org/{number}",
            "kind": ("chunk", "document", "entity")[number % 3],
            "label": f"Node {number} of group {number % groups}",
        }
        for number in range(nodes)
    ]
    joined: list[dict[str, Any]] = []
    while len(joined) < edges:
        one = draw.randrange(nodes)
        inside = draw.random() < 0.8
        other = one % groups + groups * draw.randrange(nodes // groups) if inside else draw.randrange(nodes)
        if one != other:
            ends = {"source": shown[one]["id"], "target": shown[other]["id"]}
            joined.append({**ends, "kind": draw.choice(KINDS), "weight": round(draw.random(), 3)})
    whole = {"revision": 1, "complete": True, "id": "root", "communities": [], "links": []}
    return {**whole, "nodes": shown, "edges": joined}


if __name__ == "__main__":
    main()
