"""Questions over tables whose files have years in their names, and columns several ways of writing."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from sage_ld.agents.text_to_sparql import GraphQuestions

FILES = {
    "village_allotments_2025.csv": (
        "plot,tenant,rent (EUR),pages of rules,assigned,watered\n"
        "007,Ines,40,12,03.02.2025,yes\n012,Bram,55,30,2025-02-14,N\n019,Ines,35,8,2 March 2025,Y\n"
        "103,Olga,70,22,21.03.2025,no\n104,Piet,62,18,2025-04-01,ja\n"
    ),
    "boats spring.csv": (
        "boat,berth,skipper,temp of engine,refit,insured\n"
        "Tern,B1,Uta,71,28/02/2024,Yes\nDunlin,B2,Kai,64,2024-03-05,y\nKnot,B2,Uta,80,17/03/2024,No\n"
        "Ruff,C1,Sven,77,2024-04-30,n\n"
    ),
    "choir_members.md": (
        "# Choir\n\n| singer | voice | fee | joined |\n|---|---|---|---|\n"
        "| Alma | alto | 12 | 2019-03-01 |\n"
        "| Bo | bass | 15 | 5 May 2020 |\n| Cleo | alto | 9 | 2021-09-09 |\n"
    ),
}

UNDERSTOOD = {
    "name of the table": {
        "How many boats are there?": {"4"},
        "How many allotments are there?": {"5"},
        "Which boat has the berth C1?": {"Ruff"},
        "Which members are alto?": {"Alma", "Cleo"},
        "What is the average rent of the allotments?": {"52.4"},
    },
    "zeros before a number": {
        "What is the rent of plot 007?": {"40"},
        "Who is the tenant of allotment 012?": {"Bram"},
        "What is the rent of plot 019?": {"35"},
        "Who is the tenant of plot 007?": {"Ines"},
        "When was plot 012 assigned?": {"2025-02-14"},
    },
    "days written in several ways": {
        "Which boats had a refit after 10 March 2024?": {"Knot", "Ruff"},
        "Which boats had a refit in March 2024?": {"Dunlin", "Knot"},
        "Which boats had a refit before March 2024?": {"Tern"},
        "Which allotments were assigned on 2 March 2025?": {"019"},
        "Which members joined before 2021?": {"Alma", "Bo"},
    },
    "yes and no in several ways": {
        "How many boats are insured?": {"2"},
        "Which boats are not insured?": {"Knot", "Ruff"},
        "How many boats are not insured?": {"2"},
        "How many allotments are not watered?": {"2"},
        "Which allotments are watered?": {"007", "019", "104"},
    },
    "measure of an adjective": {
        "Which boat is the coldest?": {"Dunlin"},
        "Which boat is the hottest?": {"Knot"},
        "Which singer is the cheapest?": {"Cleo"},
        "Which allotment is the thinnest?": {"019"},
        "Which allotment is the thickest?": {"012"},
    },
}


@pytest.fixture(scope="module")
def asking(
    tmp_path_factory: pytest.TempPathFactory,
    asking_of: Callable[[Mapping[str, str], Path], AbstractContextManager[GraphQuestions]],
) -> Iterator[GraphQuestions]:
    with asking_of(FILES, tmp_path_factory.mktemp("others")) as made:
        yield made


@pytest.mark.parametrize(
    ("question", "wanted"), [each for asked in UNDERSTOOD.values() for each in asked.items()]
)
def test_what_is_asked_is_sure_and_right(asking: GraphQuestions, question: str, wanted: set[str]) -> None:
    answer = asking.ask(question)
    rows = [[str(cell.value) for cell in row] for row in answer.rows]
    assert wanted in [set(column) for column in zip(*rows, strict=True)], (answer.query, rows)
    assert answer.is_sure, (answer.confidence, answer.unused)


@pytest.mark.parametrize(
    "question",
    [
        "Which boats are rotten?",
        "What is the rent of plot 008?",
        "Who has more fees, Ines or Olga?",
        "Who had the higher rent, Ines or Olga?",
        "Who was Uta's boat and whose was it in 2024?",
    ],
)
def test_what_is_not_said_or_of_several_rows_is_not_sure(asking: GraphQuestions, question: str) -> None:
    assert not asking.ask(question).is_sure
