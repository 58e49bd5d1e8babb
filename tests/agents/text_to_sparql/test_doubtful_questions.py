"""Questions over tables that were sure and wrong: unused words, numbers in texts, yes and no, names."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from sage_ld.agents.text_to_sparql import GraphQuestions

FILES = {
    "ships.csv": (
        "Ship,Built,Length (m),Home port,Last survey,Insured,Captain\n"
        "Heron,1931,30.5,Hask,2024-05-06,yes,Ilse Brandt\nPlover,1955,22,Tarrow,2023-11-20,no,Otto Wren\n"
        "Kestrel,1921,45,Hask,2024-01-15,yes,Ann Bell\nCurlew,1988,18.25,Osmere,2022-07-30,no,\n"
        "Teal,1955,22,Hask,2024-05-30,yes,Otto Wren\n"
    ),
    "books.csv": (
        "Title,Author,First edition,Pages,Price,In print,Longest chapter\n"
        'Night Tides,Ilse Brandt,1931,210,"9,50",true,40\nThe Weir,Otto Wren,1955,480,"12,00",false,61\n'
        'Salt,Ann Bell,1988,150,"7,25",true,22\nThe Long Pier,Ann Bell,1990,320,"21,90",false,55\n'
    ),
    "wages.csv": 'Person,Wage,Bonus\nAda,"9,500",100\nBen,"71,000",250\nCleo,"105,000",0\n',
    "loads.csv": "Crane,Load,Reach\nNorth,12 t,30 m\nSouth,4.5 t,25 m\nEast,9 t,41 m\n",
    "rooms.md": (
        "# Rooms of the inn\n\n| Room | Beds | Price per night | Sea view | Smoking |\n"
        "|---|---|---|---|---|\n"
        "| Gull | 2 | 80 € | yes | no |\n| Tern | 4 | 120 € | no | no |\n| Skua | 1 | 95 € | yes | yes |\n"
        "| Auk | 3 | 110 € | no | yes |\n"
    ),
    "zimmer.csv": "Guest,Paid,Vegetarian\nIda,ja,nein\nUwe,nein,ja\nPia,ja,ja\n",
}


@pytest.fixture(scope="module")
def asking(
    tmp_path_factory: pytest.TempPathFactory,
    asking_of: Callable[[Mapping[str, str], Path], AbstractContextManager[GraphQuestions]],
) -> Iterator[GraphQuestions]:
    with asking_of(FILES, tmp_path_factory.mktemp("tables")) as made:
        yield made


@pytest.mark.parametrize(
    ("question", "rows"),
    [
        ("Which ships had their last survey after 1 January 2024?", [["Heron"], ["Kestrel"], ["Teal"]]),
        ("When was the last survey of Teal?", [["2024-05-30"]]),
        ("What is the first edition of Salt?", [[1988]]),
        ("Which ships are insured?", [["Heron"], ["Kestrel"], ["Teal"]]),
        ("Which ships are not insured?", [["Curlew"], ["Plover"]]),
        ("How many ships are insured?", [[3]]),
        ("Which rooms have a sea view?", [["Gull"], ["Skua"]]),
        ("How many rooms have a sea view?", [[2]]),
        ("Which smoking rooms are there?", [["Auk"], ["Skua"]]),
        ("Which books are in print?", [["Night Tides"], ["Salt"]]),
        ("How many books by Ann Bell are in print?", [[1]]),
        ("How many guests are vegetarian?", [[2]]),
        ("What is the highest wage?", [[105000]]),
        ("Who has the lowest wage?", [["Ada", 9500]]),
        ("Who has the highest bonus?", [["Ben", 250]]),
        ("What is the average price of books?", [[12.6625]]),
        ("Which crane has the highest load?", [["North", 12]]),
        ("Which room has the lowest price per night?", [["Gull", 80]]),
        ("How many pages has Salt?", [[150]]),
    ],
)
def test_what_is_understood_is_right(asking: GraphQuestions, question: str, rows: list[list[object]]) -> None:
    answer = asking.ask(question)
    begun = [[cell.value for cell in row[: len(rows[0])]] for row in answer.rows]
    assert (answer.is_sure, begun) == (True, rows)


@pytest.mark.parametrize(
    "question",
    [
        "Which book is the longest?",
        "How long is Salt?",
        "How old is the Heron?",
        "Which ship was built last?",
        "How many books are sold out?",
        "Which rooms have a balcony?",
        "Which ships are painted?",
        "What is the price of the Heron?",
    ],
)
def test_what_is_not_understood_is_not_sure(asking: GraphQuestions, question: str) -> None:
    assert not asking.ask(question).is_sure
