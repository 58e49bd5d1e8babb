"""One mail of Outlook (`.msg`, [MS-OXMSG]), by python-oxmsg: as the same mail in MIME, which `message` reads.

Addresses are those of the header that the mail came with, else of its properties. A body in nothing but rich
text is counted and not read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from email.header import Header
from email.message import Message
from email.mime.application import MIMEApplication
from email.mime.message import MIMEMessage
from email.mime.multipart import MIMEMultipart
from email.mime.text import MIMEText
from email.parser import HeaderParser
from email.utils import format_datetime
from typing import Any, Final

from sage_ld.build.readers.characters import one_line
from sage_ld.build.readers.mail.message import KEPT, decoded, mail_documents
from sage_ld.build.readers.members import ReadMember
from sage_ld.build.readers.shown import RICH_BODY
from sage_ld.build.readers.source import LeftOut, Reader, Source
from sage_ld.foundation import extras
from sage_ld.foundation.errors import InputError, LimitError, SageError
from sage_ld.foundation.model import Document
from sage_ld.foundation.settings import Settings

MEDIA_TYPE: Final = "application/vnd.ms-outlook"
_LONGEST: Final = 100_000
_OUTER, _INNER, _PART = 32, 24, 8
"""Bytes before the properties: of a mail, of one inside another, of a recipient or attachment."""
_INNER_MAIL: Final = "__substg1.0_3701000D"
_SUBJECT, _SENT, _HEADERS, _BODY, _RICH, _HTML = 0x0037, 0x0039, 0x007D, 0x1000, 0x1009, 0x1013
_MESSAGE_ID, _REPLY_TO, _NAME, _ADDRESS, _SMTP = 0x1035, 0x1042, 0x3001, 0x3003, 0x39FE
_RECIPIENT_KIND, _DATA, _SHORT_NAME, _LONG_NAME = 0x0C15, 0x3701, 0x3704, 0x3707
_SENDER: Final = ((0x0C1A, (0x5D01, 0x0C1F)), (0x0042, (0x5D02, 0x0065)))
"""Name and addresses of the sender, and of the person in whose name the mail was sent."""
_COPY: Final = 2


@dataclass(frozen=True, slots=True)
class _Properties:
    """The properties of a mail, a recipient or an attachment; one that cannot be read is as if not there."""

    given: Any

    def text(self, number: int) -> str:
        """A property's text."""
        return str(self._value(lambda: self.given.str_prop_value(number)) or "").rstrip("\0")

    def data(self, number: int) -> bytes:
        """A property's bytes."""
        value = self._value(lambda: self.given.binary_prop_value(number))
        return value if isinstance(value, bytes) else b""

    def number(self, number: int) -> int:
        """A property's whole number."""
        return int(self._value(lambda: self.given.int_prop_value(number)) or 0)

    def moment(self, number: int) -> str:
        """A property's moment, as a mail's header has it."""
        return str(self._value(lambda: format_datetime(self.given.date_prop_value(number))) or "")

    def html(self) -> str:
        """The body in HTML."""
        data = self.data(_HTML)
        return decoded(data, self._value(lambda: self.given.body_encoding)) if data else self.text(_HTML)

    @staticmethod
    def _value(read: Callable[[], Any]) -> Any:
        try:
            return read()
        except (ValueError, LookupError, ArithmeticError, AttributeError, TypeError):
            return None


def outlook_reader(read_member: ReadMember) -> Reader:
    """The reader of mails of Outlook, which has `read_member` read their attachments."""

    def read(source: Source, settings: Settings) -> Iterator[Document | LeftOut]:
        """The documents of a mail, like those of the same one in MIME.

        Raises InputError for a file that is no mail, LimitError for mails inside mails deeper than
        `max_nested_files`.
        """
        extras.check("oxmsg", extras.OFFICE)
        data = source.read(settings)
        mail = _Mail(source, settings)
        message = mail.message(_storage(data, source), _OUTER, source.depth)
        yield from mail_documents(
            message, data, source, settings, read_member, media_type=MEDIA_TYPE, passed_over=mail.passed_over
        )

    return Reader("Outlook mail", {".msg": MEDIA_TYPE}, read, packed=True)


def _storage(data: bytes, source: Source) -> Any:
    """The storage that is the mail. Raises InputError for a file that has none."""
    olefile = extras.load("olefile", extras.OFFICE)
    storage = extras.load("oxmsg.storage", extras.OFFICE)
    if not olefile.isOleFile(data=data):
        raise InputError(f"{source.identifier}: no mail of Outlook; check its format")
    try:
        with olefile.OleFileIO(data, raise_defects=olefile.DEFECT_INCORRECT) as file:
            if sum(each.size for each in file.direntries if each is not None) > 2 * len(data):
                raise ValueError("its streams overlap")  # together they would take any memory
            root = storage.Storage.from_ole(file)
        _ = root.properties_stream_bytes
    except (MemoryError, RecursionError, SageError):
        raise
    except Exception as error:  # the library trusts the offsets in a file
        reason = one_line(str(error))[:200] or type(error).__name__
        raise InputError(
            f"{source.identifier}: not readable as a mail of Outlook ({reason}); save it as .eml"
        ) from None
    return root


