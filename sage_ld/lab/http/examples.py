"""Examples of requests and answers of the laboratory's routes."""

from __future__ import annotations

from typing import Final

from sage_ld.service.request_examples import QUESTION, Example

COMMUNITY: Final[Example] = {
    "revision": 42,
    "complete": True,
    "id": "root",
    "communities": [
        {
            "id": identifier,
            "label": label,
            "size": 2 * size,
            "documents": size // 2,
            "chunks": size,
            "entities": size // 2,
        }
        for identifier, label, size in (
            ("220a9bfa4ebd", "Films · Isolde Brack", 90),
            ("8fe1bc8791d9", "Awards · Golden Heron", 20),
        )
    ],
    "links": [{"source": "220a9bfa4ebd", "target": "8fe1bc8791d9", "count": 12}],
    "nodes": [],
    "edges": [],
}
EVALUATION: Final[dict[str, Example]] = {
    "two modes": {"value": {"dataset": "ottqa", "budgets": [5, 10]}},
    "questions of yours": {
        "value": {"questions": [{"q": QUESTION, "relevant": {"people/tobias-wren.md": 1}}]}
    },
    "two recipes": {"value": {"dataset": "ottqa", "modes": ["sage"], "recipes": ["default", "paper"]}},
}
MEASURES: Final[Example] = {
    "dataset": "ottqa",
    "qrels": "answer",
    "queries": 100,
    "unjudged_queries": 0,
    "unknown_documents": 0,
    "budgets": [5],
    "modes": {"hybrid": {"success@5": 0.43}, "sage": {"success@5": 0.64}},
    "baseline": "hybrid",
    "confidence": 0.95,
    "differences": {"sage": {"success@5": {"difference": 0.21, "low": 0.13, "high": 0.29}}},
}
OF: Final[dict[str, Example]] = {"Community": COMMUNITY, "Evaluation": MEASURES}
"""By the name of the schema that they fit."""
