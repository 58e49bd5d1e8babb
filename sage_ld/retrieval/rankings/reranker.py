"""The order that a reranker gives to the first candidates: a model that reads question and text together.

The protocol is that of Jina's, Cohere's and vLLM's `/rerank`: model, query, documents and top_n to a list
`results` of index and relevance_score.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, Self

from sage_ld.foundation.openai_access import OpenAIAccess
from sage_ld.foundation.settings import Settings

KEY_VARIABLE: Final = "RERANK_API_KEY"
MOST_BYTES: Final = 16 * 2**20


@dataclass(frozen=True)
class Reranker:
    """The reranker at the setting `rerank_base_url`, and how many candidates it is asked about."""

    model: str
    candidates: int
    access: OpenAIAccess

    @classmethod
    def of(cls, settings: Settings) -> Self | None:
        """The reranker that the settings name; None where they name none."""
        if not settings.rerank_base_url:
            return None
        access = OpenAIAccess(
            f"reranking by {settings.rerank_model!r}",
            settings.rerank_base_url,
            "rerank_base_url",
            settings.rerank_timeout,
            settings.rerank_retries,
            "lower rerank_candidates",
            MOST_BYTES,
            KEY_VARIABLE,
        )
        return cls(settings.rerank_model, settings.rerank_candidates, access)

    def scores(self, question: str, texts: Sequence[str]) -> list[float]:
        """The relevance of each text. Raises UnavailableError, InputError where the server gives none."""
        asked = {"model": self.model, "query": question, "documents": list(texts), "top_n": len(texts)}
        with self.access.failures():
            answer: Any = self.access.client.post("/rerank", cast_to=object, body=asked)
            scores = {each["index"]: float(each["relevance_score"]) for each in answer["results"]}
        if scores.keys() != set(range(len(texts))) or not all(map(math.isfinite, scores.values())):
            raise self.access.malformed(f"has {len(scores)} scores for {len(texts)} texts, or other ones")
        return [scores[index] for index in range(len(texts))]
