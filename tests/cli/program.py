"""The program `sage-ld`, run in the test's own process."""

from __future__ import annotations

import io
import sys
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from unittest.mock import patch

from sage_ld.cli import main


@dataclass(frozen=True)
class Ended:
    """What a run of the program printed, and the status that it ended with."""

    returncode: int
    stdout: str
    stderr: str


def sage_ld(*words: str | Path, status: int = 0) -> Ended:
    """Runs the program as a person does; it must end with this status, and without a traceback."""
    output, errors = (io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True) for _ in range(2))
    code: object = 0
    with (
        patch.object(sys, "argv", ["sage-ld", *map(str, words)]),
        redirect_stdout(output),
        redirect_stderr(errors),
    ):
        try:
            main()
        except SystemExit as ended:
            code = ended.code or 0
    printed = [each.buffer.getvalue().decode() for each in (output, errors)]  # type: ignore[attr-defined]
    assert code == status, printed[1]
    assert "Traceback" not in printed[1]
    return Ended(status, *printed)
