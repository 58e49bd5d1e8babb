"""How the command line starts: light enough to ask for help, and to complete a word at each key press."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
import typer.main

from sage_ld.cli.main import app
from sage_ld.lab.evaluation import BUDGETS

COMMANDS = typer.main.get_command(app).commands  # type: ignore[attr-defined]
HEAVY = {"flask", "lightgbm", "lxml", "numpy", "openai", "pyoxigraph", "rdflib", "rich", "tantivy", "torch"}
LARGER = {"pyshacl", "rdflib", "rich", "scipy", "sentence_transformers", "torch", "transformers", "usearch"}
PROGRAM = """
import atexit, sys
atexit.register(lambda: sys.stderr.write("LOADED " + " ".join(sys.modules)))
sys.argv = ["sage-ld", *sys.argv[1:]]
from sage_ld.cli import main
main()
"""


def modules(*words: str, **environment: str) -> tuple[str, set[str]]:
    """What the program prints, and the modules that it has loaded at its end."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, *words],
        capture_output=True, text=True, env=os.environ | environment, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout, set(done.stderr.partition("LOADED ")[2].split())


def start(*words: str, **environment: str) -> tuple[str, set[str]]:
    """What the program prints, and the libraries of these modules."""
    printed, loaded = modules(*words, **environment)
    return printed, {name.partition(".")[0] for name in loaded}


@pytest.mark.parametrize("command", ["", *sorted(COMMANDS)])
def test_help_loads_no_library_but_that_of_the_command_line(command: str) -> None:
    printed, loaded = start(*command.split(), "--help")
    assert "Usage:" in printed
    assert loaded & HEAVY == set()


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("sage-ld se", {"search", "serve"}),
        ("sage-ld search KG question --mode ", {"sage", "hybrid", "dense"}),
    ],
)
def test_a_shell_completes_words_without_a_library(typed: str, expected: set[str]) -> None:
    count = str(len(typed.split(" ")) - 1)
    printed, loaded = start(_SAGE_LD_COMPLETE="complete_bash", COMP_WORDS=typed, COMP_CWORD=count)
    assert expected <= set(printed.split())
    assert loaded & HEAVY == set()


def test_a_graph_takes_and_finds_a_new_file_without_the_libraries_of_larger_work(tmp_path: Path) -> None:
    graph, files = str(tmp_path / "graph"), [tmp_path / "first.md", tmp_path / "second.md"]
    for file in files:
        file.write_text(f"# The {file.stem} bridge\n\nIt was built of stone by Ada Wren.\n")
    start("ingest", graph, str(files[0]), "--encoder", "minilm:fp32")
    printed, loaded = start("ingest", graph, str(files[1]), SAGE_LD_RELINK_SHARE="1")
    assert "1 document added" in printed
    assert loaded & LARGER == set()
    printed, loaded = start("search", graph, "Which bridge is the second?")
    assert "second" in printed
    assert loaded & (LARGER - {"rich", "scipy"}) == set()
    assert "scipy.sparse.csgraph" not in modules("search", graph, "Which bridge is the second?")[1]


def test_the_budgets_of_eval_are_those_of_the_package() -> None:
    (option,) = [each for each in COMMANDS["eval"].params if each.name == "budgets"]
    assert option.default == ",".join(map(str, BUDGETS))
