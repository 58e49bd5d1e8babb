"""Access tokens: each has a role, and only its hash is kept.

`KG/tokens.toml` has a table for each token: its name, role, SHA-256 and day of creation. A token is 256
random bits, so an unsalted hash gives nothing away. A service without tokens is read-only.
"""

from __future__ import annotations

import hashlib
import hmac
import logging
import re
import secrets
import threading
import time
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from enum import IntEnum
from ipaddress import IPv6Address, ip_network
from pathlib import Path
from typing import Final
from wsgiref.types import WSGIEnvironment

from sage_ld.foundation.errors import (
    BusyError,
    ConflictError,
    ForbiddenError,
    InputError,
    LimitError,
    NotFoundError,
    UnavailableError,
)
from sage_ld.foundation.settings import Settings
from sage_ld.graph.store.durable_files import replace_file
from sage_ld.graph.store.locks import try_lock_exclusive
from sage_ld.service.access.credentials import secret_of
from sage_ld.service.http.errors import AuthenticationError, system_error

FILE: Final = "tokens.toml"
_LOCK: Final = "tokens.lock"
_PATIENCE: Final = 5.0  # seconds that a change waits for another one of the same file
_PAUSE: Final = 0.02
LONGEST_NAME: Final = 100  # characters
_RESERVED: Final = frozenset('"\\/')
"""Characters that the file, or the address at which a token is revoked, has for other things."""
_PREFIX = "sage_"
_SHA256: Final = re.compile("[0-9a-f]{64}")
_log = logging.getLogger("sage_ld.service")


class AccessRole(IntEnum):
    """The rights of a token; each role includes those before it. `docs/security.md` lists them."""

    NOBODY = 0
    READ = 1
    WRITE = 2
    ADMIN = 3

    @classmethod
    def named(cls, name: str) -> AccessRole:
        """The role called `name`. Raises InputError for a name of none."""
        if name not in ("read", "write", "admin"):
            raise InputError(f"role {name[:20]!r}: unknown role; choose from read, write, admin")
        return cls[name.upper()]


@dataclass(frozen=True, slots=True)
class AccessToken:
    """An access token as it is kept: by its hash."""

    name: str
    role: AccessRole
    sha256: str
    created: str


def create_token(graph: Path, name: str, role: AccessRole, created: str, most: int | None = None) -> str:
    """Adds a token to the graph in the directory `graph`, and returns it: it is shown once and never again.

    `name` says whose it is, `created` is the day, as in 2026-11-21; `most` is the number of tokens that there
    may be. Raises InputError for a name that is not a short line or no part of an address, ConflictError
    for one that is taken, LimitError, BusyError.
    """
    fits = 0 < len(name) <= LONGEST_NAME and name.isprintable() and name not in (".", "..")
    if not fits or _RESERVED.intersection(name):
        raise InputError(
            f'token name {name[:40]!r}: give 1 to {LONGEST_NAME} printable characters without ", \\ and /'
        )
    file = graph / FILE
    with _changing(graph):
        tokens = read_tokens(file)
        if any(token.name == name for token in tokens):
            raise ConflictError(f"token {name!r} already exists in {file}; choose another name, or revoke it")
        if most is not None and len(tokens) >= most:
            raise LimitError.of("the tokens", len(tokens) + 1, most, "tokens", "max_tokens")
        secret = _PREFIX + secrets.token_urlsafe(32)
        _write(file, [*tokens, AccessToken(name, role, _hash(secret), created)])
    return secret


def revoke_token(graph: Path, name: str, asking: str | None = None) -> None:
    """Takes a token out of the graph in the directory `graph`; from then on it is refused.

    `asking` is the token of the request, which stays: nobody locks themselves out. Two that revoke each
    other at once do not either: the second one has been revoked when its turn comes. Raises NotFoundError,
    AuthenticationError, ConflictError, BusyError.
    """
    with _changing(graph):
        tokens = read_tokens(graph / FILE)
        if asking is not None and _hash(asking) not in [token.sha256 for token in tokens]:
            raise AuthenticationError("the token of this request has been revoked; use another one")
        revoked = next((token for token in tokens if token.name == name), None)
        if revoked is None:
            raise NotFoundError(f"no token {name[:LONGEST_NAME]!r}; list the tokens to see which exist")
        if asking is not None and hmac.compare_digest(revoked.sha256, _hash(asking)):
            raise ConflictError(
                f"token {name!r} is the token of this request; revoke it with another one, or by sage-ld "
                "token revoke"
            )
        _write(graph / FILE, [token for token in tokens if token is not revoked])


@contextmanager
def _changing(graph: Path) -> Iterator[None]:
    """Has one process at a time change the tokens. Raises BusyError while another one does for long."""
    deadline = time.monotonic() + _PATIENCE
    with (graph / _LOCK).open("a") as handle:
        while not try_lock_exclusive(handle):
            if time.monotonic() > deadline:
                raise BusyError("another process changes the tokens; try again later")
            time.sleep(_PAUSE)
        yield


def read_tokens(file: Path) -> list[AccessToken]:
    """The tokens in `file`; none where it is missing.

    Raises InputError for one that cannot be read, BusyError if that is for lack of open files.
    """
    try:
        table = tomllib.loads(file.read_text(encoding="utf-8"))
        return [_token(each) for each in table.get("token", [])]
    except FileNotFoundError:
        return []
    except (OSError, RuntimeError) as error:
        if isinstance(error, OSError) and isinstance(busy := system_error(error), BusyError):
            raise busy from None
        reason = getattr(error, "strerror", None) or error
        raise InputError(f"{file} cannot be read ({reason}); make it a file of its owner") from None
    except (ValueError, KeyError, TypeError, InputError) as error:
        raise InputError(f"{file} is damaged ({error}); delete it and create the tokens again") from None


