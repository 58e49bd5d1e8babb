"""Weights of the features by which sentences are chosen as answers, fitted to questions with gold answers.

    python benchmarks/answer_weights.py GRAPH QUESTIONS [--hold-out N] [--begin N]

QUESTIONS has a JSON object a line: `text`, `answer`, and `group`, a key of questions that must not be parted
(those of one table). Every Nth question from `--begin` on is held out. The others are divided into five parts
by their groups, and each is answered by weights that were fitted to the other four; then the held-out ones by
weights that were fitted to all of these. Printed are the shares of questions whose answer stands in the first
sentence and in the first three, and the weights.

A question's loss is that of a listwise logistic regression: minus the logarithm of the share that its
passages with the answer have of the softmax over all its passages. No weight is below 0, so that a passage
never loses by what it says itself.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
from answers import words
from numpy.typing import NDArray

from sage_ld.agents.answering.extraction import ALIKE
from sage_ld.agents.answering.scorer import WEIGHTS, scorer_of
from sage_ld.foundation.question import Answer
from sage_ld.foundation.settings import Settings
from sage_ld.graph import KnowledgeGraph, Snapshot
from sage_ld.retrieval import Retriever

NAMES: Final = tuple(WEIGHTS)
PARTS: Final = 5
_STEPS: Final = 400
_RATE: Final = 0.05

Matrix = NDArray[np.float64]


@dataclass(frozen=True)
class Example:
    """A question with its passages."""

    group: str
    features: Matrix
    """(n, f): the features of each passage."""
    hits: NDArray[np.bool_]
    """(n,): which passages have the answer."""
    texts: list[frozenset[str]]
    """The words of each passage."""


def example(snapshot: Snapshot, found: Answer, answer: str, group: str) -> Example:
    """A question with the features of the passages of what was found."""
    scorer, by_chunk = scorer_of(snapshot, found, Settings().max_query_terms)
    cut = [each for of_chunk in by_chunk for each in of_chunk]
    rows = [list(scorer.features(each).values()) for each in cut]
    return Example(
        group,
        np.array(rows, dtype=np.float64).reshape(len(cut), len(NAMES)),
        np.array([words(answer) in words(each.text) for each in cut], dtype=bool),
        [frozenset(each.text.casefold().split()) for each in cut],
    )


def fitted(examples: Sequence[Example], strength: float) -> Matrix:
    """(f,): the weights of the features, of which none is below 0; by Adam, with an L2 penalty."""
    known = [each for each in examples if each.hits.any()]
    features = np.concatenate([each.features for each in known])
    hits = np.concatenate([each.hits for each in known])
    starts = np.cumsum([0, *(len(each.hits) for each in known)])
    owner, begins = np.repeat(np.arange(len(known)), np.diff(starts)), starts[:-1]
    scale = features.std(axis=0) + 1e-9
    features = features / scale
    weights = np.zeros(len(NAMES))
    mean, square = np.zeros_like(weights), np.zeros_like(weights)
    for step in range(1, _STEPS + 1):
        scores = features @ weights
        raised = np.exp(scores - np.maximum.reduceat(scores, begins)[owner])
        shares = raised / np.add.reduceat(raised, begins)[owner]
        right = np.where(hits, shares, 0)
        right /= np.add.reduceat(right, begins)[owner] + 1e-12
        slope = ((shares - right) @ features + strength * weights) / len(known)
        mean, square = 0.9 * mean + 0.1 * slope, 0.99 * square + 0.01 * slope**2
        move = (mean / (1 - 0.9**step)) / (np.sqrt(square / (1 - 0.99**step)) + 1e-8)
        weights = np.maximum(weights - _RATE * move, 0)
    return np.asarray(weights / scale, dtype=np.float64)


def answered(each: Example, weights: Matrix, most: int = 3) -> int | None:
    """The place, from 0, of the first chosen passage with the answer among `most`; None if none has it."""
    chosen: list[frozenset[str]] = []
    for number in np.argsort(-(each.features @ weights), kind="stable"):
        text = each.texts[number]
        if any(len(text & other) >= ALIKE * len(text | other) for other in chosen):
            continue
        if each.hits[number]:
            return len(chosen)
        chosen.append(text)
        if len(chosen) == most:
            return None
    return None


def told(name: str, places: Sequence[int | None]) -> None:
    """Prints how often the answer stands in the first sentence, and in the three."""
    first, three = (sum(p is not None and p < count for p in places) for count in (1, 3))
    count = len(places)
    print(f"{name:12} first {first / count:.3f}, three {three / count:.3f} of {count}")


def parts(examples: Sequence[Example]) -> NDArray[np.int64]:
    """(n,): the part of each question, the same for those of one group."""
    groups = sorted({each.group for each in examples})
    chosen = np.random.default_rng(1).integers(0, PARTS, len(groups))
    part = dict(zip(groups, chosen.tolist(), strict=True))
    return np.array([part[each.group] for each in examples])


def report(examples: Sequence[Example], held_out: Sequence[Example], strength: float) -> None:
    """Prints the figures of the weights in the package, and of those that are fitted."""
    of_package = np.array([WEIGHTS[name] for name in NAMES])
    told("package", [answered(each, of_package) for each in [*examples, *held_out]])
    part = parts(examples)
    places: list[int | None] = []
    for number in range(PARTS):
        weights = fitted([one for one, own in zip(examples, part, strict=True) if own != number], strength)
        places += [answered(one, weights) for one, own in zip(examples, part, strict=True) if own == number]
    told("five parts", places)
    weights = fitted(examples, strength)
    told("held out", [answered(each, weights) for each in held_out])
    for name, weight in zip(NAMES, weights.tolist(), strict=True):
        print(f'    "{name}": {weight:.1f},')


def main() -> None:
    """Fits the weights."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("graph", type=Path)
    parser.add_argument("questions", type=Path)
    parser.add_argument("--hold-out", type=int, default=4, metavar="N")
    parser.add_argument("--begin", type=int, default=2, metavar="N")
    parser.add_argument("--strength", type=float, default=5.0, help="of the L2 penalty")
    given = parser.parse_args()
    graph = KnowledgeGraph.open(given.graph)
    retriever, snapshot = Retriever(graph), graph.snapshot()
    asked = [json.loads(line) for line in given.questions.read_text("utf-8").splitlines()]
    examples = [
        example(snapshot, retriever.retrieve(one["text"], at=snapshot), one["answer"], one["group"])
        for one in asked
    ]
    graph.close()
    is_held = [number % given.hold_out == given.begin for number in range(len(asked))]
    kept = [one for one, held in zip(examples, is_held, strict=True) if not held]
    report(kept, [one for one, held in zip(examples, is_held, strict=True) if held], given.strength)


if __name__ == "__main__":
    main()
