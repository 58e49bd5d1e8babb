"""Mailboxes (`.mbox`): a document for each mail, and for each attachment."""

from __future__ import annotations

import re
from collections.abc import Iterator
from email import message_from_bytes
from email.message import Message
from functools import partial
from pathlib import Path
from typing import Final

from sage_ld.build.readers.mail.message import header, mail_documents
from sage_ld.build.readers.members import ReadMember, contents_of, member_documents
from sage_ld.build.readers.source import LeftOut, Reader, Source
from sage_ld.foundation.errors import InputError, LimitError
from sage_ld.foundation.model import Document
from sage_ld.foundation.settings import Settings

_SEPARATOR: Final = re.compile(rb"(?:\A|(?<=\n\n)|(?<=\n\r\n))From [^\n]*\n")  # RFC 4155
_ESCAPED: Final = re.compile(rb"^>(>*From )", re.MULTILINE)
_MESSAGE_ID: Final = re.compile(r"<?([\w.+=$%&!#~^*'{}|-]+@[\w.:\[\]-]+)>?")


def mailbox_reader(read_member: ReadMember) -> Reader:
    """The reader of mailboxes, which has `read_member` read the attachments of their mails."""

    def read(source: Source, settings: Settings) -> Iterator[Document | LeftOut]:
        """The documents of all mails, each under its Message-ID or number below the file's identifier.

        So a mail keeps its identifier where others are taken out. A mail that cannot be read is left out.
        Raises InputError for anything that is not a mailbox, LimitError over `max_documents_per_file`.
        """
        taken: set[str] = set()
        contents = contents_of(source, settings)
        for number, data in enumerate(_mails(source.read(settings), source.identifier), 1):
            if number > (limit := settings.max_documents_per_file):
                raise LimitError.of(source.identifier, number, limit, "mails", "max_documents_per_file")
            message = message_from_bytes(data)
            key = _key(message, number, taken)
            taken.add(key)
            path, identifier = Path(f"{source.stem} {number}"), f"{source.identifier}/{key}"
            inner = Source(path, identifier, data=data, depth=source.depth, contents=contents)
            yield from member_documents(inner, settings, partial(_read, message, read_member))

    return Reader("mailboxes", {".mbox": "application/mbox"}, read, packed=True)


def _read(
    message: Message, read_member: ReadMember, source: Source, settings: Settings
) -> Iterator[Document | LeftOut]:
    return mail_documents(message, source.read(settings), source, settings, read_member)


def _mails(data: bytes, name: str) -> Iterator[bytes]:
    """The bytes of each mail, without the line before it."""
    separators = list(_SEPARATOR.finditer(data))
    if not separators or separators[0].start():
        raise InputError(f"{name}: not a mailbox (it does not begin with a From line); check its format")
    ends = [each.start() for each in separators[1:]] + [len(data)]
    for separator, end in zip(separators, ends, strict=True):
        yield _ESCAPED.sub(rb"\1", data[separator.end() : end])


def _key(message: Message, number: int, taken: set[str]) -> str:
    stated = _MESSAGE_ID.fullmatch(header(message, "Message-ID"))
    return stated[1] if stated is not None and stated[1] not in taken else str(number)
