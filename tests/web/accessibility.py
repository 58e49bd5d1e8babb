"""What axe-core finds on a page that keeps people from using it."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import Page

AXE = Path(__file__).parents[2] / "web" / "node_modules" / "axe-core" / "axe.min.js"


def serious_faults(page: Page) -> list[str]:
    """The rules that axe-core finds broken with serious or critical impact, each with where."""
    page.evaluate(AXE.read_text())
    found = page.evaluate("axe.run()")
    return [
        f"{each['id']}: {node['target']} {node.get('failureSummary', '')}"
        for each in found["violations"]
        if each["impact"] in ("serious", "critical")
        for node in each["nodes"]
    ]
