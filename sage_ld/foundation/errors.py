"""The exceptions that sage-ld raises on purpose.

Every message names the value, the limit it broke where there is one, and the remedy, in one line.
The command line prints it and exits with 1; the service maps each type to a status code.
"""

from __future__ import annotations


class SageError(Exception):
    """Base of all errors that a caller can act on."""


class InputError(SageError):
    """Something that was given cannot be read, parsed or understood."""


class QuerySyntaxError(InputError):
    """A query that does not parse; where: `line` and `column` from 1, in characters, `column` if known."""

    def __init__(self, message: str, line: int, column: int | None = None) -> None:
        super().__init__(message)
        self.line, self.column = line, column


class LimitError(InputError):
    """Something that was given is larger, deeper or longer than a setting allows.

    >>> print(LimitError.of("notes.txt", 70, 64, "bytes", "max_file_bytes"))
    notes.txt: 70 bytes, the limit is 64; split it or raise the setting max_file_bytes
    """

    @classmethod
    def of(
        cls, what: str, value: float, limit: float, unit: str, setting: str, remedy: str = "split it"
    ) -> LimitError:
        """The error for `what`, which measures `value` `unit` where `setting` allows `limit`."""
        return cls(
            f"{what}: {value:,} {unit}, the limit is {limit:,}; {remedy} or raise the setting {setting}"
        )


class MissingContextError(SageError):
    """A JSON-LD context that may be fetched and is not there yet, for a caller that fetches it."""

    def __init__(self, message: str, address: str) -> None:
        super().__init__(message)
        self.address = address


class ForbiddenError(SageError):
    """The caller's role does not allow it, nobody may, or the page of another site asks for it."""


class NotFoundError(SageError):
    """A graph, document or resource that was asked for does not exist."""


class ConflictError(SageError):
    """The state of the graph does not allow the operation: another writer, another format version."""


class UnavailableError(SageError):
    """A service that the operation needs (an embeddings endpoint, a worker) does not answer."""


class StorageError(UnavailableError):
    """The disk is full."""


class WorkerEndedError(UnavailableError):
    """A worker was killed from outside before its job was done."""


class TimeLimitError(LimitError):
    """A job ran longer than it may, and was stopped."""


class ResultLimitError(LimitError):
    """The answer is larger than a setting allows, or needs more memory; nothing of it is sent."""


class AbandonedError(SageError):
    """The client has disconnected before the answer was there."""


class BusyError(UnavailableError):
    """All workers are at work and the queue in front of them is full; try again later."""


class NotAcceptableError(InputError):
    """The answer is offered in no format that the client accepts."""


class PreconditionError(ConflictError):
    """A condition that the client set for its change does not hold; nothing was changed."""


class ShapeError(ConflictError):
    """A change would break the shapes; nothing of it was done. `report` has a line for each violation.

    `statements` are the `sh:ValidationReport` in N-Triples.
    """

    def __init__(self, message: str, report: list[str], statements: str = "") -> None:
        super().__init__(message)
        self.report = report
        self.statements = statements
