"""A cell's text to its values, by the rules of its column (Model for Tabular Data, section 6.4).

A value that does not fit its datatype stays a plain string, as the recommendation asks: it is kept, and
says of itself that it did not fit.
"""

from __future__ import annotations

import re
from datetime import date, time
from functools import lru_cache
from typing import Final

from pyoxigraph import Literal, NamedNode

from sage_ld.build.readers.characters import one_line, printable
from sage_ld.build.readers.csvw.description import UNDETERMINED, CellRules, Datatype
from sage_ld.foundation import vocabulary as v

_XSD_NAMES: Final = (
    "anyURI base64Binary boolean byte date dateTime dateTimeStamp dayTimeDuration decimal double duration "
    "float gDay gMonth gMonthDay gYear gYearMonth hexBinary int integer language long Name NMTOKEN "
    "negativeInteger nonNegativeInteger nonPositiveInteger normalizedString positiveInteger QName short "
    "string time token unsignedByte unsignedInt unsignedLong unsignedShort yearMonthDuration"
)
DATATYPES: Final = {
    **{name: v.XSD + name for name in _XSD_NAMES.split()},
    "any": v.XSD + "anyAtomicType",
    "anyAtomicType": v.XSD + "anyAtomicType",
    "binary": v.XSD + "base64Binary",
    "datetime": v.XSD + "dateTime",
    "html": v.RDF + "HTML",
    "json": v.CSVW + "JSON",
    "number": v.XSD + "double",
    "xml": v.RDF + "XMLLiteral",
}
"""The datatypes that metadata may name (section 5.11.1), and their IRIs."""

VERBATIM: Final = {"string", "json", "xml", "html", "any", "anyAtomicType"}
"""Datatypes whose values are texts as they stand."""
_INTEGERS: Final = {
    "integer": (None, None),
    "long": (-(2**63), 2**63 - 1),
    "int": (-(2**31), 2**31 - 1),
    "short": (-(2**15), 2**15 - 1),
    "byte": (-128, 127),
    "nonNegativeInteger": (0, None),
    "positiveInteger": (1, None),
    "nonPositiveInteger": (None, 0),
    "negativeInteger": (None, -1),
    "unsignedLong": (0, 2**64 - 1),
    "unsignedInt": (0, 2**32 - 1),
    "unsignedShort": (0, 2**16 - 1),
    "unsignedByte": (0, 255),
}
_REALS: Final = {"decimal", "number", "double", "float"}
_TIMES: Final = {"date", "dateTime", "datetime", "dateTimeStamp", "time"}
_INTEGER: Final = re.compile(r"[+-]?[0-9]+")
_DECIMAL: Final = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)")
_DOUBLE: Final = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?|NaN|[+-]?INF")
_LONGEST_NUMBER: Final = 4_000  # digits; Python converts no longer ones
_PARTS: Final = {
    "yyyy": r"(?P<year>[0-9]{4})",
    "MM": r"(?P<month>[0-9]{2})",
    "M": r"(?P<month>[0-9]{1,2})",
    "dd": r"(?P<day>[0-9]{2})",
    "d": r"(?P<day>[0-9]{1,2})",
    "HH": r"(?P<hour>[0-9]{2})",
    "mm": r"(?P<minute>[0-9]{2})",
    "ss": r"(?P<second>[0-9]{2})",
    "zone": r"(?P<zone>Z|[+-][0-9]{2}(?::?[0-9]{2})?)",
}
_TOKEN: Final = re.compile(r"yyyy|MM?|dd?|HH|mm|ss|S+|[Xx]{1,3}|[^A-Za-z]|T")
_ISO: Final = {
    "date": "yyyy-MM-dd",
    "time": "HH:mm:ss",
    "dateTime": "yyyy-MM-ddTHH:mm:ss",
}


def values_of(text: str, rules: CellRules) -> list[str] | None:
    """The strings of a cell: one without a separator, none of an empty list; None where the cell is null."""
    verbatim = rules.datatype.base in VERBATIM
    text = printable(text)
    if not verbatim:
        text = one_line(text)
    text = text or rules.default
    if rules.separator is None:
        return None if _is_null(text, rules, verbatim) else [text]
    if text == "":
        return []
    if text in rules.null:
        return None
    items = text.split(rules.separator)
    items = (
        items if rules.datatype.base in ("string", "anyAtomicType", "any") else [one_line(i) for i in items]
    )
    return [each for each in items if not _is_null(each, rules, verbatim)]


def _is_null(text: str, rules: CellRules, verbatim: bool) -> bool:
    return text in rules.null or (not text and not verbatim)


def literal(text: str, rules: CellRules) -> Literal:
    """The literal of one value; a string where it does not fit the datatype.

    >>> literal("1.234,5", CellRules(datatype=Datatype("decimal", decimal=",", group=".")))
    <Literal value=1234.5 datatype=<NamedNode value=http://www.w3.org/2001/XMLSchema#decimal>>
    >>> literal("3.5.1968", CellRules(datatype=Datatype("date", format="d.M.yyyy"))).value
    '1968-05-03'
    """
    datatype = rules.datatype
    if datatype.base == "string" and datatype.iri is None:
        return Literal(text) if rules.language == UNDETERMINED else Literal(text, language=rules.language)
    lexical = _lexical(text, datatype)
    if lexical is None:
        return Literal(text)
    return Literal(lexical, datatype=NamedNode(datatype.iri or DATATYPES[datatype.base]))


