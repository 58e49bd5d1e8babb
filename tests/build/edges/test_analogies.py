"""Analogies as arrays."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.sparse import csr_matrix

from sage_ld.build.edges import Aspect, EdgeInput, kind_codes
from sage_ld.build.edges.analogies import (
    AnalogySet,
    AnalogyThresholds,
    analogy_rows,
    calibrated,
    deltas,
    find_analogies,
    passing,
)
from sage_ld.foundation.arrays import cosine
from sage_ld.foundation.edge_kinds import AspectName
from sage_ld.foundation.model import ChunkKind
from sage_ld.foundation.recipes import Analogies


def plane(degrees: list[float]) -> np.ndarray:
    """Vectors of length 1 at angles, so that the similarity of two is the cosine of their difference."""
    radians = np.radians(degrees)
    return np.stack([np.cos(radians), np.sin(radians)], axis=1).astype(np.float32)


def chunks(skeletons: list[float], contents: list[float], documents: list[int] | None = None) -> EdgeInput:
    count = len(skeletons)
    return EdgeInput(
        kinds=kind_codes([ChunkKind.TEXT] * count),
        documents=np.array(documents or range(count)),
        aspects={
            AspectName.SKELETON: Aspect.each(plane(skeletons)),
            AspectName.CONTENT: Aspect.each(plane(contents)),
        },
        entities=csr_matrix((count, 0)),
        similarity=cosine,
    )


def pairs(found: AnalogySet) -> dict[tuple[int, int], float]:
    return {(source, target): delta for source, target, delta, *_ in analogy_rows(found)}


def test_a_pair_is_kept_whose_skeletons_are_more_alike_than_its_texts() -> None:
    """cos 0° − cos 60° = 0.5; the chunk at 90° is like neither; a negative cosine counts as 0."""
    found = find_analogies(chunks([0, 0, 90], [0, 60, 180]), Analogies(percentile=0.0))
    assert pairs(found) == {(0, 1): pytest.approx(0.5, abs=1e-6)}
    assert found.pairs.skeleton.tolist() == pytest.approx([1.0])
    assert found.pairs.raw.tolist() == pytest.approx([0.5], abs=1e-6)


def test_delta_and_thresholds_by_hand() -> None:
    skeleton, raw = np.array([0.9, 0.5, 0.44, 0.6]), np.array([0.2, 0.45, 0.0, 0.7])
    delta = deltas(skeleton, raw)
    assert delta.tolist() == pytest.approx([0.7, 0.05, 0.44, -0.1])
    assert passing(skeleton, delta, AnalogyThresholds(0.45, 0.08)).tolist() == [True, False, False, False]
    assert passing(skeleton, delta * 0, AnalogyThresholds(0.0, 0.0)).tolist() == [False] * 4
    assert calibrated(skeleton, delta, 50) == AnalogyThresholds(0.5, 0.05)
    assert calibrated(skeleton, delta, 100) == AnalogyThresholds(0.9, 0.7)


def test_chunks_of_one_document_are_not_compared() -> None:
    assert pairs(find_analogies(chunks([0, 0], [0, 60], [7, 7]), Analogies(percentile=0.0))) == {}


def test_a_chunk_has_no_more_edges_than_the_recipe_says() -> None:
    given = chunks([0, 0, 0, 0], [0, 50, 60, 70])
    assert set(pairs(find_analogies(given, Analogies(percentile=0.0, max_edges=1)))) == {(0, 3), (1, 2)}
    assert len(pairs(find_analogies(given, Analogies(percentile=0.0)))) == 6


def test_a_chunk_without_a_skeleton_is_like_none() -> None:
    given = chunks([0, 0, 0], [0, 60, 90])
    rows = np.array([0, -1, 2])
    aspects = given.aspects | {AspectName.SKELETON: Aspect(given.aspects[AspectName.SKELETON].vectors, rows)}
    assert set(pairs(find_analogies(replace(given, aspects=aspects), Analogies(percentile=0.0)))) == {(0, 2)}


def test_new_chunks_are_joined_by_former_thresholds_as_a_build_by_these_would() -> None:
    given = chunks([0, 5, 10, 15, 40], [0, 40, 80, 120, 160])
    wanted, limits = Analogies(max_edges=9), AnalogyThresholds(0.9, 0.3)
    whole = pairs(find_analogies(given, wanted, limits))
    new = find_analogies(replace(given, focus=np.array([2])), wanted, limits)
    assert pairs(new) == {pair: delta for pair, delta in whole.items() if 2 in pair} != {}
    assert new.thresholds == limits


def test_blocks_of_rows_give_what_one_gives(monkeypatch: pytest.MonkeyPatch) -> None:
    random = np.random.default_rng(5)
    given = chunks((random.random(40) * 90).tolist(), (random.random(40) * 180).tolist())
    whole = pairs(find_analogies(given, Analogies(candidates=3)))
    monkeypatch.setattr("sage_ld.build.edges.analogies.BLOCK_VALUES", 1)
    assert pairs(find_analogies(given, Analogies(candidates=3))) == whole != {}
