"""Mails and mailboxes: headers, bodies, attachments, broken encodings."""

from __future__ import annotations

from email.message import EmailMessage

import pytest
from build.readers.reading import pdf, read, read_all, results

from sage_ld.foundation.errors import InputError, LimitError
from sage_ld.foundation.model import Property
from sage_ld.foundation.settings import Settings


def mail(
    subject="Grüße", body="Hello Bob,\n\n> you asked\n\nHere it is.\n", identifier="<1@e.org>"
) -> EmailMessage:
    message = EmailMessage()
    message["From"] = "Änn <ann@e.org>"
    message["To"] = "bob@e.org"
    message["Subject"] = subject
    message["Date"] = "Mon, 6 May 2024 12:30:00 +0200"
    message["Message-ID"] = identifier
    message.set_content(body)
    return message


def test_a_mail_has_its_headers_and_its_text_with_what_it_quotes(tmp_path):
    document = read(tmp_path, "a.eml", mail().as_bytes())
    assert document.text.split("\n\n") == [
        "From: Änn <ann@e.org>\nTo: bob@e.org\nDate: Mon, 06 May 2024 12:30:00 +0200",
        "Hello Bob,",
        "> you asked",
        "Here it is.",
    ]
    assert (document.title, document.modified) == ("Grüße", "2024-05-06T12:30:00+02:00")
    assert document.metadata == (
        Property("From", "Änn <ann@e.org>"),
        Property("To", "bob@e.org"),
        Property("Date", "2024-05-06T12:30:00+02:00", "dateTime"),
        Property("Subject", "Grüße"),
        Property("Message-ID", "<1@e.org>"),
    )


def test_of_two_bodies_the_one_in_html_is_read(tmp_path):
    message = mail()
    message.add_alternative("<h1>Hi</h1><p><a href='https://e.org/'>Here</a></p>", subtype="html")
    document = read(tmp_path, "a.eml", message.as_bytes())
    assert document.text.endswith("\n\nHi\n\nHere")
    assert [each.target for each in document.links] == ["https://e.org/"]


def test_attachments_are_documents_below_the_mail(tmp_path):
    message, inner = mail(), mail("Inner", "Inside.")
    message.add_attachment(pdf("A page"), maintype="application", subtype="pdf", filename="../a.pdf")
    message.add_attachment(
        "ä,b\n1,2\n".encode("latin-1"),
        maintype="text",
        subtype="csv",
        filename="d.csv",
        params={"charset": "latin-1"},
    )
    message.add_attachment(b"\x89PNG\0", maintype="image", subtype="png", filename="photo.png")
    message.add_attachment(b"broken", maintype="application", subtype="pdf", filename="b.pdf")
    message.add_attachment(inner)
    documents = read_all(tmp_path, "a.eml", message.as_bytes())
    assert [each.identifier for each in documents] == [
        "a.eml",
        "a.eml/a.pdf",
        "a.eml/d.csv",
        "a.eml/Inner.eml",
    ]
    assert "Attachments: a.pdf, d.csv, photo.png, b.pdf, Inner.eml" in documents[0].text
    assert documents[2].text == "ä: 1; b: 2"
    png, broken = results(tmp_path)["a.eml"].left_out
    assert (png.identifier, png.reason, png.failed) == (
        "a.eml/photo.png",
        "a picture, whose text is read with --ocr",
        False,
    )
    assert (broken.identifier, broken.failed) == ("a.eml/b.pdf", True)
    assert [each.value for each in documents[0].metadata if each.key == "attachment"][2] == "photo.png"


def test_broken_encodings_show_and_stop_nothing(tmp_path):
    head = b"From: =?utf-8?B?w?= <\xff@e.org>\nSubject: =?x-none?Q?caf=C3=A9?=\nDate: soon\n"
    body = (
        b"Content-Type: text/plain; charset=no-such\nContent-Transfer-Encoding: base64\n\nY2Fmw6kg/w=====!\n"
    )
    document = read(tmp_path, "a.eml", head + body)
    assert document.title == "café"
    assert document.text.endswith("café \ufffd")
    assert document.modified is None


