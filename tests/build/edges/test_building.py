"""The whole build against a reference that goes through all pairs one by one."""

import itertools
import math
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from sage_ld.build.edges import Aspect, EdgeInput, build, candidate_pairs, kind_codes
from sage_ld.foundation import vocabulary
from sage_ld.foundation.edge_kinds import (
    CONTENT,
    EDGE_KINDS,
    ENTITY,
    AspectName,
    Cut,
    EdgeKindRow,
    EdgeRule,
    Population,
    Rule,
)
from sage_ld.foundation.model import ChunkKind, EdgeKind
from sage_ld.foundation.recipes import PRESETS, Edges, load_recipe
from sage_ld.graph.indexes.vectors import nearest
from sage_ld.graph.store.derived import BuildRecord, build_lines, edge_thresholds, similarity_lines
from sage_ld.graph.store.iris import Iris
from sage_ld.graph.store.nquads import quads_of

KINDS = list(ChunkKind)


def cosine(left, right):
    return left @ right.T


def corpus(count=60, seed=0, dimension=6, coarse=False):
    random = np.random.default_rng(seed)
    kinds = tuple(list(ChunkKind)[each] for each in random.integers(0, 3, count))
    aspects = {}
    for name in (each for each in AspectName if each is not AspectName.SKELETON):  # of analogies alone
        raw = random.normal(size=(count, dimension))
        if coarse:  # few different values: ties everywhere
            raw = random.integers(0, 2, size=(count, dimension)) + 1e-9
        vectors = (raw / np.linalg.norm(raw, axis=1, keepdims=True)).astype(np.float32)
        rows = np.arange(count)
        if name in (AspectName.COLUMNS, AspectName.TITLE, AspectName.DESCRIPTION):
            rows = np.array([row if kinds[row] is ChunkKind.TABLE else -1 for row in rows])
        aspects[name] = Aspect(vectors, rows)
    named = sparse.csr_matrix(random.random((count, 40)) < 0.04, dtype=np.float64)
    return EdgeInput(kind_codes(kinds), random.integers(0, count // 2, count), aspects, named, cosine)


def overlap_of(chunks, a, b):
    count = len(chunks.kinds)
    frequency = np.maximum(np.asarray(chunks.entities.sum(axis=0)).ravel(), 1)
    left, right = (set(chunks.entities[row].indices.tolist()) for row in (a, b))
    either = sum(math.log(1 + count / frequency[name]) for name in left | right)
    return sum(math.log(1 + count / frequency[name]) for name in left & right) / either if either else 0.0


def shares_rare(chunks, hub, a, b):
    frequency = np.asarray(chunks.entities.sum(axis=0)).ravel()
    left, right = (set(chunks.entities[row].indices.tolist()) for row in (a, b))
    return any(frequency[name] <= hub for name in left & right)


def value(chunks, sides, signal, a, b):
    if signal == ENTITY:
        return overlap_of(chunks, a, b)
    if signal not in sides.compared:
        return 0.0
    left, right = (chunks.aspects[name] for name in sides.compared[signal])
    if left.rows[a] < 0 or right.rows[b] < 0:
        return 0.0
    return float(np.clip(left.vectors[left.rows[a]] @ right.vectors[right.rows[b]], 0, 1))


def all_pairs(chunks, edges, kind):
    """{(left, right): {signal: value}}; a pair of one kind stands in both directions."""
    rule, sides = edges.rules[kind], EDGE_KINDS[kind]
    return {
        (a, b): {signal: round(value(chunks, sides, signal, a, b), 6) for signal in rule.signals}
        for a, b in itertools.permutations(range(len(chunks.kinds)), 2)
        if (KINDS[chunks.kinds[a]], KINDS[chunks.kinds[b]]) == (sides.left, sides.right)
        and (edges.within_documents or chunks.documents[a] != chunks.documents[b])
    }


def nearest_pairs(sums, count, most):
    near = set()
    for end, chunk in itertools.product((0, 1), range(count)):
        mine = [pair for pair in sums if pair[end] == chunk and sums[pair] > 0]
        mine.sort(key=lambda pair: (-sums[pair], pair[1 - end]))
        near.update(tuple(sorted(pair)) for pair in mine[:most])
    return near


def percentile(values, rule):
    return float(np.percentile(sorted(values), rule.percentile, method="inverted_cdf")) if values else 0.0


def take(passed, weight, most):
    kept, degree = {}, Counter()
    for pair in sorted(passed, key=lambda pair: (-weight[pair], pair)):
        if all(degree[end] < most for end in pair):
            kept[pair] = weight[pair]
            degree.update(pair)
    return kept


def reference(chunks, edges, kind):
    """What `docs/edges.md` says, pair by pair: {(source, target): weight} and the thresholds."""
    rule = edges.rules[kind]
    pairs = all_pairs(chunks, edges, kind)
    sums = {pair: sum(v * rule.signals[s] for s, v in signals.items()) for pair, signals in pairs.items()}
    rounded = {pair: round(each, 6) for pair, each in sums.items()}
    near = nearest_pairs(rounded, len(chunks.kinds), edges.candidates)
    values = {tuple(sorted(pair)): signals for pair, signals in pairs.items()}
    share = sum(rule.signals.values())
    weight = {tuple(sorted(pair)): round(each / share, 6) for pair, each in sums.items()}
    if rule.rule is Rule.WEIGHTED:
        values = {pair: {"weight": weight[pair]} for pair in values}
    population = near if rule.population is Population.CANDIDATES else values
    names = sorted({name for signals in values.values() for name in signals})
    limits = {name: percentile([values[pair][name] for pair in population], rule) for name in names}
    passed = {p for p in near if weight[p] > 0 and all(values[p][name] >= limits[name] for name in names)}
    for pair in values if rule.keep_shared_entity else ():
        if shares_rare(chunks, edges.entity_hub, *pair):
            passed.add(pair)
            weight[pair] = max(weight[pair], round(overlap_of(chunks, *pair), 6))
    return take(passed, weight, rule.max_edges), limits


def small(name, **changes):
    edges = replace(load_recipe(name).edges, candidates=5, entity_hub=3)
    rules = {
        kind: replace(rule, max_edges=3, percentile=60.0, **changes) for kind, rule in edges.rules.items()
    }
    return replace(edges, rules=rules)


@pytest.mark.parametrize("name", PRESETS)
@pytest.mark.parametrize("seed", range(3))
def test_edges_are_those_of_the_reference(name, seed):
    chunks, edges = corpus(seed=seed), small(name)
    sets = {each.kind: each for each in build(chunks, edges)}
    for kind in EdgeKind:
        expected, limits = reference(chunks, edges, kind)
        got = sets[kind]
        pairs = list(zip(got.source.tolist(), got.target.tolist(), strict=True))
        assert got.thresholds == pytest.approx(limits, abs=2e-6)
        assert dict(zip(pairs, got.weight.tolist(), strict=True)) == pytest.approx(expected, abs=2e-6)


def test_build_covers_something():
    """The reference test would pass on nothing; the corpus gives edges of every kind."""
    assert all(len(each.weight) >= 5 for each in build(corpus(), small("default")))
    assert len(build(corpus(), small("default"))) == len(EdgeKind)


def equal(left, right):
    return [each.kind for each in left] == [each.kind for each in right] and all(
        np.array_equal(a.source, b.source)
        and np.array_equal(a.target, b.target)
        and np.array_equal(a.weight, b.weight)
        and a.thresholds == b.thresholds
        for a, b in zip(left, right, strict=True)
    )


@pytest.mark.parametrize("name", PRESETS)
@pytest.mark.parametrize("coarse", [False, True])
def test_size_of_blocks_does_not_show(name, coarse, monkeypatch):
    chunks, edges = corpus(coarse=coarse), small(name)
    whole = build(chunks, edges)
    monkeypatch.setattr(candidate_pairs, "BLOCK_VALUES", 300)
    assert equal(build(chunks, edges), whole)


@pytest.mark.parametrize(("others", "most"), [(0, 0), (20, 2 * 20 * 200 + 20 * 20)])
def test_a_large_document_is_not_compared_with_itself(others, most):
    compared = []

    def counted(left, right):
        compared.append(len(left) * len(right))
        return cosine(left, right)

    count = 200 + others
    vectors = np.eye(count, dtype=np.float32)
    chunks = EdgeInput(
        kind_codes([ChunkKind.TEXT] * count),
        np.array([-5] * 200 + list(range(others))),
        {AspectName.CONTENT: Aspect(vectors, np.arange(count))},
        sparse.csr_matrix((count, 0)),
        counted,
    )
    rule = EdgeRule({CONTENT: 1.0})
    build(chunks, replace(small("default"), rules={EdgeKind.DOCUMENT_DOCUMENT: rule}))
    assert sum(compared) <= most


@pytest.mark.parametrize("within", [False, True])
def test_edges_of_a_graph_with_one_large_document_are_those_of_the_reference(within):
    chunks = corpus()
    large = np.where(np.arange(len(chunks.documents)) % 4 > 0, -3, chunks.documents)
    chunks, edges = replace(chunks, documents=large), replace(small("default"), within_documents=within)
    for each in build(chunks, edges):
        expected, limits = reference(chunks, edges, each.kind)
        pairs = zip(each.source.tolist(), each.target.tolist(), strict=True)
        assert dict(zip(pairs, each.weight.tolist(), strict=True)) == pytest.approx(expected, abs=2e-6)
        assert each.thresholds == pytest.approx(limits, abs=2e-6)


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10**6), name=st.sampled_from(sorted(PRESETS)), coarse=st.booleans())
def test_edges_keep_their_promises(seed, name, coarse):
    chunks, edges = corpus(count=40, seed=seed, coarse=coarse), small(name)
    for each in build(chunks, edges):
        assert np.all(each.source < each.target)
        assert len({*zip(each.source.tolist(), each.target.tolist(), strict=True)}) == len(each.weight)
        assert np.all((each.weight > 0) & (each.weight <= 1))
        degree = np.bincount(np.concatenate([each.source, each.target]), minlength=1)
        assert degree.max() <= edges.rules[each.kind].max_edges
        for values in (each.weight, *each.signals.values()):
            assert np.all((values >= 0) & (values <= 1))
            assert np.array_equal(np.round(values, 6), values)
        if not edges.within_documents:
            assert np.all(chunks.documents[each.source] != chunks.documents[each.target])


