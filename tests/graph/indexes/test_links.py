"""The links between pairs of a chunk and a target, whatever came and went before."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sage_ld.foundation.model import LinkEvidence
from sage_ld.graph.indexes import LinkIndex
from sage_ld.graph.indexes.strings import text_number

SOURCES = [f"x:chunk/{number}" for number in range(6)]
TARGETS = [f"x:document/{number}" for number in range(5)]

evidence = st.lists(
    st.builds(
        LinkEvidence, st.sampled_from(TARGETS), st.sampled_from([0.25, 0.5, 1.0]), st.integers(0, 2**31 - 1)
    ),
    max_size=6,
)
changes = st.lists(
    st.tuples(st.dictionaries(st.sampled_from(SOURCES), evidence), st.sets(st.sampled_from(SOURCES))),
    max_size=6,
)


def read(index: LinkIndex) -> dict[tuple[str, str], list[tuple[float, int]]]:
    """All pairs with their links."""
    links, names = index.links(), {text_number(target): target for target in TARGETS}
    found: dict[tuple[str, str], list[tuple[float, int]]] = {(s, t): [] for s in SOURCES for t in TARGETS}
    for segment, pairs, begin in zip(links.segments, links.pairs, links.begins.begins.tolist(), strict=False):
        assert np.array_equal(pairs.targets[pairs.by_target], pairs.sorted_targets)
        for row, target, first, count in zip(
            pairs.rows.tolist(),
            pairs.targets.tolist(),
            pairs.first.tolist(),
            pairs.counts.tolist(),
            strict=True,
        ):
            assert count
            at = begin + first + np.arange(count)
            if segment.live[row]:
                said = zip(links.confidences[at].tolist(), links.begins[at].tolist(), strict=True)
                found[segment.keys[row], names[target]] += said
    return found


@settings(max_examples=60, deadline=None)
@given(changes)
def test_the_links_of_a_pair_are_those_put_in_last(
    tmp_path_factory: pytest.TempPathFactory,
    made: list[tuple[dict[str, list[LinkEvidence]], set[str]]],
) -> None:
    folder = tmp_path_factory.mktemp("links")
    index, held = LinkIndex.create(folder), dict[str, list[LinkEvidence]]()
    for added, removed in made:
        index.update(added, removed - added.keys())
        held = {key: links for key, links in held.items() if key not in removed} | added
    expected = {
        (source, target): sorted(
            {(link.confidence, link.begin) for link in held.get(source, ()) if link.target == target}
        )
        for source in SOURCES
        for target in TARGETS
    }
    assert read(index) == expected
    assert read(LinkIndex.open(folder)) == expected
    index.merge()
    assert read(LinkIndex.open(folder)) == expected
    assert index.iris == sorted(held)
