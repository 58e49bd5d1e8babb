"""What holds over the whole tree: the Makefile, the documentation's links, the pinned versions."""

import ast
import re
import subprocess
import tomllib
from fnmatch import fnmatch
from pathlib import Path

import numpy as np
import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from tests.conftest import COLLECTED, KINDS

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
MODULES = sorted((ROOT / "sage_ld").rglob("*.py"))
PACKAGES = sorted(path.parent for path in (ROOT / "sage_ld").rglob("__init__.py"))
PAGES = [*sorted(DOCS.glob("*.md")), *sorted(ROOT.glob("*.md"))]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def name(path):
    return path.relative_to(ROOT).as_posix()


def prose(page):
    """The text of a Markdown page without its fenced blocks."""
    return re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.M | re.S)


def local_links(page):
    """The files and headings that a Markdown page links to, as pairs of a path and an anchor."""
    targets = re.findall(r"\]\(([^)\s]+)\)", prose(page))
    pairs = [target.partition("#") for target in targets if not re.match(r"[a-z]+:", target)]
    return [(page.parent / path if path else page, anchor) for path, _, anchor in pairs]


def anchors(page):
    """The anchors of a page's headings, as GitHub and most renderers of Markdown form them."""
    headings = re.findall(r"^#+ (.+)$", prose(page), re.M)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


TARGETS = [
    "help",
    "demo",
    "test",
    "test-slow",
    "fuzz",
    "kills",
    "lint",
    "generate",
    "audit",
    "bench",
    "pages",
    "clean",
]


@pytest.mark.parametrize("target", TARGETS)
def test_makefile_has_target_with_help(target):
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert re.search(rf"^{target}:.* ## .+$", makefile, re.M)
    assert re.search(rf"^\.PHONY:.*\b{target}\b", makefile, re.M)


def test_help_is_the_default_and_lists_every_target():
    done = subprocess.run(
        ["make", "-C", ROOT, "--no-print-directory"], capture_output=True, text=True, check=True
    )
    assert re.findall(r"make ([\w-]+)", done.stdout) == TARGETS


def test_every_kind_of_slow_tests_is_documented_and_has_its_files():
    listed = re.findall(r"^\| `(\w+)` \|", (DOCS / "testing.md").read_text(encoding="utf-8"), re.M)
    assert listed == list(KINDS)
    patterns = [each for _, patterns in KINDS.values() for each in patterns]
    assert [each for each in patterns if not any((ROOT / "tests").glob(each))] == []


def test_no_folder_of_tests_is_left_out_for_its_name():
    """Pytest leaves out folders called build or dist unless it is told otherwise."""
    options = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["pytest"]
    left_out = options["ini_options"]["norecursedirs"]
    folders = {
        path.parent.relative_to(ROOT) for top in ("tests", "sage_ld") for path in ROOT.glob(f"{top}/**/*.py")
    }
    assert [
        str(each) for each in folders if any(fnmatch(part, x) for part in each.parts for x in left_out)
    ] == []


