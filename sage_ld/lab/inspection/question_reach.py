"""The reach of the questions of a file: the entities that they name, the chunks to which the graph leads."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from sage_ld.foundation.deadline import Check, unchecked
from sage_ld.foundation.errors import InputError, LimitError
from sage_ld.foundation.settings import Settings
from sage_ld.retrieval import Retriever
from sage_ld.retrieval.answers.explanation import reach
from sage_ld.retrieval.questions.question_nodes import ENTRY_KINDS, named_nodes

SEEDS = 10
"""Chunks from which the graph is followed for each question, where its ranking leaves that open."""


@dataclass(frozen=True, slots=True)
class QuestionReach:
    """The reach of one question."""

    question: str
    entities: int
    """How many it names."""
    starts: int
    """Chunks from which the graph is followed."""
    reached: int
    """Further chunks to which it leads."""
    documents: int
    """Documents of all of them."""


@dataclass(frozen=True, slots=True)
class Reached:
    """The reach of some questions."""

    questions: tuple[QuestionReach, ...]
    covered: float
    """The share of the graph's chunks that at least one of them starts from or reaches."""


def what_questions_reach(retriever: Retriever, questions: Sequence[str], check: Check = unchecked) -> Reached:
    """The reach of each question by the ranking of the retriever's recipe, in the newest revision.

    The work is that of a search for each question. Raises what `Retriever.retrieve` raises.
    """
    snapshot = retriever.graph.snapshot()
    documents = retriever.chunk_table(snapshot).documents
    covered = np.zeros(len(documents), np.bool_)
    reaches = []
    for text in questions:
        inquiry = retriever.inquiry(snapshot, text, check=check)
        named = named_nodes(snapshot, text, inquiry.language, ENTRY_KINDS)
        starts, reached = reach(inquiry, SEEDS)
        reached = np.setdiff1d(reached, starts)
        both = np.concatenate([starts, reached])
        covered[both] = True
        sizes = len(named.numbers), len(starts), len(reached), len(np.unique(documents[both]))
        reaches.append(QuestionReach(text, *sizes))
    return Reached(tuple(reaches), float(covered.mean()) if len(covered) else 0.0)


def read_questions(file: Path, settings: Settings) -> list[str]:
    """The questions of a file: one a line or, in a .jsonl file, the member `text` of an object a line.

    Raises InputError for a file that cannot be read, has no question, or a line without one; LimitError for a
    file over `max_file_bytes` or a question over `max_question_length`.
    """
    try:
        size = file.stat().st_size
        if size > settings.max_file_bytes:
            raise LimitError.of(str(file), size, settings.max_file_bytes, "bytes", "max_file_bytes")
        lines = file.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"--questions {file}: cannot be read ({error}); give a file in UTF-8") from None
    questions = list(_questions(file, lines))
    if not questions:
        raise InputError(f"--questions {file}: no question in it; write one a line")
    if (longest := max(map(len, questions))) > (limit := settings.max_question_length):
        raise LimitError.of(f"{file}: a question", longest, limit, "characters", "max_question_length")
    return questions


def _questions(file: Path, lines: Sequence[str]) -> Iterator[str]:
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        if file.suffix != ".jsonl":
            yield line.strip()
            continue
        try:
            yield json.loads(line)["text"].strip()
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            raise InputError(f'{file}:{number}: not an object with a "text"; write one a line') from None
