"""Questions about a graph, compiled without a model: how many give the right rows, how many are wrong.

    python benchmarks/graph_questions.py [--data FOLDER] [--graphs FOLDER] [--split open|aside|all]

The questions are in benchmarks/graph_questions/: `open.jsonl` (60, the grammar was developed on them),
`aside.jsonl` (30, drawn by chance before there was a grammar, and never looked at while it was developed),
`tables.jsonl` (60, written without a look at the grammar, over the small files below `tables/`),
`further.jsonl` (40, over two further files, written and asked once the grammar did well on those), and
`strangers.jsonl` (60, over eight files; who made both had seen neither the grammar nor the others).
Each has a query over the data alone (SPARQL over the music's Turtle, SQL by DuckDB over the files of vega,
over typed copies of the small tables) and the rows that it gave; those without a query cannot be answered
from the data. A question counts as right if a column of the answer is the same set as the first column of
the rows. It is wrong if the answer is sure of other rows, unsure if it warns of other rows, and shown if
it warns of the right ones. The graphs are made by `sage-ld ingest` where `--graphs` does not have them.
"""

from __future__ import annotations

import argparse
import json
import os
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from time import perf_counter
from typing import Any, Final, NamedTuple

from _report import write

from sage_ld.agents.text_to_sparql import GraphAnswer, GraphQuestions
from sage_ld.graph import KnowledgeGraph

QUESTIONS: Final = Path(__file__).parent / "graph_questions"
SPLITS: Final = ("open", "aside", "tables", "further", "strangers")
SOURCES: Final[dict[str, tuple[str | Path, ...]]] = {
    "music": ("music/music/music.ttl.gz", "music/music/music_schema.ttl"),
    "vega": ("documents/vega",),
    "trade": (QUESTIONS / "tables" / "trade",),
    "house": (QUESTIONS / "tables" / "house",),
    "further": (QUESTIONS / "tables" / "further",),
    "office": (QUESTIONS / "tables" / "office",),
    "field": (QUESTIONS / "tables" / "field",),
}
"""What each graph is made of: files below the folder of data, or of this repository."""
VERDICTS: Final = ("right", "shown", "unsure", "warned", "wrong")
DIGITS: Final = 9
"""Digits in which numbers are compared."""


class Question(NamedTuple):
    """A question with what answers it."""

    id: str
    graph: str
    question: str
    query: str | None
    """None: the data does not answer it."""
    rows: list[list[str]] | None


class Outcome(NamedTuple):
    """What became of a question."""

    question: Question
    answer: GraphAnswer
    verdict: str
    """right, wrong, unsure, shown, or `warned`: the data does not answer it, and the answer is not sure."""
    seconds: float


def questions(split: str) -> list[Question]:
    """The questions of a split."""
    lines = (QUESTIONS / f"{split}.jsonl").read_text(encoding="utf-8").splitlines()
    return [Question(**json.loads(line)) for line in lines]


def comparable(value: Any) -> str:
    """A value as gold and answer have it: numbers in some digits, truth values in lower case."""
    if isinstance(value, bool):
        return str(value).lower()
    if value is None:
        return ""
    try:
        return f"{float(value):.{DIGITS}g}"
    except ValueError:
        return str(value)


def has_rows(answer: GraphAnswer, rows: list[list[str]]) -> bool:
    """Whether a column of the answer is the set of the first column of the rows."""
    wanted = {comparable(row[0]) for row in rows}
    columns = zip(*([comparable(cell.value) for cell in row] for row in answer.rows), strict=True)
    return any(set(column) == wanted for column in columns)


def verdict(question: Question, answer: GraphAnswer) -> str:
    """right, wrong, unsure, shown or warned."""
    if question.rows is None:
        return "wrong" if answer.is_sure else "warned"
    if has_rows(answer, question.rows):
        return "right" if answer.is_sure else "shown"
    return "wrong" if answer.is_sure else "unsure"


def outcomes(asked: list[Question], asking: GraphQuestions) -> Iterator[Outcome]:
    """What becomes of each question of one graph."""
    for question in asked:
        begin = perf_counter()
        answer = asking.ask(question.question, 1_000)
        yield Outcome(question, answer, verdict(question, answer), perf_counter() - begin)


def graph(name: str, folder: Path, data: Path) -> KnowledgeGraph:
    """The graph of that name below a folder, made where it is not there."""
    if (folder / name).exists():
        return KnowledgeGraph.open(folder / name)
    made = KnowledgeGraph.create(folder / name, encoder="jaccard")
    made.ingest([data / source for source in SOURCES[name]])
    return made


def shares(found: list[Outcome]) -> dict[str, float]:
    """The share of each verdict in all."""
    counts = Counter(each.verdict for each in found)
    return {name: round(counts[name] / len(found), 4) for name in VERDICTS}


def main() -> None:
    """Asks the questions, and prints and writes the figures."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--data", type=Path, default=Path(os.environ.get("SAGE_DATA", ".")))
    parser.add_argument(
        "--graphs", type=Path, default=Path("bench-graphs"), help="where the graphs are, or go"
    )
    parser.add_argument("--split", choices=(*SPLITS, "all"), default="all")
    parser.add_argument("--verbose", action="store_true", help="print the query of what is not right")
    options = parser.parse_args()
    options.graphs.mkdir(parents=True, exist_ok=True)
    figures: dict[str, Any] = {}
    for name in SOURCES:
        with closing(graph(name, options.graphs, options.data)) as opened, GraphQuestions(opened) as asking:
            for split in SPLITS if options.split == "all" else (options.split,):
                asked = [each for each in questions(split) if each.graph == name]
                if not asked:
                    continue
                found = list(outcomes(asked, asking))
                for each in found:
                    show(each, options.verbose)
                seconds = sorted(each.seconds for each in found)
                figures[f"{name} {split}"] = {
                    "questions": len(found),
                    **shares(found),
                    "median_seconds": round(seconds[len(seconds) // 2], 3),
                }
    for name, figure in figures.items():
        print(name, figure)
    write("graph_questions", figures)


def show(each: Outcome, verbose: bool) -> None:
    """Prints what became of a question."""
    print(
        f"{each.verdict:<7} {each.answer.confidence:.2f} {each.question.id} {each.question.question}",
        flush=True,
    )
    if verbose and each.verdict in ("wrong", "unsure", "shown"):
        bindings = [(binding.words, binding.name[-30:]) for binding in each.answer.bindings]
        rows = [[cell.value for cell in row] for row in each.answer.rows[:4]]
        print(f"        {bindings} unused {each.answer.unused}\n        {each.answer.query}\n        {rows}")


if __name__ == "__main__":
    main()
