"""Names with numbers are one thing, and what only the path of a file says is found."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from sage_ld.agents.answering.answering import answer_question
from sage_ld.build.languages.analysis import heading_names, numbered_names
from sage_ld.foundation.question import Filter, Mode
from sage_ld.graph import KnowledgeGraph
from sage_ld.retrieval import Retriever

FLEET = "Ship,Length (m),Port\n" + "".join(
    f"Wanderer {number},{17 + 7 * (number - 1) % 60},{('Tarrow', 'Osmere', 'Lund')[number % 3]}\n"
    for number in range(1, 120)
)
RULE = "## Article {0}\n\nThe fee is {1} crowns. See also Article {2}.\n\n"
RULES = "# Harbour regulations\n\n" + "".join(
    RULE.format(number, 10 + number * 7 % 41, 1 + number * 17 % 40) for number in range(1, 41)
)
ROOM = "## Room {0}\n\nIt has {1} beds. The next one is room {2}.\n\n"
ROOMS = "# Rooms\n\n" + "".join(ROOM.format(n, 1 + n % 4, n + 1) for n in range(201, 240))


PLACES = ("Osmere", "Tarrow", "Lund harbour")


def filled(folder: Path, texts: Mapping[str, str]) -> KnowledgeGraph:
    """The graph of files, given by their paths."""
    for name, text in texts.items():
        path = folder / "in" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    made = KnowledgeGraph.create(folder / "graph", encoder="jaccard")
    made.ingest([folder / "in"])
    return made


@pytest.fixture(scope="module")
def graph(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KnowledgeGraph]:
    folder = tmp_path_factory.mktemp("named")
    texts = {"fleet.csv": FLEET, "rules.md": RULES, "rooms.md": ROOMS}
    for year, total in ((2023, 410), (2024, 700), (2025, 950)):
        texts[f"{year}/invoice.md"] = f"# Invoice\n\nCustomer: Halvorsen. Total: {total} crowns."
    texts |= {f"{place}/minutes.txt": f"The council met, {n} members came." for n, place in enumerate(PLACES)}
    made = filled(folder, texts)
    yield made
    made.close()


def first(graph: KnowledgeGraph, question: str) -> str:
    [result] = Retriever(graph).retrieve(question, 1, 0, mode=Mode.BM25).results
    return f"{result.view.identifier}: {result.view.section_name or result.view.text}"


@pytest.mark.parametrize("number", [3, 12, 21, 31, 40])
def test_the_section_of_that_name_comes_before_those_that_refer_to_it(
    graph: KnowledgeGraph, number: int
) -> None:
    assert first(graph, f"What does Article {number} say?") == f"rules.md: Article {number}"


@pytest.mark.parametrize("number", [202, 211, 230])
def test_lower_case_asks_for_the_same(graph: KnowledgeGraph, number: int) -> None:
    assert first(graph, f"how many beds are in room {number}") == f"rooms.md: Room {number}"


@pytest.mark.parametrize("number", [7, 17, 31, 45, 101])
def test_the_row_of_that_name_comes_before_those_with_the_number(graph: KnowledgeGraph, number: int) -> None:
    assert f"Ship: Wanderer {number};" in first(graph, f"In which port is Wanderer {number}?")


@pytest.mark.parametrize("year", [2023, 2024, 2025])
def test_a_folder_is_searched(graph: KnowledgeGraph, year: int) -> None:
    assert first(graph, f"the total of the invoice of {year}").startswith(f"{year}/invoice.md")


@pytest.mark.parametrize("place", PLACES)
def test_a_folder_is_searched_in_whatever_format(graph: KnowledgeGraph, place: str) -> None:
    found = first(graph, f"how many members came to the council of {place}")
    assert found.startswith(f"{place}/minutes.txt")


@pytest.mark.parametrize("number", [3, 12, 31])
def test_an_answer_is_of_the_section_that_is_asked_for(graph: KnowledgeGraph, number: int) -> None:
    answer = answer_question(Retriever(graph), f"What does Article {number} say?")
    assert answer.sentences[0].citations[0].chunk.section_name == f"Article {number}"


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Table 4 and table 5.2", ["table#4", "table#5.2"]),
        ("§5 and § 12", ["§#5", "§#12"]),
        ("No. 7, Nr. 8", ["nr#8"]),
        ("Zimmer 31b", ["zimmer#31b"]),
        ("in 12 days, the 3 men", []),
        ("May 1987", []),
        ("pages 3-5", []),
        ("about 31 %, room 31°", []),
        ("version 2.10.3", ["version#2.10.3"]),
    ],
)
def test_a_word_and_its_number_are_one_term(text: str, names: list[str]) -> None:
    assert numbered_names(text) == names


@pytest.mark.parametrize(
    ("heading", "names"),
    [
        ("Norm — 2.1 Static loads", ["§#2.1"]),
        ("3. Scope", ["§#3"]),
        ("4) Fees — Room 31", ["§#4", "room#31"]),
        ("Kapitel 12", ["kapitel#12", "§#12"]),
        ("1987 in film", []),
        ("The 3 men", []),
    ],
)
def test_a_heading_that_begins_with_a_number_has_it_as_its_name(heading: str, names: list[str]) -> None:
    assert heading_names(heading) == names


@pytest.mark.parametrize("asked", ["clause 2.1", "section 2.1", "§ 2.1", "article 2.1", "chapter 2.1"])
def test_a_section_is_asked_for_by_whatever_it_is_called(tmp_path: Path, asked: str) -> None:
    sections = "".join(f"## {n}.{m} Loads\n\nSee {n}.{4 - m}.\n\n" for n in (1, 2, 3) for m in (1, 2, 3))
    graph = KnowledgeGraph.create(tmp_path / "graph", encoder="jaccard")
    graph.add(f"# Norm\n\n{sections}", identifier="norm", media_type="text/markdown")
    assert first(graph, f"What does {asked} say?") == "norm: 2.1 Loads"
    graph.close()


CODES = {
    "forms/F-22.md": "Hand it in at the counter, with the vehicle papers and a photograph.",
    "forms/F-9.md": "Hand it in at the counter, with the vehicle papers and a photograph of the vehicle.",
    "tickets/0253-leak.md": "Tarn Lodge says that the pump leaks since the update.",
    "notes.md": "Fixed in 3.7.2: #253. Mr Abdi asked about vehicle papers; he was sent to Room 4 for F-22.",
    "loggers.csv": "logger,serial,place\nTX-3,91007,attic\nTX-4,91004,cellar\n",
    "letter.md": "Which file is the logger in? Something says: the serial number, the attic.",
}


@pytest.fixture(scope="module")
def coded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Retriever]:
    folder = tmp_path_factory.mktemp("coded")
    made = filled(folder, CODES)
    yield Retriever(made)
    made.close()


@pytest.mark.parametrize("mode", [Mode.SAGE, Mode.HYBRID])
@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("Which papers does one hand in with f22?", {"forms/F-22.md", "notes.md"}),
        ("What is ticket 253?", {"tickets/0253-leak.md", "notes.md"}),
        ("Which logger has the serial number 91004, and what file says something of it?", {"loggers.csv"}),
    ],
)
def test_what_has_exactly_the_identifier_comes_first(
    coded: Retriever, question: str, names: set[str], mode: Mode
) -> None:
    results = coded.retrieve(question, 3, mode=mode).results
    assert results[0].view.identifier in names
    if names == {"loggers.csv"}:
        assert "91004" in results[0].view.text


@pytest.mark.parametrize(
    ("question", "holder"),
    [
        ("lc4410", "calibration.md"),
        ("LC-4410", "calibration.md"),
        ("lot EL-1201", "minutes.md"),
        ("E-217", "log.md"),
    ],
)
def test_another_spelling_of_an_identifier_covers_its_words(
    tmp_path: Path, question: str, holder: str
) -> None:
    texts = {
        "calibration.md": "The curve is taken with LC-4410 in the morning.",
        "minutes.md": "It was said that EL1201 runs out.",
        "log.md": "At nine the analyser showed E217 twice.",
        "lots.md": "The lot that came on Monday, EL-1198, is in the cellar; E-219 came after it.",
        "letter.md": "Which lot is meant?",
    }
    graph = filled(tmp_path, texts)
    results = Retriever(graph).retrieve(question, 5).results
    best = max(results, key=lambda each: each.parts["coverage"])
    assert results[0].view.identifier == best.view.identifier == holder
    assert question.startswith("lot") or best.parts["coverage"] == 1.0
    graph.close()


def test_an_identifier_is_looked_for_where_the_filter_allows(coded: Retriever) -> None:
    only = Filter(documents=(coded.graph.iris.document("letter.md"),))
    [result] = coded.retrieve("What is 91004?", 1, only=only).results
    assert result.view.identifier == "letter.md"
