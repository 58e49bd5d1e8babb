"""Questions over tables that were sure and wrong: unused words, numbers, totals, yes and no, names."""

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
    "harvest.csv": "Crop,Sacks,Price in £\nOats,40,11.5\nRye,25,14\nBarley,10,9\nGrand total:,75,34.5\n",
    "budget.csv": "Post,2024,2025\nTickets,900,1200\nHire,-300,-500\nPrinting,-100,-80\nNet result,500,620\n",
    "tanks.csv": "Tank,Litres,Cover\nT1,400,yes\nT2,n/a,no\nT3,250, Yes\nT4,unknown,YES\nT5,90,–\n",
    "berths.csv": "Berth,Depth,Guest\nB1,3.5,Auk\nB2,,Skua\nB3,2,\n",
    "visits.csv": "Guide;Walkers;Fee\nLund;1.204;35,50\nBell;987;42,25\nMoss;2.310;38,00\n",
    "doses.csv": "Drug,Strength\nAspirin,5 mg\nBiotin,250 µg\nCitrate,1 g\n",
    "pets.csv": "Pet,Born\nMitzi,2019-04-02\nRex,2021-11-30\n",
    "grants.csv": "Grant,Sum\nG1,400\nG2,250\n",
    "reagents.csv": "Reagent,Lot,Reaction\nanti-A,A7,+\nanti-B,B2,-\nanti-D,D4,+\n",
    "clients.csv": "Client,Due\nWill,70\nMay,15\nMark,44\nThen,9\n",
    "parcels.csv": "Parcel,Weight\nP1,1.234 kg\nP2,12.345 kg\nP3,3.500 kg\n",
    "hosts.csv": "Host,Address,Telephone\nab,192.168.100.101,555 123 456\ncd,192.168.100.204,555 987 654\n",
    "fleet.json": '{"fleet": "N", "boats": [{"boat": "Auk", "berths": 4}, {"boat": "Skua", "berths": 6}]}',
    "outlays.csv": "Outlay,Costs\nDredging,-900\nPaint,-40\nRope,-310\n",
    "ledger.csv": "Entry,Amount,Profit\nSlip hire,1200,300\nTimber,-700,-80\nWax,-60,-5\n",
    "winters.csv": "Winter,Lowest reading\nW1,-12\nW2,3\nW3,-4\n",
    "losses.md": "# Losses\n\n| Yard | Loss |\n|---|---|\n| Aft | -15 |\n| Bow | 4 |\n| Mid | -70 |\n",
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
        ("What is the sum of G2?", [[250]]),
        ("Which entry has the highest profit?", [["Slip hire"]]),
        ("What is the sum of the profit?", [[215]]),
        ("What are the costs of Rope?", [[-310]]),
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
        "What is the due of Will and May?",
        "What is the average weight?",
        "Which host has the highest address?",
        "Which host has the highest telephone?",
        "What is the cover of T5?",
        "Does B2 have a depth above 3?",
        "Is the guest of B3 Auk?",
        "How old is Mitzi?",
        "What is the sum of all grants?",
        "Which outlay has the highest costs?",
        "What are the highest costs?",
        "What are the lowest costs?",
        "Which outlays have costs above 100?",
        "How many outlays have costs of more than 50?",
        "Which entry cost the most?",
        "What is the most expensive entry?",
        "Which yard has the highest loss?",
        "Which yards have a loss of more than 10?",
        "Which yard lost the most?",
        "Does Dredging have higher costs than Paint?",
    ],
)
def test_what_is_not_understood_is_not_sure(asking: GraphQuestions, question: str) -> None:
    assert not asking.ask(question).is_sure
