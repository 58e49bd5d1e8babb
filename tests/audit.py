"""The licences of all that sage-ld needs, and known vulnerabilities in it: `python tests/audit.py`.

Licences are read from the packages as they are installed; vulnerabilities are asked for by pip-audit, which
needs the network. What could not be asked counts as a failure, and is told apart from what was found.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tomllib
from collections.abc import Iterable, Iterator
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[1]
ALLOWED = frozenset(
    {
        "0BSD", "Apache-2.0", "Apache-2.0 WITH LLVM-exception", "BSD-2-Clause", "BSD-3-Clause", "BSL-1.0",
        "CC0-1.0", "CNRI-Python", "ISC", "MIT", "MIT-0", "MIT-CMU", "MPL-2.0", "PSF-2.0", "W3C",
        "W3C-20150513", "Zlib",
    }
)  # fmt: skip
"""Licences under which a program of any licence may use a package, by their names in SPDX."""
EXCEPTIONS = {
    "dspy": "MIT, with its text in place of its name",
    "frozendict": "LGPL-3.0-only: pyld imports it, unchanged, and any other version can take its place",
    "orjson": "MPL-2.0 AND (Apache-2.0 OR MIT)",
    "pypdfium2": "BSD-3-Clause OR Apache-2.0; PDFium in it brings libraries under licences of that kind",
    "pyahocorasick": "BSD-3-Clause and public domain",
    "tiktoken": "MIT, with its text in place of its name",
}
"""Packages that are used all the same, or say it in words of their own; and why."""
NAMES = {
    "3-Clause BSD License": "BSD-3-Clause",
    "Apache 2.0": "Apache-2.0",
    "Apache 2.0 License": "Apache-2.0",
    "Apache Software License": "Apache-2.0",
    "BSD License": "BSD-3-Clause",
    "ISC License (ISCL)": "ISC",
    "MIT License": "MIT",
    "Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
    "Python Software Foundation License": "PSF-2.0",
    "W3C License": "W3C",
}
"""What packages without an SPDX expression say, in SPDX."""
PINS = ["--requirement", "constraints.txt", "--no-deps", "--disable-pip"]
"""What pip-audit asks about: the pinned versions, and nothing that they would draw in."""


def requirements() -> list[Requirement]:
    """What sage-ld itself asks for, extras included."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    groups = [project["dependencies"], *project["optional-dependencies"].values()]
    return [Requirement(text) for group in groups for text in group]


def installed(asked: Iterable[Requirement]) -> Iterator[Distribution]:
    """All packages that are needed for `asked`, each once."""
    waiting, seen = list(asked), set()
    while waiting:
        requirement = waiting.pop()
        key = (canonicalize_name(requirement.name), frozenset(requirement.extras))
        if key in seen:
            continue
        seen.add(key)
        try:
            package = distribution(requirement.name)
        except PackageNotFoundError:
            continue  # of another platform
        if len([each for each in seen if each[0] == key[0]]) == 1:
            yield package
        needed = (Requirement(text) for text in package.requires or ())
        extras = requirement.extras or {""}
        waiting += [
            each
            for each in needed
            if each.marker is None or any(each.marker.evaluate({"extra": extra}) for extra in extras)
        ]


def licence(package: Distribution) -> str:
    """The licence of a package in SPDX, as far as it says it so, or by a classifier."""
    said = package.metadata
    if expression := said.get("License-Expression"):
        return expression
    classifiers = [each for each in said.get_all("Classifier") or () if each.startswith("License ::")]
    names = [each.rpartition(" :: ")[2] for each in classifiers]
    known = [NAMES[name] for name in names if name in NAMES]
    text = (said.get("License") or "").strip()
    return " OR ".join(known) or NAMES.get(text, text)[:60] or "none"


def is_allowed(expression: str) -> bool:
    """Whether all licences of an SPDX expression are allowed, or one of those that it lets choose from."""
    return all(
        any(each.strip() in ALLOWED for each in part.split(" OR ")) for part in expression.split(" AND ")
    )


def licence_problems(packages: Iterable[Distribution]) -> list[str]:
    """A line for each package whose licence is not allowed."""
    return sorted(
        f"{package.metadata['Name']}: {licence(package)} is not on the list of tests/audit.py"
        for package in packages
        if canonicalize_name(package.metadata["Name"]) not in EXCEPTIONS and not is_allowed(licence(package))
    )


def vulnerability_problems(output: str, errors: str) -> list[str]:
    """A line for each vulnerability that pip-audit has found, and one for what it could not ask about."""
    try:
        packages = json.loads(output)["dependencies"]
    except (ValueError, KeyError):
        last = (errors.strip().splitlines() or ["no reason was given"])[-1]
        return [f"NOT ASKED: pip-audit reached no service of vulnerabilities ({last})"]
    problems = [
        f"{package['name']} {package['version']}: {found['id']}, fixed in {found['fix_versions'] or 'none'}"
        for package in packages
        for found in package.get("vulns", ())
    ]
    skipped = [package["name"] for package in packages if "skip_reason" in package]
    if skipped:
        problems.append(
            f"NOT ASKED: the service of vulnerabilities told nothing of {len(skipped)} of {len(packages)} "
            f"packages, {skipped[0]} among them; ask again where pypi.org can be reached"
        )
    return problems


def main() -> int:
    """Prints what is wrong; the exit status is 1 where anything is."""
    packages = list(installed(requirements()))
    problems = licence_problems(packages)
    print(f"{len(packages)} packages, {len(problems)} with a licence that is not allowed")
    done = subprocess.run(
        [sys.executable, "-m", "pip_audit", *PINS, "--format", "json"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    found = vulnerability_problems(done.stdout, done.stderr)
    if not found:
        print("no known vulnerabilities")
    print("".join(f"{line}\n" for line in [*problems, *found]), end="")
    return 1 if problems or found else 0


if __name__ == "__main__":
    sys.exit(main())