def _lexical(text: str, datatype: Datatype) -> str | None:
    """The value as its datatype in RDF writes it; None if it does not fit."""
    if datatype.base in _INTEGERS or datatype.base in _REALS:
        return _number(text, datatype)
    if datatype.base == "boolean":
        return _boolean(text, datatype.format)
    if datatype.base in _TIMES:
        return _moment(text, datatype)
    return text


def _number(text: str, datatype: Datatype) -> str | None:
    """A number with a decimal point; a percentage as a share."""
    if len(text) > _LONGEST_NUMBER:
        return None
    if datatype.group:
        text = text.replace(datatype.group, "")
    if datatype.decimal != ".":
        text = text.replace(".", "?").replace(datatype.decimal, ".")
    places = {"%": 2, "‰": 3}.get(text[-1:], 0)
    if datatype.base in _INTEGERS:
        return text if _INTEGER.fullmatch(text) and _within(int(text), *_INTEGERS[datatype.base]) else None
    if places:
        return _shifted(text[:-1], places) if _DECIMAL.fullmatch(text[:-1]) else None
    return text if (_DECIMAL if datatype.base == "decimal" else _DOUBLE).fullmatch(text) else None


def _within(value: int, least: int | None, most: int | None) -> bool:
    return (least is None or value >= least) and (most is None or value <= most)


def _shifted(number: str, places: int) -> str:
    """A decimal divided by ten to the power of `places`, exactly.

    >>> _shifted("12.5", 2), _shifted("-3", 3)
    ('0.125', '-0.003')
    """
    sign, digits = (number[0], number[1:]) if number[0] in "+-" else ("", number)
    whole, _, fraction = digits.partition(".")
    whole = whole.rjust(places + 1, "0")
    return f"{sign}{whole[:-places]}.{whole[-places:]}{fraction}"


def _boolean(text: str, form: str | None) -> str | None:
    true, _, false = (form or "").partition("|")
    meanings = {true: "true", false: "false"} if form else {t: t for t in ("true", "false")}
    if not form:
        meanings |= {"1": "true", "0": "false"}
    return meanings.get(text)


def _moment(text: str, datatype: Datatype) -> str | None:
    base = "dateTime" if datatype.base.lower().startswith("datetime") else datatype.base
    pattern = moment_pattern(datatype.format or _ISO[base], default=datatype.format is None)
    match = pattern.fullmatch(text) if pattern else None
    if match is None:
        return None
    parts = {name: value for name, value in match.groupdict().items() if value is not None}
    try:
        day = date(*(int(parts.get(name, "1")) for name in ("year", "month", "day")))
        hour, minute, second = (int(parts.get(name, "0")) for name in ("hour", "minute", "second"))
        clock = time(hour, minute, second).isoformat()
    except ValueError:
        return None
    if parts.get("fraction"):
        clock += f".{parts['fraction']}"
    whole = {"date": day.isoformat(), "time": clock, "dateTime": f"{day.isoformat()}T{clock}"}[base]
    return whole + _zone(parts.get("zone", ""))


def _zone(written: str) -> str:
    """A time zone as XML Schema writes it: `+0100` and `+01` as `+01:00`."""
    digits = written[1:].replace(":", "")
    return f"{written[0]}{digits[:2]}:{digits[2:] or '00'}" if digits else written


@lru_cache(maxsize=256)
def moment_pattern(form: str, default: bool = False) -> re.Pattern[str] | None:
    """A date or time format of section 6.4.4 as a regular expression; None if it is invalid.

    The `default` one allows for decimals of seconds and a time zone, as XML Schema does.
    """
    tokens = _TOKEN.findall(form)
    if "".join(tokens) != form or len(tokens) > len(_TOKEN.findall("yyyy-MM-dd HH:mm:ss.SSS XXX")):
        return None
    pattern = "".join(_part(token) for token in tokens)
    if default:
        pattern += (r"(?:\.(?P<fraction>[0-9]{1,9}))?" if "ss" in tokens else "") + f"(?:{_PARTS['zone']})?"
    try:
        return re.compile(pattern)
    except re.error:  # a part that is there twice
        return None


def _part(token: str) -> str:
    if token[0] == "S":
        return rf"(?P<fraction>[0-9]{{1,{min(len(token), 9)}}})"
    return _PARTS["zone"] if token[0] in "Xx" else _PARTS.get(token, re.escape(token))


def wrong_format(datatype: Datatype) -> str | None:
    """The remedy for a format that does not fit its datatype; None if it fits."""
    if datatype.format is None:
        return None
    if datatype.base in _TIMES and moment_pattern(datatype.format) is None:
        return "write it like yyyy-MM-dd or d.M.yyyy HH:mm"
    if datatype.base == "boolean" and datatype.format.count("|") != 1:
        return "write it like Y|N"
    return None
