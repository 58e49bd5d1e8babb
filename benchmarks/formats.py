"""Comparison of formats: whether the same questions find the same place in each format of the same documents.

    SAGE_DATA=… python benchmarks/formats.py FOLDER [--encoder NAME]
    python benchmarks/formats.py --facts [--only md,docx] [--encoder NAME]

pandoc and LibreOffice turn the database tutorial into texts, slides, pages and books, and five data sets of
Vega into spreadsheets, in FOLDER, which has a folder for each format afterwards; those that are there are not
made again. `formats.jsonl` has 40 questions, each with the file that answers it and words of its paragraph or
row. A place counts as found if a result among the first ten is of that file and has these words; the report
says in which formats it is not, and why: its words are not in the graph, or only not among the results.

With --facts it needs neither data nor other programs: sixty facts (`_facts.py`) are written in eighteen
formats, each with a shape that is easily read wrong. The report counts by format and kind how many are found
among five results, cited with their place, and, where they are numbers in tables, counted by SQL; then it
lists the others. A kind that has no shape in a format stands there plainly, and its counts are in brackets.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from _fact_checks import Outcome, outcomes
from _fact_files import SHAPED, WRITERS
from _facts import KINDS
from _report import write as write_report

from sage_ld.graph import KnowledgeGraph
from sage_ld.retrieval import Retriever

QUESTIONS = Path(__file__).with_name("formats.jsonl")
BY_PANDOC = ("docx", "odt", "epub", "rst", "tex", "ipynb", "pptx", "html")
BY_OFFICE = {"pdf": "docx", "odp": "pptx"}
"""Formats that LibreOffice makes of another one."""
SHEETS = ("xlsx", "ods")
TABLES = ("airports.csv", "seattle-weather.csv", "cars.json", "countries.json", "penguins.json")
RESULTS = 10


@dataclass(frozen=True)
class Question:
    """A question, the stem of the file that answers it, and words that stand there."""

    question: str
    file: str
    text: str


def main() -> None:
    """Converts, asks and reports."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("folder", type=Path, nargs="?")
    parser.add_argument("--encoder", help="minilm, and with --facts jaccard, unless given")
    parser.add_argument("--facts", action="store_true", help="ask sixty facts in eighteen formats")
    parser.add_argument("--only", default=",".join(WRITERS), help="formats of --facts, with commas between")
    options = parser.parse_args()
    if options.facts:
        report_facts(options.only.split(","), options.encoder or "jaccard")
    elif options.folder is None:
        parser.error("name the FOLDER of the converted documents, or give --facts")
    else:
        report_questions(options.folder, options.encoder or "minilm")


def report_facts(formats: Sequence[str], encoder: str) -> None:
    """Writes the facts in each format, asks for them, and reports."""
    seen = {suffix: outcomes(suffix, encoder) for suffix in formats}
    print(f"{'':16}" + "".join(f"{suffix:>10}" for suffix in seen))
    for kind in KINDS:
        counts = (_counts(kind, suffix, each) for suffix, each in seen.items())
        print(f"{kind:16}" + "".join(f"{each:>10}" for each in counts))
    figures = {suffix: facts_told(each) for suffix, each in seen.items()}
    for suffix, told in figures.items():
        print(
            f"{suffix}: {told['found']} found and {told['cited']} cited of {told['facts']}, "
            f"{told['counted']} counted of {told['numbers']}"
        )
        for failed in told["failed"]:
            print(f"    {failed}")
    write_report("facts", figures)


def facts_told(seen: Sequence[Outcome]) -> dict[str, Any]:
    """The figures of one format, and what failed."""
    return {
        "facts": len(seen),
        "found": sum(each.found for each in seen),
        "cited": sum(each.cited for each in seen),
        "numbers": sum(each.counted is not None for each in seen),
        "counted": sum(bool(each.counted) for each in seen),
        "failed": [each.told for each in seen if each.failed],
    }


def _counts(kind: str, suffix: str, seen: Sequence[Outcome]) -> str:
    """Found/cited/counted of a kind; in brackets where the format has no shape for it."""
    mine = [each for each in seen if each.fact.kind == kind]
    counts = [sum(each.found for each in mine), sum(each.cited for each in mine)]
    counts += [sum(bool(each.counted) for each in mine)] if mine[0].counted is not None else []
    text = "/".join(map(str, counts))
    return text if kind in SHAPED[suffix] else f"({text})"


