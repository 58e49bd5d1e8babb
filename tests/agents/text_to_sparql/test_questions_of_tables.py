"""Questions over tables of several formats: identifiers, orders, dates, choices, and what tables lack."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from sage_ld.agents.text_to_sparql import GraphAnswer, GraphQuestions

FILES = {
    "pedals.csv": (
        "Pedal no,Model,Price,Weight,Stored at,Date\n"
        "PD-10,Flat One,€ 19.50,310 g,Bay 2,2023-02-11\nPD-11,Flat Two,€ 24.00,290 g,Bay 2,2023-03-30\n"
        "PD-20,Clip Road,€ 88.00,240 g,Bay 5,2023-03-02\nPD-21,Clip Trail,€ 88.00,350 g,Bay 7,2024-01-15\n"
        "PD-30,Kids,€ 9.90,180 g,Bay 2,2022-12-24\n"
    ),
    "loans.jsonl": (
        '{"loan": "77-0041", "reader": "Ito", "book": "Salt", "lent": "2024-02-03", "state": "returned"}\n'
        '{"loan": "77-0042", "reader": "Abel", "book": "Weir", "lent": "2024-02-29", "state": "lent"}\n'
        '{"loan": "77-0043", "reader": "Ito", "book": "Piers", "lent": "2024-03-01", "state": "lost"}\n'
        '{"loan": "77-0044", "reader": "Mori", "book": "Tides", "lent": "2024-04-18", "state": "lent"}\n'
    ),
    "hives.html": (
        "<!DOCTYPE html><html><head><title>Hives</title></head><body><table><tr><th>Hive</th><th>Keeper</th>"
        "<th>Location</th><th>Honey (kg)</th><th>Frames</th></tr>"
        "<tr><td>H1</td><td>Vera</td><td>orchard</td><td>21</td><td>10</td></tr>"
        "<tr><td>H2</td><td>Vera</td><td>heath</td><td>34</td><td>11</td></tr>"
        "<tr><td>H3</td><td>Noel</td><td>heath</td><td>34</td><td>8</td></tr>"
        "<tr><td>H4</td><td>Noel</td><td>roof</td><td>12</td><td>10</td></tr></table></body></html>"
    ),
    "keys.csv": "Key,Hook,Taken by\nAN-07,south,Pia\nHE-05,north,Kim\nCF-02,west,Ole\nLC4410,east,Kim\n",
    "staff.csv": "Member,Name,Unit,Joined\n3,Ole,IT,2019-05-02\n1,Pia,IT,2023-08-14\n2,Kim,HR,2017-03-01\n",
    "ferries.md": (
        "# Ferries\n\n| Ferry | From port | To port | Crew |\n|---|---|---|---|\n"
        "| Auk | Hask | Tarrow | 14 |\n| Teal | Tarrow | Osmere | 9 |\n| Smew | Osmere | Hask | 11 |\n"
    ),
}


@pytest.fixture(scope="module")
def asking(
    tmp_path_factory: pytest.TempPathFactory,
    asking_of: Callable[[Mapping[str, str], Path], AbstractContextManager[GraphQuestions]],
) -> Iterator[GraphQuestions]:
    with asking_of(FILES, tmp_path_factory.mktemp("several")) as made:
        yield made


def columns(answer: GraphAnswer) -> list[set[str]]:
    """The values of each column, as texts."""
    rows = [[str(cell.value) for cell in row] for row in answer.rows]
    return [set(column) for column in zip(*rows, strict=True)]


UNDERSTOOD = {
    "identifier": {
        "What does PD-20 cost?": {"88.0"},
        "Where is hive H4?": {"roof"},
        "Who has loan 77-0043?": {"Ito"},
        "How many frames has hive H3?": {"8"},
        "What is the state of loan 77-0042?": {"lent"},
    },
    "code that begins with a function word": {
        "On which hook is AN-07?": {"south"},
        "On which hook is he-05?": {"north"},
    },
    "identifier in another spelling": {
        "On which hook is CF02?": {"west"},
        "On which hook is cf02?": {"west"},
        "On which hook is LC-4410?": {"east"},
        "Who has taken lc-4410?": {"Kim"},
        "What does PD20 cost?": {"88.0"},
    },
    "amount": {
        "How much is PD-11?": {"24.0"},
        "How much is the Clip Road?": {"88.0"},
        "What does the Flat One weigh?": {"310"},
        "How much honey did H4 give?": {"12"},
        "How many kg honey did Noel get?": {"46"},
    },
    "place in an order": {
        "Which hives have the most honey?": {"H2", "H3"},
        "Which pedals have the highest price?": {"PD-20", "PD-21"},
        "Which pedal has the second highest price?": {"PD-11"},
        "Which pedal is the third heaviest?": {"PD-11"},
        "What is the second lowest price?": {"19.5"},
        "Which loan is the newest?": {"77-0044"},
    },
    "date": {
        "Which pedals are dated March 2023?": {"PD-11", "PD-20"},
        "Which loans were lent before March 2024?": {"77-0041", "77-0042"},
        "Which loans were lent after February 2024?": {"77-0043", "77-0044"},
        "Which loans were lent between 1 February 2024 and 29 February 2024?": {"77-0041", "77-0042"},
        "Which pedals have a date before 2023?": {"PD-30"},
    },
    "choice": {
        "Which is heavier, the Clip Road or the Clip Trail?": {"Clip Trail"},
        "Which is more expensive, PD-10 or PD-30?": {"PD-10"},
        "Does H2 have more honey than H4?": {"True"},
        "Does the Flat One weigh more than the Clip Trail?": {"False"},
        "Which hives are at the orchard or roof?": {"H1", "H4"},
    },
    "negation": {
        "Which loans are not lost?": {"77-0041", "77-0042", "77-0044"},
        "Which pedals are not stored at Bay 2?": {"PD-20", "PD-21"},
        "Which hives are not in the heath?": {"H1", "H4"},
        "How many loans are not returned?": {"3"},
        "Which hives does Vera not keep?": {"H3", "H4"},
    },
    "person": {
        "Who keeps the hive with the most frames?": {"Vera"},
        "Who lent last?": {"Mori"},
        "Who is in IT?": {"Ole", "Pia"},
        "Who joined last?": {"Pia"},
        "Who joined first in HR?": {"Kim"},
        "Who joined before 2018?": {"Kim"},
    },
    "several questions": {
        "Where is H4 and how many frames has it?": {"roof", "10"},
        "What does PD-30 cost, and what does it weigh?": {"9.9", "180"},
        "How many hives are at the heath, and which of them has the most frames?": {"2", "H2"},
        "Which reader has loan 77-0044 and which book is it?": {"Mori", "Tides"},
        "Which hive has the most frames and which hive has the least honey?": {"H2", "H4"},
    },
}


@pytest.mark.parametrize("kind", UNDERSTOOD)
def test_what_is_sure_is_right_and_most_is_answered(asking: GraphQuestions, kind: str) -> None:
    wrong: list[object] = []
    unsure: list[object] = []
    for question, wanted in UNDERSTOOD[kind].items():
        answer = asking.ask(question)
        if wanted not in columns(answer):
            (wrong if answer.is_sure else unsure).append((question, columns(answer), answer.query))
        elif not answer.is_sure:
            unsure.append((question, columns(answer), answer.query))
    assert (wrong, unsure) == ([], [])


@pytest.mark.parametrize(
    ("question", "words", "nearest"),
    [
        ("What does PD-12 cost?", "PD-12", "PD-11"),
        ("How much is PD-20-X?", "PD-20-X", "PD-20"),
        ("Who has loan 77-0049?", "77-0049", "77-0042"),
        ("How many frames has H9?", "H9", ""),
        ("What does the Clip Gravel cost?", "Clip Gravel", "Clip Trail"),
        ("Which hives does Igor keep?", "Igor", ""),
        ("What is the colour of PD-20?", "colour", ""),
    ],
)
def test_what_the_graph_lacks_is_said_and_no_other_rows_stand_for_it(
    asking: GraphQuestions, question: str, words: str, nearest: str
) -> None:
    answer = asking.ask(question)
    missing = {each.words: each.nearest for each in answer.missing}
    assert (answer.is_sure, words in missing) == (False, True)
    assert not nearest or nearest in missing[words]
    shown = {value for column in columns(answer) for value in column}
    assert not shown or "PD-20" in question


@pytest.mark.parametrize(
    "question",
    [
        "Which ferries serve Hask?",
        "How many ferries are at Tarrow?",
        "Is there a ferry for Osmere?",
        "Which ferries have a crew of more than 10 at Hask?",
        "Which teachers keep hives at the heath and the roof?",
    ],
)
def test_a_value_of_two_columns_and_two_values_of_one_are_not_sure(
    asking: GraphQuestions, question: str
) -> None:
    assert not asking.ask(question).is_sure


@pytest.mark.parametrize(
    ("question", "column"),
    [("Which ferry goes from Hask?", {"Auk"}), ("Which ferry goes to Hask?", {"Smew"})],
)
def test_the_column_is_meant_whose_label_the_question_has(
    asking: GraphQuestions, question: str, column: set[str]
) -> None:
    answer = asking.ask(question)
    assert column in columns(answer) or not answer.is_sure


@pytest.mark.parametrize(
    ("question", "column"),
    [
        ("Which pedals were galvanised in March 2023?", {"PD-11", "PD-20"}),
        ("Which loans of Ito were damaged?", {"77-0041", "77-0043"}),
        ("Which hives did Noel paint?", {"H3", "H4"}),
    ],
)
def test_rows_are_shown_though_not_sure(asking: GraphQuestions, question: str, column: set[str]) -> None:
    answer = asking.ask(question)
    assert not answer.is_sure
    assert column in columns(answer)


def test_whole_rows_have_their_dates(asking: GraphQuestions) -> None:
    answer = asking.ask("Which loans are lent?")
    assert answer.columns == ("loan", "reader", "book", "lent", "state")
    assert [row[3].value for row in answer.rows] == ["2024-02-29", "2024-04-18"]


def test_of_several_questions_it_is_said_which_is_open(asking: GraphQuestions) -> None:
    answer = asking.ask("What does PD-30 cost and who invented it?")
    assert not answer.is_sure
    assert ("What does PD-30 cost", 9.9) in [(row[0].value, row[1].value) for row in answer.rows]
    assert "who invented it?" in answer.unused
