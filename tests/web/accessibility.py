"""What axe-core finds on a page."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Page

AXE = Path(__file__).parents[2] / "web" / "node_modules" / "axe-core" / "axe.min.js"
_SERIOUS = ("serious", "critical")
_TRANSITIONS_OVER = "Promise.allSettled(document.getAnimations().map((each) => each.finished))"
"""Until then, a colour is halfway between that before a click and that after it."""


def serious_faults(page: Page) -> list[str]:
    """The faults that keep people out, each with its rule and the first place; skips without axe-core."""
    if not AXE.exists():
        pytest.skip("axe-core is missing; run `npm ci --ignore-scripts` in web/")
    page.evaluate(_TRANSITIONS_OVER)
    page.evaluate(AXE.read_text("utf-8"))
    found = page.evaluate("axe.run()")["violations"]
    return [f"{each['id']}: {each['nodes'][0]['html']}" for each in found if each["impact"] in _SERIOUS]
