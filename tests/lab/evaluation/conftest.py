from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

QUESTIONS = {"q1": "first?", "q2": "second?", "q3": "third?"}
HEADER = "query-id\tcorpus-id\tscore\n"
GOLD = HEADER + "q1\ta\t1\nq1\tb\t1\nq2\tc\t1\n"


@pytest.fixture
def folder(tmp_path: Path) -> Callable[..., Path]:
    """Write a data set; each keyword argument is a file of judgements."""

    def write(queries: str | None = None, **qrels: str) -> Path:
        if queries is None:
            queries = "".join(json.dumps({"_id": q, "text": t}) + "\n" for q, t in QUESTIONS.items())
        (tmp_path / "queries.jsonl").write_text(queries, encoding="utf-8")
        (tmp_path / "qrels").mkdir()
        for name, text in qrels.items():
            (tmp_path / "qrels" / f"{name}.tsv").write_text(text, encoding="utf-8")
        return tmp_path

    return write
