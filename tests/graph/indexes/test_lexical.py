import math
import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sage_ld.build.languages.analysis import indexed_terms
from sage_ld.foundation.errors import ConflictError, InputError, NotFoundError
from sage_ld.foundation.settings import Settings
from sage_ld.graph.indexes import LexicalIndex

WORDS = ["film", "series", "actor", "robert", "pittsburgh", "table", "season", "the"]
TEXTS = {
    "x:a": "The actor Robert played in the series",
    "x:b": "Pittsburgh is a city; the city of bridges",
    "x:c": "A table of seasons: season 1, season 2",
    "x:d": "robert, robert and Robert",
}


def bm25(texts: dict[str, str], query: str) -> dict[str, float]:
    """The formula, read off the page."""
    split = {iri: indexed_terms(text) for iri, text in texts.items()}
    average = sum(map(len, split.values())) / len(split)
    scores = dict.fromkeys(texts, 0.0)
    for term in indexed_terms(query):
        holding = sum(term in words for words in split.values())
        idf = math.log(1 + (len(split) - holding + 0.5) / (holding + 0.5))
        for iri, words in split.items():
            count = words.count(term)
            scores[iri] += idf * count * 2.2 / (count + 1.2 * (0.25 + 0.75 * len(words) / average))
    return scores


def rare_terms(index, most):
    """IRI → the rare terms of its row, each with the IRIs of those that hold it."""
    return {
        iri: {
            term: {index.iris[row] for row in rows} for term, rows in index.rare_terms(number, most).items()
        }
        for number, iri in enumerate(index.iris)
    }


def build(path, texts=TEXTS):
    index = LexicalIndex.create(path)
    index.update(texts.items(), [])
    return index


def by_iri(index, query):
    return dict(zip(index.iris, index.all_scores(query).tolist(), strict=True))


@pytest.mark.parametrize(
    "query", ["robert", "the city the seasons", "Who played Robert in the series?", "zebra"]
)
def test_scores_are_the_formula(tmp_path, query):
    index = build(tmp_path)
    expected = bm25(TEXTS, query)
    assert by_iri(index, query) == pytest.approx(expected, rel=1e-5)
    assert index.scores(query, ["x:d", "x:a", "x:none"]).tolist() == pytest.approx(
        [expected["x:d"], expected["x:a"], 0.0], rel=1e-5
    )


def test_search_returns_matches_best_first(tmp_path):
    index = build(tmp_path)
    iris, scores = index.search("robert", 10)
    assert iris == ["x:d", "x:a"]
    assert scores[0] > scores[1] > 0
    assert index.search("robert", 1)[0] == ["x:d"]
    assert index.search("zebra", 10)[0] == []
    assert index.search("", 10)[0] == []


def test_equal_scores_are_in_order_of_iri(tmp_path):
    iris = [f"x:{number:03d}" for number in range(9)]
    shuffled = random.Random(1).sample(iris, len(iris))
    index = LexicalIndex.create(tmp_path)
    for iri in shuffled:
        index.update([(iri, "same text")], [])
    assert index.search("text", 7)[0] == iris[:7]


@pytest.mark.parametrize(
    "query",
    [
        'title:"robert',
        "robert AND NOT (",
        "[a TO b}",
        "robert^2~",
        "*",
        "\x00 \ud7ff é ' ; --",
        "robert " * 2000,
    ],
)
def test_a_question_is_never_syntax(tmp_path, query):
    index = build(tmp_path)
    assert by_iri(index, query) == pytest.approx(bm25(TEXTS, query), rel=1e-4)


def test_terms_past_the_limit_are_left_out(tmp_path):
    build(tmp_path)
    index = LexicalIndex.open(tmp_path, settings=Settings(max_query_terms=2))
    assert np.array_equal(index.all_scores("city robert series"), index.all_scores("city robert"))


OPERATIONS = st.lists(
    st.one_of(
        st.tuples(
            st.just("add"), st.dictionaries(st.integers(0, 30), st.lists(st.sampled_from(WORDS)), max_size=8)
        ),
        st.tuples(st.just("remove"), st.lists(st.integers(0, 30), max_size=8)),
        st.tuples(st.just("merge"), st.none()),
        st.tuples(st.just("reopen"), st.none()),
    ),
    max_size=8,
)


@settings(max_examples=20, deadline=None)
@given(operations=OPERATIONS)
def test_history_does_not_show(tmp_path_factory, operations):
    """Whatever was added, replaced, deleted and merged: scores equal, to the bit, those of a fresh index."""
    folder = tmp_path_factory.mktemp("index")
    index, truth = LexicalIndex.create(folder), {}
    for operation, argument in operations:
        if operation == "add":
            added = {f"x:{key}": " ".join(words) for key, words in argument.items()}
            index.update(added.items(), [])
            truth.update(added)
        elif operation == "remove":
            index.update([], [f"x:{key}" for key in argument])
            for key in argument:
                truth.pop(f"x:{key}", None)
        elif operation == "merge":
            index.merge()
        else:
            index = LexicalIndex.open(folder, read_only=False)
    fresh = LexicalIndex.create(tmp_path_factory.mktemp("fresh"))
    fresh.update(truth.items(), [])
    assert sorted(index.iris) == sorted(truth)
    assert len(index) == len(truth)
    for query in ("the film", "robert robert pittsburgh", "seasons of actors"):
        assert by_iri(index, query) == by_iri(fresh, query)
        assert [part.tolist() if hasattr(part, "tolist") else part for part in index.search(query, 5)] == [
            part.tolist() if hasattr(part, "tolist") else part for part in fresh.search(query, 5)
        ]
    assert rare_terms(index, 5) == rare_terms(fresh, 5)


def test_texts_without_words_can_be_opened_again(tmp_path):
    build(tmp_path, {"x:1": "", "x:2": "…"})
    assert rare_terms(LexicalIndex.open(tmp_path), 5) == {"x:1": {}, "x:2": {}}


def test_rare_terms_are_those_that_few_rows_share(tmp_path):
    texts = {
        "x:1": "Gasket KQ-5521 leaks",
        "x:2": "gasket kq5521: 12 EUR",
        "x:3": "a gasket",
        "x:4": "a leak",
    }
    found = rare_terms(build(tmp_path, texts), 2)
    assert found["x:1"] == {"#kq5521": {"x:1", "x:2"}, "leak": {"x:1", "x:4"}}
    assert found["x:3"] == {"a": {"x:3", "x:4"}}


def test_merged_index_has_the_files_of_a_fresh_one(tmp_path):
    index = LexicalIndex.create(tmp_path / "a")
    for iri, text in {**TEXTS, "x:gone": "zebra"}.items():
        index.update([(iri, text)], [])
    index.update([], ["x:gone"])
    index.merge()
    build(tmp_path / "b")
    contents = [
        {path.name.split(".", 1)[1]: path.read_bytes() for path in folder.glob("*.arrays")}
        for folder in (tmp_path / "a", tmp_path / "b")
    ]
    assert contents[0] == contents[1]


def test_errors_say_what_to_do(tmp_path):
    with pytest.raises(NotFoundError, match="no index here"):
        LexicalIndex.open(tmp_path)
    build(tmp_path)
    with pytest.raises(ConflictError, match="read-only"):
        LexicalIndex.open(tmp_path).update([], [])
    with pytest.raises(ValueError, match="twice"):
        LexicalIndex.open(tmp_path, read_only=False).update([("x:a", "1"), ("x:a", "2")], [])
    next(tmp_path.glob("*.arrays")).unlink()
    with pytest.raises(InputError, match="damaged index"):
        LexicalIndex.open(tmp_path)
