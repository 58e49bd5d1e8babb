from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from build.annotators.corpus import prose, record, table

from sage_ld.build.annotators.links import Target, find_links, index_targets
from sage_ld.foundation.model import Chunk, Document, Link, LinkKind
from sage_ld.foundation.settings import Settings

FOOTBALL = [
    Target(
        "on", "1911 Ohio Northern football team", "The 1911 Ohio Northern football team was a college team ."
    ),
    Target(
        "on12",
        "1912 Ohio Northern football team",
        "The 1912 Ohio Northern football team was a college team .",
    ),
    Target(
        "pitt",
        "1911 Pittsburgh Panthers football team",
        "The 1911 Pittsburgh Panthers football team was it .",
    ),
    Target("city", "Pittsburgh", "Pittsburgh is a city in Pennsylvania ."),
    Target("cartier", "Cartier Field", "Cartier Field was a stadium in Notre Dame , Indiana ."),
    Target("oberlin", "1911 Oberlin Yeomen football team", "The 1911 Oberlin Yeomen football team was it ."),
]
ROWS = [
    ["October 7", "Ohio Northern", "Cartier Field , Notre Dame", "W 32-6"],
    ["October 14", "at Pittsburgh", "Pittsburgh", "T 0-0"],
    ["October 21", "Oberlin", "Cartier Field", "W 9-0"],
]
COLUMNS = ["Date", "Opponent", "Site", "Result"]


def season() -> tuple[Document, list[Chunk]]:
    return table("t", "1911 Notre Dame football team", COLUMNS, ROWS, section="Schedule")


def found(links: Sequence[Link], targets: Sequence[Target]) -> set[tuple[int | None, str]]:
    return {(link.row, targets[link.document].identifier) for link in links}


def best(links: Sequence[Link], targets: Sequence[Target], row: int, column: str) -> str:
    here = [link for link in links if (link.row, link.column) == (row, column)]
    return targets[max(here, key=lambda link: link.confidence).document].identifier


def test_a_part_of_a_title_is_completed_by_the_tables_heading() -> None:
    _, chunks = season()
    links = find_links(chunks, FOOTBALL)
    assert best(links, FOOTBALL, 0, "Opponent") == "on"
    assert best(links, FOOTBALL, 2, "Opponent") == "oberlin"
    assert (0, "on12") not in found(links, FOOTBALL)


def test_a_name_inside_a_cell_is_found_with_its_exact_place() -> None:
    document, chunks = season()
    links = [link for link in find_links(chunks, FOOTBALL) if FOOTBALL[link.document].identifier == "cartier"]
    assert {link.row for link in links} == {0, 2}
    for link in links:
        assert document.text[link.begin : link.end] == link.anchor == "Cartier Field"
        assert (link.column, link.kind) == ("Site", LinkKind.TITLE)
        assert 0 < link.confidence <= 1


def test_the_column_tells_which_of_two_is_meant() -> None:
    _, chunks = season()
    links = find_links(chunks, FOOTBALL)
    assert best(links, FOOTBALL, 1, "Site") == "city"
    assert (1, "pitt") in found(links, FOOTBALL)


def test_a_files_name_is_no_part_of_a_longer_name() -> None:
    targets = [Target("instruments", "instruments"), Target("bath", "Bath Rugby")]
    _, chunks = table("x", "Orders", ["Supplier"], [["Delphar Instruments"], ["lots, instruments"]])
    assert [link.row for link in find_links(chunks, targets, settings=Settings(min_link_confidence=0))] == [1]


def test_dates_and_scores_link_to_nothing() -> None:
    _, chunks = season()
    assert not [link for link in find_links(chunks, FOOTBALL) if link.column in ("Date", "Result")]


def test_a_chunk_has_the_same_links_alone_and_among_others() -> None:
    first, second = season()[1][0], prose("p", "Stadiums", "They met at Cartier Field .")[1][0]
    together = find_links([first, second], FOOTBALL)
    alone = find_links([second], index_targets(FOOTBALL))
    assert [(link.document, link.confidence) for link in together if link.chunk == 1] == [
        (link.document, link.confidence) for link in alone
    ]


def test_no_document_links_to_itself() -> None:
    _, chunks = table("city", "Pittsburgh", ["Name"], [["Pittsburgh"]])
    assert "city" not in {FOOTBALL[link.document].identifier for link in find_links(chunks, FOOTBALL)}