def test_focus_joins_new_chunks_by_the_thresholds_given():
    chunks, edges = corpus(), small("default")
    before = {each.kind: each.thresholds for each in build(chunks, edges)}
    new = np.array([3, 17, 40])
    sets = build(replace(chunks, focus=new), edges, before)
    assert sum(len(each.weight) for each in sets) > 0
    everything = small("default")
    everything = replace(
        everything, rules={kind: replace(rule, max_edges=10**6) for kind, rule in everything.rules.items()}
    )
    all_pairs = {each.kind: each for each in build(chunks, everything)}
    for each in sets:
        assert each.thresholds == before[each.kind]
        assert np.all(np.isin(each.source, new) | np.isin(each.target, new))
        whole = all_pairs[each.kind]
        known = {*zip(whole.source.tolist(), whole.target.tolist(), strict=True)}
        assert known.issuperset(zip(each.source.tolist(), each.target.tolist(), strict=True))


def test_thresholds_of_another_rule_are_not_used():
    chunks, edges = corpus(), small("default")
    assert equal(build(chunks, edges, {EdgeKind.DOCUMENT_DOCUMENT: {"weight": 0.99}}), build(chunks, edges))


def test_a_shared_rare_entity_joins_what_is_not_similar_and_a_hub_does_not():
    apart = np.eye(6, dtype=np.float32)
    named = sparse.csr_matrix(np.array([[1, 1], [1, 1], [0, 1], [0, 1], [0, 1], [0, 1]], dtype=np.float64))
    chunks = EdgeInput(
        kind_codes((ChunkKind.TEXT,) * 6),
        np.arange(6),
        {AspectName.CONTENT: Aspect.each(apart), AspectName.TOPIC: Aspect.each(apart)},
        named,
        cosine,
    )
    (found,) = build(chunks, replace(load_recipe("default").edges, entity_hub=2))
    assert (found.source.tolist(), found.target.tolist()) == ([0], [1])
    assert found.signals[ENTITY].tolist() == found.weight.tolist() == [1.0]


