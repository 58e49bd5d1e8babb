r"""The coding of a text file: what its bytes mean as characters, and the file's text as UTF-8.

All readers of text formats get UTF-8, or Unicode with its byte order mark. A coding is believed in this
order: the byte order mark, what the sidecar says, what the file itself states, UTF-8 where the bytes fit, the
setting `encoding`, and a guess where it is sure. A file that none of them fits is an error: a guess that is
wrong half of the time would put broken words into every index without a sign of it.
"""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass, replace
from typing import Final

from sage_ld.build.readers.characters import byte_order_mark, unfit
from sage_ld.build.readers.coding_guesses import sure_coding
from sage_ld.build.readers.source import Source
from sage_ld.foundation.errors import InputError
from sage_ld.foundation.settings import Settings

_HEAD: Final = 4_096  # bytes in which a file states its coding
_KNOWN: Final = re.compile(
    r"(?:cp\d+|iso8859-\d+|iso2022_\w+|koi8-\w|mac-\w+|shift_jis\w*|euc_\w+|gb\w+|big5\w*|hz|johab|ptcp154"
    r"|kz1048|tis-620|hp-roman8|latin-1|ascii|utf-(?:8|16|32)\S*)\Z"
)
"""Codecs of text; Python has others, some of which take quadratic time."""
_MULTIBYTE: Final = re.compile(r"cp(?:932|949|950)|iso2022|shift_jis|euc_|gb|big5|hz|johab|utf-(?:16|32)")
_WIDER: Final = {
    "ascii": "cp1252",
    "latin-1": "cp1252",
    "iso8859-1": "cp1252",
    "iso8859-9": "cp1254",
    "iso8859-11": "cp874",
    "tis-620": "cp874",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "shift_jis": "cp932",
    "euc_kr": "cp949",
}
"""The codings that programs mean by the names of smaller ones (WHATWG Encoding Standard, §4.2)."""
_LATEX: Final = {"latin9": "iso8859-15", "ansinew": "cp1252", "applemac": "mac-roman", "cp437de": "cp437"}
_XML: Final = re.compile(rb"""\A\s*<\?xml\s[^>]{0,200}?encoding\s*=\s*["']([\w.:-]+)""")
_META: Final = re.compile(rb"""<meta[^>]{0,200}?charset\s*=\s*["']?\s*([\w.:-]+)""", re.IGNORECASE)
_INPUTENC: Final = re.compile(
    rb"^[^%\n]{0,200}?\\(?:usepackage\s*\[\s*([\w-]+)\s*\]\s*\{inputenc\}|inputencoding\s*\{([\w-]+)\})",
    re.MULTILINE,
)
_LINE: Final = re.compile(rb"\A(?:[^\n]{0,400}\n)?[^\n]{0,400}?coding[:=][ \t]*([\w.-]+)")
"""A line of Emacs or Vim, as PEP 263 has it: the first or the second."""
_SYNTAXES: Final = {
    **dict.fromkeys((".html", ".htm", ".xhtml"), (_XML, _META)),
    **dict.fromkeys((".tex", ".latex"), (_LINE, _INPUTENC)),
    **dict.fromkeys((".xml", ".rdf", ".owl"), (_XML,)),
}
_XML_NAME: Final = re.compile(r"""\A(\s*<\?xml\s[^>]{0,200}?encoding\s*=\s*["'])[\w.:-]+""")


@dataclass(frozen=True, slots=True)
class UnicodeText:
    """The bytes of a file as UTF-8."""

    data: bytes
    assumed: str = ""
    """What was assumed of its coding, if it was not certain: a clause of a warning."""


def as_unicode(source: Source, settings: Settings, stated: str = "") -> tuple[Source, tuple[str, ...]]:
    """The source whose bytes are UTF-8, and the warnings of what was assumed; its sidecar may state a coding.

    Raises InputError for a file whose coding is not known.
    """
    text = recoded(source.read(settings), source.identifier, source.suffix, settings.encoding, stated)
    warnings = (f"{source.identifier}: {text.assumed}",) if text.assumed else ()
    return replace(source, unicode=text.data), warnings


