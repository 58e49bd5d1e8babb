"""What the documentation shows is so: its commands and programs run, and print what it says that they print.

A page is followed from top to bottom in a folder where `make demo` has been run and the graph is served.
What a reader would bring along is made here: the judgements, the query, the token.
"""

from __future__ import annotations

import inspect
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import typer.main
from pyoxigraph import RdfFormat, parse
from service.serving import Server, serving
from typer.testing import CliRunner

from sage_ld.cli.main import app
from sage_ld.foundation import vocabulary
from sage_ld.graph.indexes.lexical import LexicalIndex
from sage_ld.graph.indexes.links import SegmentPairs
from sage_ld.graph.indexes.mentions import Mentions
from sage_ld.graph.indexes.positions import Positions
from sage_ld.graph.indexes.vectors import VectorIndex
from sage_ld.service.access.tokens import AccessRole
from tests.agents.integrations.offline import QUIET

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
PAGE_OF_ANSWERS = DOCS / "exports.md"
PAGE_OF_FRAMEWORKS = DOCS / "frameworks.md"
FILMS = ROOT / "examples" / "films"
DEMO = Path("demo", "films")
SHOWN = "localhost:8000"
"""Where the pages say that the service is."""


@dataclass(frozen=True)
class Block:
    """A fenced block of a page."""

    page: Path
    line: int
    language: str
    text: str


def blocks(page: Path) -> list[Block]:
    content = page.read_text(encoding="utf-8")
    found = re.finditer(r"^```(\w*)\n(.*?)^```$", content, re.M | re.S)
    return [Block(page, content.count("\n", 0, each.start()) + 2, each[1], each[2]) for each in found]


BLOCKS = [each for page in [ROOT / "README.md", *sorted(DOCS.glob("*.md"))] for each in blocks(page)]
RUN = ("sh", "console", "python", "sparql")
PAGES = list(dict.fromkeys(each.page for each in BLOCKS if each.language in RUN))


def name(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def the(language: str, page: Path) -> Block:
    """The one block of a language on a page."""
    (found,) = [each for each in BLOCKS if each.language == language and each.page == page]
    return found


def sage_ld(*words: str) -> str:
    done = CliRunner().invoke(app, list(words), env={"COLUMNS": "200"})
    assert done.exit_code == 0, f"sage-ld {' '.join(words)}: {done.output} {done.exception}"
    return done.stdout


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What `make demo` makes."""
    folder = tmp_path_factory.mktemp("demo") / "films"
    sage_ld("ingest", str(folder), str(FILMS))
    return folder


@pytest.fixture
def place(demo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The reader's folder, which is the working directory too."""
    monkeypatch.chdir(tmp_path)
    shutil.copytree(demo, DEMO)
    Path("films").symlink_to(DEMO)
    Path("examples").symlink_to(FILMS.parent)
    Path("query.rq").write_text("ASK {}", encoding="utf-8")
    for each in ("my-judgements", "my-benchmark", "other-judgements"):
        judge(Path(each))
    return tmp_path


def judge(folder: Path) -> None:
    """A data set: each page about a person or a film ought to be found by its title."""
    titles = {
        path.relative_to(FILMS).as_posix(): path.stem.replace("-", " ")
        for part in ("people", "films", "novels")
        for path in (FILMS / part).iterdir()
    }
    (folder / "qrels").mkdir(parents=True)
    questions = [{"_id": page, "text": f"What is said of {title}?"} for page, title in titles.items()]
    (folder / "queries.jsonl").write_text("".join(f"{json.dumps(each)}\n" for each in questions), "utf-8")
    lines = ["query-id\tcorpus-id\tscore", *(f"{page}\t{page}\t1" for page in titles)]
    (folder / "qrels" / "answer.tsv").write_text("\n".join(lines) + "\n", "utf-8")


@pytest.fixture
def server(place: Path) -> Iterator[Server]:
    with serving(place / DEMO, (AccessRole.WRITE,)) as running:
        yield running


def asks_the_service(page: Path) -> bool:
    """Whether anything that a page shows is sent to the service."""
    shown = [each for each in BLOCKS if each.page == page and each.language in RUN]
    return any(each.language == "sparql" or SHOWN in each.text or "$TOKEN" in each.text for each in shown)


@pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed")
@pytest.mark.parametrize("page", PAGES, ids=name)
def test_a_page_can_be_followed(page: Path, place: Path, request: pytest.FixtureRequest) -> None:
    server = request.getfixturevalue("server") if asks_the_service(page) else None
    (place / ".curlrc").write_text("fail-with-body\nsilent\nshow-error\n", "utf-8")
    program: dict[str, Any] = {}
    for block in (each for each in BLOCKS if each.page == page):
        where = f"{name(page)}:{block.line}"
        if block.language == "sh":
            shell(block.text, server, where)
        elif block.language == "console":
            for command, output in re.findall(r"^\$ (.+\n(?:> .+\n)*)((?:(?!\$ ).*\n)*)", block.text, re.M):
                printed = shell(command.replace("\n> ", "\n"), server, where)
                assert re.fullmatch(pattern(output), printed), f"{where}: {printed}"
        elif block.language == "python" and page == PAGE_OF_FRAMEWORKS:
            in_own_process(block.text, server, where)
        elif block.language == "python":
            exec(compile(block.text, where, "exec"), program)
        elif block.language == "sparql":
            assert server is not None
            assert server.query(block.text).status == 200, where


def in_own_process(program: str, server: Server | None, where: str) -> None:
    """Runs a program of a framework, which is slow to import and may change its process."""
    environment = os.environ | {"DSPY_CACHEDIR": "dspy", "NO_PROXY": "localhost", **QUIET}
    if server is not None:
        environment["FILMS_TOKEN"] = server.tokens["write"]
        program = program.replace(SHOWN, f"localhost:{server.port}")
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, env=environment, check=False
    )
    assert done.returncode == 0, f"{where}: {done.stdout} {done.stderr}"


