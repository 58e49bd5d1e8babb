"""Rich text, calendars and old workbooks, which the extra `office` reads, and mails that invite."""

from __future__ import annotations

from pathlib import Path

import pytest
from build.readers.reading import read
from xlrd.sheet import Cell, Sheet

from sage_ld.foundation.errors import InputError, LimitError
from sage_ld.foundation.model import Prose, Table
from sage_ld.foundation.settings import Settings

CONVERTED = Path(__file__).parent / "converted"
EVENT = """BEGIN:VEVENT
UID:{n}
SUMMARY:Launch of the Grey Plover {n}
DTSTART:20240612T090000Z
DTEND:20240612T103000Z
LOCATION:Slipway three
ORGANIZER;CN=Ilse:mailto:i@example.org
ATTENDEE:mailto:o@example.org
ATTENDEE;CN=Ann:mailto:a@example.org
END:VEVENT
"""


def calendar(*events: str, name: str = "") -> str:
    named = f"X-WR-CALNAME:{name}\n" if name else ""
    inner = "".join(events)
    text = f"BEGIN:VCALENDAR\nVERSION:2.0\nPRODID:-//e//e//EN\n{named}{inner}END:VCALENDAR\n"
    return text.replace("\n", "\r\n")


def test_an_event_is_a_record_with_its_time_and_place(tmp_path):
    document = read(tmp_path, "a.ics", calendar(EVENT.format(n=1)))
    assert document.title == "Launch of the Grey Plover 1"
    assert document.text == (
        "Summary: Launch of the Grey Plover 1\nStart: 2024-06-12 09:00 UTC\nEnd: 2024-06-12 10:30 UTC\n"
        "Place: Slipway three\nOrganizer: Ilse <i@example.org>\nAttendees: o@example.org; Ann <a@example.org>"
    )


@pytest.mark.parametrize(
    ("lines", "shown"),
    [
        ("DTSTART;VALUE=DATE:20240612", "Start: 2024-06-12"),
        ("DTSTART:20240612T090000", "Start: 2024-06-12 09:00"),
        ("DTSTART;TZID=Europe/Oslo:20240612T090000", "Start: 2024-06-12 09:00 CEST"),
        ("RRULE:FREQ=WEEKLY;COUNT=3", "Repeats: FREQ=WEEKLY;COUNT=3"),
        ("DURATION:PT2H", "Duration: PT2H"),
        ("CATEGORIES:harbour,feast", "Categories: harbour, feast"),
        ("DESCRIPTION:Bring a coat\\, please.\\nRain.", "Description: Bring a coat, please. Rain."),
        ("EXDATE;VALUE=DATE:20240619,20240626", "Except on: 2024-06-19; 2024-06-26"),
        ("EXDATE:20240619T090000Z\nEXDATE:soon", "Except on: 2024-06-19 09:00 UTC; soon"),
        ("RDATE;VALUE=PERIOD:20240101T000000Z/PT5H", "Also on: 2024-01-01 00:00 UTC – 5:00:00"),
        ("RECURRENCE-ID;VALUE=DATE:20240612", "Instead of: 2024-06-12"),
        ("STATUS:CANCELLED\nPRIORITY:1", "Status: CANCELLED\nPriority: 1"),
        (
            "PERCENT-COMPLETE:40\nCOMPLETED:20240612T090000Z",
            "Percent complete: 40\nCompleted: 2024-06-12 09:00 UTC",
        ),
        ("CLASS:PRIVATE\nCONTACT:Jim", "Access: PRIVATE\nContact: Jim"),
        ("RESOURCES:EASEL,PROJECTOR\nCOMMENT:Late", "Resources: EASEL,PROJECTOR\nComment: Late"),
        ("GEO:48.85;2.35", "Latitude and longitude: 48.85;2.35"),
        ("ATTACH:http://e.org/a.pdf", "Attachments: http://e.org/a.pdf"),
    ],
)
def test_the_properties_of_an_event_are_as_a_person_reads_them(tmp_path, lines, shown):
    text = calendar(f"BEGIN:VEVENT\nUID:1\n{lines}\nEND:VEVENT\n")
    assert read(tmp_path, "a.ics", text).text == shown