def recoded(data: bytes, name: str, suffix: str, setting: str = "", stated: str = "") -> UnicodeText:
    r"""The bytes of a file as UTF-8, by the order of this module.

    >>> recoded("# coding: koi8-r\nМосква".encode("koi8-r"), "a.py", ".py").data.decode()
    '# coding: koi8-r\nМосква'
    """
    if byte_order_mark(data) and not stated:
        return (
            UnicodeText(_without_name(data.decode("utf-16"))) if _is_marked_xml(data) else UnicodeText(data)
        )
    if stated:
        return UnicodeText(_by_name(data, coding(stated, name), name))
    said = _said(data[:_HEAD], suffix)
    if said and (_MULTIBYTE.match(said) or not _is_utf8(data)) and (text := _fits(data, said)) is not None:
        return UnicodeText(_without_name(text))
    if _is_utf8(data) or b"\0" in data:  # what is binary is named by whoever decodes it
        wrong = said and said != "utf-8" and not data.isascii()
        return UnicodeText(
            data, f"it states the coding {said}, but is UTF-8, as which it was read" if wrong else ""
        )
    if setting:
        return UnicodeText(_by_name(data, coding(setting, "encoding"), name))
    if (guess := sure_coding(data)) and (text := _fits(data, guess)) is not None:
        return UnicodeText(
            _without_name(text),
            f"read as {guess}, which follows from its characters; if that is wrong, state the coding with "
            f"--encoding or in a sidecar (encoding: …)",
        )
    raise unfit(data, "utf-8", name)


def coding(label: str, name: str) -> str:
    """Python's name of a coding. Raises InputError for a name that is unknown.

    >>> coding("ISO-8859-1", "a.txt"), coding("Shift_JIS", "a.txt"), coding("mac_roman", "a.txt")
    ('cp1252', 'cp932', 'mac-roman')
    """
    if found := _codec(label):
        return found
    raise InputError(
        f"{name}: unknown coding {label[:40]!r}; give a name such as windows-1252, iso-8859-2, utf-16, "
        "shift_jis, gb18030, koi8-r or mac-roman"
    )


def _codec(label: str) -> str:
    try:
        found = codecs.lookup(_LATEX.get(label, label)).name
    except (LookupError, ValueError):
        return ""
    found = {"iso8859-1": "latin-1"}.get(found, found)
    return _WIDER.get(found, found) if _KNOWN.match(found) else ""


def _said(head: bytes, suffix: str) -> str:
    """Python's name of the coding that a file states; empty where it states none that is known."""
    for syntax in _SYNTAXES.get(suffix, (_LINE,)):
        if match := syntax.search(head):
            label = next(group for group in match.groups() if group).decode("ascii", "replace").lower()
            found = _codec(label)
            return "" if found.startswith(("utf-16", "utf-32")) else found  # its own statement denies it
    return ""


def _is_utf8(data: bytes) -> bool:
    return data.isascii() or _fits(data, "utf-8") is not None


def _fits(data: bytes, name: str) -> str | None:
    try:
        return data.decode(name)
    except UnicodeError:
        return None


def _by_name(data: bytes, name: str, file: str) -> bytes:
    if (text := _fits(data, name)) is None:
        raise unfit(data, name, file)
    return _without_name(text.removeprefix("\ufeff"))


def _is_marked_xml(data: bytes) -> bool:
    return data.startswith((codecs.BOM_UTF16_LE + b"<\0?\0", codecs.BOM_UTF16_BE + b"\0<\0?"))


def _without_name(text: str) -> bytes:
    """UTF-8, also by the declaration of XML, since parsers believe it."""
    return _XML_NAME.sub(r"\g<1>utf-8", text, count=1).encode("utf-8", "surrogatepass")
