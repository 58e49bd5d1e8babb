"""Questions in German, French, Spanish and Japanese to documents in the same language and in another.

    python benchmarks/languages.py [--encoders minilm,e5]

The corpus in benchmarks/languages/ is made up: 18 subjects, each with one document in each language that
tells something else, so that each question has near misses in all languages. 48 questions, three for each
pair of languages, in other words than the document's. Printed is how many are answered in five results.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from _report import write

from sage_ld import KnowledgeGraph, Retriever
from sage_ld.lab.evaluation import load_dataset
from sage_ld.retrieval import Mode

FOLDER: Final = Path(__file__).parent / "languages"
RESULTS: Final = 5
SAME, OTHER = "same language", "another language"


def answered(
    encoder: str, modes: tuple[str, ...] = (Mode.DENSE, Mode.HYBRID, Mode.SAGE)
) -> dict[str, Counter[str]]:
    """Mode → whether question and document share a language → questions that are answered."""
    dataset = load_dataset(FOLDER, "answer")
    lines = map(json.loads, (FOLDER / "queries.jsonl").read_text("utf-8").splitlines())
    kinds = {each["_id"]: SAME if each["asked_in"] == each["answered_in"] else OTHER for each in lines}
    counts: dict[str, Counter[str]] = {mode: Counter() for mode in modes}
    with (
        TemporaryDirectory() as folder,
        closing(KnowledgeGraph.create(Path(folder) / "g", encoder=encoder)) as graph,
    ):
        graph.ingest([FOLDER / "corpus.jsonl"])
        retriever = Retriever(graph)
        for mode in modes:
            for question, text in dataset.questions.items():
                found = retriever.retrieve(text, RESULTS, mode=mode).results
                wanted = dataset.judgements[question].keys()
                counts[mode][kinds[question]] += any(each.view.identifier in wanted for each in found)
    return counts


def main() -> None:
    """Asks the questions by each encoder, and prints and writes the figures."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--encoders", default="minilm,e5")
    figures = {name: answered(name) for name in parser.parse_args().encoders.split(",")}
    for name, counts in figures.items():
        for mode, by_kind in counts.items():
            print(f"{name:8} {mode:8} {dict(by_kind)} all {by_kind.total()}")
    write("languages", figures)


if __name__ == "__main__":
    main()
