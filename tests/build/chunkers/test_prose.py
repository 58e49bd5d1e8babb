"""Prose: whole where it fits, even parts where not, by the paper's rule where asked."""

import numpy as np
import pytest

from sage_ld.build.chunkers import Chunking, Strategy, chunk, encoding_text
from sage_ld.build.chunkers.prose import breaks
from sage_ld.build.encoders.jaccard import Jaccard
from sage_ld.build.encoders.minilm import MiniLM
from tests.build.chunkers.documents import document, link, section

MINILM = MiniLM()


def cut(doc, recipe=None, encoder=MINILM):
    return chunk(doc, recipe or Chunking(), encoder)


def texts(chunks):
    return [each.text for each in chunks]


def test_a_passage_that_fits_stays_whole():
    text = "Abbey Road is an album. " * 40
    (only,) = cut(document(text))
    assert only.text == text.strip()
    assert encoding_text(only) == "Abbey Road. " + only.text


def test_a_long_passage_is_cut_into_even_parts_at_sentences():
    text = " ".join(f"Sentence {number} of the album has some words." for number in range(60))
    chunks = cut(document(text))
    weights = MINILM.count_tokens(texts(chunks))
    assert len(chunks) == 3
    assert max(weights) - min(weights) <= 20
    assert all(each.text.startswith("Sentence") and each.text.endswith("words.") for each in chunks)


def test_paragraphs_stay_whole_where_they_fit():
    paragraphs = [f"{name} begins. " + "It has some more words. " * 25 for name in ("One", "Two", "Three")]
    assert [each.text.split()[0] for each in cut(document(*paragraphs))] == ["One", "Two", "Three"]


def test_short_paragraphs_are_put_together():
    (only,) = cut(document("One.", "Two.", "Three."))
    assert only.text == "One.\n\nTwo.\n\nThree."


def test_sections_tables_and_headings_are_not_crossed():
    sections = [section("Side one"), section("Side two")]
    doc = document(
        (0, "One."),
        (1, "Two."),
        (1, ("heading", "Interlude")),
        (1, "Three."),
        (1, ("table", ("Year",), [("1969",)])),
        (1, "Four."),
        sections=sections,
    )
    assert texts(cut(doc)) == ["One.", "Two.", "Three.", "Year: 1969", "Four."]


def test_the_heading_is_title_and_section_path_without_repetition():
    sections = [section("Abbey Road"), section("Side one", 2, 0), section("Come Together", 3, 1)]
    (only,) = cut(document((2, "It opens the album."), sections=sections))
    assert only.heading == "Abbey Road — Side one — Come Together"
    assert only.name == "Abbey Road — Come Together"
    assert only.section == 2


def test_a_long_heading_is_shortened_at_a_word_and_keeps_the_title():
    (only,) = cut(document((0, "Text."), sections=[section("endless " * 200)]))
    assert only.heading.startswith("Abbey Road — endless endless")
    assert only.heading.endswith("endless")
    assert 50 < MINILM.count_tokens([only.heading])[0] <= 64


def test_without_a_title_the_text_stands_alone():
    (only,) = cut(document("Text.", title=""))
    assert (only.heading, only.name, encoding_text(only)) == ("", "a", "Text.")


@pytest.mark.parametrize("text", ["東京都は日本の首都である" * 60, "QmFzZTY0" * 400, "한국어" * 300])
def test_text_without_blanks_is_cut_too(text):
    chunks = cut(document(text))
    assert len(chunks) > 1
    assert "".join(texts(chunks)) == text


def test_links_go_to_the_chunk_they_stand_in():
    text = "One.\n\nHeading\n\nTwo."
    doc = document(
        (0, "One."),
        (0, ("heading", "Heading")),
        (1, "Two."),
        sections=[section("A"), section("B")],
        links=[link(0, 3), link(4), link(text.index("Heading"), 13), link(text.index("Two"))],
    )
    assert [[each.begin for each in owner.links] for owner in cut(doc)] == [[0, 4], [6, 15]]


def test_nothing_to_cut():
    assert cut(document()) == []
    assert cut(document("  \n ")) == []
    assert cut(document("  "), Chunking(Strategy.PAPER), Jaccard()) == []


RIVER = " ".join(["The river is long."] * 6)
SONG = " ".join(["A loud song was sung."] * 6)


def test_paper_breaks_within_a_sentence_of_where_the_subject_changes():
    first, second = cut(document(f"{RIVER} {SONG}"), Chunking(Strategy.PAPER), Jaccard())
    assert (first.text.count("river"), first.text.count("song")) == (5, 0)
    assert (second.text.count("river"), second.text.count("song")) == (1, 6)


def test_paper_with_minilm():
    chunks = cut(document(f"{RIVER} {SONG}"), Chunking(Strategy.PAPER))
    assert "".join("".join(texts(chunks)).split()) == "".join(f"{RIVER}{SONG}".split())
    assert min(each.text.count(".") for each in chunks) >= 3


def test_paper_keeps_the_limit():
    text = " ".join("The river is " + "very " * 90 + f"long {number}." for number in range(9))
    chunks = cut(document(text), Chunking(Strategy.PAPER))
    assert len(chunks) >= 3
    assert max(MINILM.count_tokens([encoding_text(each) for each in chunks])) <= 254


@pytest.mark.parametrize(
    ("distances", "starts"),
    [
        ([], [0]),
        ([0.9], [0]),
        ([0.1, 0.1, 0.9, 0.1, 0.1], [0, 3]),
        ([0.9, 0.1, 0.1, 0.8, 0.1, 0.1], [0, 4]),  # a first piece of one sentence has one neighbour
        ([0.1, 0.1, 0.6, 0.1, 0.9, 0.1, 0.1], [0, 5]),  # a middle one joins where the distance is less
        ([0.1, 0.1, 0.9, 0.1, 0.6, 0.1, 0.1], [0, 3]),
        ([0.9, 0.9, 0.9], [0]),
    ],
)
def test_short_pieces_join_the_nearer_neighbour(distances, starts):
    assert breaks(np.array(distances), 0.5, 3) == starts
