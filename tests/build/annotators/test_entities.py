from __future__ import annotations

import re
from dataclasses import replace

import pytest
from build.annotators.corpus import prose, record, table
from hypothesis import given
from hypothesis import strategies as st

from sage_ld.build.annotators import RuleAnnotator
from sage_ld.build.annotators.entities import _find
from sage_ld.foundation.model import Annotation, Chunk, Document, Mention
from sage_ld.foundation.settings import Settings


def annotate(pair: tuple[Document, list[Chunk]], limit: int = 40) -> list[Annotation]:
    document, chunks = pair
    return RuleAnnotator(Settings(max_mentions_per_chunk=limit)).annotate(document, chunks)


def by_label(annotation: Annotation) -> dict[str, Mention]:
    return {mention.label: mention for mention in annotation.mentions}


def test_one_mention_a_label_with_its_first_place_and_count() -> None:
    text = "The Allegheny meets the Monongahela. The Allegheny is colder."
    (annotation,) = annotate(prose("a", "Rivers", text))
    mention = by_label(annotation)["allegheny"]
    assert (mention.surface, mention.begin, mention.count) == ("Allegheny", 4, 2)


def test_the_title_is_an_entity_where_it_is_named_without_its_qualifier() -> None:
    (annotation,) = annotate(prose("a", "Mercury (planet)", "mercury is the nearest planet to the Sun."))
    assert by_label(annotation)["mercury"].surface == "mercury"


def test_the_first_chunk_names_the_title_at_least_in_part() -> None:
    (annotation,) = annotate(prose("a", "Temo Kasara", "Temur Kasara is a painter."))
    assert by_label(annotation)["temo kasara"].surface == "Kasara"


def test_cells_carry_row_and_column_and_their_parts() -> None:
    rows = [["12 May", "Ann Arbor , MI", "W 21-7"], ["19 May", "Buffalo", "L 0-3"]]
    document, chunks = table("t", "1911 season", ["Date", "Site", "Result"], rows)
    (annotation,) = annotate((document, chunks))
    found = by_label(annotation)
    assert {"ann arbor, mi", "ann arbor", "mi", "buffalo"} == set(found) - {"1911 season"}
    assert (found["buffalo"].row, found["buffalo"].column) == (1, "Site")


def test_a_limit_takes_from_every_row_alike() -> None:
    rows = [[f"Alpha{i}", f"Beta{i}", f"Gamma{i}"] for i in "abcdefgh"]
    (annotation,) = annotate(table("t", "x", ["A", "B", "C"], rows), limit=8)
    assert sorted(mention.row for mention in annotation.mentions if mention.row is not None) == list(range(8))


def test_anchors_are_entities() -> None:
    pair = table("t", "x", ["Team"], [["the reds"]], hrefs={(0, "Team"): "reds.md"})
    (annotation,) = annotate(pair)
    assert by_label(annotation)["reds"].row == 0


def test_record_fields_with_names_are_entities_and_their_prose_is_read() -> None:
    fields = {"artist": "Aretha Franklin", "year": "1967", "notes": "recorded in one week by Jerry Wexler"}
    (annotation,) = annotate(record("r", "Respect", fields))
    assert {"aretha franklin", "jerry wexler"} <= set(by_label(annotation))
    assert "1967" not in by_label(annotation)


def test_a_number_in_a_column_or_field_of_a_class_has_its_word() -> None:
    rows = [["2.07", "Owen Priddy", "12"], ["0.05", "test benches", "7"]]
    (cells,) = annotate(table("t", "House", ["Room", "Used by", "Chairs"], rows))
    (fields,) = annotate(record("r", "Key", {"room": "2.07", "hook": "14"}))
    (text,) = annotate(prose("p", "Safety", "The eye wash is locked, and the key hangs in room 2.07 now."))
    assert by_label(cells)["room 2.07"].surface == "2.07"
    assert by_label(cells)["room 2.07"].column == "Room"
    assert "room 2.07" in by_label(fields)
    assert "room 2.07" in by_label(text)
    assert not {"12", "14"} & {*by_label(cells), *by_label(fields)}


def test_a_code_is_an_entity_whatever_word_its_letters_are() -> None:
    (text,) = annotate(prose("a", "Devices", "The device AN-07 is near IT-05, and HE-05 hums."))
    (cells,) = annotate(table("b", "Rooms", ["id", "floor"], [["AN-07", "2"], ["OR-03", "3"]]))
    assert {"an07", "it05", "he05"} <= set(by_label(text))
    assert set(by_label(cells)) - {"rooms"} == {"an07", "or03"}


