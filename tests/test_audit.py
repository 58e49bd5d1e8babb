"""The licences of what is installed are allowed; and what could not be asked is not taken for an answer."""

from __future__ import annotations

import json
import re
from importlib.metadata import PathDistribution
from pathlib import Path

import audit
import pytest


def package(folder: Path, name: str, *lines: str) -> PathDistribution:
    """A package that is installed nowhere, with these lines in its metadata."""
    place = folder / f"{name}-1.dist-info"
    place.mkdir()
    (place / "METADATA").write_text("\n".join([f"Name: {name}", "Version: 1", *lines]) + "\n")
    return PathDistribution(place)


def test_all_that_is_needed_may_be_used() -> None:
    packages = list(audit.installed(audit.requirements()))
    names = {each.metadata["Name"].lower() for each in packages}
    assert {"flask", "werkzeug", "pyoxigraph", "pytest"} <= names
    assert len(packages) == len({id(each) for each in packages}) == len(names)
    assert audit.licence_problems(packages) == []


def test_exceptions_are_needed() -> None:
    packages = {each.metadata["Name"]: each for each in audit.installed(audit.requirements())}
    for name in audit.EXCEPTIONS:
        assert not audit.is_allowed(audit.licence(packages[name]))


@pytest.mark.parametrize(
    ("lines", "allowed"),
    [
        (["License-Expression: MIT"], True),
        (["License-Expression: MIT AND Zlib"], True),
        (["License-Expression: GPL-3.0-only OR MIT"], True),
        (["License-Expression: GPL-3.0-only AND MIT"], False),
        (["License-Expression: AGPL-3.0-or-later", "License: MIT"], False),
        (["Classifier: License :: OSI Approved :: MIT License"], True),
        (["Classifier: License :: OSI Approved :: GNU General Public License v3 (GPLv3)"], False),
        (["License: Apache 2.0 License"], True),
        (["License: do what you like"], False),
        ([], False),
    ],
)
def test_a_licence_is_on_the_list_or_told(tmp_path: Path, lines: list[str], allowed: bool) -> None:
    problems = audit.licence_problems([package(tmp_path, "some", *lines)])
    assert (problems == []) is allowed
    assert all("some: " in line for line in problems)


ASKED = {"name": "flask", "version": "3.1.3", "vulns": []}
FOUND = {"name": "jinja2", "version": "3.1.0", "vulns": [{"id": "PYSEC-1", "fix_versions": ["3.1.6"]}]}
SKIPPED = {"name": "torch", "skip_reason": "not found"}


@pytest.mark.parametrize(
    ("packages", "lines"),
    [
        ([ASKED], []),
        ([ASKED, FOUND], ["jinja2 3.1.0: PYSEC-1, fixed in .'3.1.6'."]),
        ([ASKED, SKIPPED], ["NOT ASKED: .* told nothing of 1 of 2 packages, torch among them"]),
        ([FOUND, SKIPPED, SKIPPED], ["PYSEC-1", "NOT ASKED: .* 2 of 3"]),
    ],
)
def test_what_was_not_asked_is_told_apart(packages: list[object], lines: list[str]) -> None:
    problems = audit.vulnerability_problems(json.dumps({"dependencies": packages, "fixes": []}), "")
    assert len(problems) == len(lines)
    for problem, line in zip(problems, lines, strict=True):
        assert re.search(line, problem)


def test_a_service_that_cannot_be_reached_is_no_answer() -> None:
    [problem] = audit.vulnerability_problems("", "WARNING: a\nERROR: Could not connect to the feed\n")
    assert problem.startswith("NOT ASKED")
    assert "Could not connect" in problem
