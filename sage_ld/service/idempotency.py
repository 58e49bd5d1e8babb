"""Requests that are carried out once, however often they are sent: the header Idempotency-Key.

draft-ietf-httpapi-idempotency-key-header. The first answer is kept in a file beside the graph, locked as long
as the request is carried out: a crash leaves no lock. A file without a whole answer is of a request of which
nobody knows whether it was done; it is carried out again.
"""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any, Final

from flask import Response, request

from sage_ld.foundation.errors import ConflictError, InputError, SageError
from sage_ld.foundation.settings import Settings
from sage_ld.graph.store.durable_files import sync_folder
from sage_ld.graph.store.locks import try_lock_exclusive, unlocking
from sage_ld.service.access.credentials import secret_of
from sage_ld.service.context import service
from sage_ld.service.http import problems
from sage_ld.service.http.conditional import conditions_in
from sage_ld.service.http.errors import LongAnswerError, ReusedKeyError

HEADER: Final = "Idempotency-Key"
FOLDER: Final = "requests"
_KEPT_HEADERS: Final = ("Content-Type", "Location", "Content-Location", "ETag", "Preference-Applied")
_PASSING: Final = (412, 429, problems.CLIENT_GONE)
"""Statuses below 500 of requests that may succeed when they are sent again."""
_LEFT: Final = 0.9
"""Share of the keys that stays where there are too many: so that not each request looks at all of them."""
_SMALL: Final = 2**12
"""Bytes of an answer that is kept without looking at the bytes of all of them."""


def once(request_parts: object, body: bytes, carry_out: Callable[[], Response]) -> Response:
    """The answer of `carry_out`; of a request whose key was sent before, the first answer to it.

    `request_parts` is what the request asks for beside its body and its conditions, in plain data. Raises
    ConflictError while the first request with the key is carried out, ReusedKeyError where that was another
    request, InputError for an empty key, and what `carry_out` raises.
    """
    if (key := request.headers.get(HEADER)) is None:
        return carry_out()
    if not key.strip():
        raise InputError(f"{HEADER}: the key is empty; send one of your own for each request, such as a UUID")
    here = service()
    client = secret_of(request.environ) or ""
    folder = here.directory.path / FOLDER
    folder.mkdir(exist_ok=True)
    file = folder / _digest(client, key)
    headers = {"conditions": conditions_in(request), "prefer": request.headers.get("Prefer", "")}
    stated = json.dumps([request_parts, headers], sort_keys=True)
    asked = _digest(request.method, request.path, stated, _digest_of(body))
    if not file.exists():
        prune(folder, here.settings)
    with _locked(file) as handle:
        if (kept := _kept(handle, here.settings)) is None:
            answer = _carried_out(carry_out)
            if answer.status_code < 500 and answer.status_code not in _PASSING:
                _keep(handle, asked, answer, here.settings)
            return answer
    if kept["request"] != asked:
        raise ReusedKeyError(
            f"{HEADER} {key[:60]!r} was sent with another request; give each request a key of its own"
        )
    return Response(kept["body"], kept["status"], headers=kept["headers"])


def prune(folder: Path, settings: Settings, *, weigh: bool = False) -> None:
    """Deletes the oldest answers where they are as many as the setting max_idempotency_keys allows.

    With `weigh` also where they have more bytes than max_idempotency_bytes, for which it looks at each file.
    """
    names = os.listdir(folder)
    if not weigh and len(names) < settings.max_idempotency_keys:
        return
    aged: list[tuple[float, int, str]] = []
    for name in names:
        with suppress(FileNotFoundError):
            stat = (folder / name).stat()
            aged.append((stat.st_mtime, stat.st_size, name))
    for name in _too_old(sorted(aged), settings):
        with suppress(OSError), (folder / name).open("rb") as handle:
            if try_lock_exclusive(handle):
                (folder / name).unlink()


def _too_old(aged: list[tuple[float, int, str]], settings: Settings) -> Iterator[str]:
    """The names that have to go, of files by time and size, the oldest first."""
    count, size = len(aged), sum(each for _, each, _ in aged)
    most_keys, most_bytes = settings.max_idempotency_keys, settings.max_idempotency_bytes
    left = int(_LEFT * most_keys) if count >= most_keys else count
    left_bytes = int(_LEFT * most_bytes) if size > most_bytes else size
    for _, each, name in aged:
        if count <= left and size <= left_bytes:
            return
        count, size = count - 1, size - each
        yield name


@contextmanager
def _locked(file: Path) -> Iterator[IO[str]]:
    """The file, open and locked. Raises ConflictError where another request holds it."""
    while True:
        with file.open("a+", encoding="utf-8") as handle:
            if not try_lock_exclusive(handle):
                raise ConflictError(
                    f"a request with this {HEADER} is still being carried out; send it again in a moment"
                )
            if _is_there(handle, file):  # else it was deleted before it was locked
                with unlocking(handle):
                    yield handle
                return


def _is_there(handle: IO[str], file: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(handle.fileno()), file.stat())
    except FileNotFoundError:
        return False


def _kept(handle: IO[str], settings: Settings) -> dict[str, Any] | None:
    """The answer in the file; None without a whole one that is not too old."""
    if time.time() - os.fstat(handle.fileno()).st_mtime > settings.idempotency_retention:
        return None
    handle.seek(0)
    try:
        kept = json.loads(handle.read())
    except ValueError:
        return None
    return kept if isinstance(kept, dict) and "request" in kept else None


def _keep(handle: IO[str], asked: str, answer: Response, settings: Settings) -> None:
    text = _record(asked, answer)
    if len(text) > settings.max_idempotency_answer:
        text = _record(asked, problems.problem_response(_not_kept(answer, settings)))
    handle.seek(0)
    handle.truncate()
    handle.write(text)
    handle.flush()
    os.fsync(handle.fileno())
    folder = Path(handle.name).parent
    sync_folder(folder)
    if len(text) > _SMALL:
        prune(folder, settings, weigh=True)


def _record(asked: str, answer: Response) -> str:
    """The record of an answer; all of it is ASCII, so a character is a byte."""
    headers = {name: answer.headers[name] for name in _KEPT_HEADERS if name in answer.headers}
    body = answer.get_data(as_text=True)
    return json.dumps({"request": asked, "status": answer.status_code, "headers": headers, "body": body})


def _not_kept(answer: Response, settings: Settings) -> LongAnswerError:
    """The answer to the same request where the first answer is too long to be kept."""
    content = answer.get_json(force=True, silent=True)
    revision = content.get("revision") if isinstance(content, dict) else None
    change = f" and made revision {revision}" if revision is not None else ""
    size, limit = len(answer.get_data()), settings.max_idempotency_answer
    return LongAnswerError(
        f"the request of this {HEADER} was done; its answer had status {answer.status_code}{change}, "
        f"and is not kept: {size:,} bytes, the limit is {limit:,}; read what is there, or raise the setting "
        "max_idempotency_answer"
    )


def _carried_out(carry_out: Callable[[], Response]) -> Response:
    """The answer, also where it is an error that a client can act on."""
    try:
        return carry_out()
    except SageError as error:
        return problems.problem_response(error)


def _digest(*parts: str) -> str:
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


def _digest_of(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
