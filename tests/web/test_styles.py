"""The style sheets have a colour for every channel and kind of edge, and no rule that nothing uses."""

from __future__ import annotations

import re
from pathlib import Path

from sage_ld.foundation.channels import CHANNEL_NAMES
from sage_ld.foundation.model import Role
from sage_ld.graph.views.neighbourhood import KINDS, NODE_KINDS

ROOT = Path(__file__).parents[2]
VIEWS = ROOT / "sage_ld" / "service" / "views"
SHEETS = {file.name: file.read_text("utf-8") for file in sorted((VIEWS / "static").glob("*.css"))}
SCRIPTS = [file.read_text("utf-8") for file in sorted((ROOT / "web" / "src").rglob("*.ts*"))]
TEMPLATES = [file.read_text("utf-8") for file in sorted((VIEWS / "templates").glob("*.html"))]
MADE = ("of-", "depth-", "sigma-")
"""Beginnings of classes that a script or template makes of a name or number, or that a library gives."""
OF_THE_PICTURE = ("between", "inside")
"""Kinds of edges that the graph page adds for communities."""


def declared(css: str) -> set[str]:
    return set(re.findall(r"(--[a-z][a-z-]*)\s*:", css))


def dark(css: str) -> str:
    """What holds in the dark alone."""
    return "".join(re.findall(r"@media \(prefers-color-scheme: dark\) \{(.*?\})\s*\}", css, flags=re.DOTALL))


def test_every_channel_has_a_colour_in_light_and_dark() -> None:
    wanted = {f"--{name}-edge" for name in CHANNEL_NAMES}
    assert wanted - declared(dark(SHEETS["sage.css"])) == set()
    for name in CHANNEL_NAMES:
        assert f".of-{name} {{ --channel: var(--{name}-edge); }}" in SHEETS["sage.css"]


def test_every_kind_of_the_picture_has_a_colour() -> None:
    there = declared(SHEETS["sage.css"]) | declared(SHEETS["graph.css"])
    assert {f"--{kind}-edge" for kind in (*KINDS, *OF_THE_PICTURE)} - there == set()
    assert {f"--{kind}-node" for kind in (*NODE_KINDS, "community")} - there == set()


def test_variables_that_are_used_are_declared() -> None:
    there = set().union(*map(declared, SHEETS.values()))
    for text in (*SHEETS.values(), *SCRIPTS):
        used = re.findall(r"var\((--[a-z-]+)", text) + re.findall(r"ink\(\"(--[a-z-]+)\"\)", text)
        assert set(used) - there == set()


def test_no_rule_is_for_a_class_that_nothing_has() -> None:
    pages = " ".join([*SCRIPTS, *TEMPLATES, *map(str, Role)])
    for name, css in SHEETS.items():
        selectors = " ".join(re.findall(r"([^{}]+)\{", re.sub(r"/\*.*?\*/", "", css, flags=re.DOTALL)))
        for each in sorted(set(re.findall(r"\.([a-z][\w-]*)", selectors))):
            used = each.startswith(MADE) or re.search(rf"(?<![\w-]){each}(?![\w-])", pages)
            assert used, f"{name} has a rule for .{each}, which no page has"


def test_every_page_isolates_the_direction_of_each_text() -> None:
    """What Unicode calls an isolate (UAX 9, 3.1.2) ends at its element, whatever the text in it says."""
    rules = re.findall(r"([^{}]+)\{([^{}]*)\}", SHEETS["sage.css"])
    isolated = [selector for selector, rule in rules if "unicode-bidi: isolate" in rule]
    assert [each.strip().rpartition("\n")[2] for each in isolated] == [
        "body :not(bdo, input, mark, pre, textarea)"
    ]
    for file in sorted((VIEWS / "templates").glob("*.html")):
        text = file.read_text("utf-8")
        assert "sage.css" in text or "{% extends" in text or "<html" not in text, file.name
