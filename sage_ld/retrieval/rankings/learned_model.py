"""A learned ranking model: how it scores candidates, by how much of them the graph joins."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np

from sage_ld.foundation.errors import InputError
from sage_ld.foundation.model import DoubleArray, FloatArray
from sage_ld.retrieval.rankings.features import FEATURE_NAMES
from sage_ld.retrieval.rankings.trees import Trees

LIKENESS_WEIGHT: Final = 0.3
"""The weight of `likeness` beside the fused text score, where the graph joins nothing."""
JOINED: Final = (0.05, 0.1)
"""Shares of candidates that hops lead to: up to the first the trees count for nothing, from the second on
they alone count. The evidence that they were learned from is then there."""
FEW: Final = 50
"""Fewer candidates count as so many: of a handful, one that is joined says little."""
_LEAST: Final = 1e-3  # away from 0 and 1, whose logarithms are infinite
_HYBRID, _LIKENESS, _LINKS, _TIES = map(FEATURE_NAMES.index, ("hybrid", "likeness", "links", "ties"))


@dataclass(frozen=True)
class LearnedModel:
    """Trees for candidates that the graph joins, and the corrections that a user's judgements add to them."""

    trees: Trees
    corrections: Trees | None = None

    def logits(self, values: FloatArray) -> DoubleArray:
        """(c,) the scores of all candidates of a question, of which `values` (c, features) is the evidence.

        Without any hop, and without a candidate that is like the first ones, they have the order of the
        fused text scores.
        """
        text = (1 - LIKENESS_WEIGHT) * values[:, _HYBRID] + LIKENESS_WEIGHT * values[:, _LIKENESS]
        score = _LEAST + (1 - 2 * _LEAST) * np.clip(text.astype(np.float64), 0, 1)
        if (trust := _trust(values)) == 1:
            logits = self.trees.predict(values)
        elif trust > 0:
            logits = _logit(trust * logistic(self.trees.predict(values)) + (1 - trust) * score)
        else:
            logits = _logit(score)
        return logits if self.corrections is None else logits + self.corrections.predict(values)

    def corrected(self, trees: Trees) -> LearnedModel:
        """The model with further corrections."""
        known = self.corrections
        return replace(self, corrections=trees if known is None else known.joined(trees))

    def to_json(self) -> str:
        """The model as text that `from_json` reads."""
        parts = {"trees": self.trees, "corrections": self.corrections}
        tables = {name: None if part is None else part.to_table() for name, part in parts.items()}
        return json.dumps(tables, separators=(",", ":"))

    @classmethod
    def from_json(cls, text: str) -> LearnedModel:
        """Raises InputError for a text that is not a model, or needs a feature that does not exist."""
        try:
            tables: dict[str, Any] = json.loads(text)
            if "names" in tables:
                raise InputError(
                    "the ranking model was learned by an older version of sage-ld; learn it again with "
                    "sage-ld tune"
                )
            trees, known = tables["trees"], tables["corrections"]
            model = Trees.from_table(trees)
            corrections = None if known is None else Trees.from_table(known)
        except (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError) as error:
            raise InputError(
                f"the ranking model is damaged ({error}); learn it again with sage-ld tune"
            ) from None
        return cls(model.on(FEATURE_NAMES), None if corrections is None else corrections.on(FEATURE_NAMES))


def logistic(logits: DoubleArray) -> DoubleArray:
    """(c,) the scores in 0..1."""
    return np.asarray(1 / (1 + np.exp(-logits)))


def _trust(values: FloatArray) -> float:
    """The weight of the trees, by the share of candidates that links or ties lead to."""
    joined = np.count_nonzero((values[:, _LINKS] > 0) | (values[:, _TIES] > 0))
    least, enough = JOINED
    return float(np.clip((joined / max(len(values), FEW) - least) / (enough - least), 0, 1))


def _logit(share: DoubleArray) -> DoubleArray:
    return np.asarray(np.log(share / (1 - share)))