class _Mail:
    """A mail of Outlook, and those inside it, as it is turned into MIME."""

    def __init__(self, source: Source, settings: Settings) -> None:
        self._name = source.identifier
        self._deepest = settings.max_nested_files
        self._properties = extras.load("oxmsg.properties", extras.OFFICE).Properties
        self.passed_over: dict[str, int] = {}

    def message(self, storage: Any, header_size: int, depth: int) -> Message:
        """The mail of a storage. Raises LimitError deeper than `max_nested_files`."""
        if depth > self._deepest:
            what = f"{self._name}: its attachments"
            raise LimitError.of(
                what, depth, self._deepest, "levels of files", "max_nested_files", "unpack it"
            )
        stated = self._of(storage, header_size)
        mail = MIMEMultipart(
            boundary=f"=_{depth}"
        )  # the same each time; the parts are in base64, which has no `_`
        for name, value in self._headers(stated, storage):
            mail[name] = _encoded(value)
        for part in self._bodies(stated):
            mail.attach(part)
        for each in storage.iter_attachment_storages():
            mail.attach(self._attachment(each, depth))
        return mail

    def _of(self, storage: Any, header_size: int) -> _Properties:
        return _Properties(self._properties(storage, properties_header_offset=header_size))

    def _headers(self, stated: _Properties, storage: Any) -> Iterator[tuple[str, str]]:
        """The headers that are kept, each as the mail came with it, else of its properties."""
        came_with = HeaderParser().parsestr(stated.text(_HEADERS)[:_LONGEST])
        own = {
            "From": _sender(stated),
            "To": self._recipients(storage, copies=False),
            "Cc": self._recipients(storage, copies=True),
            "Date": stated.moment(_SENT),
            "Subject": stated.text(_SUBJECT),
            "Message-ID": stated.text(_MESSAGE_ID),
            "In-Reply-To": stated.text(_REPLY_TO),
        }
        for name in KEPT:
            if value := one_line(str(came_with.get(name) or "")) or one_line(own.get(name, "")):
                yield name, value

    def _recipients(self, storage: Any, *, copies: bool) -> str:
        people = (self._of(each, _PART) for each in storage.iter_recipient_storages())
        return ", ".join(
            _person(each.text(_NAME), each.text(_SMTP) or each.text(_ADDRESS))
            for each in people
            if (each.number(_RECIPIENT_KIND) == _COPY) is copies
        )

    def _bodies(self, stated: _Properties) -> Iterator[Message]:
        """The body in HTML, else the plain one."""
        if html := stated.html():
            yield MIMEText(html, "html", "utf-8")
        elif plain := stated.text(_BODY):
            yield MIMEText(plain, "plain", "utf-8")
        elif stated.data(_RICH):
            self.passed_over[RICH_BODY] = self.passed_over.get(RICH_BODY, 0) + 1

    def _attachment(self, storage: Any, depth: int) -> Message:
        """A file that is attached, or a mail that is passed on."""
        stated = self._of(storage, _PART)
        name = one_line(stated.text(_LONG_NAME) or stated.text(_SHORT_NAME))
        inner = next((each for each in storage.storages if each.name == _INNER_MAIL), None)
        if inner is not None and any(each.name == "__properties_version1.0" for each in inner.streams):
            return MIMEMessage(self.message(inner, _INNER, depth + 1))
        part = MIMEApplication(stated.data(_DATA))
        part.add_header("Content-Disposition", "attachment", filename=("utf-8", "", name) if name else "")
        return part


def _sender(stated: _Properties) -> str:
    for name, addresses in _SENDER:
        address = next(filter(None, map(stated.text, addresses)), "")
        if stated.text(name) or address:
            return _person(stated.text(name), address)
    return ""


def _person(name: str, address: str) -> str:
    """A name with its address, where it is one of the Internet and not of a company's own directory.

    >>> _person("Ann Reed", "ann@example.org"), _person("Ann Reed", "/O=FILMS/CN=ANN")
    ('Ann Reed <ann@example.org>', 'Ann Reed')
    """
    name, address = one_line(name), one_line(address)
    if "@" not in address:
        return name or address
    return f"{name} <{address}>" if name and name != address else address


def _encoded(value: str) -> str:
    return value if value.isascii() else Header(value[:_LONGEST], "utf-8", maxlinelen=10**6).encode()