def test_what_no_record_of_a_calendar_has_is_counted(tmp_path):
    event = EVENT.format(n=1).replace(
        "END:VEVENT",
        "TRANSP:OPAQUE\nX-ALT-DESC:a\nX-ALT-DESC:b\nATTACH;ENCODING=BASE64;VALUE=BINARY:YWJj\n"
        "BEGIN:VALARM\nTRIGGER:-PT15M\nDESCRIPTION:Pack\nEND:VALARM\nEND:VEVENT",
    )
    document = read(tmp_path, "a.ics", calendar(ZONE.format(name="East", offset="+0200"), event))
    assert document.text == read(tmp_path, "b.ics", calendar(EVENT.format(n=1))).text
    assert document.passed_over == (
        ("attached file", 1),
        ("component of a calendar", 1),
        ("property of a calendar", 3),
    )
    assert dict(document.passed_over_places)["property of a calendar"] == ("TRANSP", "X-ALT-DESC")


def test_when_somebody_is_busy_is_a_record(tmp_path):
    busy = "BEGIN:VFREEBUSY\nFREEBUSY:20240314T233000Z/20240315T003000Z\nEND:VFREEBUSY\n"
    assert read(tmp_path, "a.ics", calendar(busy)).text == "Busy: 2024-03-14 23:30 UTC – 2024-03-15 00:30 UTC"


ZONE = """BEGIN:VTIMEZONE
TZID:{name}
BEGIN:STANDARD
DTSTART:19700101T000000
TZOFFSETFROM:{offset}
TZOFFSETTO:{offset}
END:STANDARD
END:VTIMEZONE
"""


@pytest.mark.parametrize(
    ("event", "name", "title", "shown"),
    [
        ("SUMMARY:A\nSUMMARY:B", "", "A", "Summary: A; B"),
        ("SUMMARY:A\nSUMMARY:B\nSUMMARY:C", "X", "X", "Summary: A; B; C"),
        ("SUMMARY:\nSUMMARY:B", "", "B", "Summary: B"),
        ("SUMMARY:A", "C\nX-WR-CALNAME:D", "C", "Summary: A"),
        (
            "LOCATION:A\nLOCATION:B\nURL:http://e\nURL:http://f",
            "",
            "a",
            "Place: A; B\nURL: http://e; http://f",
        ),
        (
            "DTSTART;VALUE=PERIOD:20240101T000000Z/20240102T060000Z",
            "",
            "a",
            "Start: 2024-01-01 00:00 UTC – 2024-01-02 06:00 UTC",
        ),
        ("DTSTART;VALUE=PERIOD:20240101T000000Z/PT5H", "", "a", "Start: 2024-01-01 00:00 UTC – 5:00:00"),
        ("DTSTART;TZID=East:20240101T000000", "", "a", "Start: 2024-01-01 00:00 +02:00"),
        ("DTSTART;TZID=West:20240101T000000", "", "a", "Start: 2024-01-01 00:00 -03:30"),
        ("DTEND;TZID=Zero:20240101T000000", "", "a", "End: 2024-01-01 00:00 +00:00"),
    ],
)
def test_what_a_calendar_states_twice_or_in_another_form_is_read(tmp_path, event, name, title, shown):
    offsets = {"East": "+0200", "West": "-0330", "Zero": "+0000"}
    zones = "".join(ZONE.format(name=zone, offset=offset) for zone, offset in offsets.items())
    document = read(tmp_path, "a.ics", calendar(zones, f"BEGIN:VEVENT\n{event}\nEND:VEVENT\n", name=name))
    assert (document.title, document.text) == (title, shown)


def test_a_calendar_of_several_events_has_its_own_name(tmp_path):
    document = read(tmp_path, "a.ics", calendar(*(EVENT.format(n=n) for n in (1, 2)), name="Harbour"))
    assert (document.title, len(document.blocks)) == ("Harbour", 2)
    assert read(tmp_path, "b.ics", calendar(*(EVENT.format(n=n) for n in (1, 2)))).title == "b"


def test_a_calendar_that_is_none_or_too_long_is_refused(tmp_path):
    with pytest.raises(InputError, match=r"a\.ics: not readable as a calendar"):
        read(tmp_path, "a.ics", "BEGIN:VCALENDAR\nno calendar")
    events = calendar(*(EVENT.format(n=n) for n in (1, 2)))
    with pytest.raises(LimitError, match=r"2 events, the limit is 1"):
        read(tmp_path, "a.ics", events, Settings(max_documents_per_file=1))


