"""Wordings that the project avoids, and a better one for each: `python tests/english.py` lists their places.

A pattern looks at each line of sources and documentation, at the texts of errors alone, or at the first words
of docstrings. Files whose words are data are named in `KEPT`.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
SOURCES = ("sage_ld", "web/src", "docs", "ontology", "shapes", "README.md", "CONTRIBUTING.md")
SUFFIXES = frozenset({".css", ".html", ".md", ".py", ".rq", ".ts", ".tsx", ".ttl"})
KEPT = (
    "sage_ld/agents/text_to_sparql/english.py",
    "sage_ld/build/annotators/entity_classes.py",
    "static/app/",
)
"""Files whose words are data, or generated; the ends or parts of their paths."""

TEXTS = {
    r"(?<!there )(?<!There )\b(?:is|are) none\b": "say what it is: `is unknown`, `is invalid`, `is skipped`",
    r"\b(?:because|by|for|of|to|whether) who [a-z]+": "name the person: `the caller`, `a client that`",
    r"(?:^|[.:;] )who (?:asks|calls|reads|waits|writes|gives|takes)\b": "name the person: `a client that`",
    r"\banew\b": "`again`, or a verb with re-: `rebuild`, `restart`",
    r"\blets? go of\b": "`release`",
    r"\b[Ww]hat is no (?!longer\b)": "`anything that is not a`",
    r"\bheld against\b": "`compared with`, `checked against`",
    r"\bh(?:ung|angs) up\b": "`has disconnected`, `disconnects`",
    r"; ask again\b": "`try again`",
    r"\bgive one of (?!the\b|them\b|these\b)": "`choose from`",
    r"; gives (?:how many|its|the|None|what)\b": "`returns`",
    r"\bwhat it takes and (?:what it )?gives\b": "`the requests and answers`",
    r"\bmend(?:s|ed)?\b": "`repair`, `fix`",
}
"""Patterns for any line, with the better wording."""

ERRORS = {
    r"(?<!there )\bis no (?!longer\b|more\b|such\b)[a-z]": "`is not a`",
    r"\bno such (?:format|frame|mode|role|way)\b": "`unknown x 'y'; choose from`",
    r"\balready$": "put `already` before the verb",
}
"""Patterns for the texts of exceptions where they are raised."""

RIDDLES = re.compile(r"(?:What|Which|Who|Whose|That|Those|How|Where|When|Why)\b")
NOUN = "begin with the noun: `The number of`, `The reason why`"
"""First words that no docstring of a module, class or function has, and what it has instead."""


class Fault(NamedTuple):
    """A wording to change."""

    place: str
    text: str
    better: str


def faults_of(name: str, source: str) -> Iterator[Fault]:
    """The faults of one file, by its path below the project."""
    for number, line in enumerate(source.splitlines(), 1):
        yield from _matched(TEXTS, f"{name}:{number}", line)
    if name.endswith(".py"):
        yield from _faults_of_program(name, ast.parse(source))


def faults(root: Path = ROOT) -> Iterator[Fault]:
    """The faults of all files, in the order of their paths."""
    for path in sorted(_files(root)):
        name = path.relative_to(root).as_posix()
        if path.suffix in SUFFIXES and not any(kept in name for kept in KEPT):
            yield from faults_of(name, path.read_text())


def _files(root: Path) -> Iterator[Path]:
    for source in SOURCES:
        path = root / source
        yield from path.rglob("*.*") if path.is_dir() else [path] * path.is_file()


def _faults_of_program(name: str, module: ast.Module) -> Iterator[Fault]:
    for node in ast.walk(module):
        if isinstance(node, ast.Raise) and node.exc is not None:
            for part in ast.walk(node.exc):
                if isinstance(part, ast.Constant) and isinstance(part.value, str):
                    yield from _matched(ERRORS, f"{name}:{part.lineno}", part.value)
        elif isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            docstring = ast.get_docstring(node) or ""
            if RIDDLES.match(docstring):
                yield Fault(f"{name}:{node.body[0].lineno}", docstring.partition("\n")[0], NOUN)


def _matched(patterns: dict[str, str], place: str, text: str) -> Iterator[Fault]:
    for pattern, better in patterns.items():
        if re.search(pattern, text):
            yield Fault(place, text.strip(), better)


def main(found: Iterable[Fault]) -> int:
    """Prints faults; returns the exit status."""
    lines = [f"{each.place}: {each.text[:120]}\n    better: {each.better}" for each in found]
    print("\n".join(lines) or "no wording to change")
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main(faults()))