def test_the_readme_is_short_and_leaves_the_code_to_contributing():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert len(readme.splitlines()) < 120
    assert "## Where to change what" in (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    assert "| to change |" not in readme


def test_index_links_every_page():
    linked = {path.resolve() for path, _ in local_links(DOCS / "README.md")}
    missing = [name(page) for page in DOCS.glob("*.md") if page.name != "README.md" and page not in linked]
    assert missing == []


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_links_resolve(page):
    links = local_links(page)
    assert [str(path) for path, _ in links if not path.exists()] == []
    assert [f"{path}#{anchor}" for path, anchor in links if anchor and anchor not in anchors(path)] == []


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_files_that_a_page_names_exist(page):
    named = re.findall(
        r"`((?:sage_ld|ontology|shapes|tests|benchmarks|examples|docs)/[^`\s{}]+)", prose(page)
    )
    placeholders = re.compile(r"/[A-Z_]+(/|$)")
    found = [path for path in named if placeholders.search(path) or any(ROOT.glob(path.rstrip("/")))]
    assert sorted(set(named).difference(found)) == []


@pytest.mark.parametrize("package", PACKAGES, ids=name)
def test_package_says_what_it_is(package):
    docstring = ast.get_docstring(ast.parse((package / "__init__.py").read_text(encoding="utf-8")))
    assert docstring, f"{name(package)}/__init__.py has no docstring"
    assert len(docstring.split()) >= 3


def test_constraints_pin_every_dependency():
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    pins = {}
    for pin in (Requirement(line) for line in lines if line and not line.startswith("#")):
        (version,) = pin.specifier
        assert version.operator == "=="
        pins[canonicalize_name(pin.name)] = version.version
    groups = [PROJECT["dependencies"], *PROJECT["optional-dependencies"].values()]
    for asked in (Requirement(text) for group in groups for text in group):
        if asked.name == PROJECT["name"]:  # one extra takes in another
            assert asked.extras <= PROJECT["optional-dependencies"].keys()
            continue
        assert asked.specifier.contains(pins.get(canonicalize_name(asked.name), "0")), (
            f"{asked} is not pinned"
        )
    assert pins["torch"] == "2.13.0"


def test_no_file_names_a_place_on_this_machine():
    listed = subprocess.run(["git", "-C", ROOT, "ls-files", "-z"], capture_output=True, text=True)
    if listed.returncode != 0:
        pytest.skip("not a git checkout")
    files = [ROOT / each for each in listed.stdout.split("\0") if each]
    outside = re.compile(
        rf"{re.escape(str(ROOT))}|{re.escape(str(Path.home()))}/|/home/\w|/Users/\w|[A-Z]:\\Users"
    )
    found = [
        name(path)
        for path in files
        if path.is_file()
        and path != Path(__file__)
        and outside.search(path.read_text(encoding="utf-8", errors="replace"))
    ]
    assert found == []


def imported(module):
    """What a module imports anywhere in it: full names, `package.name` for `from package import name`."""
    for statement in ast.walk(ast.parse(module.read_text(encoding="utf-8"))):
        if isinstance(statement, ast.Import):
            yield from (each.name for each in statement.names)
        elif isinstance(statement, ast.ImportFrom):
            yield from (f"{statement.module}.{each.name}" for each in statement.names)


def test_only_the_store_and_the_workers_open_oxigraph():
    """Whatever else speaks to a store knows `sage_ld.graph.store.protocol` alone."""
    opening = re.compile(r"\b(?:ox|pyoxigraph)\.Store\b")
    found = {
        name(module)
        for module in MODULES
        if "pyoxigraph.Store" in imported(module)
        or any(opening.search(line) for line in module.read_text(encoding="utf-8").splitlines())
    }
    assert {each for each in found if not each.startswith("sage_ld/service/workers/")} == {
        "sage_ld/graph/store/oxigraph.py"
    }


def test_no_two_classes_have_one_name():
    places = {}
    for module in MODULES:
        for statement in ast.walk(ast.parse(module.read_text(encoding="utf-8"))):
            if isinstance(statement, ast.ClassDef):
                places.setdefault(statement.name, []).append(name(module))
    assert {each: found for each, found in places.items() if len(found) > 1} == {}


def listed_after(words):
    """The names that `docs/architecture.md` lists after some words, to the end of the sentence."""
    page = (DOCS / "architecture.md").read_text(encoding="utf-8")
    (found,) = re.findall(rf"{words}:(.*?)\.\s", page, re.S)
    return [part for group in re.findall(r"`([^`]*)`", found) for part in group.split()]


def layers():
    """The parts of `sage_ld` in the order of imports."""
    return listed_after("imports only from those before it in this list")


def rooms():
    """The parts of `sage_ld.service` in the order of imports."""
    return listed_after("a room imports only from those before it")


def room_of(module):
    return module.relative_to(ROOT / "sage_ld" / "service").parts[0].removesuffix(".py")


SERVICE = [each for each in MODULES if each.is_relative_to(ROOT / "sage_ld" / "service")]


def test_every_room_of_the_service_has_its_place_in_the_order_of_imports():
    assert sorted(rooms()) == sorted({room_of(module) for module in SERVICE} - {"__init__"})


@pytest.mark.parametrize("room", rooms())
def test_imports_inside_the_service_follow_the_order(room):
    order = rooms()
    allowed = set(order[: order.index(room) + 1])
    for module in (each for each in SERVICE if room_of(each) == room):
        ours = (each.split(".") for each in imported(module) if each.startswith("sage_ld.service."))
        assert {each[2] for each in ours} <= allowed, name(module)


def part_of(module):
    return module.relative_to(ROOT / "sage_ld").parts[0].removesuffix(".py")


def test_every_part_has_its_place_in_the_order_of_imports():
    assert sorted(layers()) == sorted({part_of(module) for module in MODULES} - {"__init__"})


@pytest.mark.parametrize("part", layers())
def test_imports_follow_the_order(part):
    """A module imports from its own package and from parts before it; of `sage_ld` itself, the version."""
    order = layers()
    allowed = {"__version__", *order[: order.index(part) + 1]}
    for module in (each for each in MODULES if part_of(each) == part):
        ours = (each.split(".") for each in imported(module) if each.startswith("sage_ld."))
        assert {each[1] for each in ours} <= allowed, name(module)


def dotted(module):
    return ".".join(module.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


def circles():
    """The strongly connected modules, over every import: of a module, a function, or a type alone."""
    places = {dotted(module): number for number, module in enumerate(MODULES)}
    arrows = np.zeros((len(MODULES), len(MODULES)), dtype=bool)
    for number, module in enumerate(MODULES):
        for each in imported(module):
            target = places.get(each, places.get(each.rpartition(".")[0]))
            arrows[number, number if target is None else target] = True
    count, labels = connected_components(csr_array(arrows), directed=True, connection="strong")
    groups = [[dotted(MODULES[place]) for place in np.flatnonzero(labels == label)] for label in range(count)]
    return [group for group in groups if len(group) > 1]


FUNCTION_LEVEL = ["sage_ld.build.encoders", "sage_ld.build.encoders.minilm", "sage_ld.build.encoders.static"]
"""A table whose rows import the functions that they name; no module of it needs another to be imported."""


def test_no_modules_import_each_other():
    assert [each for each in circles() if each != FUNCTION_LEVEL] == []


def test_collecting_tests_imports_no_large_library():
    """They take seconds in each process of a run; a test that needs one imports it itself."""
    assert "pytest" in COLLECTED
    assert not COLLECTED & {"haystack", "lightgbm", "sklearn", "torch", "transformers"}