def report_questions(folder: Path, encoder: str) -> None:
    """Converts the tutorial and the tables, asks the questions and reports."""
    data = Path(os.environ["SAGE_DATA"]) / "documents"
    convert_texts(data / "db_tutorial" / "_parts", folder)
    convert_tables(data / "vega" / "data", folder)
    questions = [Question(**json.loads(line)) for line in QUESTIONS.read_text("utf-8").splitlines()]
    figures = {}
    for one in sorted(each for each in folder.iterdir() if each.is_dir()):
        figures[one.name] = asked(one, questions, encoder)
        counts = figures[one.name]
        print(f"{one.name:8} {counts['found']:3} of {counts['asked']:3}", flush=True)
        for missed in counts["missed"]:
            print(f"         {missed}")
    write_report("formats", figures)


def convert_texts(source: Path, folder: Path) -> None:
    """The parts of the tutorial in each format of texts."""
    parts = sorted(source.glob("*.md"))
    _copy(parts, folder / "md")
    for suffix in BY_PANDOC:
        for part in parts if _is_new(folder / suffix) else ():
            out = folder / suffix / f"{part.stem}.{suffix}"
            command = ["pandoc", "-s", "-f", "gfm+yaml_metadata_block", "-o", out, part]
            subprocess.run(command, check=True, stderr=subprocess.DEVNULL)
    for suffix, origin in BY_OFFICE.items():
        if _is_new(folder / suffix):
            _office(sorted((folder / origin).iterdir()), suffix, folder / suffix)


def convert_tables(source: Path, folder: Path) -> None:
    """Five data sets as CSV and in each format of tables."""
    tables = folder / "csv"
    for name in TABLES if _is_new(tables) else ():
        _as_csv(source / name, tables / f"{Path(name).stem}.csv")
    for suffix in SHEETS:
        if _is_new(folder / suffix):
            _office(sorted(tables.iterdir()), suffix, folder / suffix)
    if _is_new(folder / "parquet"):
        from pyarrow import csv as arrow_csv
        from pyarrow import parquet

        for table in sorted(tables.iterdir()):
            parquet.write_table(arrow_csv.read_csv(table), folder / "parquet" / f"{table.stem}.parquet")


def asked(folder: Path, questions: Sequence[Question], encoder: str) -> dict[str, Any]:
    """How many of the questions on the files of a folder find their place, and which do not."""
    stems = {each.stem for each in folder.iterdir()}
    mine = [each for each in questions if each.file in stems]
    with tempfile.TemporaryDirectory() as scratch:
        graph = KnowledgeGraph.create(Path(scratch) / "graph", encoder=encoder)
        summary = graph.ingest([folder])
        retriever = Retriever(graph)
        missed = [reason for each in mine if (reason := _missed(retriever, each))]
        graph.close()
    failed = [f"{name}: {reason}" for name, reason in summary.failed]
    return {"asked": len(mine), "found": len(mine) - len(missed), "missed": [*failed, *missed]}


def _missed(retriever: Retriever, question: Question) -> str:
    """Why a question does not find its place; empty if it does."""
    views = (each.view for each in retriever.retrieve(question.question, RESULTS // 2, RESULTS // 2).results)
    if any(_is_there(view.identifier, view.text, question) for view in views):
        return ""
    chunks = retriever.retrieve(question.text, 100, 0, mode="bm25").results
    there = any(_is_there(each.view.identifier, each.view.text, question) for each in chunks)
    return f"{question.question} ({'not among the results' if there else 'its words are not in the graph'})"


def _is_there(identifier: str, text: str, question: Question) -> bool:
    return Path(identifier).stem == question.file and _words(question.text) in _words(text)


def _words(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.lower()))


def _is_new(folder: Path) -> bool:
    """Makes a folder; whether it was missing."""
    missing = not folder.exists()
    folder.mkdir(parents=True, exist_ok=True)
    return missing


def _copy(files: Sequence[Path], folder: Path) -> None:
    for each in files if _is_new(folder) else ():
        shutil.copyfile(each, folder / each.name)


def _office(files: Sequence[Path], suffix: str, folder: Path) -> None:
    """LibreOffice's conversion; the numbers 44,34,76 say that CSV has commas, quotes and is UTF-8."""
    command = (
        ["soffice", "--headless", "--infilter=CSV:44,34,76"]
        if suffix in SHEETS
        else ["soffice", "--headless"]
    )
    command += ["--convert-to", suffix, "--outdir", str(folder), *map(str, files)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def _as_csv(source: Path, target: Path) -> None:
    if source.suffix == ".csv":
        shutil.copyfile(source, target)
        return
    rows = [dict(_plain(each)) for each in json.loads(source.read_text("utf-8"))]
    names = list(dict.fromkeys(name for row in rows for name in row))
    with target.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, names, restval="")
        writer.writeheader()
        writer.writerows(rows)


def _plain(row: dict[str, object]) -> Iterator[tuple[str, object]]:
    yield from ((name, value) for name, value in row.items() if not name.startswith("_"))


if __name__ == "__main__":
    main()