def test_of_a_header_without_end_the_beginning_is_read(tmp_path):
    words = " ".join(["=?utf-8?q?=C3=A4?="] * 500_000)
    assert 0 < len(read(tmp_path, "a.eml", f"Subject: {words}\n\nText.").title) < 100_000


def test_mails_of_a_mailbox_are_known_by_their_message_id(tmp_path):
    first, second = (mail(f"Mail {n}", f"Text {n}.", f"<{n}@e.org>").as_bytes() for n in (1, 2))
    third = b"Subject: Mail 3\n\n>From here on\n"
    box = b"".join(
        b"From ann@e.org Mon May  6 12:30:00 2024\n" + each + b"\n" for each in (first, second, second, third)
    )
    documents = read_all(tmp_path, "box.mbox", box)
    assert [each.identifier for each in documents] == [
        f"box.mbox/{key}" for key in ("1@e.org", "2@e.org", "3", "4")
    ]
    assert documents[3].text == "From here on"
    assert [each.title for each in documents] == ["Mail 1", "Mail 2", "Mail 2", "Mail 3"]
    with pytest.raises(LimitError, match="3 mails, the limit is 2"):
        read_all(tmp_path, "box.mbox", box, Settings(max_documents_per_file=2))


def test_mails_inside_mails_are_over_a_limit(tmp_path):
    message = mail()
    for _ in range(5):
        outer = mail()
        outer.add_attachment(
            message.as_bytes(), maintype="application", subtype="octet-stream", filename="a.eml"
        )
        message = outer
    assert len(read_all(tmp_path, "a.eml", message.as_bytes())) == 4
    assert len(read_all(tmp_path, "a.eml", message.as_bytes(), Settings(max_nested_files=2))) == 2


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("a.eml", b"\x89PNG\r\n\x1a\n", "not a mail"),
        ("a.mbox", b"Subject: x\n\ny", "not a mailbox"),
    ],
)
def test_what_is_no_mail_is_refused(tmp_path, name, content, reason):
    with pytest.raises(InputError, match=f"{name}: {reason} .*; check its format"):
        read(tmp_path, name, content)


def test_a_mail_that_cannot_be_read_is_left_out_alone(tmp_path):
    box = b"".join(
        b"From ann@e.org Mon May  6 12:30:00 2024\n" + each + b"\n"
        for each in (mail().as_bytes(), b"X-Nothing: here\n\n", mail(identifier="<2@e.org>").as_bytes())
    )
    (tmp_path / "box.mbox").write_bytes(box)
    result = results(tmp_path)["box.mbox"]
    assert result.error is None
    assert [each.identifier for each in result.documents] == ["box.mbox/1@e.org", "box.mbox/2@e.org"]
    assert [(each.identifier, each.failed) for each in result.left_out] == [("box.mbox/2", True)]


def test_each_attachment_has_an_identifier_of_its_own(tmp_path):
    message = mail()
    for name in ("3-a.txt", "a.txt", "a.txt", "a.txt"):
        message.add_attachment(f"Text of {name}.", filename=name)
    documents = read_all(tmp_path, "a.eml", message.as_bytes())
    assert [each.identifier for each in documents[1:]] == [
        "a.eml/3-a.txt",
        "a.eml/a.txt",
        "a.eml/4-a.txt",
        "a.eml/5-a.txt",
    ]


def test_an_attachment_does_not_take_the_identifier_of_its_mail(tmp_path):
    message = mail()
    message.add_attachment('{"_id": "a.eml", "text": "A record."}', filename="r.jsonl")
    (tmp_path / "a.eml").write_bytes(message.as_bytes())
    error = results(tmp_path)["a.eml"].error
    assert "two documents in it have the same identifier, 'a.eml'; rename one" in str(error)


def test_a_file_name_in_bytes_without_a_coding_is_read(tmp_path):
    mail = (
        'From: a@b.de\nContent-Type: multipart/mixed; boundary="X"\n\n--X\n\nBody\n--X\n'
        'Content-Type: text/plain; charset=UTF-8; name="Übersicht_März.txt"\n'
        'Content-Disposition: attachment; filename="Übersicht_März.txt"\n\n'
        "Inhalt\n--X--\n"
    )
    documents = read_all(tmp_path, "a.eml", mail)
    assert [each.identifier for each in documents] == ["a.eml", "a.eml/Übersicht_März.txt"]