def test_an_empty_corpus_has_no_edges():
    empty = np.zeros((0, 4), np.float32)
    chunks = EdgeInput(
        kind_codes(()),
        np.zeros(0, np.int64),
        {AspectName.CONTENT: Aspect.each(empty)},
        sparse.csr_matrix((0, 0)),
        cosine,
    )
    assert build(chunks, load_recipe("default").edges) == []


def test_a_large_population_is_sampled_evenly(monkeypatch):
    chunks, edges = corpus(count=300), small("java")
    whole = {each.kind: each.thresholds["weight"] for each in build(chunks, edges)}
    monkeypatch.setattr(candidate_pairs, "SAMPLE", 3_000)
    first, second = build(chunks, edges), build(chunks, edges)
    assert equal(first, second)
    assert {each.kind: each.thresholds["weight"] for each in first} == pytest.approx(whole, abs=0.03)


def test_the_index_gives_what_exact_products_give_where_it_misses_nothing():
    chunks = corpus(count=200)
    aspects = {name: Aspect(np.abs(each.vectors), each.rows) for name, each in chunks.aspects.items()}
    chunks = replace(chunks, aspects=aspects)  # no cosine is negative: the index does not clip
    by_index = replace(
        chunks, nearest=lambda near, far, count: np.argsort(-(near @ far.T), axis=1)[:, :count]
    )
    edges = small("default")
    forced = replace(edges, exact_chunks=1)
    assert equal(build(by_index, edges), build(chunks, edges))
    exactly, approximately = build(chunks, edges), build(by_index, forced)
    assert [each.kind for each in exactly] == [each.kind for each in approximately]
    for one, other in zip(exactly, approximately, strict=True):
        assert other.thresholds == pytest.approx(one.thresholds, abs=1e-5)
        assert {*zip(one.source, one.target, strict=True)} == {*zip(other.source, other.target, strict=True)}