def test_a_short_code_is_one_entity_with_and_without_its_hyphen() -> None:
    (ticket,) = annotate(prose("a", "Ticket", "AN07 shows E217, see form F22."))
    (codes,) = annotate(table("b", "Errors", ["code", "device"], [["E-217", "AN-07"], ["E-218", "CF-02"]]))
    assert set(by_label(ticket)) & set(by_label(codes)) == {"an07", "e217"}
    assert "f22" in by_label(ticket)


def test_the_class_of_a_resource_is_no_entity() -> None:
    document, [chunk] = record("r", "glucose", {"type": "Concept", "scheme": "Lab Terms"})
    (plain,) = annotate((document, [chunk]))
    (described,) = annotate((document, [replace(chunk, subject="http://example.org/glucose")]))
    assert set(by_label(plain)) - set(by_label(described)) == {"concept"}
    assert "lab terms" in by_label(described)


def test_each_of_several_values_of_a_field_is_an_entity() -> None:
    fields = {
        "label": "Mira Tolland; Mira Tollandová",
        "cast": "Sabine Orrell; Piet Ansgar; 1962",
        "town": "Hask",
    }
    document, chunks = record("r", "Mira Tolland", fields)
    (annotation,) = annotate((document, chunks))
    found = by_label(annotation)
    assert {"mira tolland", "mira tollandová", "sabine orrell", "piet ansgar", "hask"} == set(found)
    assert (found["piet ansgar"].surface, found["piet ansgar"].count) == ("Piet Ansgar", 1)


def test_topics_say_where_a_chunk_stands() -> None:
    pair = table("t", "1911 season", ["Date", "Site"], [["1", "Here"]], caption="Games", section="Schedule")
    assert annotate(pair)[0].topic == "1911 season: Schedule: Games: Date, Site"


def test_keywords_keep_to_the_limit_and_leave_function_words_out() -> None:
    document, chunks = prose("a", "T", "The graph store keeps the graph store. It is of the and.")
    annotator = RuleAnnotator(Settings(max_keywords_per_chunk=1))
    assert annotator.annotate(document, chunks)[0].keywords == ("graph store keeps",)


def test_prose_cells_and_fields_have_the_same_identifiers() -> None:
    said = "Gasket KQ-5521 of Machine PM-07"
    for made in (
        prose("a", "T", f"See the {said}."),
        table("a", "T", ["Part"], [[said]]),
        record("a", "T", {"part": said}),
    ):
        (annotation,) = annotate(made)
        assert {"kq5521", "pm07"} <= {label.replace("-", "") for label in by_label(annotation)}


def test_identifiers_in_headings_are_named_where_their_text_begins() -> None:
    document, (first,) = prose("a", "Re: TK-5502", "Buy a mop for LC-4410.")
    later = replace(first, position=1, heading="Re: TK-5502 — Cause at LC-4410 and WI-114")
    found = [by_label(each) for each in RuleAnnotator(Settings()).annotate(document, [first, later])]
    assert [sorted(each) for each in found] == [["lc4410", "tk5502"], ["lc4410", "wi114"]]
    assert [(each["lc4410"].begin, each["lc4410"].surface) for each in found] == [(14, "LC-4410")] * 2
    assert (found[0]["tk5502"].begin, found[0]["tk5502"].end, found[0]["tk5502"].surface) == (0, 0, "TK-5502")


@given(st.text(alphabet=st.sampled_from("aB .,;:()\"'é\n1-"), max_size=60), st.text(max_size=12))
def test_offsets_are_exact_for_any_text(text: str, title: str) -> None:
    (annotation,) = annotate(prose("a", title, text))
    for mention in annotation.mentions:
        if mention.begin == mention.end:
            assert mention.surface in title
        else:
            assert text[mention.begin : mention.end] == mention.surface
        assert mention.surface != ""
        assert mention.count >= 1
    assert len(by_label(annotation)) == len(annotation.mentions)


@pytest.mark.parametrize("title", ["New York", "new_york", "York", "New York New", "A 1"])
def test_a_title_is_found_alike_in_ascii_and_in_other_text(title: str) -> None:
    """The two ways that look for it: word by word, and by a pattern."""
    text = "New York, new  york; new - york? A:1 york\nNEW new     york new_york new, york, new york, new."
    words = re.findall(r"\w+", title)
    assert _find(words, text) == _find(words, f"{text} é")
    assert _find(words, text)
