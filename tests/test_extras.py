"""Without the extras everything else works: their libraries are loaded by those who measure or learn."""

from __future__ import annotations

import subprocess
import sys
from importlib import import_module

import pytest
from waiting import PATIENCE

from sage_ld.foundation import extras
from sage_ld.foundation.errors import UnavailableError

PROGRAM = """
import sys
from importlib import import_module
sys.modules["ir_measures"] = sys.modules["lightgbm"] = None
import sage_ld.lab.evaluation, sage_ld.lab.tuning, sage_ld.service.app, sage_ld.cli.main
"""


def test_nothing_needs_an_extra_to_be_imported() -> None:
    subprocess.run([sys.executable, "-c", PROGRAM], check=True, timeout=PATIENCE)


def test_a_library_of_the_system_that_is_missing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(name: str) -> None:
        raise OSError("libgomp.so.1: cannot open shared object file")

    monkeypatch.setattr(extras, "import_module", fail)
    with pytest.raises(UnavailableError, match=r"libgomp\.so\.1.*apt install libgomp1"):
        extras.load("lightgbm", extras.TUNING)


@pytest.mark.parametrize(
    ("adapter", "library", "extra"),
    [
        ("langchain", "langchain_core", extras.LANGCHAIN),
        ("llama_index", "llama_index", extras.LLAMA_INDEX),
        ("llama_index_store", "llama_index", extras.LLAMA_INDEX),
        ("haystack", "haystack", extras.HAYSTACK),
        ("dspy", "dspy", extras.DSPY),
        ("openai_agents", "agents", extras.OPENAI_AGENTS),
    ],
)
def test_an_adapter_without_its_framework_names_the_extra(
    adapter: str, library: str, extra: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in (library, *(each for each in sys.modules if each.startswith(f"{library}."))):
        monkeypatch.setitem(sys.modules, name, None)
    monkeypatch.delitem(sys.modules, f"sage_ld.agents.integrations.{adapter}", raising=False)
    with pytest.raises(UnavailableError, match=rf"{library}.* is not installed.*'sage-ld\[{extra}\]'"):
        import_module(f"sage_ld.agents.integrations.{adapter}")
