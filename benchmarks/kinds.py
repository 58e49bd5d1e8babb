"""Recall on two corpora whose joints are chance: 3,000 functions and 500 tables, against flat search.

    python benchmarks/kinds.py [--graphs FOLDER] [--encoder NAME]

The functions are those of Python's standard library and of rdflib, a file each, without their docstrings, of
which the first sentence is the question. The tables are yearly reports of made-up towns: four shapes with the
same heads and rows. Printed are recall@5, recall@20 and nDCG@10 of one right file a question.
"""

from __future__ import annotations

import argparse
import ast
import math
import random
import re
import sysconfig
import warnings
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

import rdflib
from _report import write

from sage_ld import KnowledgeGraph, Retriever

MODES: Final = ("hybrid", "sage")
_FUNCTIONS: Final = 3_000
_QUESTIONS: Final = 300
_CHUNKS: Final = 40
_LEFT_OUT: Final = re.compile(
    r"(?:^|/)(?:test|tests|idlelib|lib2to3|site-packages|turtledemo|pydoc_data)(?:/|$)"
)
_LIBRARIES: Final = (Path(sysconfig.get_paths()["stdlib"]), Path(rdflib.__file__).parent)
_LONGEST: Final = 3_000
"""Characters of a function."""

_SHAPES: Final = {
    "budget": ("Item", ("Roads", "Schools", "Libraries", "Parks", "Fire brigade", "Refuse", "Lighting")),
    "staff": ("Office", ("Registry", "Treasury", "Planning", "Housing", "Archive", "Youth", "Harbour")),
    "visitors": ("Place", ("Museum", "Pool", "Library", "Theatre", "Castle", "Gardens", "Market hall")),
    "permits": ("Kind", ("Parking", "Building", "Fishing", "Events", "Felling", "Market", "Taxi")),
}
_COLUMNS: Final = ("planned", "actual", "year before")
_TOWN_NAMES: Final = """
Ostermark Lynde Tarrow Osmere Wexcombe Hallin Brinstad Corvey Duneside Eskmouth Farholm Greyford Hollin
Inverley Jarnwick Kelby Lowmere Marsden Nethercot Orrin Penhaugh Quarley Rushmere Stavely Thorness
"""
_TOWNS: Final = tuple(_TOWN_NAMES.split())


def functions(folder: Path) -> dict[str, str]:
    """Writes the functions; question → the path of its file."""
    asked: dict[str, str] = {}
    found: dict[tuple[str, str], tuple[str, str]] = {}
    for library, path in [(each, path) for each in _LIBRARIES for path in sorted(each.rglob("*.py"))]:
        name = path.relative_to(library.parent).with_suffix("").as_posix()
        if not _LEFT_OUT.search(name):
            found |= {(name, function): rest for function, *rest in _of_module(path)}
    for module, function in random.Random(0).sample(sorted(found), min(len(found), _FUNCTIONS)):
        source, sentence = found[module, function]
        path = folder / module / f"{function}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(source, encoding="utf-8")
        asked[sentence] = path.relative_to(folder).as_posix()
    return asked


def _of_module(path: Path) -> Iterator[tuple[str, str, str]]:
    """The documented functions of a module: name, source without docstring, its first sentence."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            tree = ast.parse(path.read_bytes())
        except (SyntaxError, ValueError):
            return
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and (text := ast.get_docstring(node)):
            sentence = re.split(r"(?<=[.!?])\s|\n\s*\n", " ".join(text.split()))[0]
            node.body = node.body[1:] or [ast.Pass()]
            source = ast.unparse(node)
            if 4 <= len(sentence.split()) <= 30 and len(source) <= _LONGEST:
                yield node.name, source, sentence


def tables(folder: Path) -> dict[str, str]:
    """Writes the tables; question → the path of its file."""
    chance, asked = random.Random(1), {}
    for town in _TOWNS:
        for kind, (head, rows) in _SHAPES.items():
            for year in range(2020, 2025):
                path = folder / town.lower() / f"{kind}-{year}.csv"
                path.parent.mkdir(parents=True, exist_ok=True)
                lines = [",".join((head, *_COLUMNS))]
                lines += [
                    ",".join((row, *(str(chance.randint(10, 9_999)) for _ in _COLUMNS))) for row in rows
                ]
                path.write_text("\n".join(lines) + "\n", encoding="utf-8")
                row, column = chance.choice(rows), chance.choice(_COLUMNS)
                question = f"What was {column} for {row.lower()} in the {kind} of {town} in {year}?"
                asked[question] = path.relative_to(folder).as_posix()
    return asked


def graph(name: str, files: Path, folder: Path, encoder: str) -> KnowledgeGraph:
    """The graph of a corpus, made where it is not there."""
    path = folder / f"kind-{name}"
    if path.exists():
        return KnowledgeGraph.open(path)
    made = KnowledgeGraph.create(path, encoder=encoder)
    made.ingest([files])
    return made


def measured(opened: KnowledgeGraph, asked: Mapping[str, str]) -> dict[str, dict[str, float]]:
    """Mode → measure → its mean, in per cent."""
    chosen = random.Random(2).sample(sorted(asked), min(len(asked), _QUESTIONS))
    retriever, figures = Retriever(opened), {}
    for mode in MODES:
        places = []
        for question in chosen:
            results = retriever.retrieve(question, _CHUNKS, mode=mode).results
            documents = list(dict.fromkeys(each.view.identifier for each in results))
            places.append(documents.index(asked[question]) + 1 if asked[question] in documents else math.inf)
        means = {
            "recall@5": [place <= 5 for place in places],
            "recall@20": [place <= 20 for place in places],
            "ndcg@10": [1 / math.log2(place + 1) if place <= 10 else 0 for place in places],
        }
        figures[mode] = {name: round(100 * sum(each) / len(each), 1) for name, each in means.items()}
    return figures


def main() -> None:
    """Writes both corpora, asks the questions, and prints and writes the figures."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--graphs", type=Path, default=Path("bench-graphs"), help="where graphs are, or go")
    parser.add_argument("--encoder", default="minilm")
    options = parser.parse_args()
    figures = {}
    for name, make in (("functions", functions), ("tables", tables)):
        files = options.graphs / f"files-{name}"
        files.mkdir(parents=True, exist_ok=True)
        asked = make(files)
        opened = graph(name, files, options.graphs, options.encoder)
        figures[name] = measured(opened, asked)
        opened.close()
        print(name, len(asked), figures[name], flush=True)
    write("kinds", figures)


if __name__ == "__main__":
    main()
