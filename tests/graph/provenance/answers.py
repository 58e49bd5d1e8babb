"""Answers without a graph behind them."""

from __future__ import annotations

from sage_ld.foundation.model import ChunkKind, ChunkView, Result, Role
from sage_ld.foundation.question import Answer, Filter, Question

BASE = "http://localhost:8000/id/"


def answer_of(question: str, *chunks: str, best: float = 0.9, **more: object) -> Answer:
    """The answer with these chunks, by the ends of their IRIs; each scores half of the one before."""
    results = tuple(
        Result(rank, Role.SEED, best / 2 ** (rank - 1), {}, (), view_of(chunk))
        for rank, chunk in enumerate(chunks, 1)
    )
    only = Filter(kinds=("text",), where=("team = red",))
    parameters = {"ranking": "learned", "model": '{"trees": []}', "hops": 2, "decay": 0.5}
    asked = Question(question, **{"channels": ("link", "entity"), "only": only, **more})  # type: ignore[arg-type]
    return Answer(asked, "default", 7, results, parameters)


def view_of(chunk: str) -> ChunkView:
    """A chunk of a document of its own."""
    return ChunkView(f"{BASE}chunk/{chunk}", ChunkKind.TEXT, chunk, "A text.", f"{BASE}document/d", "d", "D")