def test_a_hyperlink_takes_the_place_of_a_link_by_title() -> None:
    _, chunks = table("t", "Stadiums", ["Site"], [["Cartier Field"]], hrefs={(0, "Site"): "cartier"})
    links = find_links(chunks, FOOTBALL)
    assert [(link.kind, link.document) for link in links] == [(LinkKind.HYPERLINK, 4)]


def test_limits_hold() -> None:
    _, chunks = season()
    links = find_links(chunks, FOOTBALL, settings=Settings(max_links_per_name=1, min_link_confidence=0.4))
    assert links
    assert all(link.confidence >= 0.4 for link in links)
    places = [(link.row, link.begin) for link in links]
    assert len(places) == len(set(places))


def test_the_fields_of_a_record_are_cells() -> None:
    targets = [Target("aretha", "Aretha Franklin", "Aretha Franklin was an American singer .")]
    _, chunks = record("r", "Respect", {"artist": "Aretha Franklin", "year": "1967"})
    (link,) = find_links(chunks, targets)
    assert (link.document, link.row, link.column, link.anchor) == (0, None, "artist", "Aretha Franklin")


PEOPLE = [
    Target(
        "planet", "Mercury (planet)", "Mercury is the smallest planet in the Solar System , near the Sun ."
    ),
    Target(
        "element",
        "Mercury (element)",
        "Mercury is a chemical element , a liquid metal used in thermometers .",
    ),
    Target("freddie", "Freddie Mercury", "Freddie Mercury was a British singer of the band Queen ."),
    Target("wind", "Gone with the Wind", "Gone with the Wind is a novel ."),
    Target("it", "It", "It is a novel by Stephen King ."),
    Target("year", "1967", "1967 was a year ."),
    Target("racks", "WI-114 Drying the racks", "Leave them in the cabinet ."),
    Target("answer", "Re: WI-115", "Buy a mop ."),
    Target("wasps", "Wasps RFC", "Wasps RFC , known as Wasps , is a team ."),
]


def prose_links(text: str, title: str = "A text") -> dict[str, float]:
    document, chunks = prose("x", title, text)
    links = find_links(chunks, PEOPLE)
    for link in links:
        assert document.text[link.begin : link.end] == link.anchor
    return {PEOPLE[link.document].identifier: link.confidence for link in links}


def test_the_longest_name_counts() -> None:
    assert set(prose_links("The singer Freddie Mercury wrote it.")) == {"freddie"}


def test_a_document_is_cited_by_the_number_with_which_its_title_begins() -> None:
    for spelling in ("WI-114", "WI114"):
        assert set(prose_links(f"We went on as in {spelling} and mopped.")) == {"racks"}
    assert prose_links("We went on as in WI-115 and WI-1140.") == {}


def test_the_context_tells_which_of_two_is_meant() -> None:
    metal = prose_links("The thermometers held the liquid metal Mercury, a chemical element.")
    orbit = prose_links("Near the Sun, the smallest planet of the Solar System is Mercury.")
    assert metal.get("element", 0) > metal.get("planet", 0)
    assert orbit.get("planet", 0) > orbit.get("element", 0)


def test_vectors_tell_which_of_two_is_meant() -> None:
    _, chunks = prose("x", "A text", "She wrote about Mercury.")
    targets = [Target("a", "Mercury (planet)"), Target("b", "Mercury (element)")]
    vectors = np.eye(2, dtype=np.float32)
    for meant in (0, 1):
        links = find_links(
            chunks,
            [*targets],
            chunk_vectors=vectors[meant : meant + 1],
            target_vectors=vectors,
            settings=Settings(min_link_confidence=0),
        )
        strengths = {link.document: link.confidence for link in links}
        assert strengths.get(meant, 0) >= strengths.get(1 - meant, 0)


def test_common_words_numbers_and_parts_of_names_are_no_links() -> None:
    assert prose_links("It was in 1967. She liked it.") == {}
    assert "planet" not in prose_links("Mr. Johannes Mercury Smithson left.")


def test_a_title_of_several_words_counts_in_lower_case_for_less() -> None:
    written, lower = prose_links("They read Gone with the Wind."), prose_links("it was gone with the wind.")
    assert written["wind"] > lower["wind"] > 0


def test_no_name_reaches_over_a_comma() -> None:
    assert "freddie" not in prose_links("They met Freddie, Mercury and others.")


def test_no_targets_no_links() -> None:
    assert find_links(season()[1], []) == []
    assert find_links([], FOOTBALL) == []