def shell(text: str, server: Server | None, where: str) -> str:
    """Runs what a page has a shell run, with the service, if any, at its port; returns what was printed."""
    environment = os.environ | {
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        "CURL_HOME": str(Path.cwd()),
    }
    commands = re.sub(r"^sage-ld serve .*$", ":", text, flags=re.M)  # it runs
    if server is not None:
        environment["TOKEN"] = server.tokens["write"]
        commands = commands.replace(SHOWN, f"localhost:{server.port}")
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", commands],
        capture_output=True, text=True, env=environment, timeout=600, check=False,
    )  # fmt: skip
    assert done.returncode == 0, f"{where}: {done.stdout} {done.stderr}"
    return done.stdout


def pattern(shown: str) -> str:
    """What output looks like that a page shows: any scores, and anything where it has an ellipsis."""
    text = re.escape(shown).replace("…", ".*")
    return re.sub(r"\d\\\.\d{3}\b", r"\\d\\.\\d{3}", text)


def test_an_answer_has_what_its_page_shows(place: Path) -> None:
    (command,) = re.findall(
        r"^`sage-ld (search .+? --format jsonld)`", PAGE_OF_ANSWERS.read_text("utf-8"), re.M
    )
    shown, answer = json.loads(the("json", PAGE_OF_ANSWERS).text), json.loads(sage_ld(*shlex.split(command)))
    ranks = {each["rank"] for each in shown["itemListElement"]}
    answer["itemListElement"] = [each for each in answer["itemListElement"] if each["rank"] in ranks]
    assert_alike(shown, answer, "answer")


def assert_alike(shown: Any, found: Any, path: str) -> None:
    """Each member that is shown is found, with a value of its type, and the same where it is text."""
    assert type(shown) is type(found), path
    if isinstance(shown, dict):
        for key in shown.keys() - {"…"}:
            assert key in found, f"{path}.{key}"
            assert_alike(shown[key], found[key], f"{path}.{key}")
    elif isinstance(shown, list):
        assert len(shown) <= len(found), path
        for number, each in enumerate(shown):
            assert_alike(each, found[number], f"{path}[{number}]")
    elif isinstance(shown, str):
        assert re.fullmatch(re.escape(shown).replace("…", ".*"), found, re.S), f"{path}: {found}"


def test_the_indexes_have_the_methods_of_their_page() -> None:
    classes = {each.__name__: each for each in (LexicalIndex, VectorIndex, Positions, SegmentPairs, Mentions)}
    text = (DOCS / "indexes.md").read_text(encoding="utf-8")
    table = re.findall(r"^\| (`[A-Z].*?) \|", text, re.M)
    methods = [pair for row in table for pair in re.findall(r"`([A-Z]\w+)\.(\w+)\(([\w, ]*)\)", row)]
    assert {name for name, _, _ in methods} == classes.keys()
    for name, method, parameters in methods:
        signature = inspect.signature(getattr(classes[name], method))
        assert set(parameters.split(", ")) <= signature.parameters.keys(), (name, method)


def test_the_edge_of_the_ontologys_page_is_rdf() -> None:
    text = the("turtle", DOCS / "ontology.md").text
    quads = list(parse(f"PREFIX sage: <{vocabulary.SAGE}>\n{text}", RdfFormat.TURTLE, base_iri="http://a/"))
    assert len(quads) == 7


COMMANDS = typer.main.get_command(app).commands  # type: ignore[attr-defined]


NEED_OTHERS = {"serve", "reason", "approvals", "annotate", "push"}
"""Commands whose examples need a client, a language model, another store, or a call that waits."""


@pytest.mark.parametrize("command", sorted(COMMANDS.keys() - NEED_OTHERS))
def test_the_example_of_a_commands_help_runs(command: str, place: Path) -> None:
    said = COMMANDS[command]
    for each in getattr(said, "commands", {command: said}).values():
        example = re.search(r"Example: sage-ld (.+)", each.help)
        assert example
        if command == "restore":
            sage_ld("backup", "films", "backups/films-monday")
            Path("films").unlink()
        sage_ld(*shlex.split(example[1]))
