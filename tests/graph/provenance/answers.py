"""Answers without a graph behind them."""

from __future__ import annotations

from sage_ld.foundation.model import Answer, ChunkKind, ChunkView, Filter, Result, Role

BASE = "http://localhost:8000/id/"


def answer_of(question: str, *chunks: str, best: float = 0.9, **more: object) -> Answer:
    """The answer with these chunks, by the ends of their IRIs; each scores half of the one before."""
    results = tuple(
        Result(rank, Role.SEED, best / 2 ** (rank - 1), {}, (), view_of(chunk))
        for rank, chunk in enumerate(chunks, 1)
    )
    only = Filter(kinds=("text",), where=("team = red",))
    parameters = {"ranking": "learned", "model": '{"trees": []}', "hops": 2, "decay": 0.5}
    values = {"channels": ("link", "entity"), "filter": only, "parameters": parameters, **more}
    return Answer(question, "sage", "default", 5, 5, revision=7, results=results, **values)  # type: ignore[arg-type]


def view_of(chunk: str) -> ChunkView:
    """A chunk of a document of its own."""
    return ChunkView(f"{BASE}chunk/{chunk}", ChunkKind.TEXT, chunk, "A text.", f"{BASE}document/d", "d", "D")