@pytest.mark.parametrize("kind", ["multipart/alternative", "multipart/mixed"])
def test_a_mail_that_invites_says_to_what(tmp_path, kind):
    mail = (
        f'From: i@example.org\nSubject: Launch\nMIME-Version: 1.0\nContent-Type: {kind}; boundary="b"\n\n'
        "--b\nContent-Type: text/plain\n\nPlease come.\n--b\nContent-Type: text/calendar; method=REQUEST\n\n"
        f"{calendar(EVENT.format(n=1))}\n--b--\n"
    )
    text = read(tmp_path, "a.eml", mail).text
    assert "Please come." in text
    assert "Start: 2024-06-12 09:00 UTC" in text


def test_a_mail_that_is_nothing_but_an_invitation_is_read(tmp_path):
    mail = f"From: i@example.org\nContent-Type: text/calendar\n\n{calendar(EVENT.format(n=1))}"
    assert "Place: Slipway three" in read(tmp_path, "a.eml", mail).text


def test_an_invitation_that_cannot_be_read_is_counted(tmp_path):
    mail = "From: i@example.org\nSubject: A\nContent-Type: text/calendar\n\nBEGIN:VCALENDAR\nnothing"
    assert read(tmp_path, "a.eml", mail).passed_over == (("calendar that cannot be read", 1),)


@pytest.mark.parametrize(
    ("content", "shown"),
    [
        (r"{\rtf1\ansi The mill is \b old\b0 .}", "The mill is old."),
        (r"{\rtf1\ansi One.\par\par Two.}", "One.\n\nTwo."),
        (r"{\rtf1\ansi\ansicpg1252 Caf\'e9 \u8364? 5}", "Café € 5"),
        (r"{\rtf1{\fonttbl{\f0 Arial;}}{\info{\title T}}Text}", "Text"),
        (r"{\rtf1 {\*\generator Riched20;}Text}", "Text"),
    ],
)
def test_rich_text_is_read_without_its_codes(tmp_path, content, shown):
    assert read(tmp_path, "a.rtf", content).text == shown


@pytest.mark.parametrize(
    "picture",
    [
        r"{\*\shppict{\pict{\*\picprop{\sp{\sn a}{\sv 75}}}\pngblip 89504e470d}}{\nonshppict{\pict 0102}}",
        r"{\pict\wmetafile8\bin5 }}{\par}",
        r"{\shp{\*\shpinst{\sp{\sn pib}{\sv {\pict\jpegblip ffd8}}}}{\shprslt{\pict ffd8}}}",
    ],
)
def test_rich_text_goes_on_behind_a_picture(tmp_path, picture):
    text = rf"{{\rtf1\sectd\binfsxn7\binsxn7 The words \\pict and \\bin.{picture} Behind.\par Last.}}"
    document = read(tmp_path, "a.rtf", text)
    assert document.text == "The words \\pict and \\bin. Behind.\nLast."
    assert document.passed_over == (("picture", 1),)


SHAPE = (
    r"{\shp{\*\shpinst{\sp{\sn shapeType}{\sv 202}}{\shptxt\pard In the box\par}}"
    r"{\shprslt{\*\do\dptxbx{\dptxbxtext\pard In the box\par}}}}"
)


@pytest.mark.parametrize(
    ("inner", "behind"),
    [
        (SHAPE, "In the box"),
        (r"{\*\do\dobxpage\dptxbx{\dptxbxtext\pard In the box\par}}", "In the box"),
        (r"{\footnote\pard\plain Of iron.}", "Of iron."),
        (r"{\*\atnid MK}{\*\annotation{\*\atnref 1}\pard Is it?}", "Is it?"),
        (r"{\footnote Of iron.}" + SHAPE, "Of iron.\n\nIn the box"),
    ],
)
def test_boxes_notes_and_comments_of_rich_text_stand_behind_their_paragraph(tmp_path, inner, behind):
    document = read(tmp_path, "a.rtf", rf"{{\rtf1 The pump{inner} is old.\par Next.}}")
    assert document.text == f"The pump is old.\n\n{behind}\n\nNext."


