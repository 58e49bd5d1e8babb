"""What a client learns of an error in a worker, and what the log does."""

from __future__ import annotations

import errno

import pytest

from sage_ld.foundation.errors import InputError
from sage_ld.foundation.processes.failures import failure


@pytest.mark.parametrize(
    ("error", "kind", "is_logged"),
    [
        (InputError("ours"), "InputError", False),
        (SyntaxError("a parser's"), "InputError", False),
        (ValueError("whose?"), "InputError", True),
        (RuntimeError("whose?"), "InputError", True),
        (TypeError("our fault"), "SageError", True),
        (KeyError("our fault"), "SageError", True),
        (MemoryError(), "ResultLimitError", False),
        (OSError(errno.ENOSPC, "full", "/secret"), "StorageError", True),
        (OSError(errno.EIO, "broken", "/secret"), "UnavailableError", True),
    ],
)
def test_each_error_has_its_name_and_what_may_be_a_fault_of_ours_is_in_the_log(
    caplog: pytest.LogCaptureFixture, error: Exception, kind: str, is_logged: bool
) -> None:
    said = failure(error, "worker_memory")
    assert said["error"] == kind
    assert "/secret" not in said["message"]
    assert [record.exc_info[1] for record in caplog.records if record.exc_info] == [error] * is_logged
