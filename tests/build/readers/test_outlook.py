"""Mails of Outlook: the same documents as those of the same mail in MIME."""

from pathlib import Path

import pytest
from build.readers.outlook_files import BYTES, NUMBER, TEXT, TEXT8, TIME, compound_file, mail
from build.readers.reading import read, read_all

from sage_ld.build.readers import Source
from sage_ld.build.readers.files import read_documents
from sage_ld.build.readers.source import LeftOut
from sage_ld.foundation.errors import InputError, LimitError
from sage_ld.foundation.settings import Settings

OUTER = Path(__file__).parents[2] / "fuzz/seeds/msg/outer.msg"
MAY = 133_589_952_000_000_000  # 1 May 2024, 00:00 UTC, in steps of 100 ns from 1601
SUBJECT, BODY, HTML = 0x37, 0x1000, 0x1013
ANN = {(0x3001, TEXT): "Ann Reed", (0x39FE, TEXT): "ann@example.org", (0x0C15, NUMBER): 1}
BEN = {(0x3001, TEXT): "Ben", (0x3003, TEXT): "/O=FILMS/CN=BEN", (0x0C15, NUMBER): 2}
SENDER = {(0x0C1A, TEXT): "Zoë Öst", (0x5D01, TEXT): "zoe@example.org"}


def file(name, data):
    return {(0x3707, TEXT): name, (0x3701, BYTES): data}


def test_headers_body_and_attachments(tmp_path):
    content = compound_file(
        mail(
            {(SUBJECT, TEXT): "Größe", (BODY, TEXT): "Plain", (0x39, TIME): MAY, **SENDER,
             (HTML, BYTES): "<p>The hall is <b>12 m</b> long.</p>".encode("cp1252"), (0x3FDE, NUMBER): 1252,
             (0x1035, TEXT): "<1@example.org>"},
            [ANN, BEN],
            [file("halls.csv", b"hall,metres\nA,12\n"), file("long.txt", b"word " * 2_000)],
        )
    )  # fmt: skip
    letter, halls, long = read_all(tmp_path, "a.msg", content)
    assert letter.title == "Größe"
    assert letter.text == (
        "From: Zoë Öst <zoe@example.org>\nTo: Ann Reed <ann@example.org>\nCc: Ben\n"
        "Date: Wed, 01 May 2024 00:00:00 +0000\nAttachments: halls.csv, long.txt\n\nThe hall is 12 m long."
    )
    assert letter.modified == "2024-05-01T00:00:00+00:00"
    assert letter.media_type == "application/vnd.ms-outlook"
    assert (halls.identifier, halls.text) == ("a.msg/halls.csv", "hall: A; metres: 12")
    assert long.identifier == "a.msg/long.txt"


def test_the_header_that_the_mail_came_with_is_believed(tmp_path):
    came_with = "From: =?utf-8?q?Zo=C3=AB?= <z@example.org>\r\nDate: Thu, 2 May 2024 10:00:00 +0200\r\n\r\n"
    content = mail({(0x7D, TEXT): came_with, (SUBJECT, TEXT): "S", (BODY, TEXT): "x", **SENDER}, [ANN])
    letter = read(tmp_path, "a.msg", compound_file(content))
    assert letter.text.startswith(
        "From: Zoë <z@example.org>\nTo: Ann Reed <ann@example.org>\nDate: Thu, 2 May"
    )
    assert letter.modified == "2024-05-02T10:00:00+02:00"


def test_texts_of_eight_bits_are_read_in_the_code_page_that_is_stated(tmp_path):
    content = mail({(SUBJECT, TEXT8): "Café", (BODY, TEXT8): "Prix : 5 €", (0x3FFD, NUMBER): 1252})
    letter = read(tmp_path, "a.msg", compound_file(content))
    assert (letter.title, letter.text) == ("Café", "Prix : 5 €")


def test_a_mail_inside_another(tmp_path):
    inner = mail({(SUBJECT, TEXT): "Inner", (BODY, TEXT): "Deep"}, [BEN], [file("n.txt", b"note")], header=24)
    outer = compound_file(mail({(SUBJECT, TEXT): "Outer", (BODY, TEXT): "x"}, [], [{"mail": inner}]))
    found = read_all(tmp_path, "a.msg", outer)
    assert [(each.identifier, each.title) for each in found] == [
        ("a.msg", "Outer"),
        ("a.msg/Inner.eml", "Inner"),
        ("a.msg/Inner.eml/n.txt", "n"),
    ]
    with pytest.raises(LimitError, match="max_nested_files"):
        read_all(tmp_path, "a.msg", outer, Settings(max_nested_files=0))


def test_a_mail_that_outlook_saved():
    parts = list(read_documents(Source(OUTER, "outer.msg"), Settings()))
    assert [each.text for each in parts] == [
        "To: outer@foo.bar\nAttachments: test.eml\n\nOuter body",
        "To: test@foobar.com\n\nbody",
    ]


def test_a_body_in_nothing_but_rich_text_is_counted(tmp_path):
    content = compound_file(mail({(SUBJECT, TEXT): "S", (0x1009, BYTES): b"x"}, [ANN]))
    assert read(tmp_path, "a.msg", content).passed_over == (("body in rich text", 1),)


def test_an_attachment_of_another_kind_is_named(tmp_path):
    (tmp_path / "a.msg").write_bytes(compound_file(mail({(BODY, TEXT): "x"}, [], [file("a.bin", b"\0\1")])))
    *_, last = read_documents(Source(tmp_path / "a.msg", "a.msg"), Settings())
    assert last == LeftOut("a.msg/a.bin", "unknown kind .bin")


def test_streams_that_share_their_bytes_are_an_error(tmp_path):
    content = bytearray(compound_file(mail({(BODY, TEXT): "x" * 5_000}, [], [file("a.txt", b"y" * 5_000)])))
    name = "__substg1.0_1000001F".encode("utf-16-le")
    entry = content.index(name) + 64 * 2 - 8
    content[entry : entry + 8] = (10**8).to_bytes(8, "little")
    with pytest.raises(InputError, match=r"a\.msg: not readable as a mail of Outlook"):
        read(tmp_path, "a.msg", bytes(content))


@pytest.mark.parametrize("cut", [0, 100, 600, 2_000, 20_000])
def test_a_file_that_is_no_mail_or_is_cut_off_is_an_error(cut, tmp_path):
    with pytest.raises(InputError, match=r"a\.msg: (no mail of Outlook|not readable as a mail)"):
        read(tmp_path, "a.msg", OUTER.read_bytes()[:cut])
