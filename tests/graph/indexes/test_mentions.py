"""The mentions of chunks, from chunk to entity and back, whatever came and went before."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sage_ld.graph.indexes import MentionIndex
from sage_ld.graph.indexes.strings import text_number, text_numbers

CHUNKS = [f"x:chunk/{number}" for number in range(6)]
ENTITIES = [f"x:entity/{number}" for number in range(5)]

changes = st.lists(
    st.tuples(
        st.dictionaries(st.sampled_from(CHUNKS), st.sets(st.sampled_from(ENTITIES), min_size=1)),
        st.sets(st.sampled_from(CHUNKS)),
    ),
    max_size=6,
)


def forward(index: MentionIndex) -> set[tuple[str, str]]:
    """All pairs, asked by chunk, in an order that is not that of the index, with one that is not there."""
    chunks = [*CHUNKS[::-1], "x:chunk/none"]
    named = {text_number(entity): entity for entity in ENTITIES}
    entities, places = index.mentions().of_rows(index.rows(chunks))
    pairs = [(chunks[place], named[number]) for place, number in zip(places, entities.tolist(), strict=True)]
    assert len(pairs) == len(set(pairs))
    return set(pairs)


def backward(index: MentionIndex) -> set[tuple[str, str]]:
    """All pairs, asked by entity; one is asked for that nothing mentions."""
    entities = [*ENTITIES, "x:entity/none"]
    found = index.mentions().mentioning(text_numbers(entities))
    pairs = [(index.iris[row], entities[place]) for row, place in zip(*found, strict=True)]
    rows = np.unique(found.rows)
    assert index.mentions().iris(rows) == [index.iris[row] for row in rows]
    assert len(pairs) == len(set(pairs))
    counts = [sum(entity == each for _, entity in pairs) for each in entities]
    assert index.mentions().frequencies(text_numbers(entities)).tolist() == counts
    return set(pairs)


@settings(max_examples=60, deadline=None)
@given(changes)
def test_the_mentions_are_those_put_in_last(
    tmp_path_factory: pytest.TempPathFactory, made: list[tuple[dict[str, set[str]], set[str]]]
) -> None:
    folder = tmp_path_factory.mktemp("mentions")
    index, held = MentionIndex.create(folder), dict[str, set[str]]()
    for added, removed in made:
        index.update(added, removed - added.keys())
        held = {key: entities for key, entities in held.items() if key not in removed} | added
    expected = {(chunk, entity) for chunk, entities in held.items() for entity in entities}
    assert forward(index) == backward(index) == expected
    opened = MentionIndex.open(folder)
    assert forward(opened) == backward(opened) == expected
    index.merge()
    merged = MentionIndex.open(folder)
    assert forward(merged) == backward(merged) == expected


def test_a_merged_index_is_that_of_a_fresh_build(tmp_path_factory: pytest.TempPathFactory) -> None:
    late, once = (tmp_path_factory.mktemp(name) for name in ("late", "once"))
    mentions = {chunk: ENTITIES[: number % 4] for number, chunk in enumerate(CHUNKS, 1)}
    index = MentionIndex.create(late)
    for chunk, entities in mentions.items():
        index.update({chunk: entities}, [])
    index.merge()
    MentionIndex.create(once).update(mentions, [])
    files = [[file.read_bytes() for file in folder.glob("*.arrays")] for folder in (late, once)]
    assert files[0] == files[1]


def test_the_mentions_of_no_rows_and_no_entities_are_none(tmp_path_factory: pytest.TempPathFactory) -> None:
    mentions = MentionIndex.create(tmp_path_factory.mktemp("empty")).mentions()
    assert not len(mentions.of_rows(np.array([-1]))[0])
    assert mentions.frequencies(text_numbers(ENTITIES)).tolist() == [0] * len(ENTITIES)
    assert not len(mentions.mentioning(text_numbers(ENTITIES)).rows)
