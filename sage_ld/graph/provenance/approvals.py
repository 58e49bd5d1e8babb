"""Approvals of calls of tools as rows of the database: what waits, what was decided, by whom.

An approval is for one call of one caller: with the same tool and the same arguments. It is used up by the
call that it lets through.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import secrets
import sqlite3
import time
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from sage_ld.foundation.errors import BusyError, ConflictError, LimitError, NotFoundError
from sage_ld.foundation.settings import Settings
from sage_ld.graph.provenance import database
from sage_ld.graph.provenance.judgements import client_name
from sage_ld.graph.provenance.kept_retrieval import storable

_COLUMNS: Final = (
    "identifier, created, tool, arguments, result, role, caller, decided, approved, decider, reason, used, "
    "caller_name, decider_name"
)
NOBODY: Final = "nobody"
"""The name of a caller without a token."""
_DAY: Final = 86_400
_PART: Final = 4
"""Approvals take the fourth part of the bytes that may be kept, at most."""


@dataclass(frozen=True, slots=True)
class KeptApproval:
    """A call, or its result, that waits or waited for a person."""

    identifier: str
    created: float
    """The time of the call, in seconds since 1970."""
    tool: str
    arguments: str
    """As JSON."""
    result: str | None
    """What is to go out, as JSON; None where the call has not run."""
    role: str
    """The role of a token that may decide."""
    caller: str
    """The caller, by a name that tells callers apart and cannot be traced back."""
    decided: float | None
    """The time of the decision, in seconds since 1970; None as long as it waits."""
    approved: bool
    decider: str
    """The decider, in the form of `caller`."""
    reason: str
    used: float | None
    """The time at which the call came back for the decision."""
    caller_name: str
    """The caller, for people: the name of the token, never the token."""
    decider_name: str
    """The decider, likewise; empty as long as it waits."""


class ApprovalLog:
    """The approvals of the graph in a directory; several processes may use it at once.

    All methods raise StorageError, UnavailableError, InputError where the database cannot be used.

    >>> import tempfile
    >>> log = ApprovalLog(Path(tempfile.mkdtemp()), Settings())
    >>> held = log.hold("agent", "delete_document", {"name": "x"}, "admin")
    >>> log.decide(held.identifier, True, by="person").approved
    True
    >>> log.take("agent", "delete_document", {"name": "x"}).approved
    True
    """

    def __init__(self, graph: Path, settings: Settings) -> None:
        self.file = graph / database.FILE
        self.settings = settings

    def hold(
        self,
        caller: str,
        tool: str,
        arguments: Mapping[str, Any],
        role: str,
        result: object = None,
        *,
        name: str = NOBODY,
    ) -> KeptApproval:
        """The approval that a call waits for, which is made unless it waits already.

        With `result`, it is the result that waits, after the call has run. `caller` tells callers apart,
        `name` is shown to the decider. Raises BusyError if too many wait.
        """
        said = None if result is None else _json(result)
        with database.writing(self.file) as connection:
            self._prune(connection)
            who = client_name(connection, caller)
            key = _key(who, tool, arguments, is_result=said is not None)
            if (waiting := self._undecided(connection, key)) is not None:
                return waiting
            self._check_room(connection, who)
            identifier = secrets.token_hex(16)
            connection.execute(
                "INSERT INTO approval (identifier, key, created, tool, arguments, result, role, caller, "
                "caller_name) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (identifier, key, time.time(), tool, _json(arguments), said, role, who, storable(name)),
            )
            return self._one(connection, identifier)

    def take(
        self, caller: str, tool: str, arguments: Mapping[str, Any], *, is_result: bool = False
    ) -> KeptApproval | None:
        """The decision about a call, or about its result, which is used up; or the approval that waits.

        None where nobody was asked, or too long ago (setting approval_lifetime).
        """
        if not self.file.exists():
            return None
        with database.writing(self.file) as connection:
            key = _key(client_name(connection, caller), tool, arguments, is_result=is_result)
            row = connection.execute(
                f"SELECT {_COLUMNS} FROM approval WHERE key = ? AND used IS NULL AND created > ? "
                "ORDER BY number DESC LIMIT 1",
                (key, self._oldest()),
            ).fetchone()
            if row is None:
                return None
            found = _kept(row)
            if found.decided is not None:
                connection.execute(
                    "UPDATE approval SET used = ?, result = NULL WHERE identifier = ?",
                    (time.time(), found.identifier),
                )
            return found

    def decide(
        self,
        identifier: str,
        approved: bool,
        *,
        by: str,
        also: Collection[str] = (),
        name: str = "",
        reason: str = "",
    ) -> KeptApproval:
        """Decides about what waits. Raises NotFoundError, ConflictError if it is decided or too old.

        `by` identifies the decider, who may be known as others `also`; `name` (`by` unless given) is shown.
        Who made the call cannot approve it. Raises LimitError for a reason that is too long.
        """
        most = self.settings.max_comment_length
        if len(reason) > most:
            raise LimitError.of("the reason", len(reason), most, "characters", "max_comment_length")
        with database.writing(self.file) as connection:
            found, who = self._one(connection, identifier), client_name(connection, by)
            if found.decided is not None:
                raise ConflictError(f"approval {identifier} has already been decided")
            if found.created <= self._oldest():
                raise ConflictError(
                    f"approval {identifier} expired after {self.settings.approval_lifetime:g} s "
                    "(setting approval_lifetime); repeat the call"
                )
            own = {who, *(client_name(connection, each) for each in also)}
            if approved and found.caller in own:
                raise ConflictError("you cannot approve your own call; ask somebody else")
            connection.execute(
                "UPDATE approval SET decided = ?, approved = ?, decider = ?, decider_name = ?, reason = ? "
                "WHERE identifier = ?",
                (time.time(), approved, who, storable(name or by), storable(reason), identifier),
            )
            return self._one(connection, identifier)

    def get(self, identifier: str) -> KeptApproval:
        """One approval. Raises NotFoundError."""
        with database.reading(self.file) as connection:
            if connection is None or not database.has_approvals(connection):
                raise _unknown(identifier)
            return self._one(connection, identifier)

    def newest(self, limit: int = 50, *, waiting: bool = False) -> tuple[KeptApproval, ...]:
        """The last `limit` approvals, the last one first; with `waiting`, only those that can be decided."""
        which = "decided IS NULL AND created > ?" if waiting else "created > ?"
        since = self._oldest() if waiting else 0
        with database.reading(self.file) as connection:
            if connection is None or not database.has_approvals(connection):
                return ()
            rows = connection.execute(
                f"SELECT {_COLUMNS} FROM approval WHERE {which} ORDER BY number DESC LIMIT ?",
                (since, limit),
            )
            return tuple(map(_kept, rows))

    def key_of(self, purpose: str) -> bytes:
        """A secret key for one purpose, which all processes that use the graph have in common."""
        with database.reading(self.file) as connection:
            if connection is not None:
                return _derived(connection, purpose)
        with database.writing(self.file) as connection:
            return _derived(connection, purpose)

    def names_of(self, callers: Iterable[str]) -> frozenset[str]:
        """The names of some callers, as `KeptApproval.caller` has them."""
        with database.writing(self.file) as connection:
            return frozenset(client_name(connection, each) for each in callers)

    def _undecided(self, connection: sqlite3.Connection, key: bytes) -> KeptApproval | None:
        row = connection.execute(
            f"SELECT {_COLUMNS} FROM approval WHERE key = ? AND decided IS NULL AND created > ?",
            (key, self._oldest()),
        ).fetchone()
        return None if row is None else _kept(row)

    def _check_room(self, connection: sqlite3.Connection, caller: str) -> None:
        """Returns if another call of a caller may wait: one has fewer that wait than there is room for more.

        So whoever calls next finds room. Raises BusyError.
        """
        count, own = connection.execute(
            "SELECT count(*), count(*) FILTER (WHERE caller = ?) FROM approval "
            "WHERE decided IS NULL AND created > ?",
            (caller, self._oldest()),
        ).fetchone()
        if own >= self.settings.max_waiting_approvals - count:
            raise BusyError(
                f"{count} calls are already waiting for approval, {own} of them from this caller, who has to "
                "leave room for others (setting max_waiting_approvals); decide on them first"
            )

    def _prune(self, connection: sqlite3.Connection) -> None:
        """Deletes what is older than the log is kept, and what nobody can decide or release any longer.

        So callers whom nobody answers do not fill the disk.
        """
        oldest = time.time() - self.settings.retrievals_days * _DAY
        connection.execute("DELETE FROM approval WHERE created < ?", (oldest,))
        connection.execute("DELETE FROM approval WHERE created <= ? AND decided IS NULL", (self._oldest(),))
        connection.execute(
            "UPDATE approval SET result = NULL WHERE created <= ? AND result IS NOT NULL", (self._oldest(),)
        )
        if database.size(connection) > self.settings.max_retrievals_bytes // _PART:
            remove_finished(connection, self.settings)

    def _one(self, connection: sqlite3.Connection, identifier: str) -> KeptApproval:
        row = connection.execute(
            f"SELECT {_COLUMNS} FROM approval WHERE identifier = ?", (storable(identifier),)
        ).fetchone()
        if row is None:
            raise _unknown(identifier)
        return _kept(row)

    def _oldest(self) -> float:
        return time.time() - self.settings.approval_lifetime


def remove_finished(connection: sqlite3.Connection, settings: Settings) -> int:
    """Deletes the oldest approvals that nobody waits for, beyond their part of the bytes; returns how many.

    So calls with long arguments push no retrievals out.
    """
    return connection.execute(
        "DELETE FROM approval WHERE number IN (SELECT number FROM ("
        "SELECT number, sum(length(arguments) + ifnull(length(result), 0) + length(reason)) "
        "OVER (ORDER BY number DESC) AS total FROM approval "
        "WHERE created <= ? OR used IS NOT NULL OR (decided IS NOT NULL AND NOT approved)"
        ") WHERE total > ?)",
        (time.time() - settings.approval_lifetime, settings.max_retrievals_bytes // _PART),
    ).rowcount


def _kept(row: tuple[Any, ...]) -> KeptApproval:
    kept = KeptApproval(*row)
    return replace(kept, approved=bool(kept.approved))


def _unknown(identifier: str) -> NotFoundError:
    return NotFoundError(
        f"there is no approval {identifier[:60]!r}; sage-ld approvals list shows those that wait"
    )


def _key(caller: str, tool: str, arguments: Mapping[str, Any], *, is_result: bool) -> bytes:
    said = json.dumps([caller, tool, arguments, is_result], sort_keys=True)
    return hashlib.sha256(said.encode("utf-8", "surrogatepass")).digest()


def _derived(connection: sqlite3.Connection, purpose: str) -> bytes:
    return hmac.digest(database.secret_of(connection), purpose.encode(), "sha256")


def _json(value: object) -> str:
    return storable(json.dumps(value, ensure_ascii=False))
