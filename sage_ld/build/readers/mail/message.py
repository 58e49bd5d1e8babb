"""One mail (`.eml`): its headers and body as a document, and its attachments as documents below it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from email import message_from_bytes
from email.errors import HeaderParseError
from email.header import decode_header
from email.message import Message
from email.utils import parsedate_to_datetime
from pathlib import PurePosixPath
from types import MappingProxyType
from typing import Final

from sage_ld.build.readers.builder import DocumentBuilder
from sage_ld.build.readers.calendar import MEDIA_TYPE as CALENDAR_TYPE
from sage_ld.build.readers.calendar import add_calendar
from sage_ld.build.readers.characters import one_line
from sage_ld.build.readers.coding_guesses import sure_coding
from sage_ld.build.readers.codings import coding
from sage_ld.build.readers.content import ATTACHMENTS, SHOWN_HEADERS, content_hash, moment
from sage_ld.build.readers.html import add_html, parse_html
from sage_ld.build.readers.members import ReadMember, check_depth, contents_of, member_documents
from sage_ld.build.readers.metadata.facts import Facts, document_with_facts, facts
from sage_ld.build.readers.plain import paragraphs
from sage_ld.build.readers.shown import UNREAD_CALENDAR, UNREADABLE
from sage_ld.build.readers.source import LeftOut, Reader, Source
from sage_ld.foundation import vocabulary as v
from sage_ld.foundation.errors import InputError, UnavailableError
from sage_ld.foundation.model import Document, Property
from sage_ld.foundation.settings import Settings

KEPT: Final = (*SHOWN_HEADERS, "Subject", "Message-ID", "In-Reply-To", "References")
_LONGEST: Final = 100_000


def header(message: Message, name: str) -> str:
    """A header's value on one line, its encoded words decoded; empty where there is none.

    Of a longer one than 100,000 characters only the beginning is read: the library's decoding takes quadratic
    time.
    """
    value = message.get(name)
    return "" if value is None else one_line(_decoded(str(value)[:_LONGEST]))


def decoded(data: bytes, charset: str | None) -> str:
    """Text in the character set that a mail states, else UTF-8, else by a guess that is sure.

    Bytes that fit none of them become U+FFFD.
    """
    try:
        return data.decode(coding(charset or "utf-8", ""))
    except (InputError, UnicodeError):
        return data.decode(sure_coding(data) or "utf-8", "replace")


def sent(message: Message) -> str | None:
    """The time at which the mail was sent, as `xsd:dateTime`; nothing where its header states no date."""
    try:
        return moment(parsedate_to_datetime(header(message, "Date")).isoformat())
    except (ValueError, TypeError, OverflowError, IndexError):
        return None


def properties(message: Message) -> Iterator[Property]:
    """The headers that are kept, under their names."""
    date = sent(message)
    for name in KEPT:
        if name == "Date" and date is not None:
            yield Property(name, date, "dateTime")
        elif value := header(message, name):
            yield Property(name, value)


def _decoded(value: str) -> str:
    try:
        parts = decode_header(value)
    except (HeaderParseError, ValueError):
        return value
    return "".join(
        decoded(part, charset) if isinstance(part, bytes) else _unescaped(part) for part, charset in parts
    )


def _unescaped(text: str) -> str:
    """Text in which bytes that are not ASCII stand as lone surrogates."""
    return decoded(text.encode("utf-8", "surrogateescape"), None)


def charset(part: Message) -> str | None:
    """The character set that a part states; nothing where it states none that can be read."""
    try:
        return part.get_content_charset()
    except (ValueError, LookupError, TypeError):
        return None


def file_name(part: Message) -> str:
    """The name of the file in a part, decoded; empty where it has none."""
    named = Message()  # its headers without bytes that stand for themselves
    for key, value in part.raw_items():
        if key.lower() in ("content-disposition", "content-type"):
            named[key] = _unescaped(str(value))
    try:
        name = named.get_filename()
    except (ValueError, LookupError, TypeError):
        return ""
    return one_line(_decoded(str(name))) if name else ""


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


_MEDIA_TYPE: Final = "message/rfc822"
_TELLING: Final = ("From", "To", "Date", "Subject", "Message-ID", "Received")
_NOTHING: Final[Mapping[str, int]] = MappingProxyType({})
_TEXTS: Final = ("text/html", "text/plain")


def mail_reader(read_member: ReadMember) -> Reader:
    """The reader of mails, which has `read_member` read their attachments."""

    def read(source: Source, settings: Settings) -> Iterator[Document | LeftOut]:
        """The document of a mail, titled by its subject, then those of its attachments.

        The body is the part in HTML where there is one, else the plain one, with the lines that it quotes.
        Raises InputError for a file without any header of a mail.
        """
        data = source.read(settings)
        message = message_from_bytes(data)
        if not any(message.get(name) for name in _TELLING):
            raise InputError(
                f"{source.identifier}: not a mail (it has no From, Date or Subject header); check its format"
            )
        yield from mail_documents(message, data, source, settings, read_member)

    return Reader("mail", {".eml": _MEDIA_TYPE}, read, packed=True)


def mail_documents(
    message: Message,
    data: bytes,
    source: Source,
    settings: Settings,
    read_member: ReadMember,
    *,
    media_type: str = _MEDIA_TYPE,
    passed_over: Mapping[str, int] = _NOTHING,
) -> Iterator[Document | LeftOut]:
    """The documents of a mail: its own, under the identifier of `source`, and its attachments' below that.

    Parts that the mail has in its file, and `message` has not, are counted as passed over.
    """
    attached = list(_attachments(message))
    builder = DocumentBuilder(source.identifier, settings)
    for kind, count in passed_over.items():
        builder.pass_over(kind, count)
    builder.prose("\n".join(_head(message, attached)))
    for part in _bodies(message):
        _add_body(builder, part, settings)
    for part in _calendars(message):
        _add_invitation(builder, part, settings)
    yield document_with_facts(
        builder,
        _facts(message, attached),
        settings,
        title=header(message, "Subject") or source.stem,
        media_type=media_type,
        content_hash=content_hash(data),
        kind=v.SCHEMA + "EmailMessage",
    )
    yield from attachment_documents(attached, source, settings, read_member)


def _facts(message: Message, attached: list[Attachment]) -> Facts:
    stated = [*properties(message), *(Property("attachment", each.name) for each in attached)]
    moments = [Property("modified", date) for date in (sent(message),) if date is not None]
    words = [Property("keywords", header(message, "Keywords"))]
    language = [Property("language", header(message, "Content-Language"))]
    return facts([*stated, *moments, *words, *language])


def _head(message: Message, attached: list[Attachment]) -> Iterator[str]:
    for name in SHOWN_HEADERS:
        if value := header(message, name):
            yield f"{name}: {value}"
    if attached:
        yield f"{ATTACHMENTS}: {', '.join(each.name for each in attached)}"


def _calendars(part: Message) -> Iterator[Message]:
    """The parts that invite to an event, and are no files: whatever alternatives there are beside them."""
    if part.is_multipart():
        for each in _parts(part):
            yield from _calendars(each)
    elif part.get_content_type() == CALENDAR_TYPE and not is_attached(part):
        yield part


def _bodies(part: Message) -> Iterator[Message]:
    """The parts that a person reads, in their order; of alternatives the one in HTML, else the first."""
    kind = part.get_content_type()
    if kind in _TEXTS:
        if not is_attached(part):
            yield part
    elif kind.startswith("multipart/") and part.is_multipart():
        inner = [list(_bodies(each)) for each in _parts(part)]
        if kind == "multipart/alternative":
            inner = sorted((each for each in inner if each), key=lambda each: not _has_html(each))[:1]
        for parts in inner:
            yield from parts


def _has_html(parts: list[Message]) -> bool:
    return any(each.get_content_type() == "text/html" for each in parts)


def _parts(part: Message) -> list[Message]:
    payload = part.get_payload()
    return [each for each in payload if isinstance(each, Message)] if isinstance(payload, list) else []


def _attachments(part: Message) -> Iterator[Attachment]:
    """The parts that are files of their own, also mails that are passed on."""
    kind = part.get_content_type()
    if kind == "message/rfc822":
        for each in _parts(part):
            yield Attachment.of_mail(part, each)
    elif part.is_multipart():
        for each in _parts(part):
            yield from _attachments(each)
    elif is_attached(part):
        yield Attachment.of_file(part)


def _add_invitation(builder: DocumentBuilder, part: Message, settings: Settings) -> None:
    """Adds the events of a calendar; counts one that cannot be read."""
    payload = part.get_payload(decode=True)
    text = decoded(payload, charset(part)) if isinstance(payload, bytes) else ""
    try:
        add_calendar(builder, text, settings)
    except (InputError, UnavailableError):
        builder.pass_over(UNREAD_CALENDAR)


def _add_body(builder: DocumentBuilder, part: Message, settings: Settings) -> None:
    payload = part.get_payload(decode=True)
    text = decoded(payload, charset(part)) if isinstance(payload, bytes) else ""
    builder.pass_over(UNREADABLE, text.count("\ufffd"))
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if part.get_content_type() == "text/html":
        root = parse_html(text, builder.identifier, settings)
        if root is not None:
            add_html(builder, root, settings)
    else:
        for _, paragraph in paragraphs(text):
            builder.prose(paragraph)
