"""The revision that a write announced before it published it, and whether that is there."""

from __future__ import annotations

import json
from typing import Any

from sage_ld.graph.store.directory import Directory


def announced(answered: bytes) -> int | None:
    """The revision that the process was about to publish, by what it answered; None before it came so far."""
    return next((line["publishing"] for line in whole_lines(answered) if "publishing" in line), None)


def is_there(directory: Directory, number: int | None) -> bool:
    """Whether a revision that was announced is there. Another process may have published that number."""
    return number is not None and directory.current() >= number


def outcome(directory: Directory, number: int | None) -> str:
    """Whether a write that failed was done, in words; `number` is the revision that it announced."""
    if not is_there(directory, number):
        return "nothing was changed"
    return f"revision {number} was being published and is there: see whether it shows the change"


def whole_lines(answered: bytes) -> list[dict[str, Any]]:
    """The whole lines of an answer."""
    return [json.loads(line) for line in answered.splitlines(keepends=True) if line.endswith(b"\n")]
