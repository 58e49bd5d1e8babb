"""The parameters of a request, read strictly: what is not UTF-8 is refused, not replaced."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from math import isfinite
from typing import Any, Final
from urllib.parse import unquote_to_bytes

from flask import Response, after_this_request, request
from werkzeug import Request

from sage_ld.foundation.errors import InputError
from sage_ld.service.api.json_text import DIGITS, read_json
from sage_ld.service.api.schemas import DEPRECATED_AT, Schema, checked_value
from sage_ld.service.http.errors import MediaTypeError

FORM: Final = "application/x-www-form-urlencoded"
MOST: Final = 1000
"""Most parameters of one request."""
_CHOICES: Final = ("format", "version", "rdf", "iri")
_SHOWN: Final = 40  # characters of a name in a message
_BLOCK: Final = 1 << 12
"""Bytes that are decoded at once: the decoder takes some two hundred bytes of memory for each escape."""


@dataclass(frozen=True, slots=True)
class Parameters:
    """Names and values, in order; a name may come more than once."""

    pairs: tuple[tuple[str, str], ...]

    def one(self, name: str) -> str | None:
        """The value of `name`; None if it is missing. Raises InputError if it comes twice."""
        values = self.all(name)
        return only(name, values) if values else None

    def all(self, name: str) -> list[str]:
        """All values of `name`."""
        return [value for key, value in self.pairs if key == name]

    def by_name(self) -> dict[str, list[str]]:
        """All values of each name."""
        values: dict[str, list[str]] = {}
        for name, value in self.pairs:
            values.setdefault(name, []).append(value)
        return values

    def __contains__(self, name: str) -> bool:
        return any(key == name for key, _ in self.pairs)

    def __add__(self, other: Parameters) -> Parameters:
        return Parameters(self.pairs + other.pairs)


def only(name: str, values: list[str]) -> str:
    """The one value of the parameter `name`. Raises InputError if there are more."""
    if len(values) > 1:
        raise InputError(f"{name[:_SHOWN]!r} is given {len(values)} times; give it once")
    return values[0]


def url_parameters(sent: Request = request) -> Parameters:
    """The parameters in the URL. Raises InputError if they are not UTF-8."""
    return parsed(sent.query_string)


def refuse_repeated() -> None:
    """Raises InputError if the URL has a parameter twice that chooses what is shown, and how."""
    parameters = url_parameters()
    for name in _CHOICES:
        parameters.one(name)


def form_parameters(sent: Request = request) -> Parameters:
    """The parameters in a form. Raises InputError if they are not UTF-8."""
    return parsed(sent.get_data(cache=False))


def body_text(sent: Request = request) -> str:
    """The body as text. Raises MediaTypeError for another charset than UTF-8, InputError if it is not."""
    charset = sent.mimetype_params.get("charset", "utf-8").lower()
    if charset not in ("utf-8", "utf8"):
        raise MediaTypeError(f"charset={charset[:20]!r}: only UTF-8 is read; convert the body")
    try:
        return sent.get_data(cache=False).decode("utf-8")
    except UnicodeDecodeError as error:
        raise InputError(f"the body is not UTF-8 (byte {error.start}); convert it") from None


def number(text: str | None, name: str, largest: float) -> float:
    """A positive number no larger than `largest`, which is what None gives. Raises InputError."""
    try:
        value = largest if text is None else float(text)
    except ValueError:
        value = -1.0
    if not value > 0:
        raise InputError(f"{name}={str(text)[:20]!r}: not a positive number; give one up to {largest:g}")
    return min(value, largest)


def parsed(encoded: bytes) -> Parameters:
    """The parameters in a query string or a form; its memory is at most some six times theirs.

    Raises InputError if they are not UTF-8, or more than `MOST`.

    >>> parsed(b"a=%C3%A9+b&a=&c").pairs
    (('a', 'é b'), ('a', ''), ('c', ''))
    """
    if encoded.count(b"&") >= MOST:
        raise InputError(f"more than {MOST} parameters; send fewer")
    return Parameters(tuple(_pairs(encoded)))


def _pairs(encoded: bytes) -> Iterator[tuple[str, str]]:
    begin = 0
    while begin <= len(encoded):
        end = _found(encoded, b"&", begin, len(encoded))
        if end > begin:
            middle = _found(encoded, b"=", begin, end)
            name = _decoded(encoded, begin, middle, "the name of a parameter")
            yield name, _decoded(encoded, min(middle + 1, end), end, f"{name[:_SHOWN]!r}")
        begin = end + 1


def _found(encoded: bytes, sign: bytes, begin: int, end: int) -> int:
    """The place of the first `sign`; `end` where there is none."""
    place = encoded.find(sign, begin, end)
    return end if place < 0 else place


def _decoded(encoded: bytes, begin: int, end: int, what: str) -> str:
    """The text of `encoded[begin:end]`, which is called `what`. Raises InputError if it is not UTF-8."""
    content = bytearray()
    while begin < end:
        stop = min(begin + _BLOCK, end)
        if stop < end and (escape := encoded.rfind(b"%", stop - 2, stop)) >= 0:
            stop = escape  # it ends in the next block
        content += unquote_to_bytes(encoded[begin:stop].replace(b"+", b" "))
        begin = stop
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError:
        raise InputError(f"{what} is not UTF-8; percent-encode it as UTF-8") from None


_MEMBER: Final = re.compile(r"(\w{1,40})\[([^\[\]]{1,200})\]", re.ASCII)
_INTEGER: Final = re.compile(rf"-?\d{{1,{DIGITS}}}", re.ASCII)
_NUMBER: Final = re.compile(r"-?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)


def body(schema: Schema) -> dict[str, Any]:
    """The JSON object in the body. Raises MediaTypeError, and InputError if it breaks the schema."""
    check_json_type()
    return json_object(schema)


def check_json_type() -> None:
    """Raises MediaTypeError for a body that is not sent as JSON."""
    if request.mimetype not in ("application/json", "application/ld+json"):
        raise MediaTypeError(f"Content-Type {request.mimetype[:60]!r}: send application/json")


def json_object(schema: Schema) -> dict[str, Any]:
    """The JSON object in a body, whatever its media type. Raises InputError if it breaks the schema."""
    return _checked(read_json(body_text()), schema)


def query(schema: Schema) -> dict[str, Any]:
    """The parameters in the URL. Raises InputError if they break the schema."""
    return typed(url_parameters(), schema)


def typed(parameters: Parameters, schema: Schema) -> dict[str, Any]:
    """Values of the types that the schema says, from texts. Raises InputError if they break it.

    A list of names comes with commas, a list of texts as one parameter each, an object as `weights[name]`.
    """
    properties = schema["properties"]
    values: dict[str, Any] = {}
    for name, texts in parameters.by_name().items():
        if _is_repeated(properties.get(name, {})):
            values[name] = texts
        elif member := _MEMBER.fullmatch(name):
            _put_member(values, member[1], member[2], only(name, texts), properties)
        else:
            values[name] = _parsed(only(name, texts), properties.get(name, {}))
    return _checked(values, schema)


def _checked(values: Any, schema: Schema) -> dict[str, Any]:
    """The values that the schema allows; the answer says if a name is an old one (RFC 9745)."""
    checked: dict[str, Any] = checked_value(values, schema)
    since = [each for name in checked if (each := schema["properties"].get(name, {}).get(DEPRECATED_AT))]
    if since:
        after_this_request(partial(_with_header, "Deprecation", f"@{max(since)}"))
    return checked


def _with_header(name: str, value: str, answer: Response) -> Response:
    answer.headers[name] = value
    return answer


def _put_member(values: dict[str, Any], owner: str, name: str, text: str, properties: Schema) -> None:
    """Adds the value of `owner[name]=text`, which OpenAPI calls a deep object."""
    schema = properties.get(owner, {}).get("properties", {}).get(name, {})
    whole = values.setdefault(owner, {})
    if not isinstance(whole, dict):
        raise InputError(f"{owner}= is given as a whole and by its parts; give its parts")
    whole[name] = _parsed(text, schema)


def _is_repeated(schema: Schema) -> bool:
    """Whether a list comes as one parameter an item: any text may have a comma, the names of a choice not."""
    return schema.get("type") == "array" and "enum" not in schema["items"]


def _parsed(text: str, schema: Schema) -> object:
    """The value that `text` stands for; otherwise `text` itself, for the schema to refuse."""
    read = _READERS.get(schema.get("type", "string"))
    if read is None:
        return text
    try:
        return read(text)
    except ValueError:
        return text


def _boolean(text: str) -> bool:
    if text not in ("true", "false"):
        raise ValueError(text)
    return text == "true"


def _integer(text: str) -> int:
    if not _INTEGER.fullmatch(text):
        raise ValueError(text)
    return int(text)


def _number(text: str) -> float:
    if not _NUMBER.fullmatch(text):
        raise ValueError(text)
    value = float(text)
    if not isfinite(value):
        raise ValueError(text)
    return value


_READERS: Final[dict[str, Callable[[str], object]]] = {
    "integer": _integer,
    "number": _number,
    "boolean": _boolean,
    "array": lambda text: text.split(","),
}