def _token(table: dict[str, str]) -> AccessToken:
    """Raises the error that shows that the table is not a token's."""
    if not _SHA256.fullmatch(table["sha256"]):
        raise ValueError("sha256 is not a hexadecimal SHA-256")
    return AccessToken(table["name"], AccessRole.named(table["role"]), table["sha256"], table["created"])


class Tokens:
    """The tokens of a service, read again when their file changes, so that one can be revoked at once."""

    def __init__(self, graph: Path) -> None:
        self._file = graph / FILE
        self._guard = threading.Lock()
        self._seen: tuple[int, int] | None = None
        self._tokens: list[AccessToken] | None = []

    def any(self, least: AccessRole) -> bool:
        """Whether there is a token that allows at least `least`."""
        return any(token.role >= least for token in self._current())

    def role_of(self, secret: str) -> AccessRole:
        """The role of a token; NOBODY for any other string."""
        token = self._found(secret)
        return AccessRole.NOBODY if token is None else token.role

    def name_of(self, secret: str) -> str | None:
        """The name of a token; None for any other string."""
        token = self._found(secret)
        return None if token is None else token.name

    def _found(self, secret: str) -> AccessToken | None:
        """The token; None for any other string. All are compared, each in constant time."""
        given = _hash(secret)
        match = None
        for token in self._current():
            if hmac.compare_digest(token.sha256, given):
                match = token
        return match

    def _current(self) -> list[AccessToken]:
        """The tokens that hold now.

        Raises UnavailableError if the file is damaged: those read before it may have been revoked.
        Raises BusyError if there is no open file for it now.
        """
        seen = self._state()
        with self._guard:
            if seen != self._seen:
                self._tokens, self._seen = self._read(), seen
            if self._tokens is None:
                raise UnavailableError("the tokens of this service cannot be read; see its log")
            return self._tokens

    def _state(self) -> tuple[int, int]:
        """A value that changes with the file: its time and number, or the error for which it has none."""
        try:
            status = self._file.stat()
        except OSError as error:  # a loop of links, a folder that may not be read, or no file
            return (-1, error.errno or 0)
        return (status.st_mtime_ns, status.st_ino)

    def _read(self) -> list[AccessToken] | None:
        """The tokens; None if the file is damaged, which is for the log alone."""
        try:
            return read_tokens(self._file)
        except InputError as error:
            _log.error("%s", error)
            return None


def check(given: AccessRole, needed: AccessRole) -> None:
    """Raises AuthenticationError without a token, ForbiddenError if its role is too low."""
    if given >= needed:
        return
    name = needed.name.lower()
    if given is AccessRole.NOBODY:
        raise AuthenticationError(
            f"this needs a token of role {name}; send Authorization: Bearer TOKEN, or the token as the "
            "password of Basic"
        )
    raise ForbiddenError(f"the token's role is {given.name.lower()}, this needs {name}; use another token")


def readers_of_retrievals(settings: Settings) -> AccessRole:
    """The role that may read kept retrievals. Raises InputError if the setting names none."""
    try:
        return AccessRole.named(settings.retrieval_readers)
    except InputError as error:
        raise InputError(f"setting retrieval_readers: {error}") from None


def _hash(secret: str) -> str:
    return hashlib.sha256(secret.encode("utf-8", "surrogateescape")).hexdigest()


def _write(file: Path, tokens: list[AccessToken]) -> None:
    """Replaces the file as a whole; only its owner may read it."""
    lines = [
        "# Written by `sage-ld token create`. To revoke a token delete its table; it takes effect at once."
    ]
    for token in tokens:
        lines += [
            "",
            "[[token]]",
            f'name = "{token.name}"',
            f'role = "{token.role.name.lower()}"',
            f'sha256 = "{token.sha256}"',
            f'created = "{token.created}"',
        ]
    replace_file(file, "\n".join([*lines, ""]), private=True)


_HOST_BITS: Final = 64  # an interface has them to itself: RFC 4291, section 2.5.4


def client_of(environ: WSGIEnvironment) -> tuple[str, str | None]:
    """The client for whom a request counts: its address, or its IPv6 network, and its token.

    >>> client_of({"REMOTE_ADDR": "2001:db8:0:1::7f"})
    ('2001:db8:0:1::', None)
    """
    address = str(environ.get("REMOTE_ADDR", ""))
    with suppress(ValueError):
        number = IPv6Address(address)
        address = str(number.ipv4_mapped or ip_network((number, _HOST_BITS), strict=False).network_address)
    return address, secret_of(environ) if "HTTP_AUTHORIZATION" in environ else None


def caller_of(environ: WSGIEnvironment) -> str:
    """The identity of a request's sender, as one text: its token, or its address.

    >>> caller_of({"REMOTE_ADDR": "192.0.2.7"})
    'address 192.0.2.7'
    """
    return identities_of(environ)[0]


def identities_of(environ: WSGIEnvironment) -> tuple[str, ...]:
    """All by which a request's sender may be known: as `caller_of` says, and by the address in any case.

    >>> identities_of({"REMOTE_ADDR": "192.0.2.7", "HTTP_AUTHORIZATION": "Bearer abc"})
    ('token abc', 'address 192.0.2.7')
    """
    address, token = client_of(environ)
    return (*(() if token is None else (f"token {token}",)), f"address {address}")