def test_headers_and_footers_of_rich_text_are_counted(tmp_path):
    text = r"{\rtf1{\header\pard Page {\field{\fldrslt 1}}\par}{\footerf\par}{\*\footerr Ltd.}One.}"
    document = read(tmp_path, "a.rtf", text)
    assert (document.text, document.passed_over) == ("One.", (("header or footer", 2),))


def test_rich_text_has_its_headings(tmp_path):
    text = (
        r"{\rtf1{\stylesheet{\s1\outlinelevel0 heading 1;}}\pard\s1\outlinelevel0 Our\line pumps \u8364\par"
        r"\pard\plain They are old.\par{\outlinelevel1\b Repairs\par}\outlinelevel9 In May.\par}"
    )
    document = read(tmp_path, "a.rtf", text)
    assert [(each.name, each.level) for each in document.sections] == [("Our pumps €", 1), ("Repairs", 2)]
    prose = [each for each in document.blocks if isinstance(each, Prose)]
    assert [document.text[each.begin : each.end] for each in prose] == ["They are old.", "In May."]


def test_what_is_no_rich_text_is_refused(tmp_path):
    with pytest.raises(InputError, match=r"a\.rtf: no rich text"):
        read(tmp_path, "a.rtf", "plain")


def test_an_old_workbook_has_its_cells(tmp_path):
    document = read(tmp_path, "wages.xls", (CONVERTED / "wages.xls").read_bytes())
    assert document.text == (
        "Wages\n\nWho: Ann; Wage: 9500; Since: 2024-05-06\nWho: Bob; Wage: 105000.5; Since: 2023-01-02"
    )
    with pytest.raises(LimitError, match="max_sheet_cells"):
        read(tmp_path, "b.xls", (CONVERTED / "wages.xls").read_bytes(), Settings(max_sheet_cells=5))


def test_an_old_workbook_has_the_errors_of_its_cells(tmp_path, monkeypatch):
    row = Sheet.row
    monkeypatch.setattr(Sheet, "row", lambda self, at: [*row(self, at)[:2], Cell(5, 7 if at else 36, None)])
    document = read(tmp_path, "wages.xls", (CONVERTED / "wages.xls").read_bytes())
    assert document.text.endswith("Who: Bob; Wage: 105000.5; #NUM!: #DIV/0!")


FORGED = [
    r"one\'1d 2\'1f 3\'1e four",
    "one\x1d2\x1f3\x1efour",
    r"one\u29?2\u31?3\u30?four",
    r"one\u-65507?2\u-65505?3\u-65506 ?four",
    r"one\'\'1d1d 2\'1f 3 \'1e1e four",
    r"one\'1D 2\'1C 3\'1E four",
    r"{one}\'1d{\b 2\'1f}3\'1e four",
    "one\\\x1d2\\\x1f3\\\x1efour",
]
"""Texts with the signs by which the reader marks cells and rows."""


@pytest.mark.parametrize("text", FORGED)
def test_rich_text_cannot_write_the_signs_of_tables(tmp_path, text):
    document = read(tmp_path, "a.rtf", rf"{{\rtf1\ansi\ansicpg1252 {text}\par end}}")
    assert not any(isinstance(each, Table) for each in document.blocks)
    assert "four" in document.text
    assert document.text.endswith("end")
    assert not set(document.text) & set("\x1c\x1d\x1e\x1f")


@pytest.mark.parametrize(
    ("row", "cells"),
    [
        (r"\trowd\cellx100\cellx200 a\cell b\cell\row", ("a", "b")),
        (r"\trowd\cellx100\cellx200 a\cell b\row", ("a", "b")),
        (r"\trowd\cellx100\cellx200 a\cell b\cell c\row", ("a", "b", "c")),
        (r"\trowd a\cell 5\row", ("a", "5")),
        (r"\trowd\cellx-20\cellx200 a\cell b 7\row", ("a", "b 7")),
        (r"\trowd\cellx2147483647\cellx1 a\cell b\cell\row", ("a", "b")),
    ],
)
def test_a_row_of_rich_text_has_all_of_its_texts(tmp_path, row, cells):
    document = read(tmp_path, "a.rtf", rf"{{\rtf1\ansi {row}{row}\pard after\par}}")
    [table, _] = document.blocks
    assert cells in (table.columns, *table.rows)
