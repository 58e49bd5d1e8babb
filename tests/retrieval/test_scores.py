"""Fusion of two scores, by hand-computed values."""

from __future__ import annotations

import numpy as np
import pytest

from sage_ld.foundation.recipes import Fusion
from sage_ld.retrieval.scoring.scores import FUSIONS, convex, min_max, reciprocal_rank

BM25 = np.array([4, 0, 2], np.float32)
DENSE = np.array([0.1, 0.5, 0.3], np.float32)


def test_min_max_of_equal_scores_is_zero() -> None:
    assert min_max(np.ones(3, np.float32)).tolist() == [0, 0, 0]
    assert min_max(np.zeros(0, np.float32)).tolist() == []


def test_convex_sum() -> None:
    assert convex(BM25, DENSE, 0.75) == pytest.approx([0.75, 0.25, 0.5], abs=1e-6)


def test_reciprocal_ranks() -> None:
    expected = [61 * (1 / 61 + 1 / 63) / 2, 61 * (0 + 1 / 61) / 2, 61 * (1 / 62 + 1 / 62) / 2]
    assert reciprocal_rank(BM25, DENSE, 0.5) == pytest.approx(expected)


def test_equal_scores_share_a_rank_and_what_holds_no_term_has_none() -> None:
    bm25 = np.array([0, 3, 0, 1, 3], np.float32)
    assert reciprocal_rank(bm25, DENSE[[0] * 5], 1.0) == pytest.approx([0, 1, 0, 61 / 63, 1])
    assert reciprocal_rank(np.zeros(3, np.float32), DENSE, 0.5).argmax() == DENSE.argmax()


def test_every_fusion_of_a_recipe_is_there() -> None:
    assert set(FUSIONS) == set(Fusion)
