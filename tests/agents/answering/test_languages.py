"""Questions in scripts without blanks, and in one of several languages of a graph."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from sage_ld.agents.answering import answer_question
from sage_ld.build.languages.analysis import detected_question_language, terms
from sage_ld.build.languages.groups import in_groups
from sage_ld.graph import KnowledgeGraph
from sage_ld.retrieval import Retriever

TEXTS = {
    "ja.md": "# 港の案内\n\n小樽港の水深は九メートルです。渡し船は毎朝八時に出ます。運賃は大人五百円です。",
    "ja2.md": "# 灯台の歴史\n\n灯台は明治三十二年に建てられました。高さは二十一メートルです。",
    "zh.html": "<h1>港口手册</h1><p>这座灯塔建于1899年。灯塔的高度是二十一米。渡船每天早上八点出发。</p>",
    "th.md": "# คู่มือท่าเรือ\n\nเรือข้ามฟากออกเวลาแปดโมงเช้าทุกวัน ประภาคารสูงยี่สิบเอ็ดเมตร",
    "ko.txt": "나룻배는 매일 아침 여덟 시에 출발합니다. 등대의 높이는 이십일 미터입니다.",
    "de.txt": "Im Jahr 1876 wurde bei Osmere eine Brücke aus Stein über den Fluss gebaut.",
    "fr.txt": "Au port de Vaublanc, des chevaux tiraient autrefois les bateaux le long du canal.",
    "en.txt": "The mill below the weir at Osmere ground barley for the farms of the valley.",
}


@pytest.fixture(scope="module")
def retriever(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Retriever]:
    folder: Path = tmp_path_factory.mktemp("languages")
    for name, text in TEXTS.items():
        (folder / name).write_text(text, encoding="utf-8")
    graph = KnowledgeGraph.create(folder / "graph", encoder="jaccard")
    graph.ingest([folder / name for name in TEXTS])
    yield Retriever(graph)
    graph.close()


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("渡し船は何時に出ますか", "渡し船は毎朝八時に出ます。"),
        ("運賃はいくらですか", "運賃は大人五百円です。"),
        ("灯台の高さは？", "高さは二十一メートルです。"),
        ("灯塔的高度是多少？", "灯塔的高度是二十一米。"),
        ("渡船什么时候出发？", "渡船每天早上八点出发。"),
        ("เรือข้ามฟากออกกี่โมง", "แปดโมงเช้าทุกวัน"),
        ("나룻배는 언제 출발합니까?", "나룻배는 매일 아침 여덟 시에 출발합니다."),
        ("등대의 높이는 얼마입니까?", "등대의 높이는 이십일 미터입니다."),
        ("Wann wurden die Brücken gebaut?", "1876"),
        ("Wann wurde die Brücke gebaut?", "1876"),
        ("Wo wurde eine Brücke gebaut?", "Osmere"),
        ("Où est-ce que les chevaux tiraient des bateaux ?", "Vaublanc"),
        ("What did the mill grind for the farms?", "barley"),
    ],
)
def test_a_question_finds_the_sentence_that_answers_it(
    retriever: Retriever, question: str, expected: str
) -> None:
    assert expected in answer_question(retriever, question).text


@pytest.mark.parametrize(
    "question",
    [
        "鉄道の駅はどこですか",
        "博物馆的门票多少钱？",
        "박물관은 어디에 있습니까?",
        "Wann wurde der Bahnhof eröffnet?",
    ],
)
def test_what_the_graph_does_not_have_is_said(retriever: Retriever, question: str) -> None:
    assert answer_question(retriever, question).text == "The graph does not say."


def test_other_scripts_are_not_touched() -> None:
    assert in_groups("Straße, мост, γέφυρα, جسر 12") == "Straße, мост, γέφυρα, جسر 12"
    assert terms("Ein Kran: クレーン車 X-7", "de") == [
        "de:ein",
        "de:kran",
        "de:クレ",
        "de:レー",
        "de:ーン",
        "de:ン車",
        "de:x",
        "de:7",
    ]


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Wann wurden die Brücken gebaut?", "de"),
        ("Who built the bridge?", "en"),
        ("Tolland", "en"),
        ("Bridge Die Brücke, 1959 film", "en"),
    ],
)
def test_function_words_say_the_language_of_a_short_question(question: str, expected: str) -> None:
    assert detected_question_language(question, {"en": 9, "de": 1}, 0.99) == expected
