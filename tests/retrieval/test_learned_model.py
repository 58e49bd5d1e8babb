"""A learned ranking model: what it follows where the graph joins much, little and nothing; how it is kept."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from sage_ld.foundation.errors import InputError
from sage_ld.foundation.model import FloatArray
from sage_ld.foundation.question import Mode
from sage_ld.graph import KnowledgeGraph
from sage_ld.retrieval import Retriever
from sage_ld.retrieval.rankings.features import FEATURE_NAMES, UNCONSTRAINED_FEATURES
from sage_ld.retrieval.rankings.learned_model import FEW, JOINED, LearnedModel
from sage_ld.retrieval.rankings.models import load_model

COLUMN = {name: number for number, name in enumerate(FEATURE_NAMES)}
HOPS = ("links", "ties")


def evidence(joined: float, count: int = 100, seed: int = 2) -> FloatArray:
    """Random evidence for candidates, of which so large a share is joined by links."""
    values = np.random.default_rng(seed).random((count, len(FEATURE_NAMES))).astype(np.float32)
    values[:, [COLUMN[name] for name in HOPS]] = 0
    values[: round(joined * count), COLUMN["links"]] = 1
    return values


def test_the_shipped_model_is_for_the_features_that_there_are() -> None:
    model = load_model()
    assert model.trees.names == FEATURE_NAMES
    assert model.trees.feature.max() < len(FEATURE_NAMES)


def test_where_nothing_joins_or_resembles_candidates_their_order_is_that_of_the_text() -> None:
    values = evidence(0)
    values[:, COLUMN["likeness"]] = 0
    assert np.array_equal(np.argsort(load_model().logits(values)), np.argsort(values[:, COLUMN["hybrid"]]))


def test_where_the_graph_joins_enough_the_trees_decide_alone() -> None:
    model, values = load_model(), evidence(JOINED[1])
    assert np.array_equal(model.logits(values), model.trees.predict(values))


def test_in_between_both_count() -> None:
    model, values = load_model(), evidence(sum(JOINED) / 2)
    text, trees = model.logits(evidence(0)), model.trees.predict(values)
    between = model.logits(values)
    assert (between >= np.minimum(text, trees) - 1e-6).all()
    assert (between <= np.maximum(text, trees) + 1e-6).all()
    assert not np.array_equal(np.argsort(between), np.argsort(trees))


@pytest.mark.parametrize("joined", [0, 0.07, 0.5])
@pytest.mark.parametrize("name", sorted(set(FEATURE_NAMES) - UNCONSTRAINED_FEATURES))
def test_more_evidence_never_ranks_a_candidate_lower(name: str, joined: float) -> None:
    values, model = evidence(joined), load_model()
    before = model.logits(values)
    for place in range(0, len(values), 7):
        more = values.copy()
        more[place, COLUMN[name]] += 0.2
        after = model.logits(more)
        assert (after > after[place]).sum() <= (before > before[place]).sum()


def test_corrections_count_however_little_the_graph_joins() -> None:
    model = load_model()
    corrected = model.corrected(model.trees)
    for joined in (0, 0.07, 0.5):
        values = evidence(joined)
        assert corrected.logits(values) == pytest.approx(model.logits(values) + model.trees.predict(values))
    twice = corrected.corrected(model.trees)
    assert twice.logits(values) == pytest.approx(model.logits(values) + 2 * model.trees.predict(values))


def test_a_model_is_shipped_or_given_whole() -> None:
    values, model = evidence(0.07), load_model()
    for each in (model, model.corrected(model.trees)):
        assert load_model(each.to_json()).logits(values) == pytest.approx(each.logits(values), abs=1e-6)
    with pytest.raises(InputError, match="'best' is neither default nor what sage-ld tune wrote"):
        load_model("best")


def damaged() -> list[str]:
    whole = json.loads(load_model().to_json())
    changes = ({"trees": None}, {"trees": {}}, {"corrections": 3}, {"trees": 3})
    texts = ["", "{}", "[]", "3", "[" * 100_000]
    return texts + [json.dumps(whole | change) for change in changes]


@pytest.mark.parametrize("text", damaged(), ids=range(len(damaged())))
def test_a_damaged_model_is_named(text: str) -> None:
    with pytest.raises(InputError, match="the ranking model is damaged"):
        LearnedModel.from_json(text)


def test_a_model_of_an_older_version_is_said_to_be_one() -> None:
    old = json.dumps(json.loads(load_model().to_json())["trees"])
    with pytest.raises(InputError, match="learned by an older version of sage-ld; learn it again"):
        LearnedModel.from_json(old)


@pytest.mark.parametrize("joined", [1, 2, 3])
def test_of_a_handful_of_candidates_one_that_is_joined_says_little(joined: int) -> None:
    values, model = evidence(joined / 5, 5), load_model()
    values[:, COLUMN["likeness"]] = 0
    is_text = np.array_equal(np.argsort(model.logits(values)), np.argsort(values[:, COLUMN["hybrid"]]))
    assert is_text or joined / FEW > JOINED[0]


def test_a_graph_that_joins_nothing_answers_as_a_search_by_text(tmp_path: Path) -> None:
    """Its documents share no name, no title and hardly a word but those that are asked for."""
    chance = np.random.default_rng(5)
    asked = ["harbour", "lantern", "meadow", "copper"]
    lines = []
    for number in range(60):
        own = [f"{word}{number}" for word in ("aka", "elo", "imi", "onu", "upe", "ari", "eso", "ilt", "ovo")]
        words = own * 2 + [word for word in asked if chance.random() < 0.5]
        lines.append(json.dumps({"_id": f"d{number}", "text": " ".join(chance.permutation(words)) + "."}))
    (tmp_path / "corpus.jsonl").write_text("\n".join(lines), encoding="utf-8")
    graph = KnowledgeGraph.create(tmp_path / "graph", encoder="jaccard")
    graph.ingest([tmp_path / "corpus.jsonl"])
    retriever = Retriever(graph)
    for question in ("harbour lantern", "meadow copper harbour", "lantern"):
        sage, flat = (
            [each.view.identifier for each in retriever.retrieve(question, 20, 10, mode=mode).results]
            for mode in (Mode.SAGE, Mode.HYBRID)
        )
        assert len(sage) == 20
        assert sage == flat