@pytest.mark.parametrize("name", PRESETS)
def test_usearch_finds_nearly_the_same_edges(name):
    chunks = replace(corpus(count=400), nearest=nearest)
    edges = small(name)
    exactly, approximately = build(chunks, edges), build(chunks, replace(edges, exact_chunks=1))
    for one, other in zip(exactly, approximately, strict=True):
        pairs = [{*zip(each.source.tolist(), each.target.tolist(), strict=True)} for each in (one, other)]
        assert len(pairs[0] & pairs[1]) > 0.7 * len(pairs[0])
        assert other.thresholds == pytest.approx(one.thresholds, abs=0.05)
    assert equal(approximately, build(chunks, replace(edges, exact_chunks=1)))


@pytest.mark.parametrize("rule", list(Rule))
def test_a_threshold_of_the_rule_takes_the_place_of_the_percentile(rule):
    """Whatever the percentile says, and for new chunks as for all."""
    chunks, kind = corpus(seed=3), EdgeKind.DOCUMENT_DOCUMENT
    edges = small("default")
    own = replace(edges.rules[kind], rule=rule, keep_shared_entity=False, max_edges=1_000)
    for least in (0.0, 0.4, 0.8):
        chosen = replace(own, cut=Cut.THRESHOLD, threshold=least, percentile=99.9)
        (found,) = build(chunks, replace(edges, rules={kind: chosen}))
        assert found.percentile is None
        assert set(found.thresholds.values()) == {least}
        (every,) = build(chunks, replace(edges, rules={kind: replace(own, percentile=0.0)}))
        kept = np.all([every.signals[name] >= least for name in chosen.signals], axis=0)
        expected = kept if rule is Rule.ALL else every.weight >= least
        assert found.source.tolist() == every.source[expected].tolist()
        assert found.target.tolist() == every.target[expected].tolist()
        assert equal(build(chunks, replace(edges, rules={kind: chosen}), {kind: found.thresholds}), [found])


def test_a_new_row_is_a_new_kind_of_edge_between_any_chunks(monkeypatch):
    """With a class of its own, a rule of its own, and no kind of chunk that it is for."""
    content = AspectName.CONTENT
    row = EdgeKindRow(
        "http://example.org/AnalogyEdge",
        None,
        None,
        {CONTENT: (content, content)},
        EdgeRule({CONTENT: 1.0}, cut=Cut.THRESHOLD, threshold=0.3, max_edges=1_000, keep_shared_entity=False),
    )
    monkeypatch.setitem(EDGE_KINDS, "Analogy", row)
    chunks = corpus()
    size = len(chunks.kinds)
    (found,) = build(chunks, Edges({"Analogy": row.rule}, candidates=size))
    vectors = chunks.aspects[content].of(np.arange(size))
    similar = np.clip(cosine(vectors, vectors), 0, 1).round(6)
    expected = {
        (a, b)
        for a, b in itertools.combinations(range(size), 2)
        if similar[a, b] >= 0.3 and chunks.documents[a] != chunks.documents[b]
    }
    assert set(zip(found.source.tolist(), found.target.tolist(), strict=True)) == expected
    assert len({frozenset((chunks.kinds[a], chunks.kinds[b])) for a, b in expected}) == 6
    names = [f"http://example.org/{number:03}" for number in range(size)]
    quads = quads_of(similarity_lines(found, names, [()] * len(found.weight), Iris()))
    classes = {quad.object.value for quad in quads if quad.predicate.value == vocabulary.TYPE}
    assert classes == {row.edge_class}
    record = BuildRecord("cosine", "own", "0", size, "2026-01-01T00:00:00Z")
    said = {quad.predicate.value for quad in quads_of(build_lines(record, edge_thresholds([found]), Iris()))}
    assert vocabulary.THRESHOLD_VALUE in said
    assert vocabulary.PERCENTILE not in said
