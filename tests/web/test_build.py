"""The built scripts of the pages are those of their sources."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
WEB = ROOT / "web"
BUILT = ROOT / "sage_ld" / "service" / "views" / "static" / "app"
needs_node = pytest.mark.skipif(
    not (shutil.which("node") and (WEB / "node_modules").exists()),
    reason="Node.js is missing, or `npm ci --ignore-scripts` was not run in web/",
)


def contents(folder: Path) -> dict[str, bytes]:
    return {str(file.relative_to(folder)): file.read_bytes() for file in folder.rglob("*") if file.is_file()}


@needs_node
def test_the_scripts_in_the_package_are_what_their_sources_give(tmp_path: Path) -> None:
    subprocess.run(["node", "build.mjs", str(tmp_path)], cwd=WEB, check=True)
    made, there = contents(tmp_path), contents(BUILT)
    assert sorted(made) == sorted(there), "run `npm run build` in web/"
    assert [name for name in made if made[name] != there[name]] == [], "run `npm run build` in web/"


@needs_node
@pytest.mark.browser
def test_types_of_the_scripts_hold() -> None:
    found = subprocess.run(
        ["npx", "--no-install", "tsc", "--noEmit"], cwd=WEB, capture_output=True, text=True
    )
    assert found.stdout + found.stderr == ""


def test_no_script_writes_html() -> None:
    sources = [file for file in (WEB / "src").rglob("*.ts*")]
    written = (
        "innerHTML",
        "outerHTML",
        "insertAdjacentHTML",
        "document.write",
        "dangerouslySetInnerHTML",
        "eval(",
    )
    assert [(file.name, each) for file in sources for each in written if each in file.read_text()] == []
