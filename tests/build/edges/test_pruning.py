import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sage_ld.build.edges.building import strongest
from sage_ld.build.edges.candidate_pairs import nearest


@given(
    st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9), st.integers(0, 5)), max_size=40),
    st.integers(1, 4),
)
def test_strongest_takes_what_taking_one_by_one_takes(raw, most):
    edges = sorted({(min(a, b), max(a, b)): w for a, b, w in raw if a != b}.items())
    source = np.array([pair[0] for pair, _ in edges], np.int64)
    target = np.array([pair[1] for pair, _ in edges], np.int64)
    weight = np.array([w / 5 for _, w in edges])
    degree, expected = dict.fromkeys(range(10), 0), []
    for pair, _ in sorted(edges, key=lambda each: (-each[1], each[0])):
        if degree[pair[0]] < most and degree[pair[1]] < most:
            expected.append(pair)
            degree[pair[0]] += 1
            degree[pair[1]] += 1
    taken = strongest(source, target, weight, most)
    assert sorted(expected) == list(zip(source[taken].tolist(), target[taken].tolist(), strict=True))


@given(
    st.integers(1, 6).flatmap(
        lambda width: st.lists(
            st.lists(st.sampled_from([-1.0, 0.0, 0.25, 0.5, 1.0]), min_size=width, max_size=width), min_size=1
        )
    ),
    st.integers(1, 7),
)
def test_nearest_is_a_sort_by_score_then_column(rows, count):
    expected = [
        (row, column)
        for row, scores in enumerate(rows)
        for column in sorted(
            sorted((c for c in range(len(scores)) if scores[c] > 0), key=lambda c: (-scores[c], c))[:count]
        )
    ]
    found = nearest(np.array(rows, np.float32), count)
    assert list(zip(found[0].tolist(), found[1].tolist(), strict=True)) == expected
