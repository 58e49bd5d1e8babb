"""The exceptions that sage-ld raises on purpose.

Every message names the value, the limit it broke where there is one, and the remedy, in one line.
The command line prints it and exits with 1; the service maps each type to a status code.
"""

from __future__ import annotations


class SageError(Exception):
    """Base of all errors that a caller can act on."""


class InputError(SageError):
    """Something that was given cannot be read, parsed or understood."""


class LimitError(InputError):
    """Something that was given is larger, deeper or longer than a setting allows.

    >>> print(LimitError.of("notes.txt", 70, 64, "bytes", "max_file_bytes"))
    notes.txt: 70 bytes, the limit is 64; split it or raise the setting max_file_bytes
    """

    @classmethod
    def of(cls, what: str, value: float, limit: float, unit: str, setting: str) -> LimitError:
        """The error for `what`, which measures `value` `unit` where `setting` allows `limit`."""
        return cls(
            f"{what}: {value:,} {unit}, the limit is {limit:,}; split it or raise the setting {setting}"
        )


class NotFoundError(SageError):
    """A graph, document or resource that was asked for does not exist."""


class ConflictError(SageError):
    """The state of the graph does not allow the operation: another writer, another format version."""


class UnavailableError(SageError):
    """A service that the operation needs (an embeddings endpoint, a worker) does not answer."""
