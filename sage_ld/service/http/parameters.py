"""The parameters of a request, read strictly: what is not UTF-8 is refused, not replaced."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final
from urllib.parse import parse_qsl

from flask import request
from werkzeug import Request

from sage_ld.errors import InputError
from sage_ld.service.http.errors import MediaTypeError

FORM: Final = "application/x-www-form-urlencoded"
_MOST = 1000
_CHOICES: Final = ("format", "version", "rdf", "iri")


@dataclass(frozen=True, slots=True)
class Parameters:
    """Names and values, in order; a name may come more than once."""

    pairs: tuple[tuple[str, str], ...]

    def one(self, name: str) -> str | None:
        """The value of `name`; None where it is missing. Raises InputError where it comes twice."""
        values = self.all(name)
        if len(values) > 1:
            raise InputError(f"{name}= is given {len(values)} times; give it once")
        return values[0] if values else None

    def all(self, name: str) -> list[str]:
        """All values of `name`."""
        return [value for key, value in self.pairs if key == name]

    def __contains__(self, name: str) -> bool:
        return any(key == name for key, _ in self.pairs)

    def __add__(self, other: Parameters) -> Parameters:
        return Parameters(self.pairs + other.pairs)


def url_parameters(sent: Request = request) -> Parameters:
    """The parameters in the URL. Raises InputError where they are not UTF-8."""
    return _parse(sent.query_string)


def refuse_repeated() -> None:
    """Raises InputError where the URL has a parameter twice that chooses what is shown, and how."""
    given = url_parameters()
    for name in _CHOICES:
        given.one(name)


def form_parameters(sent: Request = request) -> Parameters:
    """The parameters in a form. Raises InputError where they are not UTF-8."""
    return _parse(sent.get_data(cache=False))


def body_text(sent: Request = request) -> str:
    """The body as text. Raises MediaTypeError for another charset than UTF-8, InputError where it is not."""
    charset = sent.mimetype_params.get("charset", "utf-8").lower()
    if charset not in ("utf-8", "utf8"):
        raise MediaTypeError(f"charset={charset[:20]}: only UTF-8 is read; convert the body")
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
        raise InputError(f"{name}={str(text)[:20]}: not a positive number; give one up to {largest:g}")
    return min(value, largest)


def _parse(encoded: bytes) -> Parameters:
    try:
        pairs = parse_qsl(
            encoded.decode("utf-8"), keep_blank_values=True, errors="strict", max_num_fields=_MOST
        )
    except UnicodeDecodeError:
        raise InputError("the parameters are not UTF-8; encode them as such, and in percents") from None
    except ValueError:
        raise InputError(f"more than {_MOST} parameters; send fewer") from None
    return Parameters(tuple(pairs))
