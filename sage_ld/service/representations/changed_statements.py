"""The answer to a write of statements: what it changed, in headers and, if the client wants it, in JSON."""

from __future__ import annotations

import json
import re
from typing import Any, Final, cast

from flask import Response
from werkzeug import Request

from sage_ld.foundation.errors import InputError
from sage_ld.service.api.statements import ChangedStatementsJson
from sage_ld.service.http import responses
from sage_ld.service.http.request_values import Parameters

DRY_RUN: Final = "dry-run"
"""The parameter by which a write is tried and not published."""
_WHOLE: Final = "representation"
_MOST_WARNINGS: Final = 3
"""Warnings in headers; the JSON has all of them."""
_LONGEST_WARNING: Final = 300
_PREFERENCE: Final = re.compile(r'return\s*=\s*"?(minimal|representation)"?', re.IGNORECASE)


def is_dry_run(parameters: Parameters) -> bool:
    """Whether a write is only to be tried. Raises InputError for another value than true or false."""
    value = parameters.one(DRY_RUN)
    if value not in (None, "true", "false"):
        raise InputError(f"{DRY_RUN} {str(value)[:40]!r} is neither true nor false")
    return value == "true"


def changed_statements(done: dict[str, Any], *, dry_run: bool) -> ChangedStatementsJson:
    """The report of a write, from what the writer says of it."""
    said = {name: done[name] for name in ("revision", "added", "removed", "warnings")}
    if "removedEdges" in done:
        said["removedEdges"] = done["removedEdges"]
    return cast("ChangedStatementsJson", {**said, "dryRun": dry_run})


def written(sent: Request, done: dict[str, Any], status: int, *, dry_run: bool = False) -> Response:
    """The answer to a write: with a body unless `status` is 204, or as the client prefers (RFC 7240).

    A dry run is answered with 200, since nothing was made or removed.
    """
    found = _PREFERENCE.search(sent.headers.get("Prefer", ""))
    wants_body = found is not None and found[1].lower() == _WHOLE
    wants_none = found is not None and not wants_body
    if dry_run or (wants_body and status == 204):
        status = 200
    has_body = status == 200 or (status == 201 and not wants_none)
    answer = Response(status=status)
    if has_body:
        answer.set_data(json.dumps(changed_statements(done, dry_run=dry_run)) + "\n")
        answer.content_type = "application/json"
    else:
        del answer.headers["Content-Type"]
    if found is not None and wants_body == has_body:
        answer.headers["Preference-Applied"] = f"return={found[1].lower()}"
    _describe(answer, done)
    return answer


def _describe(answer: Response, done: dict[str, Any]) -> None:
    answer.headers[responses.REVISION] = f'"{done["tag"]}"'
    answer.headers[responses.ADDED] = str(done["added"])
    answer.headers[responses.REMOVED] = str(done["removed"])
    for each in done["warnings"][:_MOST_WARNINGS]:
        text = " ".join(each.split()).encode("ascii", "backslashreplace").decode()
        answer.headers.add(responses.WARNING, text[:_LONGEST_WARNING])
