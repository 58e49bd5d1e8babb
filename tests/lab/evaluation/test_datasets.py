from __future__ import annotations

import pytest
from lab.evaluation.conftest import GOLD, HEADER

from sage_ld.foundation.errors import InputError, LimitError, NotFoundError
from sage_ld.foundation.settings import Settings
from sage_ld.lab.evaluation import load_dataset, qrels_names


def test_questions_without_a_relevant_document_are_left_out_and_counted(folder):
    dataset = load_dataset(folder(support=GOLD + "q3\tx\t0\n"))
    assert list(dataset.questions) == ["q1", "q2"]
    assert dataset.unjudged == 1
    assert dataset.relevant("q1") == {"a", "b"}
    assert dataset.qrels == "support"


def test_a_choice_of_judgements_must_be_made(folder):
    path = folder(answer=GOLD, table=HEADER + "q2\tt\t2\n")
    assert qrels_names(path) == ["answer", "table"]
    assert load_dataset(path, "table").judgements == {"q2": {"t": 2}}
    with pytest.raises(InputError, match=r"answer, table.*--qrels"):
        load_dataset(path)
    with pytest.raises(NotFoundError, match="'other'; there is answer, table"):
        load_dataset(path, "other")


def test_a_header_may_follow_blank_lines(folder):
    assert load_dataset(folder(support="\n\n" + GOLD)).relevant("q1") == {"a", "b"}


def test_a_file_with_windows_line_ends_and_byte_order_mark_is_read(folder):
    path = folder(support="")
    (path / "qrels" / "support.tsv").write_bytes(b"\xef\xbb\xbf" + GOLD.replace("\n", "\r\n").encode())
    assert load_dataset(path).judgements == {"q1": {"a": 1, "b": 1}, "q2": {"c": 1}}


@pytest.mark.parametrize(
    ("qrels", "message"),
    [
        ("q1 a 1\n", r"support.tsv:1: 1 fields; three are needed"),
        (HEADER + "q1\ta\thigh\n", r"support.tsv:2: score 'high' is not a whole number"),
        (HEADER + "q1\ta\t" + "9" * 20 + "\n", r":2: score 9{20}, the limit is 1,000,000; grade on"),
        (HEADER + "q1\ta\t1000001\n", r":2: score 1000001, the limit is 1,000,000; grade on"),
        ("qid\tdoc\tscore\nq1\ta\t1\n", ":1: score 'score' .*; a header line is query-id, corpus-id, score"),
        (HEADER + "q1\ta\t1.5\n", "'1.5' is not a whole number; 0 is not relevant, 1 or more is"),
        (HEADER + "q1\t\t1\n", ":2: an empty identifier; each line needs query-id, corpus-id, score"),
        (HEADER + "\ta\t1\n", ":2: an empty identifier"),
        (HEADER + "q1\ta\0b\t1\n", r':2: "corpus-id" holds .*x00.*; leave it out'),
        (HEADER + "q1\ta\t1\nq1\tb\t1\nq1\ta\t0\n", ":4: question 'q1' .* already judged in line 2"),
        (HEADER + "q1\ta\t0\nq1\ta\t0\n", ":3: .* already judged in line 2; leave one of the two lines out"),
        (HEADER + "q9\ta\t1\n", "'q9' is not in queries.jsonl"),
        (HEADER + "q1\ta\t0\n", "no document is judged relevant"),
    ],
)
def test_malformed_judgements_are_named(folder, qrels, message):
    with pytest.raises(InputError, match=message):
        load_dataset(folder(support=qrels))


@pytest.mark.parametrize(
    ("queries", "message"),
    [
        ("not json\n", "queries.jsonl:1: not a JSON object: 'not json'"),
        ("[1]\n", "not a JSON object"),
        ("[" * 100_000 + "\n", "not a JSON object"),
        ('{"_id": "q1"}\n', '"_id" and "text"'),
        ('\n{"_id": 1, "text": "x"}\n', "queries.jsonl:2"),
        ('{"_id": "q1", "text": "x"}\n{"_id": "q1", "text": "y"}\n', "'q1' a second time"),
        ('{"_id": "q1", "text": "a \\ud800 b"}\n', r'queries.jsonl:1: "text" holds .*ud800.*; leave it out'),
        ('{"_id": "q\\u0000", "text": "x"}\n', r'queries.jsonl:1: "_id" holds .*; leave it out'),
    ],
)
def test_malformed_questions_are_named(folder, queries, message):
    with pytest.raises(InputError, match=message):
        load_dataset(folder(queries, support=GOLD))


def test_bytes_that_are_not_utf8_are_an_error_of_input(folder):
    path = folder(support=GOLD)
    (path / "queries.jsonl").write_bytes(b'{"_id": "q1", "text": "\xff"}\n')
    with pytest.raises(InputError, match="not UTF-8"):
        load_dataset(path)


def test_a_question_longer_than_a_search_takes_is_refused(folder):
    path = folder(support=GOLD)
    with pytest.raises(LimitError, match=r"jsonl:2: question 'q2': 7 characters, .* max_question_length"):
        load_dataset(path, settings=Settings(max_question_length=6))


def test_missing_files_and_too_large_ones(folder, tmp_path):
    with pytest.raises(NotFoundError, match=r"no qrels/\*.tsv"):
        qrels_names(tmp_path / "absent")
    path = folder(support=GOLD)
    with pytest.raises(LimitError, match="max_file_bytes"):
        load_dataset(path, settings=Settings(max_file_bytes=10))
    (path / "queries.jsonl").unlink()
    with pytest.raises(NotFoundError, match=r"queries.jsonl: no such file"):
        load_dataset(path)


@pytest.mark.parametrize(
    ("name", "qrels", "questions"),
    [("ottqa", "answer", 1093), ("ottqa", "table", 1093), ("hotpotqa", None, 164), ("musique", None, 205)],
)
def test_real_data_sets_load(data, name, qrels, questions):
    dataset = load_dataset(data / name, qrels)
    assert (len(dataset.questions), dataset.unjudged) == (questions, 0)
