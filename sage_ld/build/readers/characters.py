"""Bytes to text, and the characters that a text may hold on its way to RDF.

Text comes here as UTF-8, or as its byte order mark says; `codings` has brought what was in another coding
into UTF-8.
"""

from __future__ import annotations

import codecs
import re

from sage_ld.foundation.errors import InputError

_MARKS = (  # UTF-32 before UTF-16, whose mark its own begins with
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_REMEDY = "convert the file to UTF-8, or state its coding (--encoding, or encoding: in a sidecar)"
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
_WRITTEN_OVER = re.compile(r"[^\n\r]*\r(?![\n\r])")
_TERMINAL_CODE = re.compile("\x1b(?:\\[[0-?]*[ -/]*[@-~]|\\][^\x07\x1b]*(?:\x07|\x1b\\\\)|[@-Z\\\\^_])")
_UNSOUND = re.compile("[\ud800-\udfff\ufffe\uffff]")


def decode(data: bytes, name: str, default: str = "utf-8") -> str:
    r"""The text of the file `name`, without a byte order mark and with line ends as `\n`.

    Raises InputError that names the offset of the first byte that does not fit.

    >>> decode("Line one\r\nLine two".encode("utf-16"), "notes.txt")
    'Line one\nLine two'
    """
    mark, encoding = _encoding(data, default)
    try:
        text = data[len(mark) :].decode(encoding)
    except UnicodeDecodeError as error:
        raise _unfit(data, len(mark) + error.start, encoding, name) from None
    if (place := text.find("\0")) >= 0:
        raise InputError(
            f"{name}: a NUL at character {place}: the file is binary, or UTF-16 without a byte order mark; "
            "convert it to UTF-8, or leave it out"
        )
    return text.replace("\r\n", "\n").replace("\r", "\n")


def unfit(data: bytes, encoding: str, name: str) -> InputError:
    """The error for bytes that are not in an encoding, which names the first one."""
    try:
        data.decode(encoding)
    except UnicodeDecodeError as error:
        return _unfit(data, error.start, encoding, name)
    except UnicodeError as error:
        return InputError(f"{name}: is not {encoding.upper()} ({error}); {_REMEDY}")
    raise ValueError(f"the bytes are {encoding}")


def _unfit(data: bytes, offset: int, encoding: str, name: str) -> InputError:
    return InputError(
        f"{name}: byte 0x{data[offset]:02x} at offset {offset} is not {encoding.upper()}; {_REMEDY}"
    )


def byte_order_mark(data: bytes) -> bytes:
    """The mark of an encoding of Unicode that a file begins with; nothing where there is none."""
    return _encoding(data, "")[0]


def _encoding(data: bytes, default: str) -> tuple[bytes, str]:
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return mark, encoding
    return b"", default


def without_terminal_codes(text: str) -> str:
    r"""`text` without the codes by which programs colour what they print (ECMA-48, §5.4).

    >>> without_terminal_codes("10%\r100%\r\ndone")
    '100%\r\ndone'
    >>> without_terminal_codes("\x1b[31mred alert\x1b[0m")
    'red alert'
    """
    text = _TERMINAL_CODE.sub("", text) if "\x1b" in text else text
    return _WRITTEN_OVER.sub("", text) if "\r" in text else text


def printable(text: str) -> str:
    r"""`text` with only characters that XML 1.0 §2.2, and so RDF/XML, can hold; as long as it was.

    No control character is left but tab and the ends of lines: a terminal would obey it.

    >>> printable("form\x0cfeed, lone \ud800 surrogate")
    'form feed, lone � surrogate'
    """
    if text.isprintable():
        return text
    return _UNSOUND.sub("\ufffd", _CONTROL.sub(" ", text))


def signed_number(text: str, default: int = 0) -> int:
    """A whole number of at most nine digits, which may be negative, else `default`.

    >>> signed_number("-40"), signed_number("4 %"), signed_number("", 1)
    (-40, 0, 1)
    """
    digits = text.removeprefix("-")
    return int(text) if digits.isascii() and digits.isdigit() and len(digits) < 10 else default


def one_line(text: str) -> str:
    r"""`text` on one line, each run of blanks as one.

    >>> one_line("  a\n\tb  ")
    'a b'
    """
    return " ".join(printable(text).split())
