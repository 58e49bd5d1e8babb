"""`import sage_ld`: what it offers, and that it loads nothing before a name is used."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import sage_ld
from sage_ld.foundation import errors

SOURCES = Path(sage_ld.__file__).parent
ONLY_OVER_HTTP = ("foundation/deadline.py", "foundation/processes/", "service/", "cli/")
"""Where the modules are whose further errors only a client of the service, or of the commands, meets."""


def raised(file: Path) -> set[str]:
    """The error classes of `sage_ld.foundation.errors` that a module raises."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    names = {
        node.id
        for each in ast.walk(tree)
        if isinstance(each, ast.Raise)
        for node in ast.walk(each)
        if isinstance(node, ast.Name)
    }
    return {name for name in names if isinstance(getattr(errors, name, None), type)}


@pytest.mark.parametrize("name", sage_ld.__all__)
def test_each_public_name_is_there_and_documented(name: str) -> None:
    value = getattr(sage_ld, name)
    assert name in dir(sage_ld)
    if isinstance(value, type):
        assert value.__name__ == name
        assert (value.__doc__ or "").strip()


def test_every_error_that_a_program_can_meet_is_public() -> None:
    modules = (
        file
        for file in SOURCES.rglob("*.py")
        if not file.relative_to(SOURCES).as_posix().startswith(ONLY_OVER_HTTP)
    )
    assert set().union(*map(raised, modules)) <= set(sage_ld.__all__)


def test_another_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="module 'sage_ld' has no attribute 'Graph'"):
        _ = sage_ld.Graph


def loaded_by(statement: str) -> set[str]:
    """The modules that a fresh Python has loaded after a statement."""
    program = f"import sys; {statement}; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def test_importing_the_package_loads_no_library() -> None:
    loaded = loaded_by("import sage_ld; dir(sage_ld); sage_ld.SageError")
    assert {name for name in loaded if name.startswith("sage_ld")} == {
        "sage_ld",
        "sage_ld.foundation",
        "sage_ld.foundation.errors",
        "sage_ld.foundation.lazy_imports",
        "sage_ld.foundation.old_names",
    }
    assert loaded.isdisjoint({"numpy", "pyoxigraph"})


def test_importing_the_graph_loads_neither_the_table_of_readers_nor_torch() -> None:
    assert loaded_by("import sage_ld.graph.graph").isdisjoint({"sage_ld.build.readers.registry", "torch"})
