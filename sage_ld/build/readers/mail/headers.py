"""The headers of a mail, decoded, and what they say of its document."""

from __future__ import annotations

from collections.abc import Iterator
from email.errors import HeaderParseError
from email.header import decode_header
from email.message import Message
from email.utils import parsedate_to_datetime
from typing import Final

from sage_ld.build.readers.characters import one_line
from sage_ld.build.readers.content import moment
from sage_ld.foundation.model import Property

KEPT: Final = ("From", "To", "Cc", "Date", "Subject", "Message-ID", "In-Reply-To", "References")
_LONGEST: Final = 100_000
SHOWN: Final = ("From", "To", "Cc", "Date")
"""The headers that stand in the text."""


def header(message: Message, name: str) -> str:
    """A header's value on one line, its encoded words decoded; empty where there is none.

    Of a longer one than 100,000 characters only the beginning is read: the library's decoding takes quadratic
    time.
    """
    value = message.get(name)
    return "" if value is None else one_line(_decoded(str(value)[:_LONGEST]))


def decoded(data: bytes, charset: str | None) -> str:
    """Text in the character set that a mail states, else UTF-8; bytes that fit neither become U+FFFD."""
    for name in (charset or "utf-8", "utf-8"):
        try:
            return data.decode(name)
        except (LookupError, UnicodeError):
            continue
    return data.decode("utf-8", "replace")


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
    try:
        name = part.get_filename()
    except (ValueError, LookupError, TypeError):
        return ""
    return one_line(_decoded(str(name))) if name else ""
