"""Measures extracted answers: how often they hold the gold answer, and what is said not to be in the graph.

    python benchmarks/answers.py [--data FOLDER] [--graphs FOLDER] [--every N] [--begin N]

On OTT-QA, whose questions have an answer in words: how often it stands in the first sentence and in the
first three, against the first ones of the first chunk, the first one of each chunk, and whole chunks.
Then questions of each set are asked of its own graph and of the others: how many are refused. The figures of
refusals in `docs/answers.md` are those of `--every 4 --begin 2`; `answer_weights.py` has those of sentences.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from _sets import DOMAINS, SETS, Place, Set, parser

from sage_ld.agents.answering import AnswerMethod, answer_from, answer_question
from sage_ld.agents.answering.passages import passages
from sage_ld.foundation.question import Answer
from sage_ld.graph.store import reading
from sage_ld.retrieval import Retriever

_WORD: Final = re.compile(r"\w+")
_NAMED: Final = {each.name: each for each in (*SETS, *DOMAINS)}
ASKED: Final = ("cranfield", "hotpotqa", "musique", "vaswani")
"""Sets whose questions are asked of each other's graphs."""


def words(text: str) -> str:
    """A text as its words in lower case, without accents, each between blanks."""
    plain = unicodedata.normalize("NFKD", text).casefold()
    return f" {' '.join(_WORD.findall(plain))} "


def questions(data: Path, each: Set, chosen: slice) -> list[dict[str, str]]:
    """The questions of a set as they stand in its file."""
    lines = (data / each.folder / "queries.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines[chosen]]


def gold(where: Place, chosen: slice) -> None:
    """Prints how often the gold answer of OTT-QA stands in what is extracted."""
    graph = where.graph(_NAMED["ottqa"])
    retriever, snapshot = Retriever(graph), graph.snapshot()
    hits: dict[str, list[bool]] = {}
    for asked in questions(where.data, _NAMED["ottqa"], chosen):
        found = retriever.retrieve(asked["text"], at=snapshot)
        answered = answer_from(retriever, snapshot, found, 3, AnswerMethod.EXTRACTION)
        texts = dict(_baselines(retriever, found))
        texts["extracted"] = [each.text for each in answered.sentences]
        for name, each in texts.items():
            for count in (1, 3):
                held = any(words(asked["answer"]) in words(text) for text in each[:count])
                hits.setdefault(f"{name}, {count}", []).append(held)
    graph.close()
    for name, each in hits.items():
        print(f"{name:36} {sum(each) / len(each):.3f} of {len(each)}")


def _baselines(retriever: Retriever, found: Answer) -> Iterator[tuple[str, list[str]]]:
    store = retriever.graph.snapshot().store
    iris = [result.view.iri for result in found.results]
    stored = {each.iri: each for each in reading.chunks(store, iris, links=False)}
    cut = [passages(stored[iri], rank) for rank, iri in enumerate(iris)]
    yield "sentences of the first chunk", [each.text for each in cut[0]]
    yield "first sentences of chunks", [each[0].text for each in cut if each]
    yield "whole chunks", [result.view.text for result in found.results]


def refusals(
    where: Place, graph_set: Set, asked: Sequence[Set], chosen: slice
) -> Iterator[tuple[str, float]]:
    """The share of the questions of each set that the graph of one of them refuses."""
    graph = where.graph(graph_set)
    retriever, snapshot = Retriever(graph), graph.snapshot()
    for each in asked:
        texts = [one["text"] for one in questions(where.data, each, chosen)]
        given = (
            answer_question(retriever, text, at=snapshot, method=AnswerMethod.EXTRACTION) for text in texts
        )
        refused = [not one.in_graph for one in given]
        yield each.name, sum(refused) / len(refused)
    graph.close()


def main() -> None:
    """Runs the benchmark."""
    options = parser(__doc__)
    options.add_argument(
        "--begin", type=int, default=0, help="the number of the first question that is asked"
    )
    given = options.parse_args()
    chosen = slice(given.begin, None, given.every)
    where = Place(Path(given.data), Path(given.graphs))
    gold(where, chosen)
    asked = [_NAMED[name] for name in ASKED]
    kept: list[float] = []
    foreign: list[float] = []
    for graph_set in asked:
        for name, share in refusals(where, graph_set, asked, chosen):
            own = name == graph_set.name
            (kept if own else foreign).append(share)
            print(
                f"questions of {name:10} at {graph_set.name:10} refused {share:.3f}{' (own)' if own else ''}"
            )
    wrong, right = sum(kept) / len(kept), sum(foreign) / len(foreign)
    print(f"refused: of the own {wrong:.3f}, of others {right:.3f}; precision {right / (right + wrong):.3f} ")


if __name__ == "__main__":
    main()
