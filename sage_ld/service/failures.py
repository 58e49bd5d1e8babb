"""What goes wrong in a service and nowhere else.

`sage_ld.service.problems` maps each type to a status code.
"""

from __future__ import annotations

from sage_ld.errors import ConflictError, InputError, LimitError, SageError, UnavailableError


class TimeLimitError(LimitError):
    """A job ran longer than it may, and was stopped."""


class ResultLimitError(LimitError):
    """The answer is larger than a setting allows, or needs more memory; nothing of it is sent."""


class AbandonedError(SageError):
    """The client has hung up before the answer was there."""


class BusyError(UnavailableError):
    """All workers are at work and the queue in front of them is full; ask again later."""


class HeaderLimitError(LimitError):
    """The headers of a request are more, or larger, than a setting allows."""


class RequestLineLimitError(LimitError):
    """The first line of a request, which has its URL, is longer than a setting allows."""


class ExpectationError(InputError):
    """The request expects of the service what it does not do (RFC 9110, section 10.1.1)."""


class TransferCodingError(InputError):
    """The body is in a transfer coding that is not read (RFC 9112, section 6.1)."""


class NotAcceptableError(InputError):
    """None of the formats that the client takes is offered."""


class MediaTypeError(InputError):
    """The body is in a format, or an encoding, that is not read here."""


class ContentCodingError(MediaTypeError):
    """The body is compressed, which is not read here (RFC 9110, section 15.5.16)."""


class PreconditionError(ConflictError):
    """What the client said must hold for its change does not hold; nothing of it was done."""


class ShapeError(ConflictError):
    """A change would break the shapes; nothing of it was done. `report` has a line for each violation."""

    def __init__(self, message: str, report: list[str]) -> None:
        super().__init__(message)
        self.report = report


class AuthenticationError(SageError):
    """A token is needed, and none or a wrong one was given."""


class ForbiddenError(SageError):
    """The token's role does not allow it, or nobody may."""


class MethodError(SageError):
    """The resource does not take this method. `allowed` names those that it takes."""

    def __init__(self, message: str, allowed: tuple[str, ...]) -> None:
        super().__init__(message)
        self.allowed = allowed
