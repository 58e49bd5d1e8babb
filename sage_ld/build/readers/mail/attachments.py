"""The files that a mail carries, and the documents that they make."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from email.message import Message
from pathlib import PurePosixPath
from typing import Final

from sage_ld.build.readers.characters import one_line
from sage_ld.build.readers.mail.headers import charset, decoded, file_name, header
from sage_ld.build.readers.members import ReadMember, check_depth, contents_of, member_documents
from sage_ld.build.readers.source import LeftOut, Source
from sage_ld.foundation.model import Document
from sage_ld.foundation.settings import Settings

_LONGEST_NAME: Final = 100


@dataclass(frozen=True, slots=True)
class Attachment:
    """A file that a mail carries."""

    name: str
    """Its name, without a folder; empty where the mail gives none."""
    data: bytes = field(repr=False)

    @classmethod
    def of_file(cls, part: Message) -> Attachment:
        """The file in a part; text is turned into UTF-8."""
        payload = part.get_payload(decode=True)
        data = payload if isinstance(payload, bytes) else b""
        if part.get_content_maintype() == "text" and charset(part) is not None:
            data = decoded(data, charset(part)).encode("utf-8", "replace")
        return cls(_safe_name(file_name(part)), data)

    @classmethod
    def of_mail(cls, part: Message, message: Message) -> Attachment:
        """A mail that another one passes on."""
        name = _safe_name(file_name(part) or header(message, "Subject"))
        name = name if name.endswith(".eml") else f"{name or 'mail'}.eml"
        try:
            return cls(name, message.as_bytes())
        except (ValueError, LookupError, TypeError):  # headers that the library cannot write again
            return cls(name, b"")


def is_attached(part: Message) -> bool:
    """Whether a part is a file of its own, and no part of the text."""
    return part.get_content_disposition() == "attachment" or bool(file_name(part))


def attachment_documents(
    attached: Sequence[Attachment], source: Source, settings: Settings, read_member: ReadMember
) -> Iterator[Document | LeftOut]:
    """The documents of the attachments, each under its name below the mail's identifier.

    Raises LimitError for mails inside mails, deeper than `max_nested_files`.
    """
    if not attached:
        return
    check_depth(source, "attachments", settings)
    contents = contents_of(source, settings)
    for name, each in zip(_free_names(attached), attached, strict=True):
        yield from member_documents(source.inside(name, each.data, contents), settings, read_member)


def _free_names(attached: Sequence[Attachment]) -> Iterator[str]:
    """A name for each attachment, which no other one before it has: its own, or with a number before it."""
    taken: set[str] = set()
    numbers: dict[str, int] = {}
    for place, each in enumerate(attached, 1):
        name = each.name
        if not name or name in taken:
            plain = name or "attachment"
            number = max(place, numbers.get(plain, 0))
            while (name := f"{number}-{plain}") in taken:
                number += 1
            numbers[plain] = number + 1
        taken.add(name)
        yield name


def _safe_name(name: str) -> str:
    """The last part of a path, short, on one line."""
    plain = one_line(PurePosixPath(name.replace("\\", "/")).name)
    return plain if len(plain) <= _LONGEST_NAME else plain[-_LONGEST_NAME:].strip()
