import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sage_ld.foundation.errors import InputError, NotFoundError
from sage_ld.graph.indexes import VectorIndex
from sage_ld.graph.indexes import vectors as module


def unit(count, dimension=8, seed=0):
    raw = np.random.default_rng(seed).normal(size=(count, dimension)).astype(np.float32)
    return raw / np.linalg.norm(raw, axis=1, keepdims=True)


def named(count):
    return [f"x:{number:04d}" for number in range(count)]


def test_search_is_exact(tmp_path):
    index, rows = VectorIndex.create(tmp_path, 8), unit(200)
    index.update(named(200)[::-1], rows[::-1], [])
    query = unit(1, seed=9)[0]
    expected = np.argsort(-(rows @ query), kind="stable")[:10]
    iris, scores = VectorIndex.open(tmp_path).search(query, 10)
    assert iris == [named(200)[row] for row in expected]
    assert scores == pytest.approx((rows @ query)[expected], abs=1e-6)


def test_rows_matrix_and_vectors_agree(tmp_path):
    index, rows = VectorIndex.create(tmp_path, 8), unit(30)
    for begin in range(0, 30, 10):
        index.update(named(30)[begin : begin + 10], rows[begin : begin + 10], [])
    index.update([], unit(0), ["x:0003", "x:0025"])
    wanted = ["x:0029", "x:0000", "x:0011"]
    assert np.array_equal(index.vectors(wanted), rows[[29, 0, 11]])
    assert np.array_equal(index.take(index.rows(wanted)), rows[[29, 0, 11]])
    assert index.rows(["x:0003", "x:0000"])[0] == -1
    with pytest.raises(NotFoundError, match="x:0003"):
        index.vectors(["x:0003"])


def test_the_encoders_own_similarity_is_used(tmp_path):
    index = VectorIndex.create(tmp_path, 8)
    index.update(named(5), unit(5), [])
    distance = lambda left, right: -np.abs(left[:, None] - right[None]).sum(axis=2)  # noqa: E731  # two lines less
    assert index.search(unit(5)[3], 1, distance)[0] == ["x:0003"]


def test_blocks_do_not_show(tmp_path, monkeypatch):
    index = VectorIndex.create(tmp_path, 8)
    index.update(named(50), unit(50), [])
    index.update([], unit(0), ["x:0007"])
    whole = index.scores(unit(1, seed=4)[0])
    monkeypatch.setattr(module, "BLOCK", 7)
    assert np.array_equal(index.scores(unit(1, seed=4)[0]), whole)


OPERATIONS = st.lists(
    st.tuples(
        st.sets(st.integers(0, 40), max_size=9), st.sets(st.integers(0, 40), max_size=9), st.booleans()
    ),
    max_size=6,
)


@settings(max_examples=20, deadline=None)
@given(operations=OPERATIONS)
def test_index_holds_what_a_dictionary_would(tmp_path_factory, operations):
    folder = tmp_path_factory.mktemp("index")
    index, truth = VectorIndex.create(folder, 4), {}
    for number, (add, remove, merge) in enumerate(operations):
        iris = [f"x:{key}" for key in sorted(add, reverse=True)]
        rows = unit(len(iris), 4, seed=number)
        index.update(iris, rows, [f"x:{key}" for key in remove])
        for key in remove:
            truth.pop(f"x:{key}", None)
        truth.update(zip(iris, rows, strict=True))
        if merge:
            index.merge()
            assert index.iris == sorted(truth)
    again = VectorIndex.open(folder)
    for each in (index, again):
        assert sorted(each.iris) == sorted(truth)
        assert each.take(np.arange(len(each))).shape == (len(truth), 4)
        assert np.array_equal(
            each.vectors(sorted(truth)), np.array([truth[k] for k in sorted(truth)]).reshape(-1, 4)
        )


def test_bad_vectors_are_refused_and_change_nothing(tmp_path):
    index = VectorIndex.create(tmp_path, 8)
    index.update(named(3), unit(3), [])
    with pytest.raises(InputError, match="dimension 5, this index holds 8"):
        index.update(["x:9"], np.zeros((1, 5), np.float32), ["x:0000"])
    with pytest.raises(InputError, match="not finite"):
        index.update(["x:9"], np.full((1, 8), np.nan, np.float32), ["x:0000"])
    assert (len(index), len(VectorIndex.open(tmp_path))) == (3, 3)
