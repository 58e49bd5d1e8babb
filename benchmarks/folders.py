"""Recall on four folders as users have them, by kind of question, against flat search of the same graph.

    python benchmarks/folders.py [--graphs FOLDER] [--encoder NAME]

A maker of pumps, the administration of a town, a code base and a museum: 90 files and 60 questions each, in
benchmarks/folders/, made up by writers who had seen nothing of a search. Of a question of two hops, the first
document leads to the second, which does not name what is asked about. Printed are recall, and the share of
questions with all their documents: both among the first five documents.
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from pathlib import Path
from typing import Any, Final

from _report import write

from sage_ld import KnowledgeGraph, Retriever
from sage_ld.lab.evaluation import load_dataset

FOLDERS: Final = Path(__file__).parent / "folders"
NAMES: Final = ("company", "town", "codebase", "museum")
MODES: Final = ("hybrid", "sage")
_DOCUMENTS: Final = 5
_CHUNKS: Final = 60
"""Results of which the first documents are taken: several may be of one document."""


def graph(name: str, folder: Path, encoder: str) -> KnowledgeGraph:
    """The graph of a folder, made where it is not there."""
    path = folder / f"folder-{name}"
    if path.exists():
        return KnowledgeGraph.open(path)
    made = KnowledgeGraph.create(path, encoder=encoder)
    made.ingest([FOLDERS / name / "corpus"])
    return made


def first_documents(retriever: Retriever, question: str, mode: str) -> list[str]:
    """The identifiers of the first documents of which a chunk is found."""
    found = retriever.retrieve(question, _CHUNKS, mode=mode).results
    return list(dict.fromkeys(each.view.identifier for each in found))[:_DOCUMENTS]


def measured(name: str, opened: KnowledgeGraph) -> dict[str, dict[str, list[float]]]:
    """Kind of question → mode → mean recall, share with all documents; of all questions as `all`."""
    dataset, retriever = load_dataset(FOLDERS / name, "support"), Retriever(opened)
    lines = (FOLDERS / name / "queries.jsonl").read_text("utf-8").splitlines()
    kinds = {each["_id"]: each["kind"] for each in map(json.loads, lines)}
    recalls: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for identifier, text in dataset.questions.items():
        wanted = dataset.judgements[identifier].keys()
        for mode in MODES:
            found = len(wanted & set(first_documents(retriever, text, mode))) / len(wanted)
            for kind in (kinds[identifier], "all"):
                recalls[kind][mode].append(found)
    return {
        kind: {
            mode: [_mean(each), _mean([float(one == 1) for one in each])] for mode, each in by_mode.items()
        }
        for kind, by_mode in recalls.items()
    }


def _mean(values: list[float]) -> float:
    return round(sum(values) / len(values), 4)


def main() -> None:
    """Asks the questions of each folder, and prints and writes the figures."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--graphs", type=Path, default=Path("bench-graphs"), help="where graphs are, or go")
    parser.add_argument("--encoder", default="minilm")
    options = parser.parse_args()
    figures: dict[str, Any] = {}
    for name in NAMES:
        opened = graph(name, options.graphs, options.encoder)
        figures[name] = measured(name, opened)
        opened.close()
        for kind, by_mode in figures[name].items():
            shown = (f"{mode} {100 * each[0]:5.1f} {100 * each[1]:5.1f}" for mode, each in by_mode.items())
            print(f"{name:10} {kind:14} {'   '.join(shown)}", flush=True)
    write("folders", figures)


if __name__ == "__main__":
    main()
