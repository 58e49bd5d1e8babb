"""Questions over tables with totals, empty cells that are written, spellings, and names like other words."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from sage_ld.agents.text_to_sparql import GraphQuestions

FILES = {
    "harvest.csv": "Crop,Sacks,Price in £\nOats,40,11.5\nRye,25,14\nBarley,10,9\nGrand total:,75,34.5\n",
    "budget.csv": "Post,2024,2025\nTickets,900,1200\nHire,-300,-500\nPrinting,-100,-80\nNet result,500,620\n",
    "tanks.csv": "Tank,Litres,Cover\nT1,400,yes\nT2,n/a,no\nT3,250, Yes\nT4,unknown,YES\nT5,90,–\n",
    "berths.csv": "Berth,Depth,Guest\nB1,3.5,Auk\nB2,,Skua\nB3,2,\n",
    "visits.csv": "Guide;Walkers;Fee\nLund;1.204;35,50\nBell;987;42,25\nMoss;2.310;38,00\n",
    "doses.csv": "Drug,Strength\nAspirin,5 mg\nBiotin,250 µg\nCitrate,1 g\n",
    "pets.csv": "Pet,Born\nMitzi,2019-04-02\nRex,2021-11-30\n",
    "reagents.csv": "Reagent,Lot,Reaction\nanti-A,A7,+\nanti-B,B2,-\nanti-D,D4,+\n",
    "clients.csv": "Client,Due\nWill,70\nMay,15\nMark,44\nThen,9\n",
    "parcels.csv": "Parcel,Weight\nP1,1.234 kg\nP2,12.345 kg\nP3,3.500 kg\n",
    "hosts.csv": "Host,Address,Telephone\nab,192.168.100.101,555 123 456\ncd,192.168.100.204,555 987 654\n",
    "fleet.json": '{"fleet": "N", "boats": [{"boat": "Auk", "berths": 4}, {"boat": "Skua", "berths": 6}]}',
}


@pytest.fixture(scope="module")
def asking(
    tmp_path_factory: pytest.TempPathFactory,
    asking_of: Callable[[Mapping[str, str], Path], AbstractContextManager[GraphQuestions]],
) -> Iterator[GraphQuestions]:
    with asking_of(FILES, tmp_path_factory.mktemp("misleading")) as made:
        yield made


@pytest.mark.parametrize(
    ("question", "rows"),
    [
        ("Which crop has the most sacks?", [["Oats"]]),
        ("What is the sum of the sacks?", [[75]]),
        ("What is the average of the sacks?", [[25]]),
        ("How many crops have more than 20 sacks?", [[2]]),
        ("How many crops are there?", [[3]]),
        ("Which post has the highest 2025?", [["Tickets"]]),
        ("What is the highest litres?", [[400]]),
        ("How many litres has T1?", [[400]]),
        ("Which tanks have a cover?", [["T1"], ["T3"], ["T4"]]),
        ("How many tanks have a cover?", [[3]]),
        ("What is the due of Will?", [[70]]),
        ("What is the due of May?", [[15]]),
        ("What is the due of Then?", [[9]]),
        ("How many boats are there?", [[2]]),
        ("What is the reaction of anti-B?", [["-"]]),
        ("What is the sum of the walkers?", [[4501]]),
        ("What is the strength of Biotin?", [["250 µg"]]),
        ("Does B1 have a depth above 3?", [[True]]),
        ("Does B3 have a depth above 3?", [[False]]),
    ],
)
def test_what_is_understood_is_right(asking: GraphQuestions, question: str, rows: list[list[object]]) -> None:
    answer = asking.ask(question)
    begun = [[cell.value for cell in row[: len(rows[0])]] for row in answer.rows]
    assert (answer.is_sure, begun) == (True, rows)


@pytest.mark.parametrize(
    "question",
    [
        "What is the due of Will and May?",
        "What is the average weight?",
        "Which host has the highest address?",
        "Which host has the highest telephone?",
        "What is the cover of T5?",
        "Does B2 have a depth above 3?",
        "Is the guest of B3 Auk?",
        "How old is Mitzi?",
    ],
)
def test_what_is_not_understood_is_not_sure(asking: GraphQuestions, question: str) -> None:
    assert not asking.ask(question).is_sure
